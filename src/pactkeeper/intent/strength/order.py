"""Which claim says more: a partial order over assertions about one value.

`compare` answers for two facts: equal, stronger, weaker, or incomparable. "Stronger" is implication: whatever makes the
old assertion fail makes the new one fail too.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, Literal, TypeGuard

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Item,
    Name,
    Operation,
    Raised,
    Value,
)
from pactkeeper.intent.strength.facts import Fact
from pactkeeper.intent.strength.terms import is_part, last_name, number_of, truth_of

Order = Literal["equal", "stronger", "weaker", "incomparable"]

_ANYTHING: Final = frozenset({"anything", "ANY", "Anything"})
_ANY_OF: Final = frozenset({"any", "instance_of", "IsInstance", "IsA"})
_PARTS: Final = frozenset({"objectContaining", "arrayContaining", "stringContaining", "stringMatching", "closeTo"})
_EQUAL: Final = frozenset({"equals", "same"})
_OF_LISTS: Final = frozenset({"contains", "length", "empty", "truthy"})
_EXACT: Final = _EQUAL | {"none", "undefined"}
# How much a relation pins down when nothing else decides: an equality says most, that something is there says least.
_RANK: Final[Mapping[str, int]] = {
    "same": 9, "equals": 9, "called_with": 8, "raises": 8, "warns": 8, "snapshot": 8, "returned": 8, "has_text": 8,
    "approximately": 7, "logs": 7, "length": 6, "called_times": 6, "contained_in": 6, "matches": 5, "contains": 5,
    "starts_with": 5, "ends_with": 5, "has_property": 5, "state": 5, "less": 4, "at_most": 4, "greater": 4,
    "at_least": 4, "has_type": 4, "instance_of": 3, "empty": 3, "satisfies": 3, "has_attribute": 2, "called": 2,
    "visible": 2, "exists": 2, "truthy": 2, "falsy": 2, "none": 9, "undefined": 9, "completes": 1,
}  # fmt: skip
_NEGATED: Final = 1
_BEGINS: Final = re.compile(r"\^((?:[\w ,:;/'\"-](?![?*{])|\\[^\w\s](?![?*{]))++)")  # what it begins with for sure
_PYTHONS: Final = (Value("boolean", "True"), Value("boolean", "False"))
WRITTEN_OUT: Final = frozenset({"str", "repr", "list", "tuple", "dict", "bytes", "dumps", "fspath", "asdict", "encode"})


def compare(old: Fact, new: Fact) -> Order:
    """How the new fact relates to the old one, all facets taken together."""
    forward, backward = implies(new, old), implies(old, new)
    if forward and backward:
        return "equal"
    if forward:
        return "stronger"
    return "weaker" if backward else "incomparable"


def implies(one: Fact, other: Fact) -> bool:
    """Whether `one` fails wherever `other` fails."""
    if not no_narrower(one, other):
        return False
    if other.awaited and not one.awaited:
        return False
    return claim_implies(one.claim, other.claim)


def no_narrower(one: Fact, other: Fact) -> bool:
    """Whether a fact is made wherever another one is: equal terms are mostly one object, so none of them is hashed."""
    return all(condition in other.conditions for condition in one.conditions)


def claim_implies(one: Claim, other: Claim) -> bool:
    """Whether a claim entails another one."""
    if one == other:
        return True
    if one.alternatives:
        parts = (_alone(one), *one.alternatives)
        return all(claim_implies(part, other) for part in parts)
    if other.alternatives:
        return any(claim_implies(one, part) for part in (_alone(other), *other.alternatives))
    if one.each != other.each:
        return _each_implies(one, other)
    if one.relation == "raises" and other.relation == "equals":
        return _worded(one, other)
    if listed(one.subject) == other.subject and other.relation in _OF_LISTS:
        one = replace(one, subject=other.subject)
    if one.subject != other.subject and one.relation not in {"raises", "warns"}:
        return _projected(one, other)
    return _about_one(one, other)


def listed(one: Expression) -> Expression | None:
    """What is listed in whole: `x` of `x.keys()`, `list(x)` or `sorted(x)`."""
    match one:
        case Call(function=Attribute(value=value, name="keys"), arguments=()):
            return value
        case Call(function=Name(name="list" | "sorted" | "tuple"), arguments=(Argument(value=value, name=None),)):
            return value
    return None


def _worded(one: Claim, other: Claim) -> bool:
    """Whether an exception is expected with the very text that another claim finds in it."""
    subject = other.subject.arguments[0].value if _is_text_of(other.subject) else other.subject
    subject = subject.value if isinstance(subject, Attribute) and subject.name == "message" else subject
    if not isinstance(subject, Raised) or one.negated or other.negated or not isinstance(other.object, Value):
        return False
    matched = [extra.value for extra in one.qualifiers if extra.name in {"match", "message"}]
    said = [re.sub(r"\\(\W)", r"\1", value.text) for value in matched if isinstance(value, Value)]
    return last_name(one.subject) == last_name(subject.error) and other.object.text in said


def _is_text_of(one: Expression) -> TypeGuard[Call]:
    return isinstance(one, Call) and one.function == Name("str") and len(one.arguments) == 1


def _alone(claim: Claim) -> Claim:
    return Claim(
        claim.relation, claim.subject, claim.object, negated=claim.negated, qualifiers=claim.qualifiers, each=claim.each
    )


def _each_implies(one: Claim, other: Claim) -> bool:
    if one.each is None or other.each is None:
        return False
    same = one.each.variable == other.each.variable and one.each.over == other.each.over
    narrower = one.each.kind == "every" and other.each.kind == "some"
    plain = [Claim(each.relation, each.subject, each.object, negated=each.negated, qualifiers=each.qualifiers)
             for each in (one, other)]  # fmt: skip
    return same and narrower and claim_implies(*plain)


def _projected(one: Claim, other: Claim) -> bool:
    """An equality of a whole says what its parts are: `x == [1, 2]` entails `len(x) == 2` and `x[0] == 1`."""
    if one.relation not in _EQUAL or one.negated or other.negated:
        return False
    cut = isinstance(other.subject, Item) and other.object == one.object  # a part that equals what the whole equalled
    return is_part(one.subject, other.subject) and other.subject != one.subject and not cut


def _about_one(one: Claim, other: Claim) -> bool:
    rule = _RULES.get(one.relation)
    if one.relation == other.relation and one.negated == other.negated:
        same = _SAME.get(one.relation)
        return same(one, other) if same is not None else _objects(one, other)
    if one.negated:
        return _negated_implies(one, other)
    return rule(one, other) if rule is not None else False


def _negated_implies(one: Claim, other: Claim) -> bool:
    if other.negated and one.relation == "contains" and other.relation == "equals":
        return False
    if one.relation == "none":  # it is something: nothing weaker is worth a word
        return other.relation in {"undefined", "exists"}
    if one.relation == "empty":
        return other.relation in {"truthy", "exists"} or (other.relation == "none" and other.negated)
    return False


def _objects(one: Claim, other: Claim) -> bool:
    """One relation about one subject: the expected value must say as much, the qualifiers too."""
    if not covers(one.object, other.object):
        return False
    mine = {extra.name: extra.value for extra in one.qualifiers}
    return all(extra.name in mine and covers(mine[extra.name], extra.value) for extra in other.qualifiers)


def covers(one: Expression | None, other: Expression | None) -> bool:
    """Whether an expected value pins down at least as much as another: a wildcard covers nothing but itself."""
    if one == other or other is None:
        return True
    if one is None:
        return False
    if _is_wildcard(other):
        return _fits(one, other)
    if isinstance(one, Collection) and isinstance(other, Collection) and one.kind == other.kind:
        same = len(one.items) == len(other.items)
        return same and all(covers(mine, theirs) for mine, theirs in zip(one.items, other.items, strict=True))
    if isinstance(one, Call) and isinstance(other, Call) and len(one.arguments) == len(other.arguments):
        pairs = zip(one.arguments, other.arguments, strict=True)
        return one.function == other.function and all(
            mine.name == theirs.name and covers(mine.value, theirs.value) for mine, theirs in pairs
        )
    return False


def _is_wildcard(one: Expression) -> bool:
    name = last_name(one)
    if isinstance(one, Call):
        return name in _ANYTHING | _PARTS or (name in _ANY_OF and bool(one.arguments))
    return name in _ANYTHING


def _fits(one: Expression, wildcard: Expression) -> bool:
    """Whether everything equal to `one` satisfies the wildcard."""
    name = last_name(wildcard)
    if name in _ANYTHING:
        return True
    if _is_wildcard(one) or not isinstance(wildcard, Call) or not wildcard.arguments:
        return False
    wanted = wildcard.arguments[0].value
    if name in {"objectContaining", "arrayContaining"}:
        return has_parts(one, wanted)
    if name in {"stringContaining", "stringMatching"}:
        return isinstance(one, Value) and isinstance(wanted, Value) and (wanted.text in one.text)
    return name in _ANY_OF and _is_of(one, wanted)


_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset({"String", "str"}), "number": frozenset({"Number", "int", "float"}),
    "boolean": frozenset({"Boolean", "bool", "int"}), "bytes": frozenset({"bytes"}),
    "list": frozenset({"Array", "list"}), "tuple": frozenset({"tuple"}), "set": frozenset({"set"}),
    "mapping": frozenset({"Object", "dict"}),
}  # fmt: skip


def _is_of(one: Expression, kind: Expression) -> bool:
    names = {last_name(item) for item in kind.items} if isinstance(kind, Collection) else {last_name(kind)}
    if isinstance(one, Value | Collection):
        return bool(names & _KINDS.get(one.kind, frozenset())) or "object" in names
    return isinstance(one, Call) and last_name(one.function) in names


def has_parts(one: Expression | None, other: Expression | None) -> bool:
    """Whether a value written out contains all that another one lists."""
    if one == other:
        return True
    if isinstance(one, Value) and isinstance(other, Value):
        return one.kind == other.kind and other.text in one.text and one.kind in {"string", "bytes"}
    if isinstance(one, Collection) and isinstance(other, Collection):
        if one.kind == "mapping" and other.kind == "mapping":
            return _has_entries(one, other)
        return all(any(covers(mine, theirs) for mine in one.items) for theirs in other.items)
    return isinstance(one, Collection) and any(covers(item, other) for item in one.items)


def _has_entries(one: Collection, other: Collection) -> bool:
    mine = list(zip(one.items[::2], one.items[1::2], strict=False))
    return all(
        any(key == name and (covers(value, wanted) or has_parts_of_mapping(value, wanted)) for name, value in mine)
        for key, wanted in zip(other.items[::2], other.items[1::2], strict=False)
    )


def has_parts_of_mapping(one: Expression, other: Expression) -> bool:
    """Whether a nested mapping has all entries of another one."""
    mappings = isinstance(one, Collection) and isinstance(other, Collection) and {one.kind, other.kind} == {"mapping"}
    return mappings and has_parts(one, other)


def _equals(one: Claim, other: Claim) -> bool:
    """What `== value` entails."""
    value, object_ = one.object, other.object
    if value is None:
        return False
    if _is_wildcard(value):
        return False
    answer = _EQUALS.get(other.relation)
    if answer is None:
        return False
    found = answer(value, object_, other)
    if found is None:  # nothing tells: an equality with something unknown is taken to say what a looser relation says
        return not other.negated or other.relation in {"none", "undefined", "empty"}
    return found is not other.negated


def _in_words(value: Expression, test: Callable[[str], bool]) -> bool | None:
    return test(value.text) if isinstance(value, Value) and value.kind in {"string", "bytes"} else None


def _ordered(check: Callable[[float, float], bool]) -> Callable[[Expression, Expression | None, Claim], bool | None]:
    def answer(value: Expression, bound: Expression | None, _other: Claim) -> bool | None:
        one, limit = number_of(value), number_of(bound)
        return check(one, limit) if one is not None and limit is not None else None

    return answer


def _contains(value: Expression, part: Expression | None, _other: Claim) -> bool | None:
    known = isinstance(value, Value) or (isinstance(value, Collection) and part is not None)
    return has_parts(value, part) if known else None


def _is_one_of(value: Expression, choices: Expression | None, _other: Claim) -> bool | None:
    return any(covers(value, item) for item in choices.items) if isinstance(choices, Collection) else None


def _long(value: Expression, number: Expression | None, _other: Claim) -> bool | None:
    wanted = number_of(number)
    if wanted is None:
        return None
    if isinstance(value, Collection):
        return wanted == len(value.items) // (2 if value.kind == "mapping" else 1)
    return _in_words(value, lambda text: len(text) == wanted)


def _matching(value: Expression, pattern: Expression | None, _other: Claim) -> bool | None:
    if not isinstance(pattern, Value):
        return None
    text = pattern.text
    if re.search(r"[\\^$.|?*+()\[\]{}]", text) is None:
        return _in_words(value, lambda words: text in words)
    start = _BEGINS.match(text)
    begins = re.sub(r"\\(.)", r"\1", start[1]).casefold() if start is not None and "|" not in text else ""
    return False if _in_words(value, lambda words: words.casefold().startswith(begins)) is False else None


_EQUALS: Final[Mapping[str, Callable[[Expression, Expression | None, Claim], bool | None]]] = {
    "equals": lambda value, other, claim: (covers(value, other) if not claim.negated else _same(value, other)),
    "same": lambda value, other, claim: _same(value, other) if claim.negated else _identical(value, other),
    "truthy": lambda value, _object, _claim: truth_of(value),
    "falsy": lambda value, _object, _claim: _opposite(truth_of(value)),
    "none": lambda value, _object, _claim: _is_kind(value, "none"),
    "undefined": lambda value, _object, _claim: _is_kind(value, "undefined"),
    "exists": lambda _value, _object, _claim: True,
    "empty": lambda value, _object, _claim: _opposite(truth_of(value)),
    "contains": _contains,
    "contained_in": _is_one_of,
    "has_text": _contains,
    "has_property": _contains,
    "has_attribute": lambda _value, _object, _claim: None,
    "approximately": lambda value, other, _claim: covers(value, other),
    "length": _long,
    "matches": _matching,
    "starts_with": lambda value, start, _claim: _in_words(value, lambda text: text.startswith(_text_of(start))),
    "ends_with": lambda value, end, _claim: _in_words(value, lambda text: text.endswith(_text_of(end))),
    "instance_of": lambda value, kind, _claim: (_is_of(value, kind) or None) if kind is not None else None,
    "has_type": lambda value, kind, _claim: (_is_of(value, kind) or None) if kind is not None else None,
    "less": _ordered(lambda one, limit: one < limit),
    "at_most": _ordered(lambda one, limit: one <= limit),
    "greater": _ordered(lambda one, limit: one > limit),
    "at_least": _ordered(lambda one, limit: one >= limit),
    "satisfies": lambda _value, _object, _claim: None,
    "state": lambda _value, _object, _claim: None,
}  # fmt: skip


def _identical(value: Expression, other: Expression | None) -> bool | None:
    return None if covers(value, other) else False


def _is_kind(value: Expression, kind: str) -> bool | None:
    """Whether a value written out is of a kind that only literals have."""
    if isinstance(value, Value):
        return value.kind == kind
    return False if isinstance(value, Collection) else None


def _text_of(one: Expression | None) -> str:
    """The text of a literal; one that nothing begins or ends with for anything else."""
    return one.text if isinstance(one, Value) else "\0"


def _same(value: Expression, other: Expression | None) -> bool | None:
    if isinstance(value, Value) and isinstance(other, Value):
        return value == other
    return None


def _opposite(one: bool | None) -> bool | None:
    return None if one is None else not one


def _bounds(one: Claim, other: Claim) -> bool:
    """`> 5` entails `> 3`, `>= 5` and, of numbers, being true."""
    mine, theirs = number_of(one.object), number_of(other.object)
    upper, lower = {"less", "at_most"}, {"greater", "at_least"}
    if other.relation == "truthy" and mine is not None and not other.negated:
        return one.relation in lower and (mine > 0 or (mine == 0 and one.relation == "greater"))
    if (other.relation in {"none", "undefined"} and other.negated) or (
        other.relation == "exists" and not other.negated
    ):
        return True
    if mine is None or theirs is None or other.negated:
        return one.object == other.object and (one.relation, other.relation) in {
            ("less", "at_most"),
            ("greater", "at_least"),
        }
    if one.relation in upper and other.relation in upper:
        return mine < theirs or (mine == theirs and not (one.relation == "at_most" and other.relation == "less"))
    if one.relation in lower and other.relation in lower:
        return mine > theirs or (mine == theirs and not (one.relation == "at_least" and other.relation == "greater"))
    return False


def _present(*relations: str) -> Callable[[Claim, Claim], bool]:
    """What entails that something is there, and the relations named."""

    def rule(_one: Claim, other: Claim) -> bool:
        if other.negated:
            return other.relation in {"none", "undefined", "empty", "falsy"}
        return other.relation in {"exists", *relations}

    return rule


def _is_number(one: Claim, other: Claim) -> bool:
    """An exact number of members entails bounds on it and whether there are any."""
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
    """A narrower exception, a narrower message, and less that may have raised it; the other way round where negated."""
    if one.negated:
        one, other = other, one
    if not _is_narrower(one.subject, other.subject):
        return False
    if not _message(one, other):
        return False
    return _watched(one.object, other.object)


def _is_narrower(one: Expression, other: Expression) -> bool:
    mine, theirs = _classes(one), _classes(other)
    return all(any(_is_subclass(name, wide) for wide in theirs) for name in mine)


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
            if own is None or not (own == extra.value or _says_more(own, extra.value)):
                return False
            if extra.name == "message" and "message" not in mine and own != extra.value:
                return False
        elif mine.get(extra.name) != extra.value:
            return False
    return True


def _says_more(one: Expression, other: Expression) -> bool:
    if not (isinstance(one, Value) and isinstance(other, Value)):
        return False
    mine, theirs = one.text.lstrip("^").rstrip("$"), other.text.lstrip("^").rstrip("$")
    plain = re.search(r"(?<!\\)[.*+?|\[(]", theirs) is None
    return plain and theirs in mine


def _watched(one: Expression | None, other: Expression | None) -> bool:
    """Whether what may raise in `one` is a part of what may raise in `other`."""
    mine, theirs = _calls(one), _calls(other)
    return not theirs or not mine or set(mine) <= set(theirs)


def _calls(one: Expression | None) -> tuple[Expression, ...]:
    if isinstance(one, Operation) and one.operator == "watched":
        return one.operands
    return (one,) if one is not None else ()


def _approximately(one: Claim, other: Claim) -> bool:
    if one.object != other.object:
        return False
    mine, theirs = _tolerance(one), _tolerance(other)
    if mine == theirs:
        return True
    kinds = {kind for kind, _ in (*mine.items(), *theirs.items())}
    return len(kinds) == 1 and bool(mine) and bool(theirs) and all(mine[kind] <= theirs[kind] for kind in kinds)


def _tolerance(claim: Claim) -> dict[str, float]:
    """Absolute and relative tolerance; decimal places are an absolute one. Nothing stated is the library's default."""
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
    return _is_narrower(one.object, other.object) if not one.negated else one.object == other.object


