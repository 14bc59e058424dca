"""Tests that a change took away: whether their code still stands, and what else explains it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from pactkeeper.intent.strength.change import Change
from pactkeeper.intent.strength.deletion import BESIDE
from pactkeeper.intent.tests import Scan, file_of, leaf
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.suites import listed_at_calls
from pactkeeper.repo.strength.support import TestState
from pactkeeper.repo.test_side import SCRIPTS

_MANIFESTS: Final = ("package.json", "pyproject.toml", "setup.py")
_NOT_RUN: Final = re.compile(
    rb"^\s*+(?:[*#]|/[/*])|(?<![\w$.])(?:it|test|specify|describe|suite|context)\(|\b(?:skip|todo|x(?:it|test))\b"
)  # a comment, a test declared inside of another one, and what is skipped
_SETTING: Final = re.compile(
    r"\.(?:ya?ml|toml|ini|cfg|sh|mk)$|(?:^|/)(?:Makefile|Jenkinsfile|(?:package|lerna|rush|nx)\.json|(?:nox|tox)\w*\.py)$"
)


def without_twins(found: Sequence[Change], before: Scan, after: Scan) -> list[Change]:
    """Drop deletions of tests that still exist elsewhere unchanged."""
    if all(one.kind != "deleted" for one in found):
        return list(found)
    standing = {(test.name, test.body_hash, test.helpers) for test in after.tests}
    twins = {test.id for test in before.tests if (test.name, test.body_hash, test.helpers) in standing}
    return [one for one in found if not (one.kind == "deleted" and one.before in twins)]


def without_listed_at_calls(found: Sequence[Change], before: TestState, after: TestState) -> Iterator[Change]:
    """Drop deletions of tests that read as before and are listed where another file calls what declares them."""
    known: dict[str, bool] = {}
    for change in found:
        path = file_of(change.before)
        own = change.kind == "deleted" and path.endswith(SCRIPTS) and _reads_as_before(change.before, before, after)
        if own and path not in known:
            known[path] = listed_at_calls(before, after, path)
        if not (own and known[path]):
            yield change


def _reads_as_before(test: str, before: TestState, after: TestState) -> bool:
    """Whether the lines of a test still stand in its file, which lists it no more."""
    path = file_of(test)
    one = next((each for each in before.tests_of(path) if each.id == test), None)
    old, new = ((side.snapshot.read(path) or b"" if path in side.snapshot else b"") for side in (before, after))
    return one is not None and b"\n".join(old.splitlines()[one.line - 1 : one.end_line]) in new


def uncollected(found: Sequence[Change], after: TestState, unseen: frozenset[str]) -> Iterator[Change]:
    """Reword deletions of tests whose code still exists: nothing collects it any more, or it can't be read."""
    blind = {gap.file: gap.reason for gap in after.scan.gaps if gap.broken or not gap.line}
    broken = {gap.file: gap.reason for gap in after.scan.gaps if gap.broken}
    for change in found:
        path = change.before.partition("::")[0]
        lost = change.kind == "deleted" and (change.severity == "error" or BESIDE in change.message)
        if change.kind == "deleted" and change.before in unseen and path in blind:
            yield replace(change, severity="warning", message=f"it cannot be seen any more: {blind[path]}")
        elif change.kind != "deleted" and change.severity == "error" and path in broken:
            yield replace(change, kind="unread", severity="warning", message=f"it cannot be read: {broken[path]}")
        elif change.kind == "deleted" and leaf(change.before) in _suites(path, after):
            yield replace(change, severity="warning", message="the test is a suite of other tests now")
        elif lost and _is_in_text(change, after):
            yield replace(change, severity="warning", message="the test is gone; its code stands in a text now")
        elif lost and _is_a_step(change, after):
            yield replace(change, severity="warning", message="its name stands in what another test runs now")
        elif lost and _still_written(change, after):
            message = "its code is still there, but nothing collects it as a test any more"
            yield replace(change, severity="error", message=message)
        else:
            yield change


