"""Jest, Vitest and Mocha: their text output and their JSON.

A failure is a message, an optional code frame, and a stack; parsers of other JavaScript runners share this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pactkeeper.health.parsers.lint import read_lines
from pactkeeper.health.parsers.seen import (
    Found,
    Frame,
    Places,
    Raw,
    ReadableOutput,
    blocks,
    clean,
    count,
    dedented,
    json_value,
    script_frames,
)

_CODE: Final = re.compile(r"\s*(?:> ?)?\d+ *\|(?: |$)")
_STACK: Final = re.compile(r"\s*(?:at |❯ ).*:\d+(?::\d+)?\)?(?: \{)?$|\s*(?:at |❯ )\S+ \(")
_RULE: Final = re.compile(r"(?:Uncaught )?([A-Z][\w$]*(?:Error|Exception|Failure))\b(?: \[\w+\])?(?:: |$)")
_SYNTAX: Final = re.compile(r"SyntaxError: (\S.{0,200}?): (.{1,200}) \((\d++):(\d++)\)")
_MANIFEST: Final = re.compile(r"SyntaxError: [^/\n]{0,80}(/[^:\n]{1,1000}\.json)\b")  # which the runner read itself
_MOST_FILLER: Final = 40  # lines of advice that Jest prints before the details


def script_failure(lines: Sequence[str], file: str) -> Raw:
    """Parse one failure; `file` is the test's file, used as the place if no frame is in the project."""
    compiled = next((one for one in read_lines(lines) if one.severity == "error"), None)
    if compiled is not None:  # the runner compiles TypeScript
        compiled.related = (*compiled.related, file)
        return compiled
    syntax = next((hit for line in lines[:_MOST_FILLER] if (hit := _SYNTAX.search(line))), None)
    if syntax is not None:
        place = Frame(syntax[1], count(syntax[3]), count(syntax[4]) + 1)
        return Raw(f"SyntaxError: {syntax[2]}", rule="SyntaxError", file=file, frames=[place])
    manifest = next((hit for line in lines[:_MOST_FILLER] if (hit := _MANIFEST.search(line))), None)
    if manifest is not None:
        return Raw(manifest.string.strip(), rule="SyntaxError", file=file, frames=[Frame(manifest[1])])
    message = _message(lines)
    return Raw(message.removeprefix("Error: "), rule=rule_of(message), file=file, frames=script_frames(lines))


def rule_of(message: str) -> str:
    """Return the class thrown: AssertionError for a failed expectation, Error if none is named."""
    plain = message.removeprefix("Error: ")
    if plain.startswith("expect("):
        return "AssertionError"
    hit = _RULE.match(plain)
    if hit is not None:
        return hit[1]
    return "Error"


def _message(lines: Sequence[str]) -> str:
    kept: list[str] = []
    for line in lines:
        if _CODE.match(line) or _STACK.match(line):
            break
        kept.append(line.rstrip())
    return "\n".join(kept).strip()


_MARKS: Final = ('"numTotalTests"', '"testResults"', '"stats"')
_TOLD: Final = re.compile(r"(?<!\d)(\d++) (?:passed|failed)\b")
_LOOK: Final = 2_000  # characters after the first brace


def _read_json(view: ReadableOutput, join: str) -> Found | None:
    """Return every failure, or None without complete JSON from one of these runners. `join` separates test names."""
    for text in ((view.report or b"").decode("utf-8", "replace"), view.text):
        whole = _whole(text)
        if whole is not None:
            return _jest(whole, view.places, join) if "testResults" in whole else _mocha(whole)
    return None


def _whole(text: str) -> dict[str, Any] | None:
    start = text.find("{")
    if start < 0 or not any(mark in text[start : start + _LOOK] for mark in _MARKS):
        return None
    whole = json_value(text, start)  # if truncated, the surrounding output is read as text
    return whole if isinstance(whole, dict) and ("testResults" in whole or "failures" in whole) else None


def _jest(whole: dict[str, Any], places: Places, join: str) -> Found:
    raws = [raw for file in _objects(whole.get("testResults")) for raw in _json_file(file, places, join)]
    return Found(raws, _ran(whole, "numTotalTests", "numPendingTests", "numTodoTests"))


def _ran(figures: dict[str, Any], total: str, *skipped: str) -> int | None:
    """Return a total without what was skipped, or None without a total."""
    found = [one if isinstance(one := figures.get(name), int) else 0 for name in skipped]
    return figures[total] - sum(found) if isinstance(figures.get(total), int) else None