_SAME: Final[Mapping[str, Callable[[Claim, Claim], bool]]] = {
    "raises": _raises, "warns": _raises, "approximately": _approximately, "contains": _parts, "has_text": _parts,
    "contained_in": _choices, "instance_of": _types, "less": _bounds, "at_most": _bounds, "greater": _bounds,
    "at_least": _bounds,
}  # fmt: skip
_RULES: Final[Mapping[str, Callable[[Claim, Claim], bool]]] = {
    "equals": _equals, "same": _equals, "less": _bounds, "at_most": _bounds, "greater": _bounds, "at_least": _bounds,
    "length": _is_number, "called_with": _called, "called_times": _called,
    "approximately": _present("truthy"), "contains": _present("truthy"), "contained_in": _present(),
    "matches": _present("truthy"), "starts_with": _present("truthy"), "ends_with": _present("truthy"),
    "instance_of": _present(), "has_type": _present("instance_of"), "has_property": _present("has_attribute"),
    "truthy": _present(), "has_text": _present("visible"), "visible": _present(), "state": _present("visible"),
    "raises": lambda _one, other: other.relation == "raises" and not other.negated,
    "snapshot": _present("truthy"), "exists": _present(), "has_attribute": _present(),
}  # fmt: skip


def rank(claim: Claim) -> int:
    """How much a relation pins down, from 0 for nothing to 9 for an exact value."""
    found = max((_RANK.get(claim.relation, 3) - (claim.negated and claim.relation in _EXACT) * 7, _NEGATED))
    return min([found, *(rank(other) for other in claim.alternatives)])


