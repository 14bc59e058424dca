"""`deno test`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from pactkeeper.health.parsers.scripts import script_failure
from pactkeeper.health.parsers.seen import NO_TESTS, Found, Frame, Hint, Raw, ReadableOutput, count

JOIN: Final = " > "
_TITLE: Final = re.compile(r"(\S.*) => (\S+?):(\d+):(\d+)$")
_COUNTS: Final = re.compile(r"(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed")
_STEP: Final = re.compile(r" \.\.\. ")
_UNCAUGHT: Final = re.compile(r"(\S+) \(uncaught error\)$")
_ENDS: Final = (" FAILURES ", "FAILED |")


def read(view: ReadableOutput) -> Found:
    """Every failing test and step, with the file in which it is declared, and a module that does not load."""
    begin = next((at for at, line in enumerate(view.lines) if line.strip() == "ERRORS"), len(view.lines))
    end = next((at for at in range(begin, len(view.lines)) if view.lines[at].startswith(_ENDS)), len(view.lines))
    raws = list(_failures(view.lines[begin + 1 : end], view))
    hits = [hit for line in view.lines if (hit := _COUNTS.match(line))]
    tests = sum(count(hit[1]) + count(hit[2]) for hit in hits) if hits else None
    none = tests == 0 or "error: No test modules found" in view.text
    hint = Hint("could not tell", NO_TESTS) if none and not raws else None
    return Found(raws, 0 if none else tests, hint, sum(count(hit[2]) for hit in hits) if hits else None)


def _failures(lines: Sequence[str], view: ReadableOutput) -> Iterator[Raw]:
    starts = [at for at, line in enumerate(lines) if _TITLE.match(line) or _UNCAUGHT.match(line)]
    for at, end in pairwise([*starts, len(lines)]):
        title, lost = _TITLE.match(lines[at]), _UNCAUGHT.match(lines[at])
        body = [line.removeprefix("error: ") for line in lines[at + 1 : end]]
        if lost:
            yield script_failure(body, lost[1])
        elif title:
            raw = script_failure(body, title[2])
            raw.frames = raw.frames or [Frame(title[2], count(title[3]), count(title[4]))]
            raw.test = JOIN.join([view.places.file(title[2]), *_STEP.split(title[1])])
            yield raw
