"""What a claim entails: claims of the same and other relations about the same value, and about members of a list."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from pactkeeper.intent.claims import Claim, Collection, Expression, Name, Opaque, Operation, Value
from pactkeeper.intent.strength.expected import covers, entailed, has_parts, is_primitive
from pactkeeper.intent.strength.folding import is_constant, is_spread, number_of
from pactkeeper.intent.strength.patterns import is_whole, says_more
from pactkeeper.intent.strength.substitution import plainly, substitute
from pactkeeper.intent.strength.terms import last_name

_HELD: Final = "‹"  # begins what stands for a word of a source that is also a name with a value
_UPPER: Final = frozenset({"less", "at_most"})
_LOWER: Final = frozenset({"greater", "at_least"})
_WIDENED: Final = frozenset({("at_most", "less"), ("at_least", "greater")})


def _bounds(one: Claim, other: Claim) -> bool:
    """Whether a bound entails another claim: `> 5` entails `> 3`, `>= 5` and, for numbers, being true."""
    mine, theirs = number_of(one.object), number_of(other.object)
    pair = (one.relation, other.relation)
    if other.relation == "truthy" and mine is not None and not other.negated:
        return one.relation in _LOWER and (mine > 0 or (mine == 0 and one.relation == "greater"))
    if other.relation in ({"none", "undefined"} if other.negated else {"exists"}):
        return True
    if mine is None or theirs is None or other.negated:
        return one.object == other.object and pair in {("less", "at_most"), ("greater", "at_least")}
    if mine == theirs:
        return pair not in _WIDENED and (_UPPER.issuperset(pair) or _LOWER.issuperset(pair))
    return (mine < theirs and _UPPER.issuperset(pair)) or (mine > theirs and _LOWER.issuperset(pair))


def _present(*relations: str) -> Callable[[Claim, Claim], bool]:
    """Build a rule that entails existence and the named relations."""

    def rule(_one: Claim, other: Claim) -> bool:
        if other.negated:
            return other.relation in {"none", "undefined", "empty", "falsy"}
        return other.relation in {"exists", *relations}

    return rule


def _is_number(one: Claim, other: Claim) -> bool:
    """Whether an exact length entails another claim: bounds on it, and whether there are any members."""
    number = number_of(one.object)
    if other.relation == "empty":
        return number is not None and ((number == 0) is not other.negated)
    if other.relation == "truthy":
        return number is not None and number > 0 and not other.negated
    return other.negated and other.relation in {"none", "undefined"}


def _called(one: Claim, other: Claim) -> bool:
    if other.relation == "called":
        times = number_of(one.object) if one.relation == "called_times" else 1
        return times is not None and (times > 0) is not other.negated
    if one.relation == "called_with" and other.relation == "called_times":
        return any(extra.name == "times" and extra.value == other.object for extra in one.qualifiers)
    return False


def _raises(one: Claim, other: Claim) -> bool:
    """Whether exception, message and possible sources are all narrower; reversed if the claims are negated."""
    if one.negated:
        one, other = other, one
    if not is_narrower(one.subject, other.subject):
        return False
    if not _message(one, other):
        return False
    return _watched(one.object, other.object)


def is_narrower(one: Expression, other: Expression) -> bool:
    """Whether every class that one term names is a subclass of one that the other names."""
    mine, theirs = _classes(one), _classes(other)
    return one == other or all(name and any(_is_subclass(name, wide) for wide in theirs) for name in mine)


def _classes(one: Expression) -> list[str]:
    return [last_name(item) for item in one.items] if isinstance(one, Collection) else [last_name(one)]


def _is_subclass(name: str, wide: str) -> bool:
    if name == wide or wide in {"BaseException", "Throwable"}:
        return True
    known, wider = getattr(builtins, name, None), getattr(builtins, wide, None)
    if isinstance(known, type) and isinstance(wider, type):
        return issubclass(known, wider)
    if wide in {"Exception", "Error", "Warning"}:
        return name not in {"BaseException", "Throwable", "Exception", "Error", "Warning"}
    return False


def _message(one: Claim, other: Claim) -> bool:
    mine = {extra.name: extra.value for extra in one.qualifiers}
    for extra in other.qualifiers:
        if extra.name in {"match", "message"}:
            own = mine.get("message") or mine.get("match")
            if own is None or not (own == extra.value or says_more(own, extra.value, whole="message" in mine)):
                return False
            if extra.name == "message" and own != extra.value and ("message" in mine or not is_whole(own, extra.value)):
                return False
        elif mine.get(extra.name) != extra.value:
            return False
    return True


def _matches(one: Claim, other: Claim) -> bool:
    """Whether a pattern that matches, or must not match, entails another one."""
    if one.object is None or other.object is None or one.qualifiers != other.qualifiers:
        return False
    narrow, wide = (other.object, one.object) if one.negated else (one.object, other.object)
    return narrow == wide or says_more(narrow, wide, whole=False)


def _watched(one: Expression | None, other: Expression | None) -> bool:
    """Whether everything that may raise in `one` may also raise in `other`."""
    mine, theirs = acts_of(one), acts_of(other)
    return not theirs or not mine or set(mine) <= set(theirs)


def acts_of(one: Expression | None) -> tuple[Expression, ...]:
    """Return what runs where an error, a warning or a log record is expected."""
    if isinstance(one, Operation) and one.operator == "watched":
        return one.operands
    return (one,) if one is not None else ()


def _approximately(one: Claim, other: Claim) -> bool:
    if one.object != other.object:
        return False
    mine, theirs = (_tolerance(claim) for claim in ((other, one) if one.negated else (one, other)))
    if mine == theirs:
        return True
    return mine.keys() == theirs.keys() and all(mine[kind] <= theirs[kind] for kind in mine)


def _tolerance(claim: Claim) -> dict[str, float]:
    """Return absolute and relative tolerance, with decimal places as absolute; by default, the library's default."""
    found: dict[str, float] = {}
    for extra in claim.qualifiers:
        number = number_of(extra.value)
        if number is not None and extra.name in {"places", "digits"}:
            found["tolerance"] = 10.0**-number
        elif number is not None and extra.name:
            found[extra.name] = number
    return found or {"relative": 1e-6}


