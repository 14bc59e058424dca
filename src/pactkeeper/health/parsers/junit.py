"""JUnit XML from any runner, and Java: javac, JUnit run without a build tool, and Maven and Gradle, which run both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final

from pactkeeper.errors import ReportError
from pactkeeper.health.parsers.go import PLACE_BEFORE
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


_HEAD: Final = re.compile(r"(\S.*?\.(?:java|kt)):(\d+): (?:(\w+): )?(.*)$")
_KOTLIN: Final = re.compile(r"([ew]): (?:file://)?(\S.*?\.kts?):(?:(\d+):(\d+):?| \((\d+), (\d+)\):) ?(.*)$")
_WARNINGS: Final = frozenset({"warning", "warnung", "avertissement", "advertencia", "avviso", "警告", "경고"})
_LINT: Final = re.compile(r"\[([a-z-]+)\] (.*)$")
_JAVAC_DETAIL: Final = re.compile(r" {2}(\S.*:.*)$")
_MARK: Final = re.compile(r" *\^$")
_BELOW: Final = 8  # lines after a head that belong to it


def read_javac(view: ReadableOutput) -> Found:
    """Return every error with the lines that identify the symbol; the caret below the code gives the column."""
    return Found(read_lines(view.lines))


def read_lines(lines: Sequence[str]) -> list[Raw]:
    """Return the errors among the lines of a build tool."""
    found: list[Raw] = []
    below = _BELOW
    for line in lines:
        raw = _raw(line)
        if raw is not None:
            found.append(raw)
            below = 0
        elif found and below < _BELOW:
            below += 1
            _take(line, found[-1])
    return found


def _raw(line: str) -> Raw | None:
    hit = _HEAD.match(line) if ".java:" in line or ".kt:" in line else None
    if hit:
        warning = (hit[3] or "").casefold() in _WARNINGS
        lint = _LINT.match(hit[4])
        message, rule = (lint[2], lint[1]) if lint else (hit[4], "")
        return Raw(
            message,
            "warning" if warning else "error",
            rule,
            file=hit[1],
            line=count(hit[2]),
            compiled=True,
            family="java",
        )
    kotlin = _KOTLIN.match(line) if line.startswith(("e: ", "w: ")) else None
    if kotlin:
        row, column = kotlin[3] or kotlin[5], kotlin[4] or kotlin[6]
        raw = Raw(
            kotlin[7],
            "error" if kotlin[1] == "e" else "warning",
            file=kotlin[2],
            line=count(row),
            compiled=True,
            family="java",
        )
        raw.column = count(column)
        return raw
    return None


def _take(line: str, raw: Raw) -> None:
    if not raw.column and _MARK.match(line):
        raw.column = len(line)
    elif raw.column and (detail := _JAVAC_DETAIL.match(line)):
        raw.message = f"{raw.message}\n{detail[1]}"


_FOUR: Final = re.compile(r"^\d+\) ([\w$]+(?:\[.*\])?)\(([\w$.]+)\)$")
_FIVE: Final = re.compile(r"\s+MethodSource \[className = '([\w$.]+)', methodName = '([\w$]+)'")
_THROWN: Final = re.compile(r"\s+=> (\S.*)$")
_FRAME: Final = re.compile(r"(?<!\s)\s{1,80}+(?:at )?(?=\S{1,300}\([\w$]{1,120}\.\w{1,20}:\d{1,9}\)$)")
_JUNIT_COUNTS: Final = re.compile(r"OK \((\d+) tests?\)$|Tests run: (\d+),  Failures: \d+$|\[ +(\d+) tests found +\]$")


def read_console(view: ReadableOutput) -> Found:
    """Return every failing test as `package.Class.method`, and compile errors before the run."""
    hits = [hit for line in view.lines if (hit := _JUNIT_COUNTS.match(line))]
    tests = sum(count(hit[1] or hit[2] or hit[3]) for hit in hits) if hits else None
    return Found([*read_lines(view.lines), *_failures(view)], tests)


def _failures(view: ReadableOutput) -> Iterator[Raw]:
    titles = blocks(view.lines, lambda line: _FOUR.match(line) or _FIVE.match(line), lambda line: not line.strip())
    for head, lines in titles:
        body = [hit[1] if (hit := _THROWN.match(line)) else _FRAME.sub("\tat ", line, count=1) for line in lines]
        yield thrown(body, f"{head[2]}.{head[1]}" if head.re is _FOUR else f"{head[1]}.{head[2]}")


def thrown(body: Sequence[str], test: str) -> Raw:
    """Return a failed test from the JVM's printout of a throwable: class, message, stack."""
    end = next((at for at, line in enumerate(body) if line.lstrip().startswith("at ")), len(body))
    text = "\n".join(line.strip() for line in body[:end]).strip()
    kind, _, rest = text.partition(":")
    rule = kind.rpartition(".")[2] if re.fullmatch(r"[\w$.]+", kind) else ""
    return Raw(rest.strip() or text if rule else text, rule=rule, test=test, frames=java_frames(body), family="java")
