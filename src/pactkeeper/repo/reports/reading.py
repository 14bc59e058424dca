"""Read one report: its bytes, the problems found in it, and numbers in the tools' various notations.

XML reports are read as a stream: no tree is kept, entities are rejected, and every problem has a line number.

A document may name its DTD, as Cobertura's do; no DTD is ever fetched.

JUnit XML is read in the variants of pytest, unittest, jest-junit, Vitest, mocha, Playwright, Surefire, Gradle and
go-junit.

There is no standard. What the variants share is a `testcase` with a `name` and often a `classname`, in suites. How they
combine modules, suites and names, and which of these name a file, varies by tool, so the texts are passed on unchanged
and matched against the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final, Protocol
from xml.sax import SAXParseException, handler, xmlreader

from defusedxml import EntitiesForbidden
from defusedxml.expatreader import DefusedExpatParser

from pactkeeper.errors import Problem, ReportError
from pactkeeper.intent.results import Case, Outcome, ResultSet, TestResult, Unclear, head, worst
from pactkeeper.repo.named_file import read_named

MOST_BYTES: Final = 256 << 20
MOST_PROBLEMS: Final = 50
MOST_CASES: Final = 1_000_000
_TOO_LARGE: Final = (
    "split the run by test folder, or, for contexts of coverage.py, give its data file .coverage instead of JSON"
)
_LONGEST: Final = Decimal(10) ** 9  # seconds; no run takes thirty years
_THOUSANDS: Final = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Report:
    """A file that a tool wrote: its name in messages, and its bytes."""

    name: str
    data: bytes


def load(path: Path, name: str) -> Report:
    """Read a report from disk; raise InputError unless it is a readable regular file of at most `MOST_BYTES`."""
    return Report(name, read_named(path, f"the report {name!r}", most=MOST_BYTES, advice=_TOO_LARGE))


@dataclass(slots=True)
class ReportFaults:
    """The problems of one report so far; a report with problems isn't used at all."""

    name: str
    problems: list[Problem] = field(default_factory=list)
    count: int = 0

    def note(self, line: int, message: str) -> None:
        """Record a problem; beyond `MOST_PROBLEMS` they are only counted."""
        self.count += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(self.name, line, message))

    def stop(self, line: int, message: str) -> ReportError:
        """Return the error to raise if reading can't continue, with all problems so far."""
        self.note(line, message)
        return ReportError(tuple(self.problems), self.count)

    def finish(self) -> None:
        """Raise ReportError if a problem was found."""
        if self.count:
            raise ReportError(tuple(self.problems), self.count)


def milliseconds(text: str, per_unit: int = 1000) -> int | None:
    """Parse a time as runners write it, in units of `per_unit` milliseconds; None if it isn't a time.

    A comma groups thousands where possible, as Surefire writes them, and is a decimal separator otherwise.
    """
    text = text.strip()
    plain = text.replace(",", "") if _THOUSANDS.fullmatch(text) else text.replace(",", ".")
    try:
        number = Decimal(plain)
    except InvalidOperation:
        return None
    if not number.is_finite() or not 0 <= number <= _LONGEST * 1000:
        return None
    return int((number * per_unit).to_integral_value())


def result_set(report: Report, form: str, found: Iterable[TestResult | Unclear | None]) -> ResultSet:
    """Return what was read of the tests: their results, and what is unclear."""
    read = [one for one in found if one is not None]
    results = tuple(one for one in read if isinstance(one, TestResult))
    return ResultSet(report.name, form, results, tuple(one for one in read if isinstance(one, Unclear)))


def without_escapes(text: str) -> str:
    """Strip terminal colour codes from a message."""
    return _ESCAPES.sub("", text)


_PIECE: Final = 1 << 16  # bytes passed to the parser first
_DEEPEST: Final = 200  # levels of nested elements
TEXT_KEPT: Final = 4_000  # characters of an element's text; only the head of a message is kept


