"""Settings files: TOML of limited size, with every key checked and all problems reported together."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pactkeeper.errors import Problem, SettingsError
from pactkeeper.ledger.documents import read_toml

MOST_BYTES: Final = 4 << 20
_PLACE: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})

Check = Callable[[object], str]  # describes what is wrong with a value; empty if nothing is


def text(value: object) -> str:
    """Require a text that isn't blank."""
    return "" if isinstance(value, str) and value.strip() else "is no text"


def texts(value: object) -> str:
    """Require a list of texts that aren't blank; the list may be empty."""
    return "" if isinstance(value, list) and not any(map(text, value)) else "is not a list of strings"


def matching(pattern: str, wrong: str) -> Check:
    """Require a text that matches the whole pattern."""
    return lambda value: "" if isinstance(value, str) and re.fullmatch(pattern, value) else wrong


def is_whole(value: object, least: int, most: int) -> bool:
    """Whether a value is a whole number within the range, inclusive; booleans don't count."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def whole(least: int, most: int) -> Check:
    """Require a whole number within the range, inclusive."""
    return lambda value: "" if is_whole(value, least, most) else f"is not a whole number from {least:,} to {most:,}"


def secure_url(example: str) -> Check:
    """Require a plain URL that uses https, or http on the loopback interface."""

    def check(value: object) -> str:
        parts = urlsplit(value) if isinstance(value, str) else None
        if parts is None or not parts.hostname or parts.username or parts.password or parts.query or parts.fragment:
            return f"is not an address such as {example!r}"
        secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
        return "" if secure else "is not https; the token could be read in transit"

    return check


def misfits(found: Mapping[str, Any], checks: Mapping[str, Check], table: str = "") -> Iterator[str]:
    """The problems of a table's keys, one sentence each; `table` is its name, empty for the top level."""
    for key, value in found.items():
        named = f"{table}.{key}" if table else key
        if key not in checks:
            yield f"the key {named if table else repr(key)} is not known; known are {', '.join(checks)}"
        elif wrong := checks[key](value):
            yield f"{named} = {value!r} {wrong}"


def load(folder: Path | None, name: str, problems: Callable[[Mapping[str, Any]], Iterable[str]]) -> Mapping[str, Any]:
    """The tables of a settings file, none if it doesn't exist; raises SettingsError naming every problem."""
    path = None if folder is None else folder / name
    file = SettingsFile(str(path), text_of(path) or "")
    found = file.read()
    if file.problems:
        raise SettingsError(str(file.problems[0]))
    wrong = list(problems(found))
    if wrong:
        raise SettingsError(f"{path} cannot be used: {'; '.join(wrong)}")
    return found


def text_of(path: Path | None) -> str | None:
    """The text of a settings file, or None if it doesn't exist; raises SettingsError."""
    try:
        if path is None or not path.exists():
            return None
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise SettingsError(f"{path} cannot be read: settings are a regular file of at most {MOST_BYTES:,} bytes")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error


@dataclass(slots=True)
class SettingsFile:
    """A settings file being read, with the problems found so far and their lines."""

    path: str
    text: str
    problems: list[Problem] = field(default_factory=list)

    def read(self, *, parse_float: Callable[[str], object] = float) -> dict[str, Any]:
        """The file's tables; empty if it is not valid TOML, which is recorded as a problem."""
        try:
            return read_toml(self.text, parse_float=parse_float)
        except tomllib.TOMLDecodeError as error:
            self.problems.append(_syntax_problem(self.path, str(error)))
        except ArithmeticError:  # raised by `parse_float` for decimal numbers
            self.problems.append(Problem(self.path, 0, "invalid TOML: a number has an exponent that is too large"))
        return {}

    def complain(self, table: str, key: str, message: str) -> None:
        """Add a problem at the line of a key, or of its table."""
        self.problems.append(Problem(self.path, _line(self.text, table, key), message))

    def refuse(self, what: str) -> None:
        """Raise SettingsError naming every problem, if there are any."""
        if self.problems:
            raise SettingsError("\n".join([f"{what} cannot be used:", *(f"  {one}" for one in sorted(self.problems))]))


def _syntax_problem(path: str, said: str) -> Problem:
    """The problem of a file that is not valid TOML; line 0 if the parser names none."""
    place = _PLACE.search(said)
    if place is None:
        return Problem(path, 0, f"invalid TOML: {said}")
    return Problem(path, int(place[1]), f"invalid TOML: {said[: place.start()]} at column {place[2]}")


def _line(text: str, table: str, key: str) -> int:
    """The 1-based line of a key, or of its table; 0 if it is written in an unusual way."""
    current, of_table = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*+\[\s*+([^\[\]#]++)\]", line)
        if header:
            current = header[1].replace('"', "").replace(" ", "")
            of_table = number if current == table else of_table
        elif current == table and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line):
            return number
    return of_table
