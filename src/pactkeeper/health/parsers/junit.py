"""JUnit XML from any runner, and the text of Maven and Gradle, which run JUnit: a failure's message and place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Final

from pactkeeper.errors import ReportError
from pactkeeper.health.parsers.go import PLACE_BEFORE
from pactkeeper.health.parsers.java import read_console, read_lines, thrown
from pactkeeper.health.parsers.names import Family
from pactkeeper.health.parsers.seen import (
    NO_TESTS,
    PYTHON,
    Found,
    Frame,
    Hint,
    Raw,
    ReadableOutput,
    blocks,
    clean,
    count,
    dedented,
    go_frames,
    java_frames,
    python_frames,
    rust_frames,
    script_frames,
)
from pactkeeper.health.parsers.tracebacks import read_marked, read_traceback, rule_of
from pactkeeper.ledger.finding import Severity
from pactkeeper.repo.reports import Report
from pactkeeper.repo.reports.reading import ReportFaults, read_elements

_FAILURES: Final = frozenset({"failure", "error"})
_STACKS: Final[Sequence[tuple[Callable[[Sequence[str]], list[Frame]], Family]]] = (
    (python_frames, "python run"),
    (java_frames, "java"),
    (script_frames, "script run"),
    (go_frames, "go"),
    (rust_frames, "rust"),
)
_EMPTY_WORDS: Final = frozenset({"Failed", "failed", "Error", "error"})
_PYTEST: Final = "pytest"


def read(view: ReadableOutput) -> Found:
    """Return every failure and error in the report, or in the text if that is the report."""
    if not view.report and "<?xml" not in view.text and "<testsuite" not in view.text:
        return read_console(view)
    data = view.report or view.text[max(view.text.find("<?xml"), 0) :].encode()
    cases = _Cases()
    reading = ReportFaults("report")
    try:
        read_elements(Report("report", data), cases, reading)
    except ReportError as error:  # truncated: keep what was read, and report that something is missing
        cases.found.append(Raw(f"the JUnit report cannot be read completely: {error.problems[0].message}"))
    hint = Hint("could not tell", NO_TESTS) if not cases.count and not cases.found else None
    return Found(cases.found, cases.count, hint)


class _Cases:
    """Collects failures from the elements of a report."""

    def __init__(self) -> None:
        self.found: list[Raw] = []
        self.count = 0
        self._suites: list[Mapping[str, str]] = []
        self._case: Mapping[str, str] = {}
        self._failure: Mapping[str, str] = {}

    def opened(self, name: str, attributes: Mapping[str, str], line: int) -> None:  # noqa: ARG002 - the port's shape
        """Enter a suite, a case, or its failure."""
        if name == "testsuite":
            self._suites.append(attributes)
        elif name == "testcase":
            self._case = attributes
            self.count += 1
        elif name == "skipped":
            self.count -= 1
        elif name in _FAILURES:
            self._failure = attributes

    def closed(self, name: str, text: str, line: int) -> None:  # noqa: ARG002 - the port's shape
        """Leave a failure, taking its text."""
        if name == "testsuite" and self._suites:
            self._suites.pop()
        elif name in _FAILURES:
            self.found.append(self._raw(clean(text)))

    def _raw(self, text: str) -> Raw:
        lines = text.split("\n")
        if self._suites and self._suites[-1].get("name") == _PYTEST:
            raw = _pytest(clean(self._failure.get("message", "")), lines)
            raw.test, raw.file = _pytest_id(self._case)
            return raw
        frames, family = _frames(lines, self._case.get("classname", ""))
        said = clean(self._failure.get("message", "")).strip()
        message = said if said and said not in _EMPTY_WORDS else _told(lines, family)
        kind = self._failure.get("type", "").rpartition(".")[2]
        raw = Raw(message, rule=kind or rule_of(message), frames=frames, file=self._case.get("file", ""))
        raw.test = ".".join(part for part in map(self._case.get, ("classname", "name")) if part)
        raw.family = family
        return raw


def _pytest(message: str, lines: Sequence[str]) -> Raw:
    """Parse a pytest failure: its text is pytest's output, and the attribute adds the phase."""
    trace = read_marked(lines)
    return Raw(trace.message or message, rule=trace.rule, frames=trace.frames, family="python run")


def _told(lines: Sequence[str], family: Family) -> str:
    """Return the message of a failure without a message attribute: its text before the stack, or after it in Python."""
    if family == "python run" and any(PYTHON.match(line) for line in lines):
        return read_traceback(lines).message
    kept = list(takewhile(lambda line: not line.lstrip().startswith("at "), lines))
    return PLACE_BEFORE.sub("", dedented(kept)).strip() or "it failed"


def _frames(lines: Sequence[str], classname: str) -> tuple[list[Frame], Family]:
    """Return the stack of a failure in whichever language it is; Go's logs name files of the package."""
    for read_frames, family in _STACKS:
        frames = read_frames(lines)
        if frames:
            return frames, family
    logged = [Frame(f"{classname}/{hit[1]}", count(hit[2])) for line in lines if (hit := PLACE_BEFORE.match(line))]
    return logged[::-1], "go" if logged else "python run"


def _pytest_id(case: Mapping[str, str]) -> tuple[str, str]:
    """Return (id, file); pytest joins folders, module and classes by dots, and classes begin with a capital."""
    classname, name = case.get("classname", ""), case.get("name", "")
    if not classname:  # a file that failed collection: its dotted name takes the place of the test's
        return "", f"{name.replace('.', '/')}.py"
    parts = classname.split(".")
    modules = [at for at, part in enumerate(parts) if not part[:1].isupper()]
    cut = modules[-1] + 1 if modules else 1
    path = case.get("file", "") or "/".join(parts[:cut]) + ".py"
    return "::".join((path, *parts[cut:], name)), path


