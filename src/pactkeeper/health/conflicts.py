"""Finds merge conflicts by their full form: opening, divider and end markers in order, each at the start of a line.

A single marker is not a conflict: seven equals signs may underline a heading. The marker length is git's attribute
`conflict-marker-size`, which files that document conflicts can set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final

from pactkeeper.intent.health import CheckResult, Diagnostic
from pactkeeper.repo.git import Repository

CHECK: Final = "conflict-markers"
_SIZE: Final = 7
_MOST: Final = 1000  # conflicts reported individually; a tree with more was merged by a tool
_LINES: Final = "^(<<<<<<<|=======|>>>>>>>|[|]{7})"
_MARKER: Final = re.compile(r"([<=>|])\1{6,}(?=[ \t\r]|\Z)")
Line = tuple[str, int, str]


def conflicts(repository: Repository, commit: str | None) -> CheckResult:
    """Search every tracked text file of a commit, or of the work tree if None, for conflicts."""
    by_file = {path: list(lines) for path, lines in groupby(_lines(repository, commit), key=lambda one: one[0])}
    suspects = [path for path, lines in by_file.items() if {_sign(text) for _, _, text in lines} >= set("<=>")]
    sizes = _sizes(repository, suspects)
    found = [one for path in suspects for one in _in_file(by_file[path], sizes.get(path, _SIZE))]
    return CheckResult(CHECK, "conflict", "fail" if found else "pass", diagnostics=tuple(found[:_MOST]))


def _lines(repository: Repository, commit: str | None) -> Iterator[Line]:
    """Yield each line that looks like a marker as (path, 1-based line, text), grouped by file and in order."""
    where = () if commit is None else (commit,)
    arguments = ("grep", "-I", "-n", "-z", "--no-color", "--full-name", "-E", "-e", _LINES, *where)
    for record in os.fsdecode(repository.run(*arguments, accept=(0, 1))).split("\n"):
        parts = record.split("\0")
        if len(parts) == 3 and parts[1].isdigit():  # noqa: PLR2004 - path, line, text
            path = parts[0] if commit is None else parts[0].removeprefix(f"{commit}:")
            yield path, int(parts[1]), parts[2]


def _sign(text: str) -> str:
    marker = _MARKER.match(text)
    return marker[1] if marker else ""


def _sizes(repository: Repository, paths: Iterable[str]) -> Mapping[str, int]:
    feed = b"".join(os.fsencode(path) + b"\0" for path in paths)
    if not feed:
        return {}
    out = os.fsdecode(repository.run("check-attr", "-z", "--stdin", "conflict-marker-size", feed=feed))
    fields = out.split("\0")
    return {path: int(value) for path, value in zip(fields[::3], fields[2::3], strict=False) if value.isdigit()}


def _in_file(lines: Iterable[Line], size: int) -> Iterator[Diagnostic]:
    opening: Line | None = None
    divided = False
    for path, number, text in lines:
        marker = _MARKER.match(text)
        sign = marker[1] if marker and len(marker[0]) == size else ""
        if sign == "<":
            opening, divided = (path, number, text), False
        elif sign == "=" and opening:
            divided = True
        elif sign == ">" and opening and divided:
            yield _diagnostic(opening, text)
            opening, divided = None, False


def _diagnostic(opening: Line, end: str) -> Diagnostic:
    path, number, text = opening
    message = f"unresolved merge conflict: {text.strip()[:80]} … {end.strip()[:80]}"
    return Diagnostic(CHECK, "conflict", "error", message, rule="conflict-marker", file=path, line=number)