def _json_file(file: dict[str, Any], places: Places, join: str) -> Iterator[Raw]:
    name = str(file.get("name", ""))
    failed = [one for one in _objects(file.get("assertionResults")) if one.get("status") == "failed"]
    for one in failed:
        text = next((text for text in _words(one.get("failureMessages")) if text), "it failed")
        raw = script_failure(clean(text).split("\n"), name)
        titles = [*_words(one.get("ancestorTitles")), str(one.get("title", ""))]
        raw.test = join.join([places.file(name), *titles])
        yield raw
    if not failed and file.get("status") == "failed":
        yield script_failure(_of_file(clean(str(file.get("message", "")))), name)


def _of_file(text: str) -> list[str]:
    """Return the message of a file that failed as a whole, without the title Jest puts above it."""
    title, _, rest = text.strip().partition("\n")
    return dedented((rest if title.startswith("●") else text).split("\n")).split("\n")


def _mocha(whole: dict[str, Any]) -> Found:
    raws: list[Raw] = []
    for one in _objects(whole.get("failures")):
        thrown = one.get("err")
        err = thrown if isinstance(thrown, dict) else {}
        text = clean(str(err.get("stack") or err.get("message") or "it failed"))
        raw = script_failure(text.split("\n"), str(one.get("file") or ""))
        raw.test = str(one.get("fullTitle", ""))
        raws.append(raw)
    stats = whole.get("stats")
    return Found(raws, _ran(stats, "tests", "pending") if isinstance(stats, dict) else None)


def _summed(
    raws: list[Raw], lines: Sequence[str], counts: re.Pattern[str], failed: re.Pattern[str], *, none: str
) -> Found:
    """Combine failures with the totals in the line that `counts` matches; one beginning with `none` means no tests."""
    bad = [count(hit[1] or "0") for line in lines if (hit := failed.match(line))]
    if any(line.startswith(none) for line in lines):
        return Found(raws, 0, failed=sum(bad) if bad else None)
    totals = [line for line in lines[-60:] if counts.match(line)]
    ran = sum(count(number) for number in _TOLD.findall(totals[-1])) if totals else None
    return Found(raws, ran, failed=sum(bad) if bad else None)


