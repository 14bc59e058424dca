"""Python: pytest in every `--tb` style and as JUnit XML, and the text and JSON of mypy and Pyright."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pactkeeper.health.parsers import junit
from pactkeeper.health.parsers.seen import Found, Frame, Hint, Raw, ReadableOutput, blocks, count, json_value
from pactkeeper.health.parsers.tracebacks import read_marked, rule_of
from pactkeeper.ledger.finding import Severity

_TITLE: Final = re.compile(
    r"_{3,} (?:ERROR at (?:setup|teardown) of |(?P<collecting>ERROR collecting ))?(?P<title>\S.*?) _{3,}$|"
    r"ImportError while loading conftest '(?P<conftest>.+)'\.$"
)
_SUMMARY: Final = re.compile(r"(FAILED|ERROR) (\S.*)$")
_COUNTS: Final = re.compile(r"(?<!\d)(\d++) (failed|errors?|passed|skipped|xfailed|xpassed)\b")
_LAST_LINE: Final = re.compile(r"=* ?(?:no tests ran|\d++ \w[^=]*?) in [\d.]++s")
_PROGRESS: Final = re.compile(r"[.FEsxX]+ +\[ *\d+%\]$")
_OUTCOMES: Final = {".": "passed", "F": "failed", "E": "error", "s": "skipped", "x": "xfailed", "X": "xpassed"}
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
    tests = None if counts is None else counts.total() - counts["error"] - counts["skipped"]
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
        found: Counter[str] = Counter()
        for hit in (hit for line in last for hit in _COUNTS.finditer(line)):
            found[hit[2].removesuffix("s")] += count(hit[1])
        return found
    signs = "".join(line.partition(" ")[0] for line in lines if _PROGRESS.match(line))
    return Counter(_OUTCOMES[sign] for sign in signs) if signs else None


def _hint(lines: Sequence[str], tests: int | None) -> Hint | None:
    usage = next((hit[1] for line in lines[-20:] if (hit := _USAGE.match(line))), "")
    return Hint("could not run", usage) if tests == 0 and usage else None


_HEAD: Final = re.compile(r"(\S.*?):(\d+)(?::(\d+))?(?::\d+:\d+)?: (error|warning|note): (.*)$")
_WHOLE: Final = re.compile(r"(\S.*?): (error): (.*)$")
_CODE: Final = re.compile(r"(.*)(?<!\s)\s++\[([a-z][a-z0-9-]*+)\]$", re.DOTALL)
_WRAPPED: Final = 12  # lines that one message may be wrapped over
_ADVICE: Final = ("See https://", "Use ", "Hint: ", "Error code ", "By default the bodies")
_SEVERITIES: Final[dict[str, Severity]] = {"error": "error", "warning": "warning", "note": "info"}


def read_mypy(view: ReadableOutput) -> Found:
    """Return every error; a note in the same file is appended to the error above it, one in another file is related."""
    found: list[Raw] = []
    for index, line in enumerate(view.lines):
        raw = _from_json(line) if line.startswith("{") else _head(line, view.lines, index)
        if raw is not None:
            _take(raw, found)
    return Found(found)


def _head(line: str, lines: Sequence[str], index: int) -> Raw | None:
    if ": error: " not in line and ": note: " not in line and ": warning: " not in line:
        return None
    hit = _HEAD.match(line)
    if hit is None:
        whole = _WHOLE.match(line)
        return Raw(whole[3], file=whole[1]) if whole and whole[1].endswith((".py", ".pyi")) else None
    message, rule = _coded(hit[5], lines, index)
    return Raw(message, _SEVERITIES[hit[4]], rule, file=hit[1], line=count(hit[2]), column=count(hit[3] or ""))


def _coded(message: str, lines: Sequence[str], index: int) -> tuple[str, str]:
    """Split a message from its trailing code, which with `--pretty` may be some lines further down."""
    text = message
    for below in range(index + 1, min(index + 1 + _WRAPPED, len(lines) + 1)):
        hit = _CODE.match(text)
        if hit is not None:
            return hit[1], hit[2]
        following = lines[below] if below < len(lines) else ""
        if not following or following.startswith((" ", "Found ")) or _HEAD.match(following):
            break
        text = f"{text.rstrip()} {following}"
    return message, ""


def _from_json(line: str) -> Raw | None:
    one = json_value(line)
    if not isinstance(one, dict) or "message" not in one or "file" not in one:
        return None
    severity = _SEVERITIES.get(str(one.get("severity")), "error")
    raw = Raw(str(one["message"]), severity, str(one.get("code") or ""), file=str(one["file"]))
    raw.line, raw.column = count(str(one.get("line"))), count(str(one.get("column"))) + 1
    for hint in str(one.get("hint") or "").split("\n"):
        _add_note(raw, hint)
    return raw


def _take(raw: Raw, found: list[Raw]) -> None:
    if raw.severity != "info" or not found or found[-1].severity == "info":
        found.append(raw)
    elif raw.file == found[-1].file:
        _add_note(found[-1], raw.message)
    else:
        found[-1].related = (*found[-1].related, raw.file)


def _add_note(raw: Raw, note: str) -> None:
    if note.strip() and not note.startswith(_ADVICE):
        raw.message = f"{raw.message}\n{note.rstrip()}"


_PLACED: Final = re.compile(r" *(\S.*?):(\d+):(\d+) - (error|warning|information)(?:: | TS\d+: )(.*)$")
_RULE: Final = re.compile(r"(.*) \((report\w+)\)$", re.DOTALL)
_DEEPER: Final = re.compile(r"[ \u00a0]{4,}\S")
_DEEPER_BY: Final = 2  # extra spaces of indentation compared with JSON
_LEVELS: Final[dict[str, Severity]] = {"error": "error", "warning": "warning", "information": "info"}


def read_pyright(view: ReadableOutput) -> Found:
    """Return every diagnostic with its explanatory lines."""
    start = view.text.find("{")
    found = _whole_json(view.text[start:]) if '"generalDiagnostics"' in view.text[start : start + 4_000] else None
    if found is None:
        found = _lines(view)
    for raw in found:
        hit = _RULE.match(raw.message)
        if hit is not None:
            raw.message, raw.rule = hit[1], hit[2]
        raw.message = raw.message.replace("\u00a0", " ")
    return Found(found)


def _lines(view: ReadableOutput) -> list[Raw]:
    found: list[Raw] = []
    inside = False
    for line in view.lines:
        hit = _PLACED.match(line) if " - " in line else None
        if hit:
            raw = Raw(hit[5], _LEVELS[hit[4]], file=hit[1], line=count(hit[2]), column=count(hit[3]))
            found.append(raw)
            inside = True
        elif inside and _DEEPER.match(line):
            shallower = line.replace("\u00a0", " ")[_DEEPER_BY:]  # as in JSON, which indents less
            found[-1].message = f"{found[-1].message}\n{shallower}"
        else:
            inside = False
    return found


def _whole_json(text: str) -> list[Raw] | None:
    whole = json_value(text)  # truncated JSON can't be trusted; the last lines are reported instead
    ones = whole.get("generalDiagnostics") if isinstance(whole, dict) else None
    return [_one(one) for one in ones if isinstance(one, dict)] if isinstance(ones, list) else None


def _one(one: dict[str, Any]) -> Raw:
    severity = _LEVELS.get(str(one.get("severity")), "error")
    raw = Raw(str(one.get("message", "")), severity, str(one.get("rule") or ""), file=str(one.get("file", "")))
    places = one.get("range")
    start = places.get("start") if isinstance(places, dict) else None
    if isinstance(start, dict):
        raw.line, raw.column = count(str(start.get("line"))) + 1, count(str(start.get("character"))) + 1
    return raw
