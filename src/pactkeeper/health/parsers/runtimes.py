"""AVA's own report, `bun test` and `deno test`; with `--tap`, AVA prints the Test Anything Protocol."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from pactkeeper.health.parsers import tap
from pactkeeper.health.parsers.scripts import script_failure
from pactkeeper.health.parsers.seen import Found, Frame, Raw, ReadableOutput, blocks, count, dedented

_TITLED: Final = re.compile(r" *(✘|✖|✔) (?:\[\w+\]: )?(.*?)(?: \([\d.]+m?s\))?$")
_PLACE: Final = re.compile(r"  (\S.*?\.[cm]?[jt]sx?):(\d+)$")
_SHOWN: Final = re.compile(r" *\d+: ")
_LINK: Final = re.compile(r" *› (?:.* \()?(?:file://)?/?(\S+?):(\d+):(\d+)\)?$")
_RULER: Final = "  ─"
_NONE: Final = "Couldn’t find any files to test"


def read_ava(view: ReadableOutput) -> Found:
    """Return every failing test; its file is taken from the code excerpt in the report, or from the stack."""
    if "TAP version" in view.text:
        return tap.read(view)
    first = next((at for at, line in enumerate(view.lines) if line == _RULER), len(view.lines))
    results = [hit for line in view.lines[:first] if (hit := _TITLED.match(line))]
    failed = [hit[2] for hit in results if hit[1] != "✔"]
    raws = list(_ava_failures(view.lines[first + 1 :], failed))
    if not results:
        return Found(raws, 0 if _NONE in view.text else None)
    return Found(raws, len(results), failed=len(failed))


def _ava_failures(lines: Sequence[str], failed: Sequence[str]) -> Iterator[Raw]:
    """Yield a failure per block that begins with a failed test's title; a result line may add the reason to it."""
    titles = [line.strip() for line in lines]
    starts = [at for at, title in enumerate(titles) if title and any(one.startswith(title) for one in failed)]
    for at, end in pairwise([*starts, len(lines)]):
        yield _ava_failure(titles[at], [line for line in lines[at + 1 : end] if line != _RULER])


def _ava_failure(title: str, lines: Sequence[str]) -> Raw:
    place = next((hit for line in lines if (hit := _PLACE.match(line))), None)
    link = next((hit for line in lines if (hit := _LINK.match(line))), None)
    said = [line for line in lines if not (_PLACE.match(line) or _SHOWN.match(line) or _LINK.match(line))]
    raw = script_failure(dedented(said).split("\n"), place[1] if place else "")
    if link:
        raw.frames = [Frame(link[1], count(link[2]), count(link[3]))]
    raw.test = title
    return raw


JOIN: Final = " > "
_FILE: Final = re.compile(r"(\S.*\.[cm]?[jt]sx?):$")
_RESULT: Final = re.compile(r"\((pass|fail|skip|todo)\) (.*?)(?: \[[\d.]+m?s\])?$")
_CODE: Final = re.compile(r" *\d+ \| | *\^$")
_COUNTS: Final = re.compile(r" *(\d+) (pass|fail|errors?)$")
_RAN: Final = re.compile(r"Ran (\d+) tests? across ")
_LOADING: Final = re.compile(r"# Unhandled error|error: ")


def read_bun(view: ReadableOutput) -> Found:
    """Return every failing test; its error precedes its name. A file that fails to load has no test."""
    raws: list[Raw] = []
    file, body = "", list[str]()
    for line in view.lines:
        start, result = _FILE.match(line), _RESULT.match(line)
        if result:
            if result[1] == "fail":
                raws.append(_bun_failure(body, file, result[2], view))
            body = []
        elif start or _COUNTS.match(line):
            raws += _loading(body, file)
            file, body = (start[1] if start else ""), []
        elif not _CODE.match(line):
            body.append(line)
    counts = {hit[2].rstrip("s"): count(hit[1]) for line in view.lines if (hit := _COUNTS.match(line))}
    ran = [count(hit[1]) for line in view.lines if (hit := _RAN.match(line))]
    return Found(
        raws, sum(ran) if ran else None, failed=counts.get("fail", 0) + counts.get("error", 0) if ran else None
    )


def _bun_failure(body: list[str], file: str, name: str, view: ReadableOutput) -> Raw:
    raw = script_failure([line.removeprefix("error: ") for line in body if line.strip()], file)
    raw.test = JOIN.join([view.places.file(file), name])
    return raw


def _loading(body: list[str], file: str) -> list[Raw]:
    begin = next((at for at, line in enumerate(body) if file and _LOADING.match(line)), None)
    if begin is None:
        return []
    return [script_failure([line.removeprefix("error: ") for line in body[begin:] if line.strip("-# ")], file)]


_TITLE: Final = re.compile(r"(\S.*) => (\S+?):(\d+):(\d+)$")
_SUMS: Final = re.compile(r"(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed")
_STEP: Final = re.compile(r" \.\.\. ")
_UNCAUGHT: Final = re.compile(r"^(\S+) \(uncaught error\)$")
_ENDS: Final = (" FAILURES ", "FAILED |")


def read_deno(view: ReadableOutput) -> Found:
    """Return every failing test and step with its file, and modules that fail to load."""
    begin = next((at for at, line in enumerate(view.lines) if line.strip() == "ERRORS"), len(view.lines))
    end = next((at for at in range(begin, len(view.lines)) if view.lines[at].startswith(_ENDS)), len(view.lines))
    raws = list(_deno_failures(view.lines[begin + 1 : end], view))
    hits = [hit for line in view.lines if (hit := _SUMS.match(line))]
    tests = sum(count(hit[1]) + count(hit[2]) for hit in hits) if hits else None
    none = "error: No test modules found" in view.text
    return Found(raws, 0 if none else tests, failed=sum(count(hit[2]) for hit in hits) if hits else None)


def _deno_failures(lines: Sequence[str], view: ReadableOutput) -> Iterator[Raw]:
    for head, lines_below in blocks(lines, lambda line: _TITLE.match(line) or _UNCAUGHT.match(line)):
        body = [line.removeprefix("error: ") for line in lines_below]
        if head.re is _UNCAUGHT:
            yield script_failure(body, head[1])
        else:
            raw = script_failure(body, head[2])
            raw.frames = raw.frames or [Frame(head[2], count(head[3]), count(head[4]))]
            raw.test = JOIN.join([view.places.file(head[2]), *_STEP.split(head[1])])
            yield raw
