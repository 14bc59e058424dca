"""Concatenated text in one form: `"{}/x".format(a)`, `"%s/x" % a`, `a + "/x"` and an f-string are one term."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pactkeeper.intent.claims import Argument, Attribute, Call, Collection, Expression, Name, Operation, Value

_FIELD: Final = re.compile(r"\{\{|\}\}|\{(\w*+)(![rsa])?\}|[{}]")
CONVERSIONS: Final = {"!r": "repr", "!a": "ascii", "!s": "str"}
_PERCENT: Final = re.compile(r"%[%s]|%")
_SUM: Final = 2


def joined_text(one: Expression) -> Expression | None:
    """Return the text that a term concatenates; None for other terms, or for complex formatting."""
    match one:
        case Operation(operator="text", operands=parts):
            return _text(parts)
        case Call(function=Attribute(value=Value(kind="string", text=text), name="format"), arguments=arguments):
            return _formatted(text, arguments)
        case Operation(operator="%", operands=(Value(kind="string", text=text), given)):
            return _interpolated(text, given)
        case Operation(operator="+", operands=parts) if len(parts) == _SUM and any(map(_is_text, parts)):
            return _text(parts)
    return None


def _is_text(one: Expression) -> bool:
    return (isinstance(one, Value) and one.kind == "string") or (isinstance(one, Operation) and one.operator == "text")


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
    parts: list[Expression] = []
    behind = automatic = 0
    for found in _FIELD.finditer(text):
        parts.append(Value("string", text[behind : found.start()]))
        behind = found.end()
        if found[0] in {"{{", "}}"}:
            parts.append(Value("string", found[0][0]))
            continue
        value = given.get(found[1] or str(automatic)) if found[1] is not None else None
        automatic += not found[1]
        if value is None:
            return None
        name = CONVERSIONS.get(found[2])
        parts.append(Call(Name(name), (Argument(value),)) if name else value)
    return _text([*parts, Value("string", text[behind:])])


def _interpolated(text: str, given: Expression) -> Expression | None:
    if isinstance(given, Collection) and given.kind != "tuple":
        return None
    values = iter(given.items if isinstance(given, Collection) else (given,))
    parts: list[Expression] = []
    behind = 0
    for found in _PERCENT.finditer(text):
        parts.append(Value("string", text[behind : found.start()]))
        behind = found.end()
        value = Value("string", "%") if found[0] == "%%" else next(values, None) if found[0] == "%s" else None
        if value is None:
            return None
        parts.append(value)
    return _text([*parts, Value("string", text[behind:])])
