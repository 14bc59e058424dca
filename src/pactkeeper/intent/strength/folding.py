"""What the source alone says about a term: whether it is true, its size, and whether it is empty."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from typing import Any, Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Collection,
    Expression,
    Name,
    Operation,
    Subscript,
    Value,
    children,
)


def is_empty(one: Expression) -> bool:
    """Whether the source alone shows that there is nothing to iterate over."""
    match one:
        case Collection(items=()) | Value(kind="string" | "bytes", text=""):
            return True
        case Operation(operator="each", operands=(_, _, over, *_)) | Subscript(value=over):
            return is_empty(over)
        case Call(function=Name(name="range")):
            numbers = range_of(one)
            return numbers is not None and not numbers
        case Call(function=Name(name="map" | "filter"), arguments=(_, *given)):
            return any(is_empty(each.value) for each in given)
        case Call(function=Name(name=name), arguments=(first, *rest)) if name in _THROUGH:
            return is_empty(first.value) or (name == "zip" and any(is_empty(each.value) for each in rest))
        case Call(function=Attribute(value=Name(name="Object" | "Array")), arguments=(first, *_)):
            return is_empty(first.value)
        case Call(function=Attribute(value=whole, name=name)) if name in _OF_ALL:
            return is_empty(whole)
    return False


def is_constant(one: Expression) -> bool:
    """Whether the source alone determines the value."""
    if isinstance(one, Value):
        return True
    if isinstance(one, Collection):
        return all(is_constant(item) for item in one.items)
    return isinstance(one, Operation) and one.operator in _PURE and all(is_constant(part) for part in one.operands)


_PAIR: Final = 2
_PURE = frozenset({"not", "and", "or", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "in", "not-in"})
_THROUGH = frozenset({"sorted", "reversed", "iter", "enumerate", "zip", "list", "tuple", "set", "frozenset"})
_OF_ALL = frozenset({"items", "keys", "values", "entries", "map", "filter", "slice", "copy"})
_SUMS: Final[Mapping[str, Callable[[float, float], float]]] = {"+": add, "-": sub, "*": mul}
COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip
_KNOWN = {"TYPE_CHECKING": False, "__debug__": True}


def truth_of(one: Expression) -> bool | None:
    """Whether a term is always true or false; None if only running it can tell."""
    match one:
        case Value():
            return _literal_truth(one)
        case Collection(items=items):
            return bool(items) if not any(is_spread(item) for item in items) else None
        case Name(name=name):
            return _KNOWN.get(name)
        case Attribute(name=name):
            return _KNOWN.get(name) if name == "TYPE_CHECKING" else None
        case Operation():
            return _operation_truth(one)
        case Call():
            return _call_truth(one)
    return None


def boolean(one: Expression | None) -> bool | None:
    """Return the truth value that a term is; None for any other term."""
    return truth_of(one) if isinstance(one, Value) and one.kind == "boolean" else None


def _call_truth(one: Call) -> bool | None:
    match one:
        case Call(function=Name(name="bool"), arguments=(Argument(value=value, name=None),)):
            return truth_of(value)
        case Call(function=Name(name="len")):
            length = _measure(one)
            return None if length is None else length > 0
        case Call(function=Name(name="isinstance"), arguments=(Argument(value=Value() | Collection() as value), kind)):
            return is_of_kind(value, kind.value)
        case Call(function=Attribute(value=Name(name="Array"), name="isArray"), arguments=(Argument(value=value),)):
            return value.kind == "list" if isinstance(value, Value | Collection) else None
    return None


KINDS: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset({"String", "str"}), "number": frozenset({"Number", "int", "float"}),
    "boolean": frozenset({"Boolean", "bool", "int"}), "bytes": frozenset({"bytes"}),
    "list": frozenset({"Array", "list"}), "tuple": frozenset({"tuple"}), "set": frozenset({"set"}),
    "mapping": frozenset({"Object", "dict"}),
}  # fmt: skip


def is_of_kind(one: Value | Collection, kind: Expression) -> bool | None:
    """Whether a literal is an instance of a builtin type, or of one of several; None if a type isn't builtin."""
    kinds = kind.items if isinstance(kind, Collection) else (kind,)
    names = {each.name for each in kinds if isinstance(each, Name)}
    unsure = one.kind == "number" and not names.isdisjoint(KINDS["number"])
    if unsure or len(names) < len(kinds) or not names <= frozenset().union(*KINDS.values()):
        return None
    return not names.isdisjoint(KINDS.get(one.kind, ()))


