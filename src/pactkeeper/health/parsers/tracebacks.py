"""Python tracebacks as text: frames, exception and message. Also reads unittest, which prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.health.parsers.seen import PYTHON, Found, Frame, Raw, ReadableOutput, blocks, count, python_frames

RAISED: Final = re.compile(r"(?<![\w.])((?:[^\W\d]\w*+\.)*+[^\W\d]\w*+)(?:: |:?$)")
_PLACE: Final = re.compile(r"(\S.*?):(\d+): (?:in .+|([\w.]*)|.*)$")
_LAST_RAISED: Final = re.compile(r"((?:[^\W\d]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning)): ")
_CHAINED: Final = ("During handling of the above exception", "The above exception was the direct cause")


@dataclass(frozen=True, slots=True)
class Traceback:
    """The last exception: its class, the text from there on, and the frames from the deepest outwards."""

    rule: str
    message: str
    frames: Sequence[Frame]


def read_traceback(lines: Sequence[str]) -> Traceback:
    """Parse the last traceback in Python's format; without one, its first line is the message."""
    part = _last_chain(lines)
    last = max((at for at, line in enumerate(part) if PYTHON.match(line)), default=-1)
    rest = list(part[last + 1 :])
    while last >= 0 and rest and (rest[0].startswith((" ", "\t")) or not rest[0].strip()):
        rest.pop(0)
    message = "\n".join(rest).strip()
    return Traceback(rule_of(message), message, python_frames(part))


def read_marked(lines: Sequence[str]) -> Traceback:
    """Parse the last traceback in pytest's format: message lines begin with E, with places before or after them."""
    part = _last_chain(lines)
    marked = [line[1:] for line in part if line.startswith("E ")]
    if not marked and any(PYTHON.match(line) for line in part):
        return read_traceback(part)
    frames, rule = [], ""
    for line in part:
        hit = _PLACE.match(line) if line[:1].strip() and not line.startswith(("E ", ">")) else None
        if hit:
            frames.append(Frame(hit[1], count(hit[2])))
            rule = hit[3] or rule
    message = _undented(marked) or next((line.strip() for line in part if line.strip()), "")
    inside = python_frames(marked)  # the place of a SyntaxError is in its message
    return Traceback(rule_of(message) or rule.rpartition(".")[2], message, [*inside, *reversed(frames)])


def _last_chain(lines: Sequence[str]) -> Sequence[str]:
    """Return what follows the last sentence with which Python joins chained exceptions."""
    begin = max((at for at, line in enumerate(lines) if line.lstrip().startswith(_CHAINED)), default=-1) + 1
    return lines[begin:]


def _undented(lines: Sequence[str]) -> str:
    """Remove a message's margin, which is three spaces or the indentation of the raising code."""
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:].rstrip() for line in lines)


def rule_of(message: str) -> str:
    """Return the exception class at the start of a message, without its module; AssertionError for a bare assertion.

    A SyntaxError's message begins with its place, and its last line with its class.
    """
    first = message.split("\n", 1)[0]
    if first.startswith("assert "):
        return "AssertionError"
    hit = RAISED.match(first) or _LAST_RAISED.match(message.rpartition("\n")[2])
    name = hit[1].rpartition(".")[2] if hit else ""
    return name if name[:1].isupper() else ""


_TITLE: Final = re.compile(r"(?:ERROR|FAIL): ([\w.]+) \(([^)\n]+)\)(.*)$")
_RAN: Final = re.compile(r"Ran (\d+) tests? in ")
_SKIPPED: Final = re.compile(r"(?:OK|FAILED|NO TESTS RAN) \([^)]{0,100}\bskipped=(\d+)")
_RULER: Final = ("=" * 70, "-" * 70)
_FAILED_IMPORT: Final = "unittest.loader._FailedTest"
_FIXTURES: Final = frozenset({"setUpClass", "tearDownClass", "setUpModule", "tearDownModule"})


def read_unittest(view: ReadableOutput) -> Found:
    """Return every failure and error under its dotted unittest name."""
    found = [_failure(*block) for block in blocks(view.lines, _TITLE.match)]
    ran = [count(hit[1]) for line in view.lines if (hit := _RAN.match(line))]
    skipped = [count(hit[1]) for line in view.lines if (hit := _SKIPPED.match(line))]
    tests = max(sum(ran) - sum(skipped), 0) if ran else None  # a skipped class is skipped once and runs no test
    failed = sum(line.startswith("FAILED (") for line in view.lines)
    return Found(found, tests, failed=failed if ran else None)


def _failure(title: re.Match[str], lines: Sequence[str]) -> Raw:
    """Parse what lies between the ruler after the title (and an optional docstring line) and the next ruler."""
    rulers = [at for at, line in enumerate(lines) if line.startswith(_RULER)] or [len(lines)]
    trace = read_traceback(lines[rulers[0] + 1 : (*rulers[1:], len(lines))[0]])
    return Raw(trace.message, rule=trace.rule, test=_test(title), frames=trace.frames)


def _test(title: re.Match[str]) -> str:
    """Return the dotted name of a test with its subtest; empty for a module that can't be imported."""
    name, place, subtest = title[1], title[2], title[3].rstrip()
    if place.startswith(_FAILED_IMPORT):
        return ""
    if name in _FIXTURES:
        return f"{name} ({place})"
    dotted = place if place.endswith(f".{name}") else f"{place}.{name}"
    return dotted + subtest
