"""The JSON of Jest, Vitest and Mocha, from a report or from what was printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pactkeeper.health.parsers.cleaning import clean, dedented
from pactkeeper.health.parsers.json_value import json_value
from pactkeeper.health.parsers.places import Places
from pactkeeper.health.parsers.scripts import script_failure
from pactkeeper.health.parsers.seen import NO_TESTS, Found, Hint, Raw, ReadableOutput

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
        text = next((str(text) for text in one.get("failureMessages") or () if text), "it failed")
        raw = script_failure(clean(text).split("\n"), name)
        titles = [*map(str, one.get("ancestorTitles") or ()), str(one.get("title", ""))]
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


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
