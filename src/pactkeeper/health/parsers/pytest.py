"""pytest: its output in every `--tb` style, and its JUnit XML."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.health.parsers import junit
from pactkeeper.health.parsers.seen import Found, Frame, Hint, Raw, ReadableOutput, blocks, count
from pactkeeper.health.parsers.tracebacks import read_marked, rule_of

_TITLE: Final = re.compile(
    r"_{3,} (?:ERROR at (?:setup|teardown) of |(?P<collecting>ERROR collecting ))?(?P<title>\S.*?) _{3,}$|"
    r"ImportError while loading conftest '(?P<conftest>.+)'\.$"
)
_SUMMARY: Final = re.compile(r"(FAILED|ERROR) (\S.*)$")
_COUNTS: Final = re.compile(r"(?<!\d)(\d++) (failed|errors?|passed|skipped|xfailed|xpassed)\b")
_LAST_LINE: Final = re.compile(r"=* ?(?:no tests ran|\d++ \w[^=]*?) in [\d.]++s")
_PROGRESS: Final = re.compile(r"[.FEsxX]+ +\[ *\d+%\]$")
_USAGE: Final = re.compile(r"ERROR: (file or directory not found: .+|usage: .*)$")


@dataclass(slots=True)
class _Summary:
    """The short test summary: ids in order, and ids by title."""

    said: dict[str, str] = field(default_factory=dict)
    by_title: defaultdict[str, deque[str]] = field(default_factory=lambda: defaultdict(deque))


def read(view: ReadableOutput) -> Found:
    """Return every failure and error, preferring the report, which has the full text."""
    if view.report:
        found = junit.read(view)
        if found.raw:
            return found
    summary = _summary(view.lines)
    raws: dict[str, Raw] = {}
    for head, lines in blocks(view.lines, _TITLE.match, lambda line: line.startswith(("=====", "-----"))):
        raw = _failure(head, lines, summary)
        key = raw.test or raw.file or f"#{len(raws)}"
        raws.setdefault(key, raw)
    for name, message in summary.said.items():
        if name not in raws:
            raws[name] = _from_summary(name, message)
    counts = _counts(view.lines)
    tests = None if counts is None else counts.total() - counts["error"]
    failed = None if counts is None else counts["failed"] + counts["error"]
    return Found(list(raws.values()), tests, _hint(view.lines, tests), failed)


def _failure(head: re.Match[str], lines: Sequence[str], summary: _Summary) -> Raw:
    trace = read_marked(lines)
    raw = Raw(trace.message, rule=trace.rule, frames=trace.frames)
    if head["collecting"] or head["conftest"]:
        raw.file = head["conftest"] or head["title"]
    else:
        waiting = summary.by_title[head["title"]]
        raw.test = waiting.popleft() if waiting else _guessed(head["title"], raw.frames)
        raw.file = raw.test.partition("::")[0]
    return raw


def _guessed(title: str, frames: Sequence[Frame]) -> str:
    """Guess a test's id without the summary, from the file of the outermost frame and the title."""
    names, bracket, parameters = title.partition("[")
    file = frames[-1].file if frames else ""
    return "::".join(part for part in (file, *names.split(".")) if part) + bracket + parameters


def _summary(lines: Sequence[str]) -> _Summary:
    summary = _Summary()
    for line in lines:
        hit = _SUMMARY.match(line) if line.startswith(("FAILED ", "ERROR ")) else None
        if hit is None:
            continue
        name, message = _split(hit[2])
        file, _, rest = name.partition("::")
        if not file.endswith((".py", ".txt", ".rst", ".md")):
            continue
        if name not in summary.said:
            names, bracket, parameters = rest.partition("[")
            summary.by_title[names.replace("::", ".") + bracket + parameters].append(name)
        summary.said.setdefault(name, message)
    return summary


def _split(text: str) -> tuple[str, str]:
    """Split a summary line into id and message; both may contain ` - `, and parameter brackets are balanced."""
    at = text.find(" - ")
    while at >= 0 and text.count("[", 0, at) > text.count("]", 0, at):
        at = text.find(" - ", at + 1)
    return (text, "") if at < 0 else (text[:at].rstrip(), text[at + 3 :].strip())


def _from_summary(name: str, message: str) -> Raw:
    """Return a failure whose block is missing, with the start of its message from the summary."""
    test = name if "::" in name else ""
    file = name.partition("::")[0]
    return Raw(message or "it failed", rule=rule_of(message), test=test, file=file)


def _counts(lines: Sequence[str]) -> Counter[str] | None:
    """Count tests by outcome over all runs in one output; with -qq, from the progress characters."""
    last = [line for line in lines if _LAST_LINE.match(line)]
    if last:
        return Counter({key: sum(each) for key, each in _by_word(last).items()})
    signs = "".join(line.partition(" ")[0] for line in lines if _PROGRESS.match(line))
    return Counter({"failed": signs.count("F"), "error": signs.count("E"), "passed": len(signs)}) if signs else None


def _by_word(lines: Iterable[str]) -> Mapping[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for hit in (hit for line in lines for hit in _COUNTS.finditer(line)):
        found[hit[2].removesuffix("s")].append(count(hit[1]))
    return found


def _hint(lines: Sequence[str], tests: int | None) -> Hint | None:
    usage = next((hit[1] for line in lines[-20:] if (hit := _USAGE.match(line))), "")
    return Hint("could not run", usage) if tests == 0 and usage else None
