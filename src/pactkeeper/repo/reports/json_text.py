"""JSON reports, read one member at a time, so that only one is in memory and every problem has a line number."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pactkeeper.ledger.documents import whole_escapes
from pactkeeper.repo.reports.reading import Report, ReportFaults

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder(parse_float=str, parse_constant=lambda _: None)
_LOOK: Final = 200  # characters of a value needed to recognize the tool that wrote it
_NO_OBJECT: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a document: its keys from the top, its value (fractions as text), and its offset."""

    place: tuple[str | int, ...]
    value: Any
    offset: int


@dataclass(frozen=True, slots=True)
class JsonText:
    """The text of a JSON report, whose top-level value is an object."""

    text: str
    reading: ReportFaults

    def members(self, *, inside: Collection[str] = ()) -> Iterator[Member]:
        """Yield the members of the top-level object; for a key in `inside`, yield its own members instead.

        Raises ReportError if the text isn't valid JSON, possibly after some members were yielded.
        """
        cursor = _Cursor(self.text)
        with self._translated():
            for key in cursor.entries():
                start = cursor.position
                if key not in inside:
                    yield Member((key,), cursor.value(), start)
                elif cursor.sees("{"):
                    for name in cursor.entries():
                        start = cursor.position
                        yield Member((key, name), cursor.value(), start)
                elif cursor.sees("["):
                    for index in cursor.items():
                        start = cursor.position
                        yield Member((key, index), cursor.value(), start)
                else:
                    self.reading.note(self.line(start), f"{shown((key,))} is neither a list nor an object")
                    cursor.value()
            cursor.end()

    def keys(self) -> Iterator[tuple[str, str]]:
        """Yield the top-level keys with the start of their values; raises like `members`."""
        cursor = _Cursor(self.text)
        with self._translated():
            for key in cursor.entries():
                yield key, self.text[cursor.position : cursor.position + _LOOK]
                cursor.value()

    def line(self, offset: int) -> int:
        """Return the line of an offset (1-based)."""
        return self.text.count("\n", 0, offset) + 1

    def fields(self, member: Member, value: object = None) -> Fields:
        """Return the fields of a member, or of a `value` in it; note a problem if that isn't an object."""
        found = member.value if value is None else value
        if isinstance(found, dict):
            return Fields(self, member, found)
        self.reading.note(self.line(member.offset), f"{shown(member.place)} holds {brief(found)} instead of an object")
        return Fields(self, member, _NO_OBJECT)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except json.JSONDecodeError as error:
            raise self.reading.stop(self.line(error.pos), f"is not a complete JSON document: {error.msg}") from error
        except RecursionError as error:
            raise self.reading.stop(0, "is nested too deeply to be a report") from error


@dataclass(frozen=True, slots=True)
class Fields:
    """The keys of one object; a missing or mistyped one is noted as a problem and reads as empty."""

    source: JsonText
    member: Member
    values: Mapping[str, Any]

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string; required unless there is a `default`."""
        found = self.values.get(key)
        if isinstance(found, str):
            return found
        if found is not None or default is None:
            self.note(f"{key} is {brief(found)}, not text")
        return default or ""

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings; empty if the key is missing."""
        found = self.values.get(key)
        if found is None:
            return ()
        if isinstance(found, list) and all(isinstance(one, str) for one in found):
            return tuple(found)
        self.note(f"{key} is {brief(found)}, not a list of texts")
        return ()

    def whole(self, key: str, default: int | None = None) -> int:
        """Return a non-negative integer; required unless there is a `default`."""
        found = self.values.get(key)
        if isinstance(found, int) and not isinstance(found, bool) and found >= 0:
            return found
        if found is not None or default is None:
            self.note(f"{key} is {brief(found)}, not a whole number from 0")
        return default or 0

    def number(self, key: str) -> str:
        """Return a number as the text that was written; empty if there is none."""
        found = self.values.get(key)
        return str(found) if isinstance(found, int | str) and not isinstance(found, bool) else ""

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Return an object; empty if the key is missing or null."""
        found = self.values.get(key)
        if found is None or isinstance(found, dict):
            return found or {}
        self.note(f"{key} is {brief(found)}, not an object")
        return {}

    def lines(self, key: str) -> tuple[int, ...]:
        """Return a list of line numbers."""
        found = self.values.get(key)
        if isinstance(found, list) and all(type(one) is int for one in found):
            return tuple(found)
        self.note(f"{key} is {brief(found)}, not a list of line numbers")
        return ()

    def note(self, message: str) -> None:
        """Record a problem with this object."""
        place = f"{shown(self.member.place)}: " if self.member.place else ""
        self.source.reading.note(self.source.line(self.member.offset), place + message)


class _Cursor:
    """A position in JSON text that advances as values are read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self._skip()

    def sees(self, sign: str) -> bool:
        return self.text.startswith(sign, self.position)

    def value(self) -> Any:  # noqa: ANN401 - whatever the document has there
        try:
            found, self.position = _DECODER.raw_decode(self.text, self.position)
        except json.JSONDecodeError:
            raise
        except ValueError as error:  # a number of thousands of digits
            raise self._refusal(str(error)) from error
        self._skip()
        return found

    def entries(self) -> Iterator[str]:
        """Yield the keys of the object here; the caller must consume each value before the next key."""
        for _ in self._parts("{", "}"):
            if not self.sees('"'):
                raise self._refusal("a key in double quotes is expected")
            key = self.value()
            self._take(":")
            yield str(key)

    def items(self) -> Iterator[int]:
        """Yield the indexes of the list here; the caller must consume each value before the next."""
        yield from self._parts("[", "]")

    def end(self) -> None:
        if self.position != len(self.text):
            raise self._refusal("something follows the end of the document")

    def _parts(self, opening: str, closing: str) -> Iterator[int]:
        self._take(opening)
        number = 0
        while number or not self.sees(closing):
            yield number
            number += 1
            if self.sees(closing):
                break
            self._take(",")
        self._take(closing)

    def _take(self, sign: str) -> None:
        if not self.sees(sign):
            raise self._refusal(f"{sign} is expected")
        self.position += 1
        self._skip()

    def _skip(self) -> None:
        found = _SPACE.match(self.text, self.position)
        self.position = self.position if found is None else found.end()

    def _refusal(self, message: str) -> json.JSONDecodeError:
        return json.JSONDecodeError(message, self.text, self.position)


def open_json(report: Report) -> JsonText:
    """Decode a report in UTF-8, UTF-16 or UTF-32, with or without a byte order mark; raise ReportError."""
    reading = ReportFaults(report.name)
    encoding = json.detect_encoding(report.data[:4])
    try:
        return JsonText(whole_escapes(report.data.decode(encoding)), reading)
    except UnicodeDecodeError as error:
        line = report.data.count(b"\n", 0, error.start) + 1
        raise reading.stop(line, f"is no text in {encoding}: {error.reason} at byte {error.start:,}") from error


def shown(place: tuple[str | int, ...]) -> str:
    """Render keys as `files.src/a.py` or `tests[3]`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place).lstrip(".")


def brief(value: object) -> str:
    """Format a value on one line, shortened."""
    text = "missing" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - part of one line
