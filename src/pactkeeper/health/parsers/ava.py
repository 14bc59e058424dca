"""AVA's own report; with `--tap` it prints the Test Anything Protocol."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from pactkeeper.health.parsers import tap
from pactkeeper.health.parsers.scripts import script_failure
from pactkeeper.health.parsers.seen import NO_TESTS, Found, Frame, Hint, Raw, ReadableOutput, count, dedented

_RESULT: Final = re.compile(r" *(✘|✖|✔) (?:\[\w+\]: )?(.*?)(?: \([\d.]+m?s\))?$")
_PLACE: Final = re.compile(r"  (\S.*?\.[cm]?[jt]sx?):(\d+)$")
_CODE: Final = re.compile(r" *\d+: ")
_LINK: Final = re.compile(r" *› (?:.* \()?(?:file://)?/?(\S+?):(\d+):(\d+)\)?$")
_RULER: Final = "  ─"
_NONE: Final = "Couldn’t find any files to test"


def read(view: ReadableOutput) -> Found:
    """Every failing test; its file is where the report shows its code, or its stack leads."""
    if "TAP version" in view.text:
        return tap.read(view)
    first = next((at for at, line in enumerate(view.lines) if line == _RULER), len(view.lines))
    results = [hit for line in view.lines[:first] if (hit := _RESULT.match(line))]
    failed = [hit[2] for hit in results if hit[1] != "✔"]
    raws = list(_failures(view.lines[first + 1 :], failed))
    if not results:
        return Found(raws, 0, Hint("could not tell", NO_TESTS)) if _NONE in view.text else Found(raws)
    return Found(raws, len(results), failed=len(failed))


def _failures(lines: Sequence[str], failed: Sequence[str]) -> Iterator[Raw]:
    """A block begins with the title of a test that failed; beside that title a result line may say why."""
    titles = [line.strip() for line in lines]
    starts = [at for at, title in enumerate(titles) if title and any(one.startswith(title) for one in failed)]
    for at, end in pairwise([*starts, len(lines)]):
        yield _failure(titles[at], [line for line in lines[at + 1 : end] if line != _RULER])


def _failure(title: str, lines: Sequence[str]) -> Raw:
    place = next((hit for line in lines if (hit := _PLACE.match(line))), None)
    link = next((hit for line in lines if (hit := _LINK.match(line))), None)
    said = [line for line in lines if not (_PLACE.match(line) or _CODE.match(line) or _LINK.match(line))]
    raw = script_failure(dedented(said).split("\n"), place[1] if place else "")
    if link:
        raw.frames = [Frame(link[1], count(link[2]), count(link[3]))]
    raw.test = title
    return raw
