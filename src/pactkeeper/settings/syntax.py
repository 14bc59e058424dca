"""Reading a file of settings, and what is said of one that is no TOML: the line once, and that the syntax is wrong."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pactkeeper.errors import InputError, Problem
from pactkeeper.ledger.toml_document import read_toml

MOST_BYTES: Final = 4 << 20
NO_TOML: Final = tomllib.TOMLDecodeError
_PLACE: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")


def syntax_problem(path: str, error: Exception) -> Problem:
    """The problem of a file that raised one of `NO_TOML`; line 0 where the error names none."""
    said = str(error)
    place = _PLACE.search(said)
    if place is None:
        return Problem(path, 0, f"invalid TOML: {said}")
    return Problem(path, int(place[1]), f"invalid TOML: {said[: place.start()]} at column {place[2]}")


def text_of(path: Path | None) -> str | None:
    """The text of a file of settings, None where there is no file; raises InputError."""
    try:
        if path is None or not path.exists():
            return None
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path} cannot be read: settings are a regular file of at most {MOST_BYTES:,} bytes")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def load(path: Path, problems: Callable[[Mapping[str, Any]], Iterable[str]]) -> Mapping[str, Any]:
    """The tables of a file of settings, none where there is no file; raises InputError with all that is wrong."""
    try:
        found = read_toml(text_of(path) or "")
    except NO_TOML as error:
        raise InputError(str(syntax_problem(str(path), error))) from error
    wrong = list(problems(found))
    if wrong:
        raise InputError(f"{path} cannot be used: {'; '.join(wrong)}")
    return found
