"""Python's unittest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pactkeeper.health.parsers.seen import GAP, NO_TESTS, Found, Hint, Raw, ReadableOutput, count
from pactkeeper.health.parsers.tracebacks import name_it, read_traceback

_TITLE: Final = re.compile(r"(?:ERROR|FAIL): ([\w.]+) \(([^)\n]+)\)(.*)$")
_RAN: Final = re.compile(r"Ran (\d+) tests? in ")
_RULER: Final = ("=" * 70, "-" * 70)
_FAILED_IMPORT: Final = "unittest.loader._FailedTest"
_FIXTURES: Final = frozenset({"setUpClass", "tearDownClass", "setUpModule", "tearDownModule"})


def read(view: ReadableOutput) -> Found:
    """Every failure and error, with the dotted name that unittest takes."""
    found = [_read_block(title, lines) for title, lines in _blocks(view.lines)]
    ran = [count(hit[1]) for line in view.lines if (hit := _RAN.match(line))]
    tests = sum(ran) if ran else None
    hint = Hint("could not tell", NO_TESTS) if tests == 0 and not found else None
    failed = sum(line.startswith("FAILED (") for line in view.lines)
    return Found(found, tests, hint, failed if ran else None)


def _blocks(lines: Sequence[str]) -> Iterator[tuple[re.Match[str], list[str]]]:
    title: re.Match[str] | None = None
    body: list[str] = []
    rulers = 0
    for line in lines:
        hit = _TITLE.match(line) if line.startswith(("ERROR: ", "FAIL: ")) else None
        ruler = line.startswith(_RULER)
        rulers += ruler
        if title is not None and (hit or GAP in line or (ruler and rulers > 1)):
            yield title, body
            title = None
        if hit:
            title, body, rulers = hit, [], 0
        elif title is not None and not ruler and rulers:
            body.append(line)
    if title is not None:
        yield title, body


def _read_block(title: re.Match[str], lines: Sequence[str]) -> Raw:
    trace = read_traceback(lines)
    return name_it(Raw(trace.message, rule=trace.rule, test=_test(title), frames=trace.frames))


def _test(title: re.Match[str]) -> str:
    """The dotted name of a test with its subtest, empty for a module that cannot be imported."""
    name, place, subtest = title[1], title[2], title[3].rstrip()
    if place.startswith(_FAILED_IMPORT):
        return ""
    if name in _FIXTURES:
        return f"{name} ({place})"
    dotted = place if place.endswith(f".{name}") else f"{place}.{name}"
    return dotted + subtest
