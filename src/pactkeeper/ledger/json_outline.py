"""Any JSON document: strict parsing, access by JSON pointer (RFC 6901), and an outline of its members."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from typing import Any, Final, NoReturn

from pactkeeper.errors import InputError, UsageError
from pactkeeper.ledger.patch_text import whole_escapes

MOST_KEYS: Final = 100  # keys listed in an outline
MOST_SHOWN: Final = 20  # keys suggested in an error
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_KINDS: Final[Mapping[type, str]] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class Outline:
    """The type of a value, its number of members, and their types by key, or counts per type for a list.

    `keys` holds at most the first `MOST_KEYS`. For a list of objects it describes the first one.
    """

    type: str
    members: int = 0
    keys: Mapping[str, str] | None = None
    of: Mapping[str, int] | None = None


def read_json_text(text: str, name: str) -> Any:  # noqa: ANN401 - any JSON value
    """Parse JSON text, replacing lone surrogates with U+FFFD; raises InputError naming the line.

    NaN is not JSON, and a number that overflows a float could not be written back unchanged.
    """
    try:
        whole = whole_escapes(text.removeprefix("\ufeff"))
        return json.loads(whole, parse_constant=_no_number, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise InputError(f"{name}:{error.lineno}: this is not JSON: {error.msg}") from error
    except ValueError as error:
        raise InputError(f"{name}: this is not JSON: {error}") from error
    except RecursionError as error:
        raise InputError(f"{name}: this JSON is nested too deeply to be read") from error


def pointed(value: Any, pointer: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the part that a JSON pointer names; raises UsageError saying what is there instead."""
    if pointer and not pointer.startswith("/"):
        raise UsageError(f"{pointer!r} is not a JSON pointer; it begins with '/', and '' names the whole document")
    for position, part in enumerate(pointer.split("/")[1:], 1):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and _INDEX.fullmatch(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            so_far = "/".join(pointer.split("/")[:position])
            raise UsageError(f"{so_far!r} has no {key!r}; it is {_described(value)}")
    return value


def outline(value: object) -> Outline:
    """Describe a value without its contents."""
    kind = _kind(value)
    if isinstance(value, dict):
        return Outline(kind, len(value), _keys(value))
    if isinstance(value, list):
        first = value[0] if value else None
        return Outline(kind, len(value), _keys(first) if isinstance(first, dict) else None, _counted(value))
    return Outline(kind)


def _keys(value: Mapping[str, object]) -> dict[str, str]:
    return {key: _sized(one) for key, one in islice(value.items(), MOST_KEYS)}


def _sized(value: object) -> str:
    """Return a type with its number of members, such as `array of 12`."""
    return f"{_kind(value)} of {len(value)}" if isinstance(value, dict | list) else _kind(value)


def _counted(value: Sequence[object]) -> dict[str, int]:
    return dict(Counter(map(_kind, value)).most_common())


def _kind(value: object) -> str:
    return _KINDS[type(value)]


def _described(value: object) -> str:
    if isinstance(value, dict):
        shown = ", ".join(repr(key) for key in islice(value, MOST_SHOWN))
        return f"an object with {len(value)} keys: {shown}{', …' if len(value) > MOST_SHOWN else ''}"
    return f"an array of {len(value)}" if isinstance(value, list) else f"a {_kind(value)}"


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number, or beyond all that can be read")


def _finite(text: str) -> float:
    found = float(text)
    return found if isfinite(found) else _no_number(text)