def with_packages(found: Iterable[Change], before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """Downgrade errors in a package that was deleted whole, if nothing outside of it ever named it."""
    known: dict[str, bool] = {}
    for change in found:
        package = _package(change.test or change.before, before) if change.severity == "error" else ""
        if package and package not in known:
            known[package] = not any(path.startswith(package) for path in after.paths) and _is_alone(package, before)
        alone = package != "" and known[package] and change.kind in {"deleted", "switched_off"}
        message = f"{change.message}; so is all of {package}, which nothing else names"
        yield replace(change, message=message, severity="warning") if alone else change


def _package(name: str, snapshot: Snapshot) -> str:
    """Return the folder of the package that a test or setting belongs to, with a slash; empty for the root project."""
    folder = re.split(r"::| ", name, maxsplit=1)[0].rpartition("/")[0]
    while folder and not any(f"{folder}/{one}" in snapshot for one in _MANIFESTS):
        folder = folder.rpartition("/")[0]
    return f"{folder}/" if folder else ""


def _is_alone(package: str, snapshot: Snapshot) -> bool:
    """Whether no settings, scripts or CI outside of a package name it, or everything next to it."""
    parts = package.strip("/").split("/")
    above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    asked = re.compile("|".join(re.escape(one) + (r"(?!/[\w-])" if one != above[-1] else "") for one in above).encode())
    outside = [path for path in snapshot.paths if _SETTING.search(path) and not path.startswith(package)]
    return not any(asked.search(snapshot.read(path) or b"") for path in outside)


def _still_written(change: Change, after: TestState) -> bool:
    """Whether the file declares a test of the name, perhaps in a comment, more often than it is collected there."""
    name = leaf(change.before)
    starts = [f"{start}{name}{end}".encode() for start, end in (("def ", ""), ("('", "'"), ('("', '"'), ("(`", "`"))]
    lines = [line for _, line in _lines_with(change, after) if any(start in line for start in starts)]
    return len(lines) > sum(test.name == name for test in after.tests_of(file_of(change.before)))


def _is_a_step(change: Change, after: TestState) -> bool:
    """Whether the name is only a text in what other tests run now: the title of a step, or an assertion's message."""
    path = file_of(change.before)
    around = [(test.line, test.end_line) for test in after.tests_of(path)]
    found = _lines_with(change, after) if path.endswith(SCRIPTS) else []
    inside = all(any(start < at <= end for start, end in around) for at, _ in found)
    return bool(found) and inside and not any(_NOT_RUN.search(line) for _, line in found)


def _lines_with(change: Change, after: TestState) -> list[tuple[int, bytes]]:
    """Return the numbered lines of the test's file with its name in them, a line for each time."""
    path, name = file_of(change.before), leaf(change.before).encode()
    source = (after.snapshot.read(path) if path in after.snapshot else None) or b""
    word = re.compile(rb"(?<![\w$])" + re.escape(name) + rb"(?![\w$])")
    lines = enumerate(source.splitlines(), start=1) if name else ()
    return [(at, line) for at, line in lines for _ in word.finditer(line)]


def _suites(path: str, after: TestState) -> frozenset[str]:
    return frozenset(name for test in after.tests_of(path) for name in test.suite)


def _is_in_text(change: Change, after: TestState) -> bool:
    """Whether the test's code is now in a string that another function passes to a call: a program it writes and runs.

    A string on its own is a test that somebody commented out.
    """
    path, name = change.before.partition("::")[0], leaf(change.before)
    source = after.snapshot.read(path) if path in after.snapshot and path.endswith(".py") else None
    written = re.compile(rf"\bdef {re.escape(name)}\(")
    return any(written.search(text) is not None for text in _texts_passed(source or b""))


@lru_cache(maxsize=32)
def _texts_passed(source: bytes) -> tuple[str, ...]:
    """Return the strings with a function in them that functions of a Python file pass to calls."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    functions = [part for part in ast.walk(tree) if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
    calls = [part for one in functions for part in ast.walk(one) if isinstance(part, ast.Call)]
    parts = (part.value for call in calls for part in ast.walk(call) if isinstance(part, ast.Constant))
    return tuple(value for value in parts if isinstance(value, str) and "def " in value)