def summed(one: Operation) -> Expression | None:
    """Return what arithmetic on whole numbers, or joining two lists or tuples, results in; None for anything else."""
    match one.operands:
        case (Value(kind="number", text=text) as value,) if one.operator == "-" and number_of(value):
            return Value("number", text[1:] if text.startswith("-") else f"-{text}")
        case Value() as left, Value() as right if one.operator in _SUMS:
            numbers = [number_of(left), number_of(right)]
            if any(number is None or not number.is_integer() for number in numbers) or "." in left.text + right.text:
                return None
            return Value("number", str(int(_SUMS[one.operator](*numbers))))  # type: ignore[arg-type]  # none is None
        case Collection("list" | "tuple" as kind, first), Collection(other, second) if kind == other:
            return Collection(kind, (*first, *second)) if one.operator == "+" else None
    return None


_COMBINING: Final[Mapping[str, Callable[..., Iterable[tuple[Expression, ...]]]]] = {
    "permutations": itertools.permutations, "combinations": itertools.combinations, "product": itertools.product,
}  # fmt: skip
_MOST_COMBINED: Final = 200


def combined(one: Call, name: str) -> Expression | None:
    """Return the rows that a function of `itertools` makes of literals, if there aren't too many."""
    function = _COMBINING.get(name)
    given = [written(each.value) for each in one.arguments if each.name is None]
    if function is None or len(given) < len(one.arguments) or None in given:
        return None
    try:
        rows = list(itertools.islice(function(*given), _MOST_COMBINED + 1))
    except TypeError:
        return None  # the product's own function of that name, which takes something else
    return Collection("list", tuple(Collection("tuple", row) for row in rows)) if len(rows) <= _MOST_COMBINED else None


def written(one: Expression) -> tuple[Expression, ...] | int | None:
    """Return the members of a literal list, or a small number; None for anything else."""
    if isinstance(one, Collection) and one.kind in {"list", "tuple"} and not any(map(is_spread, one.items)):
        return one.items
    number = number_of(one)
    return int(number) if number is not None and number in range(_MOST_COMBINED) else None


def is_nothing(one: Expression) -> bool:
    """Whether it is no value: None, null or undefined."""
    return isinstance(one, Value) and one.kind in {"none", "undefined"}


def is_spread(one: Expression) -> bool:
    """Whether it represents all members of something else: `*rows`."""
    return isinstance(one, Operation) and one.operator.startswith("spread")


def is_written_out(one: Expression) -> bool:
    """Whether it spreads a list or tuple whose members are known: the `*[1, 2]` of a call."""
    spread = one.operands[0] if isinstance(one, Operation) and one.operator == "spread" else None
    return isinstance(spread, Collection) and spread.kind in {"list", "tuple"}


def written_out(items: Iterable[Expression]) -> Iterator[Expression]:
    """Yield the items with the members of what is spread among them."""
    for one in items:
        yield from children(children(one)[0]) if is_written_out(one) else (one,)


def _literal_truth(value: Value) -> bool | None:
    if value.kind == "boolean":
        return value.text.lower() == "true"
    if value.kind in {"none", "undefined"}:
        return False
    if value.kind == "number":
        number = number_of(value)
        return None if number is None else number != 0
    return bool(value.text) if value.kind in {"string", "bytes"} else None


