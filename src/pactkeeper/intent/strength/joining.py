"""The text that a term concatenates, the place of the repository that one means, and what is asked of a file."""

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
        case Call(Attribute(Value("string", text), "join"), (Argument(Collection("list" | "tuple", items=parts)),)):
            texts = [part.text for part in parts if isinstance(part, Value) and part.kind == "string"]
            return Value("string", text.join(texts)) if len(texts) == len(parts) else None
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


_READERS: Final = {"r": "read_text", "rt": "read_text", "rb": "read_bytes"}
_TO_READ: Final = [Argument(Value("string", "r"))]
_ASKED: Final = {"exists": "exists", "isfile": "is_file", "isdir": "is_dir"}


def on_path(one: Call) -> Expression | None:
    """Return what a call asks of a file as a method of its path; None for any other call.

    `open("a", "r").read()` is `Path("a").read_text()`, `os.path.exists(folder / "a")` is `(folder / "a").exists()`, and
    a path given as text, `str(folder / "a")`, is the path itself.
    """
    match one:
        case Call(Name("str"), (Argument(path, None),)) if is_path(path):
            return path
        case Call(Attribute(Call(Attribute(path, "open"), given), "read"), ()):
            return _read(path, given)
        case Call(Attribute(Call(Name("open"), (Argument(path, None), *given)), "read"), ()):
            return _read(path, given)
        case Call(Name("open"), (Argument(path, None), *given)) if is_path(path):
            return Call(Attribute(path, "open"), tuple(given[1:] if given[:1] == _TO_READ else given))
        case Call(Name("Path"), (Argument(path, None),)) if is_path(path):
            return path
        case Call(Name(name), (Argument(path, None),)) if name in _ASKED and is_path(path):
            return Call(Attribute(path, _ASKED[name]), ())
    return None


def opens_file(one: Call) -> bool:
    """Whether a call opens a file, which a `with` statement holds as it is."""
    function = one.function
    return function == Name("open") or (
        isinstance(function, Attribute) and function.name == "open" and is_path(function.value)
    )


def opens_to_read(one: Expression) -> bool:
    """Whether it is a call that opens a file to read it, which says nothing as long as nobody asks what it holds."""
    return isinstance(one, Call) and opens_file(one) and on_path(Call(Attribute(one, "read"), ())) is not None


def is_path(one: Expression) -> bool:
    """Whether a term can only be a path: something divided by text."""
    return isinstance(one, Operation) and one.operator == "/" and _is_text(one.operands[-1])


def _read(path: Expression, given: Sequence[Argument]) -> Call | None:
    """Return how a path is read, from the arguments of `open` after it; None if they write or aren't written out."""
    modes = [each.value for each in given if each.name in {None, "mode"}]
    mode = modes[0] if modes else Value("string", "r")
    reader = _READERS.get(mode.text) if isinstance(mode, Value) and len(modes) <= 1 else None
    named = tuple(each for each in given if each.name not in {None, "mode"})
    held = path if is_path(path) else Call(Name("Path"), (Argument(path),))
    return Call(Attribute(held, reader), named) if reader else None
