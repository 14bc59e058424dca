"""What JavaScript test runners have in common: a message, then perhaps a code frame, then a stack."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from json import JSONDecoder
from typing import Any, Final

from pactkeeper.health.parsers.names import named
from pactkeeper.health.parsers.places import Places
from pactkeeper.health.parsers.seen import (
    NO_TESTS,
    Found,
    Frame,
    Hint,
    Raw,
    ReadableOutput,
    clean,
    count,
    dedented,
    script_frames,
)
from pactkeeper.health.parsers.tsc import read_lines
from pactkeeper.ledger.patch_text import whole_escapes

_CODE: Final = re.compile(r"\s*(?:> ?)?\d+ *\|(?: |$)")
_STACK: Final = re.compile(r"\s*(?:at |❯ ).*:\d+(?::\d+)?\)?(?: \{)?$|\s*(?:at |❯ )\S+ \(")
_RULE: Final = re.compile(r"(?:Uncaught )?([A-Z][\w$]*(?:Error|Exception|Failure))\b(?: \[\w+\])?(?:: |$)")
_SYNTAX: Final = re.compile(r"SyntaxError: (\S.{0,200}?): (.{1,200}) \((\d++):(\d++)\)")
_MANIFEST: Final = re.compile(r"SyntaxError: [^/\n]{0,80}(/[^:\n]{1,1000}\.json)\b")  # which the runner read itself
_MOST_FILLER: Final = 40  # lines of advice that Jest prints before the details


def script_failure(lines: Sequence[str], file: str) -> Raw:
    """One failure in a runner's own words; `file` is the test's, and is the place where no frame is the project's."""
    compiled = next((one for one in read_lines(lines) if one.severity == "error"), None)
    if compiled is not None:  # a TypeScript file that a runner compiles
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
    raw = Raw(message.removeprefix("Error: "), rule=rule_of(message), file=file, frames=script_frames(lines))
    raw.symbol, raw.modules = named(message, "script run")
    return raw


def rule_of(message: str) -> str:
    """The class of what was thrown; a failed expectation is an AssertionError, anything else without one an Error."""
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


_DECODER: Final = JSONDecoder()


def json_value(text: str, start: int = 0) -> object:
    """The value that starts there, whatever follows it; None where it is cut off or none, as null is."""
    try:
        found, _ = _DECODER.raw_decode(whole_escapes(text), start)
    except (ValueError, RecursionError):
        return None
    return found


_MARKS: Final = ('"numTotalTests"', '"testResults"', '"stats"')
_LOOK: Final = 2_000  # characters after the first brace


def read(view: ReadableOutput, join: str) -> Found | None:
    """Every failure; None where there is no whole JSON of one of these runners. `join` stands between names."""
    for text in ((view.report or b"").decode("utf-8", "replace"), view.text):
        whole = _whole(text)
        if whole is not None:
            return _jest(whole, view.places, join) if "testResults" in whole else _mocha(whole)
    return None


def _whole(text: str) -> dict[str, Any] | None:
    start = text.find("{")
    if start < 0 or not any(mark in text[start : start + _LOOK] for mark in _MARKS):
        return None
    whole = json_value(text, start)  # where it is cut off, what was printed around it is read as text
    return whole if isinstance(whole, dict) and ("testResults" in whole or "failures" in whole) else None


def _jest(whole: dict[str, Any], places: Places, join: str) -> Found:
    raws = [raw for file in _objects(whole.get("testResults")) for raw in _file(file, places, join)]
    total = whole.get("numTotalTests")
    tests = total if isinstance(total, int) else None
    hint = Hint("could not tell", NO_TESTS) if tests == 0 and not raws else None
    return Found(raws, tests, hint)


def _file(file: dict[str, Any], places: Places, join: str) -> Iterator[Raw]:
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
    """The message of a file that failed as a whole, without the title that Jest puts above it."""
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
    tests = stats.get("tests") if isinstance(stats, dict) else None
    hint = Hint("could not tell", NO_TESTS) if tests == 0 and not raws else None
    return Found(raws, tests if isinstance(tests, int) else None, hint)


def summed(
    raws: list[Raw], lines: Sequence[str], counts: re.Pattern[str], failed: re.Pattern[str], *, none: str
) -> Found:
    """Failures with the summary of the runner: how many tests in all, how many failed; `none` begins what says none."""
    bad = [count(hit[1] or "0") for line in lines if (hit := failed.match(line))]
    if any(line.startswith(none) for line in lines):
        return Found(raws, 0, Hint("could not tell", NO_TESTS), sum(bad) if bad else None)
    tests = [count(hit[1]) for line in lines[-60:] if (hit := counts.match(line))]
    return Found(raws, tests[-1] if tests else None, None, sum(bad) if bad else None)


def _words(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
