"""Forms of results: how a value becomes a document, and the JSON Schema of such documents.

A form is a type, a codec, a list with one form, an object by its members (`name?` is optional), a tuple of forms whose
members are merged into one document, or alternatives.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date, datetime
from enum import Enum
from functools import cache, cached_property
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints, is_typeddict

from pactkeeper.ledger.shape import Shape, Slice, json_schema
from pactkeeper.published.plain import Codec, Member, plain

Schema = dict[str, Any]
Form: TypeAlias = Any  # described in the module docstring; too many kinds of types to name


@dataclass(frozen=True, slots=True)
class OneOf:
    """Alternative forms; which of several codecs applies follows from the value's type."""

    forms: tuple[Form, ...]

    def of(self, value: object) -> Codec[Any]:
        """Return the codec for a value."""
        return next(one for one in self.forms if isinstance(value, get_origin(one.kind) or one.kind))


def document_of(form: Form, value: Any) -> Any:  # noqa: ANN401 - any value, and JSON
    """Build the document of a value: an object's only member is the value, merged forms take one value each.

    A member `name?` is omitted if the value is None. A slice stays a slice of documents.
    """
    match form:
        case Codec():
            return form(value)
        case Mapping():
            ((name, inner),) = form.items()
            sparse = value is None and name.endswith("?")
            return {} if sparse else {name.rstrip("?"): document_of(inner, value)}
        case tuple():
            parts = [document_of(one, part) for one, part in zip(form, value, strict=True)]
            return {name: member for part in parts for name, member in part.items()}
        case list() if isinstance(value, Slice):
            return replace(value, members=document_of(form, value.members))
        case list():
            return [document_of(form[0], one) for one in value]
        case OneOf():
            return form.of(value)(value)
        case Wire():
            return form(value)
    return plain(value)


@dataclass(frozen=True, slots=True)
class Wire:
    """Writes a value as it is stored or sent, with the shape that its reader accepts; used as the form of a member."""

    write: Callable[[Any], object]
    shape: Shape

    def __call__(self, value: object) -> object:
        """Return the value as written."""
        return self.write(value)


_SIMPLE: Final[Mapping[object, Schema]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    None: {"type": "null"},
    date: {"type": "string", "format": "date"},
    datetime: {"type": "string", "format": "date-time"},
}
_LISTS: Final = (list, tuple, set, frozenset, Sequence, AbstractSet)


def schema_of(form: Form) -> Schema:
    """Return the schema of a form; {} if a type only says that it is JSON."""
    match form:
        case Codec():
            return _object(_of_codec(form))
        case Mapping():
            return _object(form.items())
        case tuple():
            return _together([schema_of(one) for one in form])
        case list():
            return {"type": "array", "items": schema_of(form[0])}
        case OneOf():
            return {"anyOf": [schema_of(one) for one in form.forms]}
        case Wire():
            return dict(json_schema(form.shape))
        case _Made():
            return form.schema
    return _of_type(form)


@dataclass(frozen=True, slots=True)
class _Made:
    schema: Schema


def _object(members: Iterable[tuple[str, Form]]) -> Schema:
    properties: dict[str, Schema] = {}
    required: list[str] = []
    closed = True
    for name, form in members:
        found, key = schema_of(form), name.rstrip("?")
        if name == "*":
            properties |= found.get("properties", {})
            required += found.get("required", [])
            closed = closed and "properties" in found
            continue
        properties[key] = found
        if key == name:
            required.append(key)
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": not closed}


def _together(parts: Sequence[Schema]) -> Schema:
    """Merge the members of all parts into one object; alternatives in one part are each merged with the others."""
    several = next((one for one in parts if "anyOf" in one), None)
    if several is not None:
        others = [one for one in parts if one is not several]
        return {"anyOf": [_together([*others, one]) for one in several["anyOf"]]}
    properties = {name: one for part in parts for name, one in part["properties"].items()}
    required = sorted({name for part in parts for name in part["required"]})
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


def _of_codec(codec: Codec[Any]) -> Iterator[tuple[str, Form]]:
    for position, one in enumerate(codec.members):
        name = f"{one.key}?" if one.sparse else one.key or "*"
        yield name, _Made(_of_member(codec.kind, one, position))