_COMPILED: Final = re.compile(r"\[(ERROR|WARNING)\] (\S.*?\.(?:java|kt)):\[(\d+),(\d+)\] (?:error: )?(.*)$")
_DETAIL: Final = re.compile(r"(?:\[ERROR\])? +((?:symbol|location|required|found|reason) *:.*)$")
_SUREFIRE: Final = re.compile(
    r"(?:\[ERROR\] +)?"
    r"(?:(?P<class>[\w$]+(?:\.[\w$]+)+)\.(?P<method>[\w$]+(?:[({\[].*?[)}\]])?)"
    r"|(?P<name>[\w$]+(?:\[.*\])?)\((?P<owner>[\w$.]+)\))"
    r" +(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!$"
)
_SUMS: Final = re.compile(r"(?:\[\w+\] )?Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: (\d+)$")
_CLASS_COUNTS: Final = re.compile(r"(?:\[\w+\] )?Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: (\d+), Time")
# Maven ends with a URL that names the exception class.
_UNRESOLVED: Final = re.compile(
    r"\[Help \d+\] \S+/(?:Plugin(?:Version)?Resolution|DependencyResolution|UnresolvableModel)Exception\Z"
)
_NO_TESTS: Final = re.compile(r"\[\w+\] +No tests to run")


def read_maven(view: ReadableOutput) -> Found:
    """Return compile errors and failing tests, from the report if there is one. A test is `package.Class.method`."""
    if view.report:
        return read(view)
    raws = [*_compiled(view.lines), *_surefire(view.lines)]
    tests = _count(view.lines)
    return Found(raws, tests, None if raws else _hint(view.lines, tests))


def _compiled(lines: Sequence[str]) -> list[Raw]:
    found: list[Raw] = []
    for line in lines:
        hit = _COMPILED.match(line) if ":[" in line else None
        if hit:
            severity: Severity = "error" if hit[1] == "ERROR" else "warning"
            found.append(Raw(hit[5], severity, file=hit[2], line=count(hit[3]), column=count(hit[4]), compiled=True))
        elif found and (detail := _DETAIL.match(line)):
            found[-1].message = f"{found[-1].message}\n{detail[1]}"
    return list({(raw.file, raw.line, raw.column, raw.message.split("\n")[0]): raw for raw in found[::-1]}.values())[
        ::-1
    ]


def _surefire(lines: Sequence[str]) -> list[Raw]:
    found = blocks(lines, _SUREFIRE.match, lambda line: not line.strip() or line.startswith("["))
    return [_of_surefire(title, body) for title, body in found if body]


def _of_surefire(title: re.Match[str], body: Sequence[str]) -> Raw:
    owner, name = title["class"] or title["owner"], title["method"] or title["name"]
    return thrown(body, f"{owner}.{name}")


def _count(lines: Sequence[str]) -> int | None:
    """Sum the totals that Surefire prints per module, else those per class."""
    whole = [count(hit[1]) - count(hit[2]) for line in lines if (hit := _SUMS.match(line))]
    classes = [count(hit[1]) - count(hit[2]) for line in lines if (hit := _CLASS_COUNTS.match(line))]
    return sum(whole) if whole else sum(classes) if classes else None


def _hint(lines: Sequence[str], tests: int | None) -> Hint | None:
    for line in lines:
        if "[Help " in line and _UNRESOLVED.search(line):
            return Hint("could not run", "Maven cannot get a plugin or a dependency")
    if not tests and any(_NO_TESTS.match(line) for line in lines):
        return Hint("not applicable", "no tests ran")
    return None


_TITLE: Final = re.compile(r"(\S.{0,300}?) > (.{1,500}) FAILED$")
_AT: Final = re.compile(r"\bat ([\w$]+\.(?:java|kt|groovy|scala)):(\d+)$")
_COUNTS: Final = re.compile(r"(\d+) tests? completed(?:, \d+ failed)?(?:, (\d+) skipped)?")
_UNREACHED: Final = re.compile(
    r"> Could not (?:resolve|GET|HEAD|download)\b|No cached version of \S+ available for offline"
)


def read_gradle(view: ReadableOutput) -> Found:
    """Return compile errors and failing tests, from the report if there is one. A test is `Class.method`."""
    if view.report:
        return read(view)
    raws = [*read_lines(view.lines), *_gradle_tests(view.lines)]
    counts = [count(hit[1]) - count(hit[2] or "") for line in view.lines if (hit := _COUNTS.match(line))]
    unreached = not raws and any(_UNREACHED.search(line) for line in view.lines)
    hint = Hint("could not run", "Gradle cannot get a plugin or a dependency") if unreached else None
    return Found(raws, sum(counts) if counts else None, hint)


def _gradle_tests(lines: Sequence[str]) -> list[Raw]:
    found = blocks(lines, _begins, lambda line: not line.startswith(" "))
    return [_of_gradle(title, body) for title, body in found]


def _begins(line: str) -> re.Match[str] | None:
    return _TITLE.match(line) if line.endswith(" FAILED") and not line.startswith(">") else None


def _of_gradle(title: re.Match[str], body: Sequence[str]) -> Raw:
    name = title[2].removesuffix("()")
    raw = thrown([re.sub(r" at [\w$]+\.\w+:\d+$", "", line) if at == 0 else line for at, line in enumerate(body)],
                 f"{title[1].replace(' > ', '$')}.{name}")  # fmt: skip
    short = [Frame(hit[1], count(hit[2])) for line in body if (hit := _AT.search(line))]
    raw.frames = raw.frames or short
    return raw
