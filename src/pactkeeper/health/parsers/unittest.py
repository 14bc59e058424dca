"""Python's unittest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pactkeeper.health.parsers.seen import NO_TESTS, Found, Hint, Raw, ReadableOutput, blocks, count
from pactkeeper.health.parsers.tracebacks import name_it, read_traceback

_TITLE: Final = re.compile(r"(?:ERROR|FAIL): ([\w.]+) \(([^)\n]+)\)(.*)$")
_RAN: Final = re.compile(r"Ran (\d+) tests? in ")
_RULER: Final = ("=" * 70, "-" * 70)
_FAILED_IMPORT: Final = "unittest.loader._FailedTest"
_FIXTURES: Final = frozenset({"setUpClass", "tearDownClass", "setUpModule", "tearDownModule"})


def read(view: ReadableOutput) -> Found:
    """Every failure and error, with the dotted name that unittest takes."""
    found = [_failure(*block) for block in blocks(view.lines, _TITLE.match)]
    ran = [count(hit[1]) for line in view.lines if (hit := _RAN.match(line))]
    tests = sum(ran) if ran else None
    hint = Hint("could not tell", NO_TESTS) if tests == 0 and not found else None
    failed = sum(line.startswith("FAILED (") for line in view.lines)
    return Found(found, tests, hint, failed if ran else None)


def _failure(title: re.Match[str], lines: Sequence[str]) -> Raw:
    """What stands between the ruler below the title, and maybe a line of its docstring, and the next ruler."""
    rulers = [at for at, line in enumerate(lines) if line.startswith(_RULER)] or [len(lines)]
    trace = read_traceback(lines[rulers[0] + 1 : (*rulers[1:], len(lines))[0]])
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
