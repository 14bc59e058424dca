"""What is said of a file of settings that is no TOML: the line once, and that it is the syntax that is wrong."""

from __future__ import annotations

import re
import tomllib
from typing import Final

from pactkeeper.errors import Problem

# What reading TOML raises: a wrong character, or tables within tables without end.
NO_TOML: Final = (tomllib.TOMLDecodeError, RecursionError)
_PLACE: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")


def syntax_problem(path: str, error: Exception) -> Problem:
    """The problem of a file that raised one of `NO_TOML`; line 0 where the error names none."""
    said = str(error)
    place = _PLACE.search(said)
    if place is None:
        return Problem(path, 0, f"this is no TOML: {said}")
    return Problem(path, int(place[1]), f"this is no TOML: {said[: place.start()]} at column {place[2]}")
