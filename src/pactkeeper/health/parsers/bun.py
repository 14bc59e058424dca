"""`bun test`."""

from __future__ import annotations

import re
from typing import Final

from pactkeeper.health.parsers.scripts import script_failure
from pactkeeper.health.parsers.seen import NO_TESTS, Found, Hint, Raw, ReadableOutput, count

JOIN: Final = " > "
_FILE: Final = re.compile(r"(\S.*\.[cm]?[jt]sx?):$")
_RESULT: Final = re.compile(r"\((pass|fail|skip|todo)\) (.*?)(?: \[[\d.]+m?s\])?$")
_CODE: Final = re.compile(r" *\d+ \| | *\^$")
_COUNTS: Final = re.compile(r" *(\d+) (pass|fail|errors?)$")
_RAN: Final = re.compile(r"Ran (\d+) tests? across ")
_LOADING: Final = re.compile(r"# Unhandled error|error: ")


def read(view: ReadableOutput) -> Found:
    """Every failing test; what it threw stands above its name. A file that does not load has no test."""
    raws: list[Raw] = []
    file, body = "", list[str]()
    for line in view.lines:
        start, result = _FILE.match(line), _RESULT.match(line)
        if result:
            if result[1] == "fail":
                raws.append(_failure(body, file, result[2], view))
            body = []
        elif start or _COUNTS.match(line):
            raws += _loading(body, file)
            file, body = (start[1] if start else ""), []
        elif not _CODE.match(line):
            body.append(line)
    counts = {hit[2].rstrip("s"): count(hit[1]) for line in view.lines if (hit := _COUNTS.match(line))}
    ran = [count(hit[1]) for line in view.lines if (hit := _RAN.match(line))]
    hint = Hint("could not tell", NO_TESTS) if ran == [0] and not raws else None
    return Found(raws, sum(ran) if ran else None, hint, counts.get("fail", 0) + counts.get("error", 0) if ran else None)


def _failure(body: list[str], file: str, name: str, view: ReadableOutput) -> Raw:
    raw = script_failure([line.removeprefix("error: ") for line in body if line.strip()], file)
    raw.test = JOIN.join([view.places.file(file), name])
    return raw


def _loading(body: list[str], file: str) -> list[Raw]:
    begin = next((at for at, line in enumerate(body) if file and _LOADING.match(line)), None)
    if begin is None:
        return []
    return [script_failure([line.removeprefix("error: ") for line in body[begin:] if line.strip("-# ")], file)]
