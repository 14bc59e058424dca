"""What a claim entails: claims of the same and other relations about the same value, and about members of a list.

Also which values a claim accepts.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final

from pactkeeper.intent.claims import Claim, Collection, Expression, Name, Opaque, Operation, Value
from pactkeeper.intent.strength.expected import covers, entailed, has_parts, is_primitive
from pactkeeper.intent.strength.folding import is_constant, is_spread, number_of
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
            if own is None or not (own == extra.value or _says_more(own, extra.value, whole="message" in mine)):
                return False
            if extra.name == "message" and own != extra.value and ("message" in mine or not is_whole(own, extra.value)):
                return False
        elif mine.get(extra.name) != extra.value:
            return False
    return True


def is_whole(pattern: Expression, text: Expression) -> bool:
    """Whether an error's message is the text if it matches the pattern."""
    if isinstance(pattern, Value) and isinstance(text, Value):
        return pattern == text or accepts_only(pattern, text)
    return pattern == text


def _says_more(one: Expression, other: Expression, *, whole: bool) -> bool:
    """Whether `other` accepts everything `one` accepts: a `whole` text or a pattern."""
    if isinstance(one, Operation) and one.operator == "text":
        parts = (part.text for part in one.operands if isinstance(part, Value))
        sure = (run for text in parts for run in ([text] if whole else sure_texts(text)) if run)
        return any(_says_more(Value("regex", re.escape(run)), other, whole=False) for run in sure)
    return isinstance(one, Value) and isinstance(other, Value) and accepts_all(other, one, whole=whole)


def _matches(one: Claim, other: Claim) -> bool:
    """Whether a pattern that matches, or must not match, entails another one."""
    if one.object is None or other.object is None or one.qualifiers != other.qualifiers:
        return False
    narrow, wide = (other.object, one.object) if one.negated else (one.object, other.object)
    return narrow == wide or _says_more(narrow, wide, whole=False)


def sure_texts(pattern: str) -> list[str]:
    """Return the literal runs in every match of a pattern; none if it has alternatives or flags."""
    if re.search(r"(?<!\\)[|\[{(]", pattern) is not None:
        return []
    return [re.sub(r"\\(\W)", r"\1", run) for run in re.split(r"(?:\\.|[^\\])?(?<!\\)[*?]|(?<!\\)[.^$+]|\\\w", pattern)]


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


_PIECE: Final = re.compile(
    r"(\\.|\[\^?+(?:\\.|[^\[\]\\])++\]|.)(?:([*+?])|\{(\d{0,4}+)(,?)(\d{0,4}+)\})?[?+]?", re.DOTALL
)
_FLAGS: Final = re.compile(r"^\(\?([ims]+)\)")  # with each of which a pattern matches more
_TIMES: Final = {"*": (0, inf), "+": (1, inf), "?": (0, 1), None: (1, 1)}
_MOST: Final = 120  # pieces of a pattern
_LONGEST: Final = 1_000
_DIGITS: Final = frozenset("0123456789")
_WORD: Final = _DIGITS | frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_SPACE: Final = frozenset(" \t\n\r\f\v")
_EVERY: Final = frozenset(map(chr, range(256)))  # what stands for all characters
_CLASSES: Final = {"d": _DIGITS, "w": _WORD, "s": _SPACE, "D": _EVERY - _DIGITS, "W": _EVERY - _WORD,
                   "S": _EVERY - _SPACE, "n": frozenset("\n"), "t": frozenset("\t"), "r": frozenset("\r")}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Piece:
    """Characters that a pattern accepts in one place, and how many of them."""

    of: frozenset[str]
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class _Form:
    pieces: tuple[_Piece, ...]
    first: bool  # it starts where the text does
    last: bool


