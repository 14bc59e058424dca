"""What the language itself makes of literals: members, entries, joined texts, builtin functions and methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from textwrap import dedent
from typing import Final, Literal

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.folding import combined, is_spread, number_of, numbers_of, summed, truth_of, whole_of
from pactkeeper.intent.strength.joining import joined_place, joined_text, opens_file
from pactkeeper.intent.strength.terms import entries_of, last_name

MOST_NUMBERS: Final = 8  # of a `range` that is listed one by one; more are easier to read as a range
_LEFT_OUT: Final = (Opaque(""), Value("none", "None"))  # as the end of a slice
_NO_PARAMETER: Final = Operation("given", (Name("0"),))
_EMPTY: Final[Mapping[str, Collection]] = {
    "list": Collection("list"), "tuple": Collection("tuple"), "set": Collection("set"), "frozenset": Collection("set"),
    "dict": Collection("mapping"),
}  # fmt: skip


def of_value(one: Value) -> Value:
    """Return a number in its canonical spelling, and any other value as it is."""
    number, whole = number_of(one), whole_of(one)
    if whole is None or not ("_" in one.text or "x" in one.text or "e" in one.text.lower()):
        return one
    return Value("number", str(whole) if number == whole and "." not in one.text else repr(number))


def of_operation(one: Operation) -> Expression:
    """Evaluate arithmetic, joined texts and places, known conditions, and objects made of literals."""
    match one:
        case Operation(operator="member", operands=(Collection(kind="list" | "tuple" | "set", items=items), Name(at))):
            return _at(items, int(at)) or one
        case Operation(operator="text" | "%" | "+" | "-" | "*"):
            return summed(one) or joined_text(one) or one
        case Operation(operator="if-else", operands=(value, condition, otherwise)):
            known = truth_of(condition)
            return one if known is None else value if known else otherwise
        case Operation(operator="entered", operands=(Call() as call,)):
            return _entered(call)
        case Operation(operator="object", operands=parts):
            return _joined(parts) or one
        case Operation(operator="/"):
            return joined_place(one) or one
    return one


def _entered(call: Call) -> Expression:
    """Return what a `with` gives: an opened file is its own, and `nullcontext(x)` gives x."""
    if opens_file(call):
        return call
    if last_name(call) == "nullcontext":
        return call.arguments[0].value if call.arguments else Value("none", "None")
    return Operation("entered", (_of_patch(call),))


def _of_patch(call: Call) -> Call:
    """Reduce `patch("a.b.c")` and `patch.object(b, "c")` to the last name of what they replace."""
    given = [each for each in call.arguments if each.name is None]
    target = given[-1].value if given and last_name(call) in {"patch", "object"} else None
    if not isinstance(target, Value) or target.kind != "string":
        return call
    named = (each for each in call.arguments if each.name is not None)
    return Call(Name("patch"), (Argument(Value("string", target.text.rpartition(".")[2])), *named))


def _joined(parts: Sequence[Expression]) -> Expression | None:
    """Merge an object with the literals it spreads, entry by entry; None if one of them is not literal."""
    entries: dict[Expression, Expression] = {}
    for part in parts:
        match part:
            case Operation(operator="pair", operands=(Value() as key, value)):
                entries[key] = value
            case Operation(operator="spread", operands=(Collection(kind="mapping", items=items),)):
                entries.update(entries_of(items))
            case _:
                return None
    return mapping_of(entries)


def mapping_of(entries: Mapping[Expression, Expression]) -> Collection:
    """Return a mapping with these entries."""
    return Collection("mapping", tuple(chain.from_iterable(entries.items())))


def of_attribute(one: Attribute) -> Expression:
    """Return the entry of a mapping, or the folder of a place, that an attribute reads."""
    match one.value:
        case Collection(kind="mapping", items=items):
            return _entry(items, Value("string", one.name)) or one
        case Call():
            return joined_place(one) or one
    return one


def of_subscript(one: Subscript) -> Expression:
    """Return the member or entry that a literal key reads from a literal."""
    match one.value, one.key:
        case Collection(kind="mapping", items=items), Value() as key:
            named = all(isinstance(name, Value) and name.text.isidentifier() for name in items[::2])
            by_place = _member(items[1::2], key) if named else None  # a named tuple is read by place, too
            return _entry(items, key) or by_place or one
        case Collection(kind="list" | "tuple", items=items), Value() as key:
            return _member(items, key) or one
        case Collection(kind="list" | "tuple" as kind, items=items), Operation("slice", ends):
            return _taken(kind, items, ends) or one
        case Value(kind="string", text=text), Value(kind="number", text=at) if text.isascii() and at.isdigit():
            return Value("string", text[int(at)]) if int(at) < len(text) else one
    return one


def _entry(items: Sequence[Expression], key: Value) -> Expression | None:
    return next((value for name, value in entries_of(items) if name == key), None)


def _member(items: Sequence[Expression], key: Value) -> Expression | None:
    return _at(items, int(key.text)) if key.kind == "number" and key.text.isdigit() else None


def _at(items: Sequence[Expression], index: int) -> Expression | None:
    """Return the member at an index, undefined after the last one; None if a spread precedes it."""
    if any(map(is_spread, items[: index + 1])):
        return None
    return items[index] if index < len(items) else Value("undefined", "undefined")


def of_call(one: Call) -> Expression | None:
    """Evaluate a function of the language or a method of a literal; None for any other call."""
    match one.function:
        case Attribute() as method:
            return _of_method(one, method)
        case Name("RegExp") if len(one.arguments) == 1:
            pattern = one.arguments[0].value
            return pattern if isinstance(pattern, Value) and pattern.kind == "regex" else None
        case Name(name):
            return _of_builtin(one, name)
    return None


def _of_method(one: Call, method: Attribute) -> Expression | None:
    """Evaluate `"a b".split()`, `Object.keys({a: 1})`, and `jest.fn().mockReturnValue(1)` as `jest.fn(() => 1)`."""
    match method.value, method.name, one.arguments:
        case _, "format" | "join", _:
            return joined_text(one)
        case Collection(kind="list", items=items), "slice", (Argument(start), *rest):
            return _taken("list", items, [start, *(each.value for each in rest or [Argument(Opaque(""))])])
        case Value(kind="string", text=text), "split", ():
            return Collection("list", tuple(Value("string", word) for word in text.split()))
        case Value(kind="string", text=text), "encode", () | (Argument(Value("string", "utf-8" | "utf8")),):
            return Value("bytes", text)
        case (Collection(kind="mapping", items=items), name, ()) | (
            Name("Object"),
            name,
            (Argument(Collection(kind="mapping", items=items), None),),
        ) if name in LISTED:
            return Collection("list", tuple(LISTED[name](items)))
        case Call(arguments=()) as fake, "mockReturnValue" | "mockResolvedValue", (Argument(answer),):
            return Call(fake.function, (Argument(Operation("=>", (_NO_PARAMETER, answer))),))
        case (Name("Promise"), "resolve", (Argument(same),)) | (Name("Object"), "freeze", (Argument(same),)):
            return same  # neither the time of its arrival nor its constness matters
    return None


def _taken(
    kind: Literal["list", "tuple"], items: Sequence[Expression], ends: Sequence[Expression]
) -> Expression | None:
    """Return what a slice takes of a literal list; None if its ends or the members before them aren't known."""
    known = slice(*(None if one in _LEFT_OUT else whole_of(one) for one in ends))
    unknown = any(whole_of(one) is None and one not in _LEFT_OUT for one in ends) or known.step == 0
    return None if unknown or any(map(is_spread, items)) else Collection(kind, tuple(items[known]))


