"""The text that a term concatenates, and the place of the repository that one means."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Final

from pactkeeper.intent.claims import Argument, Attribute, Call, Collection, Expression, Name, Operation, Value
from pactkeeper.intent.strength.terms import operator_of

CONVERSIONS: Final = {"!r": "repr", "!a": "ascii", "!s": "str"}
_FIELD: Final = re.compile(r"\{\{|\}\}|\{(\w*+)(![rsa])?\}|[{}]")
_PERCENT: Final = re.compile(r"%[%s]|%")
_PLACE: Final = "…/"


def joined_text(one: Expression) -> Expression | None:
    """Return the text that a term concatenates; None for other terms, or for complex formatting."""
    match one:
        case Operation(operator="text", operands=parts):
            return _text(parts)
        case Call(function=Attribute(value=Value(kind="string", text=text), name="format"), arguments=arguments):
            return _formatted(text, arguments)
        case Operation(operator="%", operands=(Value(kind="string", text=text), given)):
            return _interpolated(text, given)
        case Operation(operator="+", operands=(left, right)) if _is_text(left) or _is_text(right):
            return _text((left, right))
    return None


def _is_text(one: Expression) -> bool:
    return operator_of(one) == "text" or (isinstance(one, Value) and one.kind == "string")


def _text(parts: Sequence[Expression]) -> Expression:
    merged: list[Expression] = []
    for part in _flat(parts):
        last = merged[-1] if merged else None
        if isinstance(part, Value) and isinstance(last, Value):
            merged[-1] = Value("string", last.text + part.text)
        elif not (isinstance(part, Value) and not part.text):
            merged.append(part)
    if all(isinstance(part, Value) for part in merged):
        return merged[0] if merged else Value("string", "")
    return Operation("text", tuple(merged))


def _flat(parts: Sequence[Expression]) -> Iterator[Expression]:
    for part in parts:
        if isinstance(part, Operation) and part.operator == "text":
            yield from _flat(part.operands)
        else:
            yield Value("string", part.text) if isinstance(part, Value) and part.kind == "number" else part


def _formatted(text: str, arguments: Sequence[Argument]) -> Expression | None:
    positional = [argument.value for argument in arguments if argument.name is None]
    given = {argument.name: argument.value for argument in arguments if argument.name}
    given |= {str(at): value for at, value in enumerate(positional)}
    automatic = count()

    def value(found: re.Match[str]) -> Expression | None:
        if found[0] in {"{{", "}}"}:
            return Value("string", found[0][0])
        one = given.get(found[1] or str(next(automatic))) if found[1] is not None else None
        name = CONVERSIONS.get(found[2])
        return one if one is None or name is None else Call(Name(name), (Argument(one),))

    return _filled(text, _FIELD, value)


def _interpolated(text: str, given: Expression) -> Expression | None:
    if isinstance(given, Collection) and given.kind != "tuple":
        return None
    values = iter(given.items if isinstance(given, Collection) else (given,))

    def value(found: re.Match[str]) -> Expression | None:
        return Value("string", "%") if found[0] == "%%" else next(values, None) if found[0] == "%s" else None

    return _filled(text, _PERCENT, value)


def _filled(
    text: str, places: re.Pattern[str], value: Callable[[re.Match[str]], Expression | None]
) -> Expression | None:
    """Return a text with values in place of what a pattern finds; None if one of them is unknown."""
    parts: list[Expression] = []
    behind = 0
    for found in places.finditer(text):
        one = value(found)
        if one is None:
            return None
        parts += [Value("string", text[behind : found.start()]), one]
        behind = found.end()
    return _text([*parts, Value("string", text[behind:])])


def place_of(path: str) -> Value:
    """Return the term for a file or folder of the repository, as `__file__` stands for one."""
    return Value("string", f"{_PLACE}{path}")


def joined_place(one: Expression) -> Expression | None:
    """Return the place that a term on a place of the repository means: its folder, or something in it."""
    rest: tuple[Expression, ...] = ()
    match one:
        case Call(function=Name(name=name), arguments=arguments):
            return _place(name, tuple(each.value for each in arguments))
        case Attribute(value=path, name="parent"):
            function = "dirname"
        case Operation(operator="/", operands=(path, part)):
            function, rest = "join", (part,)
        case Call(function=Attribute(value=path, name="resolve" | "absolute"), arguments=()):
            function = "abspath"
        case _:
            return None
    if not isinstance(path, Call) or len(path.arguments) != 1:
        return None
    found = _place(function, (path.arguments[0].value, *rest))
    return None if found is None else Call(path.function, (Argument(found),))


def _place(function: str, given: tuple[Expression, ...]) -> Value | None:
    """Return what a function of `os.path` makes of a place; None if it is no place, or no literal follows."""
    first, *others = given or (None,)
    if not isinstance(first, Value) or not first.text.startswith(_PLACE):
        return None
    path, texts = first.text.removeprefix(_PLACE), [one.text for one in others if isinstance(one, Value)]
    if function == "join" and len(texts) == len(others):
        return place_of(posixpath.normpath(posixpath.join(path, *texts)))
    if function == "dirname":
        return place_of(posixpath.dirname(path))
    return first if function in {"abspath", "realpath"} else None
