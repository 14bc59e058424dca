"""JUnit XML in the flavours of pytest, unittest, jest-junit, Vitest, mocha, Playwright, Surefire, Gradle and go-junit.

There is no standard. What the flavours share is a `testcase` with a `name` and often a `classname`, in suites; where
modules, suites and names are run together, and which of them names a file, is each tool's own choice, so the texts are
handed on as they are and matched against what the source says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pactkeeper.intent.results import Case, Outcome, ResultSet, TestResult, head, worst
from pactkeeper.repo.reports.reading import (
    MOST_CASES,
    Report,
    ReportFaults,
    milliseconds,
    read_elements,
    without_escapes,
)

FORM: Final = "junit"
ROOTS: Final = frozenset({"testsuites", "testsuite"})
_OUTCOMES: Final[Mapping[str, Outcome]] = {"failure": "failed", "error": "error", "skipped": "skipped"}
_NOT_RUN: Final = frozenset({"notrun", "disabled", "skipped", "suppressed", "ignored"})
_FILE: Final = re.compile(r"[^\n]+\.(py|[cm]?[jt]sx?)")


def read_junit(report: Report) -> ResultSet:
    """Read every case of every suite; raises ReportError."""
    reading = ReportFaults(report.name)
    cases = _Cases(reading)
    read_elements(report, cases, reading)
    reading.finish()
    return ResultSet(report.name, FORM, tuple(cases.found))


class _Cases:
    """Collects the cases of a document as its elements come."""

    def __init__(self, reading: ReportFaults) -> None:
        self.found: list[TestResult] = []
        self._reading = reading
        self._suites: list[Mapping[str, str]] = []
        self._case: Mapping[str, str] | None = None
        self._outcomes: list[Outcome] = []
        self._messages: list[str] = []
        self._inside: list[str] = []

    def opened(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """A suite, a case, or what came of a case."""
        self._inside.append(name)
        if name == "testsuite":
            self._suites.append(attributes)
        elif name == "testcase":
            self._begin(attributes, line)
        elif name in _OUTCOMES and self._inside[-2:-1] == ["testcase"]:
            self._outcomes.append(_OUTCOMES[name])
            self._messages.append(attributes.get("message", ""))

    def closed(self, name: str, text: str, line: int) -> None:  # noqa: ARG002 - the port's shape
        """The end of a suite or a case; the text of a failure stands for a message that its attribute does not have."""
        self._inside.pop()
        if name == "testsuite":
            self._suites.pop()
        elif name == "testcase" and self._case is not None:
            self.found.append(self._result(self._case))
            self._case = None
        elif name in _OUTCOMES and self._inside[-1:] == ["testcase"] and self._messages and not self._messages[-1]:
            self._messages[-1] = text

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
        """The file that the case, its suites or its classname name."""
        suites = [suite.get(key, "") for suite in reversed(self._suites) for key in ("file", "filepath")]
        named = [suite.get("name", "") for suite in reversed(self._suites)]
        said = next((text for text in (case.get("file", ""), *suites) if text), "")
        return said or next((text for text in (classname, *named) if _FILE.fullmatch(text)), "")

    def _line(self, case: Mapping[str, str]) -> int:
        """The line that the case names; pytest counts from 0."""
        text = case.get("line", "")
        if not (text.isascii() and text.isdigit() and len(text) < 10):  # noqa: PLR2004 - no file has a billion lines
            return 0
        return int(text) + any(suite.get("name") == "pytest" for suite in self._suites)