def _pairs(items: Sequence[Expression]) -> Iterator[Expression]:
    return (Collection("list", pair) for pair in entries_of(items))


LISTED: Final[Mapping[str, Callable[[Sequence[Expression]], Iterable[Expression]]]] = {
    "items": _pairs,
    "entries": _pairs,
    "keys": lambda items: items[::2],
    "values": lambda items: items[1::2],
}


def _of_builtin(one: Call, name: str) -> Expression | None:  # noqa: PLR0911 - one case a form
    """Evaluate a function that Python has: `getattr(a, "b")`, `dict()`, `list((1, 2))`."""
    match name, one.arguments:
        case "getattr", (Argument(value), Argument(Value(text=text))):
            return Attribute(value, text)
        case "zip", given if any(each.name == "strict" for each in given):
            return Call(one.function, tuple(each for each in given if each.name != "strict"))
        case "dedent", (Argument(Value(kind="string", text=text), None),):
            return Value("string", dedent(text))
        case _, () if name in _EMPTY:
            return _EMPTY[name]
        case "islice", (Argument(Collection(kind="list" | "tuple", items=items)), *ends) if ends:
            return _taken("list", items, [each.value for each in ends])
        case "dict", given:
            return _dictionary(given)
        case "list", (Argument(Call(), None),):
            return numbers_of(one, most=MOST_NUMBERS)
        case "list" | "tuple" | "set", (Argument(Collection(kind=kind, items=items), None),):
            return Collection(name, items[::2] if kind == "mapping" else items)
    return combined(one, name)


def _dictionary(given: Sequence[Argument]) -> Expression | None:
    """Return the mapping that `dict({"a": 1}, b=2)` or `dict([("a", 1)])` makes; None if it isn't written out."""
    entries: dict[Expression, Expression] = {}
    for one in given:
        match one:
            case Argument(value, str(name)):
                entries[Value("string", name)] = value
            case Argument(Collection(kind="mapping", items=items)):
                entries.update(entries_of(items))
            case Argument(Collection(kind="list" | "tuple", items=pairs)):
                rows = [pair.items for pair in pairs if isinstance(pair, Collection) and len(pair.items) == 2]  # noqa: PLR2004 - key and value
                if len(rows) < len(pairs):
                    return None
                entries.update((key, value) for key, value in rows)
            case _:
                return None
    return mapping_of(entries)
