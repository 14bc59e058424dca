"""Files of settings: TOML within limits, each key held against what is wrong with its value, every problem told."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pactkeeper.errors import Problem, SettingsError
from pactkeeper.ledger.toml_document import read_toml

MOST_BYTES: Final = 4 << 20
_PLACE: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})

Check = Callable[[object], str]  # what is wrong with a value; empty where nothing is


def text(value: object) -> str:
    """Words have to stand there."""
    return "" if isinstance(value, str) and value.strip() else "is no text"


def texts(value: object) -> str:
    """A list of words, which may be empty."""
    return "" if isinstance(value, list) and not any(map(text, value)) else "is no list of texts"


def matching(pattern: str, wrong: str) -> Check:
    """A text that the pattern describes as a whole."""
    return lambda value: "" if isinstance(value, str) and re.fullmatch(pattern, value) else wrong


def is_whole(value: object, least: int, most: int) -> bool:
    """Whether it is a whole number between the two, these included; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def whole(least: int, most: int) -> Check:
    """A whole number between the two, these included."""
    return lambda value: "" if is_whole(value, least, most) else f"is no whole number from {least:,} to {most:,}"


def secure_url(example: str) -> Check:
    """An address alone, reached by https unless it is on this machine."""

    def check(value: object) -> str:
        parts = urlsplit(value) if isinstance(value, str) else None
        if parts is None or not parts.hostname or parts.username or parts.password or parts.query or parts.fragment:
            return f"is no address such as {example!r}"
        secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
        return "" if secure else "is not https; a token would be readable on its way"

    return check


def misfits(found: Mapping[str, Any], checks: Mapping[str, Check], table: str = "") -> Iterator[str]:
    """What is wrong with the keys of a table, each problem as a sentence; `table` names it unless it is the file."""
    for key, value in found.items():
        named = f"{table}.{key}" if table else key
        if key not in checks:
            yield f"the key {named if table else repr(key)} is not known; known are {', '.join(checks)}"
        elif wrong := checks[key](value):
            yield f"{named} = {value!r} {wrong}"


def load(path: Path, problems: Callable[[Mapping[str, Any]], Iterable[str]]) -> Mapping[str, Any]:
    """The tables of a file of settings, none where there is no file; raises SettingsError with all that is wrong."""
    file = SettingsFile(str(path), text_of(path) or "")
    found = file.read()
    if file.problems:
        raise SettingsError(str(file.problems[0]))
    wrong = list(problems(found))
    if wrong:
        raise SettingsError(f"{path} cannot be used: {'; '.join(wrong)}")
    return found


def text_of(path: Path | None) -> str | None:
    """The text of a file of settings, None where there is no file; raises SettingsError."""
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
    """A file of settings while it is read, with the problems found so far, each with its line."""

    path: str
    text: str
    problems: list[Problem] = field(default_factory=list)

    def read(self, *, parse_float: Callable[[str], object] = float) -> dict[str, Any]:
        """Its tables; empty where it is no TOML, which is a problem."""
        try:
            return read_toml(self.text, parse_float=parse_float)
        except tomllib.TOMLDecodeError as error:
            self.problems.append(_syntax_problem(self.path, str(error)))
        except ArithmeticError:  # of what reads decimal numbers
            self.problems.append(Problem(self.path, 0, "invalid TOML: a number has an exponent that is too large"))
        return {}

    def complain(self, table: str, key: str, message: str) -> None:
        """Add a problem at the line of a key, else of its table."""
        self.problems.append(Problem(self.path, _line(self.text, table, key), message))

    def refuse(self, what: str) -> None:
        """Raise SettingsError that names every problem, if there are any."""
        if self.problems:
            raise SettingsError("\n".join([f"{what} cannot be used:", *(f"  {one}" for one in sorted(self.problems))]))


def _syntax_problem(path: str, said: str) -> Problem:
    """The problem of a file that is no TOML; line 0 where the parser names none."""
    place = _PLACE.search(said)
    if place is None:
        return Problem(path, 0, f"invalid TOML: {said}")
    return Problem(path, int(place[1]), f"invalid TOML: {said[: place.start()]} at column {place[2]}")


def _line(text: str, table: str, key: str) -> int:
    """The line of a key, else of its table, counted from 1; 0 where it is written in an unusual way."""
    current, of_table = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*+\[\s*+([^\[\]#]++)\]", line)
        if header:
            current = header[1].replace('"', "").replace(" ", "")
            of_table = number if current == table else of_table
        elif current == table and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line):
            return number
    return of_table
