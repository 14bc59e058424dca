"""TOML text of any origin → plain data or one kind of error, within limits that keep reading it quick."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any, Final

MOST_CHARACTERS: Final = 32 << 20
MOST_PARTS: Final = 100  # of one dotted key; reading takes the square of their number

_PART: Final = r"""(?:[A-Za-z0-9_-]++|"(?:\\[^\n]|[^"\\\n])*+"|'[^'\n]*+')"""
_LONG_KEY: Final = re.compile(rf"(?:^|[\[{{,])[ \t]*+(?:{_PART}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}", re.MULTILINE)


def read_toml(text: str, *, parse_float: Callable[[str], object] = float) -> dict[str, Any]:
    """Read TOML; raises nothing but TOMLDecodeError, whatever the text holds."""
    if len(text) > MOST_CHARACTERS:
        raise tomllib.TOMLDecodeError(f"{len(text):,} characters; files of up to {MOST_CHARACTERS:,} are read")
    long = _LONG_KEY.search(text)
    if long is not None:
        line = text.count("\n", 0, long.end()) + 1
        raise tomllib.TOMLDecodeError(f"a key has more than {MOST_PARTS} dotted parts (at line {line}, column 1)")
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError as error:
        raise tomllib.TOMLDecodeError("nested too deeply") from error
    except ValueError as error:  # an integer of more digits than Python reads
        raise tomllib.TOMLDecodeError(str(error).partition(" for integer")[0] or "a value cannot be read") from error