def _operation_truth(one: Operation) -> bool | None:
    if one.operator in {"not", "and", "or"}:
        return joined_truth(one.operator, list(map(truth_of, one.operands)))
    if len(one.operands) == _PAIR and one.operator in COMPARISONS:
        return _compared(one.operator, *one.operands)
    if len(one.operands) == _PAIR and all(map(is_constant, one.operands)):
        return _contained(one.operator, *one.operands)
    return None


def joined_truth(operator: str, truths: Sequence[bool | None]) -> bool | None:
    """Return what `not`, `and` or `or` makes of truths; None if it depends on one that is unknown."""
    if operator == "not":
        return None if truths[0] is None else not truths[0]
    decides = operator == "or"
    return decides if decides in truths else None if None in truths else not decides


def _contained(operator: str, left: Expression, right: Expression) -> bool | None:
    """Evaluate `is None` and `in (...)` on literals."""
    if operator in {"is", "is-not"} and isinstance(left, Value) and right == Value("none", "None"):
        return (left.kind == "none") is (operator == "is")
    if operator in {"in", "not-in"} and isinstance(left, Value) and isinstance(right, Collection):
        return (left in right.items) is (operator == "in") if right.kind != "mapping" else None
    return None


def _compared(operator: str, left: Expression, right: Expression) -> bool | None:
    one, other = _measure(left), _measure(right)
    if one is not None and other is not None:
        return COMPARISONS[operator](one, other)
    if operator in {"==", "!="} and isinstance(left, Value) and isinstance(right, Value) and left.kind == right.kind:
        return (left.text == right.text) is (operator == "==")
    same = left == right and (is_constant(left) or (isinstance(left, Name) and "·" not in left.name))
    return operator in {"==", "<=", ">="} if same else None


def _measure(one: Expression) -> float | None:
    """Return the number of a literal, the length of a measured literal, or arithmetic on both."""
    match one:
        case Call(function=Name(name="len"), arguments=(Argument(value=Value(kind="string", text=text)),)):
            return len(text)
        case Call(function=Name(name="len"), arguments=(Argument(value=Collection(kind=kind, items=items)),)):
            return None if kind == "set" or any(map(is_spread, items)) else len(items) // (1 + (kind == "mapping"))
        case Operation(operator=operator, operands=(left, right)) if operator in _SUMS:
            parts = _measure(left), _measure(right)
            return None if parts[0] is None or parts[1] is None else _SUMS[operator](parts[0], parts[1])
    return number_of(one)


def number_of(one: Expression | None) -> float | None:
    """Return the number that a literal represents, including `1_000` and `0x10`."""
    if not isinstance(one, Value) or one.kind != "number":
        return None
    text = one.text.replace("_", "").rstrip("nLl")
    try:
        return float(int(text, 0)) if len(text) <= 40 else None  # noqa: PLR2004 - longer ones are compared as text
    except (ValueError, OverflowError):
        pass
    try:
        return float(text)
    except ValueError:
        return None


def whole_of(one: Expression | None) -> int | None:
    """Return the whole part of the number that a literal represents; None for `1e999` and for no number."""
    number = number_of(one)
    return int(number) if number is not None and isfinite(number) else None


def range_of(one: Expression) -> range | None:
    """Return the numbers that a `range` with written bounds counts; None for any other term."""
    if not isinstance(one, Call) or one.function != Name("range"):
        return None
    bounds = [whole_of(each.value) for each in one.arguments if each.name is None]
    if not 1 <= len(bounds) == len(one.arguments) <= _MOST_BOUNDS or None in bounds or 0 in bounds[2:]:
        return None
    return range(*(bound for bound in bounds if bound is not None))


def numbers_of(one: Expression, *, most: int) -> Expression:
    """Return the numbers of a short `range` as a list, and any other term as it is."""
    whole = one.arguments[0].value if isinstance(one, Call) and one.function in _LISTING and one.arguments else one
    numbers = range_of(whole)
    if numbers is None or len(numbers) > most:
        return one
    return Collection("list", tuple(Value("number", str(number)) for number in numbers))


_MOST_BOUNDS: Final = 3
_LISTING: Final = (Name("list"), Name("tuple"))
