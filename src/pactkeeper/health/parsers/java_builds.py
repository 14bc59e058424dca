"""Maven with its compiler plugin and Surefire, and Gradle with its compilers and test task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pactkeeper.health.parsers import junit
from pactkeeper.health.parsers.java import read_lines, thrown
from pactkeeper.health.parsers.seen import Found, Frame, Hint, Raw, ReadableOutput, blocks, count
from pactkeeper.ledger.finding import Severity

_COMPILED: Final = re.compile(r"\[(ERROR|WARNING)\] (\S.*?\.(?:java|kt)):\[(\d+),(\d+)\] (?:error: )?(.*)$")
_DETAIL: Final = re.compile(r"(?:\[ERROR\])? +((?:symbol|location|required|found|reason) *:.*)$")
_SUREFIRE: Final = re.compile(
    r"(?:\[ERROR\] +)?"
    r"(?:(?P<class>[\w$]+(?:\.[\w$]+)+)\.(?P<method>[\w$]+(?:[({\[].*?[)}\]])?)"
    r"|(?P<name>[\w$]+(?:\[.*\])?)\((?P<owner>[\w$.]+)\))"
    r" +(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!$"
)
_SUMS: Final = re.compile(r"(?:\[\w+\] )?Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: \d+$")
_CLASS_COUNTS: Final = re.compile(r"(?:\[\w+\] )?Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: \d+, Time")
# Maven ends with a URL that names the exception class.
_UNRESOLVED: Final = re.compile(
    r"\[Help \d+\] \S+/(?:Plugin(?:Version)?Resolution|DependencyResolution|UnresolvableModel)Exception\Z"
)
_NO_TESTS: Final = re.compile(r"\[\w+\] +No tests to run")


def read_maven(view: ReadableOutput) -> Found:
    """Return compile errors and failing tests, from the report if there is one. A test is `package.Class.method`."""
    if view.report:
        return junit.read(view)
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
    whole = [count(hit[1]) for line in lines if (hit := _SUMS.match(line))]
    classes = [count(hit[1]) for line in lines if (hit := _CLASS_COUNTS.match(line))]
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
_COUNTS: Final = re.compile(r"(\d+) tests? completed")
_UNREACHED: Final = re.compile(
    r"> Could not (?:resolve|GET|HEAD|download)\b|No cached version of \S+ available for offline"
)


def read_gradle(view: ReadableOutput) -> Found:
    """Return compile errors and failing tests, from the report if there is one. A test is `Class.method`."""
    if view.report:
        return junit.read(view)
    raws = [*read_lines(view.lines), *_gradle_tests(view.lines)]
    counts = [count(hit[1]) for line in view.lines if (hit := _COUNTS.match(line))]
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