def loosened(old: Claim, new: Claim) -> bool:
    """Whether a claim about the same value, or about something made of it, plainly pins down less than before."""
    related = old.subject == new.subject or is_part(old.subject, new.subject)
    return related and (rank(new) < rank(old) or (bool(new.alternatives) and not old.alternatives))


def is_converted(old: Claim, new: Claim) -> bool:
    """Whether as much is said in other words: `str(x) == "1"` for `x == 1`, `isinstance(x, int)` for `type(x) is int`.

    Linters have people write `assert x` for `assert x == True`.

    So it is where an exception is expected of the same call and of others beside it.
    """
    if (old.relation, new.relation) == ("has_type", "instance_of") and not old.negated:
        return True
    if (old.relation, new.relation) == ("equals", "truthy") and old.object in _PYTHONS:
        return True
    if old.relation in {"raises", "warns"} and new.relation == old.relation and old.object != new.object:
        return replace(new, object=old.object) == old
    made = new.subject
    while isinstance(made, Attribute | Item):
        made = made.value
    whole = isinstance(made, Call) and made != root(old.subject) and is_part(old.subject, made)
    return whole and rank(new) >= rank(old) and last_name(made) in WRITTEN_OUT


def root(one: Expression) -> Expression:
    """The call or name that a value is read from: `f(x).items[0]` is read from `f(x)`."""
    while isinstance(one, Attribute | Item):
        one = one.value
    return one


def same_value(one: Expression, other: Expression) -> bool:
    """Whether two subjects speak of one value, or of something read or made from it."""
    if one == other or is_part(one, other) or is_part(other, one):
        return True
    first, second = root(one), root(other)
    return first == second and not isinstance(first, Value) and first != Name("")
