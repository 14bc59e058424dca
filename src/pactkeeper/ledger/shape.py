"""Shapes of JSON values, defined once for validation and for publishing a JSON Schema; and slices of long lists.

The vocabulary is closed and deliberately small: documents that people edit and answers from models are validated by the
same definitions that describe them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pactkeeper.errors import UsageError
from pactkeeper.ledger.canonical import JsonValue


@dataclass(frozen=True, slots=True)
class Text:
    """Text of `least` to `most` characters; if `pattern` is set, the whole text must match it."""

    least: int = 0
    most: int | None = None
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """Text that must occur verbatim in its source."""

    most: int = 2000


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer; `true` and `false` are not integers."""

    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Truth:
    """`true` or `false`."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the given texts."""

    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list whose members all have one shape."""

    of: Shape
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Keyed:
    """An object with known keys and no others."""

    required: Mapping[str, Shape] = field(default_factory=dict)
    optional: Mapping[str, Shape] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entries:
    """An object with free keys whose values all have one shape."""

    of: Shape


@dataclass(frozen=True, slots=True)
class Tagged:
    """An object whose key `tag` selects a variant; each variant also defines that key."""

    tag: str
    variants: Mapping[str, Keyed]


@dataclass(frozen=True, slots=True)
class Optional:
    """`null` or the given shape."""

    of: Shape


@dataclass(frozen=True, slots=True)
class Anything:
    """Any value that canonical JSON can hold."""


Shape = Text | Quote | Whole | Truth | Choice | Items | Keyed | Entries | Tagged | Optional | Anything


@dataclass(frozen=True, slots=True)
class Misfit:
    """One place where a value does not fit its shape."""

    place: str
    message: str

    def __str__(self) -> str:
        """Render as `$.ops[2].verb: message`."""
        return f"{self.place}: {self.message}"


def misfits(value: JsonValue, shape: Shape, place: str = "$") -> Iterator[Misfit]:
    """Yield every place where the value does not fit the shape, in the value's order."""
    match shape:
        case Anything():
            return
        case Optional(of):
            if value is not None:
                yield from misfits(value, of, place)
        case Items():
            yield from _items(value, shape, place)
        case Keyed():
            yield from _keyed(value, shape, place)
        case Entries(of):
            if isinstance(value, dict):
                for key, item in value.items():
                    yield from misfits(item, of, f"{place}.{key}")
            else:
                yield _wrong(value, "an object", place)
        case Tagged():
            yield from _tagged(value, shape, place)
        case _:
            yield from _scalar(value, shape, place)


def _scalar(value: JsonValue, shape: Text | Quote | Whole | Truth | Choice, place: str) -> Iterator[Misfit]:
    match shape:
        case Truth():
            if not isinstance(value, bool):
                yield _wrong(value, "true or false", place)
        case Choice(options):
            if not isinstance(value, str) or value not in options:
                yield _wrong(value, "one of " + ", ".join(options), place)
        case Whole(least, most):
            if not isinstance(value, int) or isinstance(value, bool):
                yield _wrong(value, "a whole number", place)
            elif (least is not None and value < least) or (most is not None and value > most):
                yield _wrong(value, f"a whole number{_between(least, most)}", place)
        case Text() | Quote():
            yield from _text(value, shape, place)


def _text(value: JsonValue, shape: Text | Quote, place: str) -> Iterator[Misfit]:
    least, pattern = (1, "") if isinstance(shape, Quote) else (shape.least, shape.pattern)
    if not isinstance(value, str):
        yield _wrong(value, "text", place)
    elif len(value) < least or (shape.most is not None and len(value) > shape.most):
        yield _wrong(value, f"text of a length{_between(least, shape.most)}", place)
    elif pattern and not re.fullmatch(pattern, value):
        yield _wrong(value, f"text that matches {pattern}", place)


def _items(value: JsonValue, shape: Items, place: str) -> Iterator[Misfit]:
    if not isinstance(value, list | tuple):
        yield _wrong(value, "a list", place)
        return
    if len(value) < shape.least or (shape.most is not None and len(value) > shape.most):
        yield Misfit(place, f"has {len(value)} members where a number{_between(shape.least, shape.most)} is expected")
    for index, item in enumerate(value):
        yield from misfits(item, shape.of, f"{place}[{index}]")


