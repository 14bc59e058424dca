"""What an expected value covers, and what an equality with it entails."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from operator import ge, gt, le, lt
from typing import Final

from pactkeeper.intent.claims import Attribute, Call, Claim, Collection, Expression, Operation, Value
from pactkeeper.intent.strength.folding import KINDS, is_constant, number_of, truth_of
from pactkeeper.intent.strength.patterns import says_more
from pactkeeper.intent.strength.terms import entries_of, last_name

_ANYTHING: Final = frozenset({"anything", "ANY", "Anything"})
_ANY_OF: Final = frozenset({"any", "instance_of", "IsInstance", "IsA"})
_NOTHING: Final = frozenset({"none", "undefined", "empty", "falsy"})
_PARTS: Final = {  # of what kind the values are that they accept
    "objectContaining": "Object", "arrayContaining": "Array", "stringContaining": "String", "stringMatching": "String",
    "closeTo": "Number",
}  # fmt: skip
_BEGINS: Final = re.compile(r"\^((?:[\w ,:;/'\"-](?![?*{])|\\[^\w\s](?![?*{]))++)")  # the literal prefix of every match


def covers(one: Expression | None, other: Expression | None) -> bool:
    """Whether an expected value pins down at least as much as another: a wildcard covers nothing but itself."""
    if one == other or other is None:
        return True
    if one is None:
        return False
    if is_wildcard(other):
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


def is_wildcard(one: Expression) -> bool:
    """Whether a term equals more than one value: `ANY`."""
    name = last_name(one)
    if isinstance(one, Call):
        return name in _ANYTHING or name in _PARTS or (name in _ANY_OF and bool(one.arguments))
    return name in _ANYTHING


def _fits(one: Expression, wildcard: Expression) -> bool:
    """Whether everything equal to `one`, or that satisfies it, satisfies the wildcard."""
    name, made = last_name(wildcard), last_name(one) if is_wildcard(one) else ""
    if name in _ANYTHING:
        return True
    if not isinstance(wildcard, Call) or not wildcard.arguments:
        return False
    wanted = wildcard.arguments[0].value
    if made:
        inner = one.arguments[0].value if isinstance(one, Call) and one.arguments else None
        if name in _ANY_OF:
            return last_name(wanted) == _PARTS.get(made)
        more = says_more(inner, wanted, whole=False) if name == "stringMatching" else has_parts(inner, wanted)
        return made == name and more
    if name in {"objectContaining", "arrayContaining"}:
        return has_parts(one, wanted)
    if name in {"stringContaining", "stringMatching"}:
        return isinstance(one, Value) and _matching(one, wanted) is not False
    return name in _ANY_OF and _is_of(one, wanted)


def _is_of(one: Expression, kind: Expression) -> bool:
    names = {last_name(item) for item in kind.items} if isinstance(kind, Collection) else {last_name(kind)}
    if isinstance(one, Value | Collection):
        return bool(names & KINDS.get(one.kind, frozenset())) or "object" in names
    return isinstance(one, Call) and last_name(one.function) in names


def has_parts(one: Expression | None, other: Expression | None) -> bool:
    """Whether a literal value contains everything that another one lists."""
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
    mine = list(entries_of(one.items))
    return all(
        any(key == name and (covers(value, wanted) or _has_nested(value, wanted)) for name, value in mine)
        for key, wanted in entries_of(other.items)
    )


def _has_nested(one: Expression, other: Expression) -> bool:
    """Whether a nested mapping has all entries of another one."""
    mappings = isinstance(one, Collection) and isinstance(other, Collection) and {one.kind, other.kind} == {"mapping"}
    return mappings and has_parts(one, other)


def entailed(one: Claim, other: Claim) -> bool:
    """Whether `== value` entails the other claim."""
    answer = _EQUALS.get(other.relation)
    if one.object is None or is_wildcard(one.object) or answer is None:
        return False
    found = answer(one.object, other.object, other)
    if found is None:  # equality with an unknown value entails what a looser relation says: it exists
        return other.negated is (other.relation in _NOTHING)
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


def _matching(value: Expression, pattern: Expression | None, _other: Claim | None = None) -> bool | None:
    if not isinstance(pattern, Value):
        return None
    text = pattern.text
    if re.search(r"[\\^$.|?*+()\[\]{}]", text) is None:
        return _in_words(value, lambda words: text in words)
    start = _BEGINS.match(text)
    begins = re.sub(r"\\(.)", r"\1", start[1]).casefold() if start is not None and "|" not in text else ""
    return False if _in_words(value, lambda words: words.casefold().startswith(begins)) is False else None


def _of_kind(value: Expression, kind: Expression | None, _other: Claim) -> bool | None:
    return (_is_of(value, kind) or None) if kind is not None else None


_EQUALS: Final[Mapping[str, Callable[[Expression, Expression | None, Claim], bool | None]]] = {
    "equals": lambda value, other, claim: (covers(value, other) if not claim.negated else _same(value, other)),
    "same": lambda value, other, claim: _same(value, other) if claim.negated else False,
    "truthy": lambda value, *_: truth_of(value),
    "falsy": lambda value, *_: _opposite(truth_of(value)),
    "empty": lambda value, *_: _opposite(truth_of(value)),
    "none": lambda value, *_: _is_kind(value, "none"),
    "undefined": lambda value, *_: _is_kind(value, "undefined"),
    "exists": lambda *_: True, "has_attribute": lambda *_: None, "satisfies": lambda *_: None, "state": lambda *_: None,
    "contains": _contains, "has_text": _contains, "has_property": _contains, "contained_in": _is_one_of,
    "length": _long, "matches": _matching, "instance_of": _of_kind, "has_type": _of_kind,
    "snapshot": lambda value, written, _claim: written is None and is_constant(value),
    "approximately": lambda value, other, _claim: covers(value, other),
    "starts_with": lambda value, start, _claim: _in_words(value, lambda text: text.startswith(_text_of(start))),
    "ends_with": lambda value, end, _claim: _in_words(value, lambda text: text.endswith(_text_of(end))),
    "less": _ordered(lt), "at_most": _ordered(le), "greater": _ordered(gt), "at_least": _ordered(ge),
}  # fmt: skip


def _is_kind(value: Expression, kind: str) -> bool | None:
    """Whether a literal value is of a kind that only literals have."""
    if isinstance(value, Value):
        return value.kind == kind
    return False if isinstance(value, Collection) else None


def _text_of(one: Expression | None) -> str:
    """Return the text of a literal; for anything else, a text that nothing starts or ends with."""
    return one.text if isinstance(one, Value) else "\0"


def _same(value: Expression, other: Expression | None) -> bool | None:
    if isinstance(value, Value) and isinstance(other, Value):
        return value == other
    return None


def _opposite(one: bool | None) -> bool | None:
    return None if one is None else not one


_PLAIN_FORMS: Final = frozenset(
    {"-", "*", "/", "%", "**", "<", "<=", ">", ">=", "==", "!=", "not", "in", "text", "typeof"}
)
_PLAIN_CALLS: Final = frozenset(
    {"String", "Number", "Boolean", "BigInt", "stringify", "join", "toString"}
    | {"len", "str", "int", "bool", "repr", "id"}
)
_PLAIN_PARTS: Final = frozenset({"length", "size"})


def is_primitive(one: Expression | None) -> bool:
    """Whether equality with a term is identity: a number, a text, a truth value, or what always makes one."""
    match one:
        case Value():
            return one.kind != "regex"
        case Operation(operator=operator):
            return operator in _PLAIN_FORMS
        case Call():
            return last_name(one) in _PLAIN_CALLS
        case Attribute(name=name):
            return name in _PLAIN_PARTS
    return False


def is_object(one: Expression | None) -> bool:
    """Whether a term is surely an object, which can equal another one."""
    match one:
        case Collection():
            return True
        case Operation(operator=operator):
            return operator in {"=>", "object"}
        case Call():
            name = last_name(one)
            return name[:1].isupper() and not name.isupper() and name not in _PLAIN_CALLS
    return False


def plainly_same(one: Claim) -> bool:
    """Whether a claim of identity says as much as one of equality."""
    return is_primitive(one.object) or is_primitive(one.subject)
