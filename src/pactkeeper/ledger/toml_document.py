"""TOML from any origin as plain data or one kind of error, within limits that keep parsing fast.

Also strict parsing of the JSON documents that people and programs hand in: every problem is reported at once, and
nothing is guessed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn

from pactkeeper.errors import PatchError
from pactkeeper.ledger.canonical import JsonValue, canonical_json
from pactkeeper.ledger.shape import Keyed, misfits

MOST_CHARACTERS: Final = 32 << 20
MOST_PARTS: Final = 100  # of one dotted key; parsing is quadratic in their number

_PART: Final = r"""(?:[A-Za-z0-9_-]++|"(?:\\[^\n]|[^"\\\n])*+"|'[^'\n]*+')"""
_LONG_KEY: Final = re.compile(rf"(?:^|[\[{{,])[ \t]*+(?:{_PART}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}", re.MULTILINE)
_LONG_NUMBER: Final = re.compile(r"[0-9_]{19}|0[xob][0-9a-fA-F_]{16}")


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
        raise _refusal(noun, ["it is no object"])
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