def _keyed(value: JsonValue, shape: Keyed, place: str) -> Iterator[Misfit]:
    if not isinstance(value, dict):
        yield _wrong(value, "an object", place)
        return
    for key in shape.required:
        if key not in value:
            yield Misfit(place, f"the key {key!r} is missing")
    for key, item in value.items():
        known = shape.required.get(key) or shape.optional.get(key)
        if known is None:
            yield Misfit(f"{place}.{key}", f"unknown key; known are {', '.join((*shape.required, *shape.optional))}")
        else:
            yield from misfits(item, known, f"{place}.{key}")


def _tagged(value: JsonValue, shape: Tagged, place: str) -> Iterator[Misfit]:
    if not isinstance(value, dict):
        yield _wrong(value, "an object", place)
        return
    tag = value.get(shape.tag)
    if isinstance(tag, str) and tag in shape.variants:
        yield from _keyed(value, shape.variants[tag], place)
    else:
        yield _wrong(tag, "one of " + ", ".join(shape.variants), f"{place}.{shape.tag}")


def _wrong(value: JsonValue, expected: str, place: str) -> Misfit:
    text = repr(value)
    return Misfit(place, f"{text if len(text) <= 80 else text[:77] + '...'} is not {expected}")  # noqa: PLR2004 - one line of a terminal


def _between(least: int | None, most: int | None) -> str:
    if least is not None and most is not None:
        return f" from {least} to {most}"
    return f" of at most {most}" if most is not None else f" of at least {least}"


def json_schema(shape: Shape) -> dict[str, JsonValue]:
    """The JSON Schema (draft 2020-12) that accepts what `misfits` accepts."""
    match shape:
        case Items(of, least, most):
            schema = {"type": "array", "items": json_schema(of), **_bounds("Items", least or None, most)}
        case Entries(of):
            schema = {"type": "object", "additionalProperties": json_schema(of)}
        case Optional(of):
            schema = {"anyOf": [{"type": "null"}, json_schema(of)]}
        case Tagged(_, variants):
            schema = {"oneOf": [json_schema(variant) for variant in variants.values()]}
        case Keyed():
            schema = _keyed_schema(shape)
        case Anything():
            schema = {}
        case _:
            schema = _scalar_schema(shape)
    return schema


def _keyed_schema(shape: Keyed) -> dict[str, JsonValue]:
    members = (*shape.required.items(), *shape.optional.items())
    schema: dict[str, JsonValue] = {"type": "object", "additionalProperties": False}
    if shape.required:
        schema["required"] = list(shape.required)
    return {**schema, "properties": {key: json_schema(member) for key, member in members}}


def _scalar_schema(shape: Text | Quote | Whole | Truth | Choice) -> dict[str, JsonValue]:
    match shape:
        case Text(least, most, pattern):
            full: dict[str, JsonValue] = {"pattern": f"^(?:{pattern})$"} if pattern else {}
            return {"type": "string", **_bounds("Length", least or None, most), **full}
        case Quote(most):
            return {"type": "string", **_bounds("Length", 1, most)}
        case Whole(least, most):
            return {"type": "integer", **_bounds("imum", least, most)}
        case Choice(options):
            return {"const": options[0]} if len(options) == 1 else {"enum": list(options)}
        case Truth():
            return {"type": "boolean"}


def _bounds(noun: str, least: int | None, most: int | None) -> dict[str, JsonValue]:
    low: dict[str, JsonValue] = {} if least is None else {f"min{noun}": least}
    return low if most is None else {**low, f"max{noun}": most}


_DIGITS: Final = 15


@dataclass(frozen=True, slots=True)
class Slice:
    """Some members, the cursor after each, the length of the whole list, and whether any members follow."""

    members: Sequence[Any]
    cursors: Sequence[str]
    total: int
    more: bool


def cursor_of(*numbers: int) -> str:
    """Build a cursor that says where to continue; it is valid in every process for as long as the list is."""
    return ".".join(map(str, numbers))


def numbers_of(cursor: str, count: int) -> tuple[int, ...]:
    """Return the numbers `cursor_of` was given, zeros for an empty cursor; raises UsageError if it is malformed."""
    parts = cursor.split(".") if cursor else ["0"] * count
    if len(parts) != count or not all(one.isascii() and one.isdigit() and len(one) <= _DIGITS for one in parts):
        raise UsageError(f"the cursor {cursor!r} is unknown; call again without it")
    return tuple(map(int, parts))