class Elements(Protocol):
    """Receives the elements of a document as they are parsed."""

    def opened(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Handle the start of an element; `name` has no namespace prefix."""

    def closed(self, name: str, text: str, line: int) -> None:
        """Handle the end of an element; `text` is the head of its direct text."""


def read_elements(report: Report, elements: Elements, reading: ReportFaults) -> None:
    """Pass every element of the report to `elements`; raise ReportError if it isn't a complete XML document."""
    # References to external files are ignored, not refused: the feature that would follow them is off by default.
    parser = DefusedExpatParser(forbid_entities=True, forbid_external=False)
    content = _Content(elements, reading)
    parser.setContentHandler(content)
    content.setDocumentLocator(parser)
    try:
        for piece in _pieces(report.data):
            parser.feed(piece)
        parser.close()
    except SAXParseException as error:
        line = error.getLineNumber() or 0
        raise reading.stop(line, f"is not a complete XML document: {error.getMessage()}") from error
    except EntitiesForbidden as error:
        raise reading.stop(content.line, f"declares the entity {error.name!r}, which no report needs") from error
    except (ValueError, LookupError) as error:  # an encoding that Python doesn't support
        raise reading.stop(content.line, f"cannot be decoded: {error}") from error


def _pieces(data: bytes) -> Iterator[memoryview]:
    """Yield pieces of doubling size: the parser restarts an unfinished token with each, and a message may be huge."""
    view = memoryview(data)
    start, size = 0, _PIECE
    while start < len(view):
        yield view[start : start + size]
        start, size = start + size, size * 2


@dataclass(slots=True)
class _Open:
    """An open element, with the head of its text."""

    name: str
    parts: list[str] = field(default_factory=list)
    left: int = TEXT_KEPT


class _Content(handler.ContentHandler):
    """Tracks the open elements' names and the heads of their texts."""

    def __init__(self, elements: Elements, reading: ReportFaults) -> None:
        super().__init__()
        self._elements = elements
        self._reading = reading
        self._open: list[_Open] = []
        self._locator = xmlreader.Locator()

    @property
    def line(self) -> int:
        return max(self._locator.getLineNumber() or 0, 0)

    def setDocumentLocator(self, locator: xmlreader.Locator) -> None:  # noqa: N802 - the parser's name
        self._locator = locator

    def startElement(self, name: str, attrs: xmlreader.AttributesImpl) -> None:  # noqa: N802 - likewise
        if len(self._open) >= _DEEPEST:
            raise self._reading.stop(self.line, f"has elements more than {_DEEPEST} deep inside each other")
        plain = name.rpartition(":")[2]
        self._open.append(_Open(plain))
        self._elements.opened(plain, dict(attrs), self.line)

    def characters(self, content: str) -> None:
        element = self._open[-1]
        if element.left > 0:
            kept = content[: element.left]
            element.left -= len(kept)
            element.parts.append(kept)

    def endElement(self, name: str) -> None:  # noqa: ARG002, N802 - likewise
        element = self._open.pop()
        self._elements.closed(element.name, "".join(element.parts), self.line)


class _RootSeen(Exception):
    """Raised once the root element was seen."""


class _Root:
    """Takes only the root element."""

    def __init__(self) -> None:
        self.name = ""
        self.attributes: Mapping[str, str] = {}

    def opened(self, name: str, attributes: Mapping[str, str], line: int) -> None:  # noqa: ARG002 - the protocol's signature
        self.name, self.attributes = name, attributes
        raise _RootSeen

    def closed(self, name: str, text: str, line: int) -> None:
        """Do nothing: no element closes before the root opens."""


def root_of(report: Report) -> tuple[str, Mapping[str, str]]:
    """Return the name and attributes of the root element; raise ReportError if there is none."""
    root = _Root()
    with suppress(_RootSeen):
        read_elements(report, root, ReportFaults(report.name))
    return root.name, root.attributes


FORM: Final = "junit"
ROOTS: Final = frozenset({"testsuites", "testsuite"})
_OUTCOMES: Final[Mapping[str, Outcome]] = {"failure": "failed", "error": "error", "skipped": "skipped"}
_NOT_RUN: Final = frozenset({"notrun", "disabled", "skipped", "suppressed", "ignored"})
_FILE: Final = re.compile(r"[^\n]+\.(py|[cm]?[jt]sx?)")


def read_junit(report: Report) -> ResultSet:
    """Read every case of every suite; raise ReportError."""
    reading = ReportFaults(report.name)
    cases = _Cases(reading)
    read_elements(report, cases, reading)
    reading.finish()
    return ResultSet(report.name, FORM, tuple(cases.found), began=min(cases.began, default=None))


class _Cases:
    """Collects the cases of a document as its elements are parsed."""

    def __init__(self, reading: ReportFaults) -> None:
        self.found: list[TestResult] = []
        self.began: list[datetime] = []
        self._reading = reading
        self._suites: list[Mapping[str, str]] = []
        self._case: Mapping[str, str] | None = None
        self._outcomes: list[Outcome] = []
        self._messages: list[str] = []
        self._inside: list[str] = []

    def opened(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Handle a suite, a case, or a case's outcome."""
        self._inside.append(name)
        if name == "testsuite":
            self._suites.append(attributes)
            self._note_time(attributes.get("timestamp", ""))
        elif name == "testcase":
            self._begin(attributes, line)
        elif name in _OUTCOMES and self._inside[-2:-1] == ["testcase"]:
            self._outcomes.append(_OUTCOMES[name])
            self._messages.append(attributes.get("message", ""))

    def closed(self, name: str, text: str, line: int) -> None:  # noqa: ARG002 - the protocol's signature
        """Handle the end of a suite or case; a failure's text is its message if the attribute is missing."""
        self._inside.pop()
        if name == "testsuite":
            self._suites.pop()
        elif name == "testcase" and self._case is not None:
            self.found.append(self._result(self._case))
            self._case = None
        elif name in _OUTCOMES and self._inside[-1:] == ["testcase"] and self._messages and not self._messages[-1]:
            self._messages[-1] = text

    def _note_time(self, text: str) -> None:
        """Note when a suite began; a time without a zone, which tools write in either of two, is left out."""
        with suppress(ValueError):
            moment = datetime.fromisoformat(text)
            self.began += [moment] if moment.tzinfo is not None else []

    def _begin(self, attributes: Mapping[str, str], line: int) -> None:
        if len(self.found) >= MOST_CASES:
            raise self._reading.stop(line, f"has more than {MOST_CASES:,} cases")
        if not attributes.get("name") and not attributes.get("classname"):
            self._reading.note(line, "a testcase has neither a name nor a classname")
        self._case = attributes
        self._outcomes, self._messages = [], []

    def _result(self, case: Mapping[str, str]) -> TestResult:
        said = {case.get("status", "").casefold(), case.get("result", "").casefold()}
        outcome = worst(self._outcomes) if self._outcomes else "skipped" if said & _NOT_RUN else "passed"
        message = next((text for kind, text in zip(self._outcomes, self._messages, strict=True) if kind == outcome), "")
        return TestResult(
            self._named(case), outcome, milliseconds(case.get("time", "")), head(without_escapes(message))
        )

    def _named(self, case: Mapping[str, str]) -> Case:
        classname, name = case.get("classname", "").strip(), case.get("name", "").strip()
        names = tuple(part for part in (classname, name) if part)
        return Case(names, self._file(case, classname), self._line(case), joined=True)

    def _file(self, case: Mapping[str, str], classname: str) -> str:
        """Return the file named by the case, its suites or its classname."""
        suites = [suite.get(key, "") for suite in reversed(self._suites) for key in ("file", "filepath")]
        named = [suite.get("name", "") for suite in reversed(self._suites)]
        said = next((text for text in (case.get("file", ""), *suites) if text), "")
        return said or next((text for text in (classname, *named) if _FILE.fullmatch(text)), "")

    def _line(self, case: Mapping[str, str]) -> int:
        """Return the line named by the case; pytest counts from 0."""
        text = case.get("line", "")
        if not (text.isascii() and text.isdigit() and len(text) < 10):  # noqa: PLR2004 - no file has a billion lines
            return 0
        return int(text) + any(suite.get("name") == "pytest" for suite in self._suites)