def _of_member(kind: Any, one: Member, position: int) -> Schema:  # noqa: ANN401 - a type
    if one.inner is len:
        return dict(_SIMPLE[int])
    whole = get_origin(kind) is not tuple and not one.path
    found = kind if whole else get_args(kind)[position] if get_origin(kind) is tuple else _at(kind, one.path)
    return schema_of(found) if one.inner is plain else _applied(one.inner, found, whole=whole)


def _applied(inner: Any, found: Any, *, whole: bool = False) -> Schema:  # noqa: ANN401 - a codec, a type
    """Return the schema of a member with a codec, applied to it, to each item of a sequence or value of a mapping."""
    origin, parts = get_origin(found), get_args(found)
    if not whole and origin in {Union, types.UnionType}:
        others = [one for one in parts if one is not type(None)]
        some = _applied(inner, others[0])
        return some if len(others) == len(parts) else {"anyOf": [some, _SIMPLE[None]]}
    if not whole and origin is not None and issubclass(origin, (list, tuple, Sequence)):
        return {"type": "array", "items": _applied(inner, parts[0], whole=True)}
    if not whole and origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _applied(inner, parts[1], whole=True)}
    if isinstance(inner, str):
        return schema_of(_at(found, inner))
    return schema_of(inner) if isinstance(inner, Codec | Wire) else schema_of(returned(inner))


def returned(function: Callable[..., object]) -> Form:
    """Return a function's annotated return type; Any without an annotation."""
    if not hasattr(function, "__annotations__"):  # a callable object
        return Any
    return _hints(function).get("return", Any)


def _at(kind: Any, path: str) -> Any:  # noqa: ANN401 - types
    """Return the type of an attribute, or of a nested one."""
    for name in path.split("."):
        kind = _attribute(kind, name)
    return kind


def _attribute(kind: Any, name: str) -> Any:  # noqa: ANN401 - types
    if get_origin(kind) in {Union, types.UnionType}:  # the codec only gets values that have it
        kind = next(one for one in get_args(kind) if one is not type(None))
    for owner in getattr(kind, "__mro__", ()):
        found = vars(owner).get(name)
        if isinstance(found, property) and found.fget is not None:
            return returned(found.fget)
        if isinstance(found, cached_property):
            return returned(found.func)
    return _hints(kind).get(name, Any)


class _Names(dict[str, Any]):
    """Names in annotations; one that is only imported for type checkers counts as Any."""

    def __missing__(self, name: str) -> Any:  # noqa: ANN401 - a type
        module = self["__module__"]
        return getattr(module, name, getattr(sys.modules["builtins"], name, Any))


@cache
def _hints(kind: Any) -> Mapping[str, Any]:  # noqa: ANN401 - a type or function
    if kind is Any or get_origin(kind) is not None:
        return {}
    module = sys.modules[kind.__module__]
    return get_type_hints(kind, localns=_Names({"__module__": module}))


def _of_type(kind: Any) -> Schema:  # noqa: ANN401 - a type
    simple = _SIMPLE.get(kind)
    if simple is not None:
        return dict(simple)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in {Union, types.UnionType}:
        if {str, int, bool} <= set(parts):
            return {}  # any JSON
        return {"anyOf": [schema_of(one) for one in parts]}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(parts[1])}
    if origin is not None and issubclass(origin, _LISTS):
        return _of_list(origin, parts)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [one.value for one in kind]}
    return _of_fields(kind) if is_dataclass(kind) or is_typeddict(kind) else {}


def _of_list(origin: type, parts: Sequence[Any]) -> Schema:
    if origin is tuple and parts[-1] is not Ellipsis:
        each = [schema_of(one) for one in dict.fromkeys(parts)]
        items = each[0] if len(each) == 1 else {"anyOf": each}
        return {"type": "array", "items": items, "minItems": len(parts), "maxItems": len(parts)}
    return {"type": "array", "items": schema_of(parts[0])}


_UNDER_WAY: Final[list[Any]] = []


def _of_fields(kind: Any) -> Schema:  # noqa: ANN401 - a dataclass or typed dictionary
    if kind in _UNDER_WAY:  # a recursive type
        return {}
    _UNDER_WAY.append(kind)
    try:
        hints = _hints(kind)
        names = [one.name for one in fields(kind)] if is_dataclass(kind) else list(hints)
        needed = getattr(kind, "__required_keys__", frozenset(names))
        return _object((name if name in needed else f"{name}?", hints[name]) for name in names)
    finally:
        _UNDER_WAY.pop()
