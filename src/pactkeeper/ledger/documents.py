"""TOML and JSON from any origin as plain data or one kind of error, within limits that keep parsing fast.

Documents that people and programs hand in are parsed strictly: every problem is reported at once, and nothing is
guessed. Any JSON can be accessed by pointer (RFC 6901) and outlined.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pactkeeper.errors import InputError, PatchError, UsageError

if TYPE_CHECKING:
    from pactkeeper.ledger.canonical import JsonValue
    from pactkeeper.ledger.shape import Keyed

MOST_CHARACTERS: Final = 32 << 20
MOST_PARTS: Final = 100  # of one dotted key; parsing is quadratic in their number

_PART: Final = r"""(?:[A-Za-z0-9_-]++|"(?:\\[^\n]|[^"\\\n])*+"|'[^'\n]*+')"""
_LONG_KEY: Final = re.compile(rf"(?:^|[\[{{,])[ \t]*+(?:{_PART}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}", re.MULTILINE)
_LONG_NUMBER: Final = re.compile(r"[0-9_]{19}|0[xob][0-9a-fA-F_]{16}")
_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def read_toml(text: str, *, parse_float: Callable[[str], object] = float) -> dict[str, Any]:
    """Read TOML; raises nothing but TOMLDecodeError, whatever the text holds."""
    if len(text) > MOST_CHARACTERS:
        raise tomllib.TOMLDecodeError(f"{len(text):,} characters; files of up to {MOST_CHARACTERS:,} are read")
    long = _LONG_KEY.search(text)
    if long is not None:
        line = text.count("\n", 0, long.end()) + 1
        raise tomllib.TOMLDecodeError(f"a key has more than {MOST_PARTS} dotted parts (at line {line}, column 1)")
    try:
        found = tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError as error:
        raise tomllib.TOMLDecodeError("nested too deeply") from error
    except ValueError as error:  # an integer with more digits than Python parses
        raise tomllib.TOMLDecodeError(str(error).partition(" for integer")[0] or "a value cannot be read") from error
    if _LONG_NUMBER.search(text) and _holds_more(found):
        raise tomllib.TOMLDecodeError("an integer has more than the 64 bits that TOML gives it")
    return found


def _holds_more(value: object) -> bool:
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, int) and not -(1 << 63) <= one < 1 << 63:
            return True
        pending += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
    return False


MAX_PROBLEMS = 50


def read_document(text: str, shape: Keyed, *, noun: str) -> dict[str, JsonValue]:
    """Parse JSON and check it against a shape; raises PatchError, which names the `noun` and lists all problems.

    Besides misfits, it rejects repeated keys, floats and NaN, text that UTF-8 cannot encode, and nesting that canonical
    JSON rejects.
    """
    from pactkeeper.ledger.canonical import canonical_json  # noqa: PLC0415 - not needed to read settings
    from pactkeeper.ledger.shape import misfits  # noqa: PLC0415 - likewise

    try:
        value: JsonValue = json.loads(
            text, object_pairs_hook=_unrepeated, parse_float=_no_float, parse_constant=_no_float
        )
        canonical_json(value)
    except (ValueError, TypeError) as error:
        raise _refusal(noun, [str(error)]) from error
    except RecursionError as error:
        raise _refusal(noun, ["it is nested too deeply to be one of ours"]) from error
    refuse(noun, (str(one) for one in misfits(value, shape)))
    if not isinstance(value, dict):  # already checked by the shape; this is for the type checker
        raise _refusal(noun, ["it is not an object"])
    return value


def refuse(noun: str, problems: Iterable[str]) -> None:
    """Raise PatchError listing the problems, if there are any."""
    found = list(problems)
    if found:
        raise _refusal(noun, found)


def write_document(value: JsonValue) -> str:
    """Serialize a document: indented, keys in the given order, with one trailing newline."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _refusal(noun: str, problems: list[str]) -> PatchError:
    shown = problems[:MAX_PROBLEMS]
    rest = [f"and {len(problems) - len(shown)} more"] if len(problems) > len(shown) else []
    lines = "\n".join(f"  {problem}" for problem in (*shown, *rest))
    return PatchError(
        f"the {noun} cannot be used: {len(problems)} {'problem' if len(problems) == 1 else 'problems'}\n{lines}"
    )


def _unrepeated(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is given twice in one object")
    return found


def _no_float(text: str) -> NoReturn:
    raise ValueError(f"the number {text} is not whole; write it as text")


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
        counted = dict(Counter(map(_kind, value)).most_common())
        return Outline(kind, len(value), _keys(first) if isinstance(first, dict) else None, counted)
    return Outline(kind)


def _keys(value: Mapping[str, object]) -> dict[str, str]:
    return {key: _sized(one) for key, one in islice(value.items(), MOST_KEYS)}


def _sized(value: object) -> str:
    """Return a type with its number of members, such as `array of 12`."""
    return f"{_kind(value)} of {len(value)}" if isinstance(value, dict | list) else _kind(value)


def _kind(value: object) -> str:
    return _KINDS[type(value)]


def _described(value: object) -> str:
    if isinstance(value, dict):
        shown = ", ".join(repr(key) for key in islice(value, MOST_SHOWN))
        return f"an object with {len(value)} keys: {shown}{', …' if len(value) > MOST_SHOWN else ''}"
    return f"an array of {len(value)}" if isinstance(value, list) else f"a {_kind(value)}"


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number, or too large to be read")


def _finite(text: str) -> float:
    found = float(text)
    return found if isfinite(found) else _no_number(text)


def whole_escapes(text: str) -> str:
    """Replace each escaped lone surrogate in JSON text with U+FFFD; offsets stay the same."""
    return _ESCAPE.sub(_whole, text) if "\\u" in text else text


def whole_text(text: str) -> str:
    """Return the text with U+FFFD in place of each lone surrogate."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _whole(escape: re.Match[str]) -> str:
    return "\\ufffd" if escape[1] else escape[0]