def _words(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


_JEST_FILE: Final = re.compile(
    r"^\s*(?:FAIL|PASS)\s+(?:\S+ )??(\S+\.[cm]?[jt]sx?|\S+\.vue)(?: \([\d.]+ m?s\))?(?: \[.*)?$"
)
_JEST_TITLE: Final = re.compile(r" {2}● (.+)$")
_JEST_COUNTS: Final = re.compile(r"^Tests: .*?(?<!\d)\d++ total")
_JEST_FAILED: Final = re.compile(r"(?:Tests|Test Suites): +(?:(\d+) failed)?")
_THRESHOLD: Final = re.compile(r"Jest: .{0,200}coverage threshold.{0,200} not met")
_SUITE: Final = "Test suite failed to run"
_NO_FAILURE: Final = ("Console", "Deprecation Warning", "Validation Warning")
_JEST_END: Final = ("Test Suites:", "Tests: ", "Snapshots:", "Summary of all failing tests", "Ran all test suites")
JEST_JOIN: Final = " › "


def read_jest(view: ReadableOutput) -> Found:
    """Return every failing test, and every file that failed as a whole."""
    found = _read_json(view, JEST_JOIN)
    if found is not None:
        return found
    raws = list(_jest_failures(view.lines, view.places))
    raws += [Raw(line.strip(), rule="coverage") for line in view.lines if _THRESHOLD.match(line)]
    return _summed(raws, view.lines, _JEST_COUNTS, _JEST_FAILED, none="No tests found, exiting")


def _jest_failures(lines: Sequence[str], places: Places) -> Iterator[Raw]:
    file = ""
    for head, body in blocks(
        lines, lambda line: _JEST_TITLE.match(line) or _JEST_FILE.match(line), lambda line: line.startswith(_JEST_END)
    ):
        if head.re is _JEST_FILE:
            file = head[1]
        else:
            yield _jest_failure(file, head[1].strip(), body, places)


def _jest_failure(file: str, title: str, lines: list[str], places: Places) -> Raw:
    if title.startswith(_NO_FAILURE):
        return Raw(dedented(lines), "info", file=file)
    raw = script_failure(dedented(lines).split("\n"), file)
    raw.test = "" if title == _SUITE else f"{places.file(file)}{JEST_JOIN}{title}"
    return raw


_VITEST_TITLE: Final = re.compile(r"\s*FAIL\s+(?:\|[^|]+\| )?(\S.*?)(?: \[ .+ \])?$")
_VITEST_COUNTS: Final = re.compile(r"^\s*+Tests ++.*\(\d++\)$")
_VITEST_FAILED: Final = re.compile(r"^ *(?:Test Files|Tests|Errors) +(?:(\d+) (?:failed|errors?))?")
_RULER: Final = "⎯⎯"
JOIN: Final = " > "


def read_vitest(view: ReadableOutput) -> Found:
    """Return every failing test, and every file that failed as a whole; identical failures share one text."""
    found = _read_json(view, JOIN)
    if found is not None:
        return found
    raws = list(_vitest_failures(view.lines, view.places))
    return _summed(raws, view.lines, _VITEST_COUNTS, _VITEST_FAILED, none="No test files found")


def _vitest_failures(lines: Sequence[str], places: Places) -> Iterator[Raw]:
    """Yield the failures of titled blocks; `Unhandled Errors` have no title."""
    titles: list[str] = []
    for head, body in blocks(
        lines, _VITEST_TITLE.match, lambda line: line.lstrip().startswith((_RULER, "Test Files "))
    ):
        titles.append(head[1])
        if body:
            yield from _read_block(titles, body, places)
            titles = []


def _read_block(titles: Sequence[str], body: Sequence[str], places: Places) -> Iterator[Raw]:
    for title in titles:
        file, *names = title.split(JOIN)
        raw = script_failure(body, file)
        raw.test = JOIN.join([places.file(file), *names]) if names else ""
        yield raw


_MOCHA_TITLE: Final = re.compile(r" {2}\d+\) (\S.*)$")
_DEEPER: Final = re.compile(r" {7,}\S.*$")
_MOCHA_COUNTS: Final = re.compile(r" {2}(\d+) (passing|failing|pending)\b")
_LOADING: Final = re.compile(r"\s*(?:Exception during run: |Error: )(.*)$")
_MOCHA_STACK: Final = re.compile(r"\s*at ")
_SLOW: Final = re.compile(r"Timeout of \d+ms exceeded.* \((\S+)\)$")
_LONGEST_TITLE: Final = 30  # lines a title may span


def read_mocha(view: ReadableOutput) -> Found:
    """Return every failing test with its full title, and a file that can't be loaded."""
    found = _read_json(view, " ")
    if found is not None:
        return found
    counts = {hit[2]: count(hit[1]) for line in view.lines if (hit := _MOCHA_COUNTS.match(line))}
    begin = max((at for at, line in enumerate(view.lines) if (hit := _MOCHA_COUNTS.match(line))), default=0)
    raws = [_mocha_failure(*block) for block in blocks(view.lines[begin:], _MOCHA_TITLE.match)]
    if not counts:
        raws += _loading(view)
    none = any("No test files found" in line for line in view.lines)
    total = 0 if none else sum(counts.values()) - counts.get("pending", 0) if counts else None
    return Found([] if none else raws, total, failed=counts.get("failing", 0) if counts else None)


def _mocha_failure(title: re.Match[str], block: list[str]) -> Raw:
    """Parse a failure; its title continues, indented further on each line, until one ends with a colon."""
    names, at = [title[1]], 0
    while at < min(len(block), _LONGEST_TITLE) and not names[-1].endswith(":") and _DEEPER.match(block[at]):
        names.append(block[at].strip())
        at += 1
    body = dedented(block[at:]).split("\n")
    raw = script_failure(_without_difference(body), "")
    raw.test = " ".join(names).removesuffix(":")
    slow = _SLOW.match(raw.message)
    raw.file = slow[1] if slow else ""
    return raw


def _without_difference(body: Sequence[str]) -> list[str]:
    """Return the message and stack without the diff that the reporter adds."""
    begin = next((at for at, line in enumerate(body) if line.strip() == "+ expected - actual"), len(body))
    stack = next((at for at in range(begin, len(body)) if _MOCHA_STACK.match(body[at])), len(body))
    return [line if at else line.strip() for at, line in enumerate([*body[:begin], *body[stack:]])]


def _loading(view: ReadableOutput) -> list[Raw]:
    for at, line in enumerate(view.lines):
        hit = _LOADING.match(line) if "Error" in line else None
        if hit:
            rest = list(view.lines[at + 1 : at + 60])
            message = next(
                (place for place, one in enumerate(rest) if _MOCHA_STACK.match(one) or one == "Require stack:"), 0
            )
            raw = script_failure([hit[1], *rest[:message], *filter(_MOCHA_STACK.match, rest)], "")
            return [raw]
    return []