def accepts_all(wide: Value, narrow: Value, *, whole: bool) -> bool:
    """Whether a pattern finds a match in every text in which a narrower one does; `whole` texts are exact."""
    if not whole and _flags(narrow) != _flags(wide):
        return False
    one, other = _form(wide, whole=False), _form(narrow, whole=whole)
    if one is None or other is None or (one.first and not other.first) or (one.last and not other.last):
        return False
    ends = {0} if one.first else set(range(len(other.pieces) + 1))
    for at, piece in enumerate(one.pieces):
        open_ended = (at == 0 and not one.first) or (at == len(one.pieces) - 1 and not one.last)
        most = inf if open_ended else piece.most
        ends = {end for start in ends for end in _runs(other.pieces, start, piece, most)}
    return bool(ends) and (not one.last or len(other.pieces) in ends)


def accepts_only(pattern: Value, text: Value) -> bool:
    """Whether a pattern finds a match in no other text: `^negative$` in `negative`."""
    one = _form(pattern, whole=False)
    exact = one is not None and one.first and one.last and not _flags(pattern)
    return exact and one == _form(text, whole=True)


def _flags(one: Value) -> frozenset[str]:
    found = _FLAGS.match(one.text) if one.kind == "regex" else None
    return frozenset(found[1] if found is not None else "")


def _runs(pieces: Sequence[_Piece], start: int, wide: _Piece, most: float) -> Iterator[int]:
    """Yield where runs of pieces from `start` end that are accepted by a single wider piece."""
    least = longest = 0.0
    if wide.least == 0:
        yield start
    for end, piece in enumerate(pieces[start:], start + 1):
        least, longest = least + piece.least, longest + piece.most
        if not piece.of <= wide.of or longest > most:
            return
        if least >= wide.least:
            yield end


def _form(one: Value, *, whole: bool) -> _Form | None:
    """Return the pieces of a pattern, or of a literal text; None for groups, alternatives and very long ones."""
    if whole or one.kind != "regex":
        pieces = tuple(_Piece(frozenset(sign), 1, 1) for sign in one.text)
        return _Form(pieces, whole, whole) if len(pieces) <= _MOST else None
    text = _FLAGS.sub("", one.text[:_LONGEST])
    first, last = text.startswith("^"), text.endswith("$") and not text.endswith(r"\$")
    found = list(_PIECE.finditer(text[first : len(text) - last]))
    if len(found) > _MOST or any(piece[1] in set("()[]|^$*+?") for piece in found):
        return None
    kinds = [_characters(piece[1]) for piece in found]
    made = [_Piece(kind, *_times(piece)) for kind, piece in zip(kinds, found, strict=True) if kind is not None]
    return _Form(tuple(made), first, last) if len(made) == len(found) else None


def _times(piece: re.Match[str]) -> tuple[float, float]:
    if piece[4] is None:
        return _TIMES[piece[2]]
    least = float(piece[3] or 0)
    return least, float(piece[5]) if piece[5] else inf if piece[4] else least


def _characters(sign: str) -> frozenset[str] | None:
    """Return the characters that a piece of a pattern accepts; None for those that depend on their place."""
    if sign == ".":
        return _EVERY - frozenset("\n")
    if sign.startswith("\\"):
        return _CLASSES.get(sign[1]) or (None if sign[1].isalnum() else frozenset(sign[1]))
    if not sign.startswith("["):
        return frozenset(sign)
    found: set[str] = set()
    for part in re.finditer(r"(\\.|[^\\])(?:-(\\.|[^\\\]]))?", sign[1 + sign.startswith("[^") : -1], re.DOTALL):
        start, end = _characters_of(part[1]), _characters_of(part[2] or part[1])
        if start is None or end is None:
            return None
        plain = len(start) == len(end) == 1
        found |= {chr(code) for code in range(ord(min(start)), min(ord(min(end)), 255) + 1)} if plain else start | end
    return _EVERY - found if sign.startswith("[^") else frozenset(found)


def _characters_of(sign: str) -> frozenset[str] | None:
    return _characters(sign) if sign.startswith("\\") else frozenset(sign)