def _parts(one: Claim, other: Claim) -> bool:
    """Containing a larger part entails containing a smaller one."""
    if one.negated:
        return has_parts(other.object, one.object)
    return has_parts(one.object, other.object)


def _choices(one: Claim, other: Claim) -> bool:
    mine, theirs = one.object, other.object
    if not (isinstance(mine, Collection) and isinstance(theirs, Collection)):
        return mine == theirs
    first, second = (theirs, mine) if one.negated else (mine, theirs)
    return all(any(covers(item, choice) for choice in second.items) for item in first.items)


def _types(one: Claim, other: Claim) -> bool:
    if one.object is None or other.object is None:
        return one.object == other.object
    return is_narrower(one.object, other.object) if not one.negated else one.object == other.object


def _snapshot(one: Claim, other: Claim) -> bool:
    """Whether a snapshot says that a value is the text that another claim expects, or something true."""
    if other.relation != "equals" or not isinstance(one.object, Opaque) or not isinstance(other.object, Value):
        return _present("truthy")(one, other)
    mine, theirs = one.object.text.split(), other.object.text.split()
    pairs = zip(mine, theirs, strict=False)
    return len(mine) == len(theirs) and not other.negated and all(own == word or _HELD in own for own, word in pairs)


OF_ONE_RELATION: Final[Mapping[str, Callable[[Claim, Claim], bool]]] = {
    "raises": _raises, "warns": _raises, "approximately": _approximately, "contains": _parts, "has_text": _parts,
    "contained_in": _choices, "instance_of": _types, "less": _bounds, "at_most": _bounds, "greater": _bounds,
    "at_least": _bounds, "matches": _matches,
}  # fmt: skip
OF_OTHERS: Final[Mapping[str, Callable[[Claim, Claim], bool]]] = {
    "equals": entailed, "same": entailed, "less": _bounds, "at_most": _bounds, "greater": _bounds, "at_least": _bounds,
    "length": _is_number, "called_with": _called, "called_times": _called,
    "approximately": _present("truthy"), "contains": _present("truthy"), "contained_in": _present(),
    "matches": _present("truthy"), "starts_with": _present("truthy"), "ends_with": _present("truthy"),
    "instance_of": _present(), "has_type": _present("instance_of"), "has_property": _present("has_attribute"),
    "truthy": _present(), "has_text": _present("visible"), "visible": _present(), "state": _present("visible"),
    "raises": lambda _one, other: other.relation == "raises" and not other.negated,
    "empty": lambda _one, other: other.relation == "length" and number_of(other.object) == 0 and not other.negated,
    "snapshot": _snapshot, "exists": _present(), "has_attribute": _present(),
}  # fmt: skip


def member_by_member(claim: Claim) -> tuple[Claim, ...]:
    """Split an equality of two literal lists into one per member: `(a, b) == (1, 2)`."""
    claim = _without_idle(claim)
    one, other = _spread_out(claim.subject), claim.object
    extras = claim.qualifiers if any(extra.name != "strict" for extra in claim.qualifiers) else ()
    plain = claim.relation == "equals" and not (claim.negated or extras or claim.each or claim.alternatives)
    if not (plain and isinstance(one, Collection) and isinstance(other, Collection)):
        return (claim,)
    if one is not claim.subject and other.kind == "set" and len(other.items) == 1:
        return tuple(plainly(replace(claim, subject=item, object=other.items[0])) for item in one.items)
    if one.kind != other.kind or one.kind not in {"tuple", "list"} or len(one.items) != len(other.items):
        return (claim,)
    if is_constant(one) or any(map(is_spread, (*one.items, *other.items))):
        return (claim,)
    pairs = zip(one.items, other.items, strict=True)
    members = (_without_idle(replace(claim, subject=item, object=wanted)) for item, wanted in pairs)
    return tuple(plainly(member) for member in members)


def _without_idle(claim: Claim) -> Claim:
    """Drop a qualifier that adds nothing: of a string or number, `toStrictEqual` says as much as `toBe`."""
    if not (claim.qualifiers and claim.relation == "equals" and is_primitive(claim.object)):
        return claim
    return replace(claim, qualifiers=tuple(one for one in claim.qualifiers if one.name != "strict"))


def _spread_out(one: Expression) -> Expression:
    """Expand a list made by applying one function to a literal list into the list of results."""
    match one:
        case Operation("each", (element, Name() as variable, Collection("list" | "tuple" | "set", items))):
            if not any(map(is_spread, items)):
                return Collection("list", tuple(substitute(element, {variable: item}) for item in items))
    return one
