"""What keeps a test from judging since it was reviewed, although it asserts the same: retries, hooks, lost names.

The guard's signs are sought in the files that the test rests on. In its own file, other tests' lines don't count, and
neither does what Python strings hold: tests of plugins write whole test files in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from textwrap import dedent
from typing import Final

from pactkeeper.intent.pact import is_same
from pactkeeper.intent.strength.change import Change
from pactkeeper.intent.tests import Scan, Test
from pactkeeper.repo.languages.python.syntax import parse
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.reading import past_states
from pactkeeper.repo.strength.switches.plugins import ENDS
from pactkeeper.repo.strength.switches.signs import FEWER_EXAMPLES, sign_changes

Scans = Callable[[Snapshot], tuple[Scan, Scan]]
_OF_OTHERS: Final = frozenset({FEWER_EXAMPLES, ENDS})  # of properties, and of who calls what ends the run
_NAME: Final = re.compile(rb"[\w.-]*+")
_HELD: Final = re.compile(rb"[^\n\\]|\\(?!\n)")  # all but line ends, continued or not
_LACKING: Final = "git lacks the text that was reviewed: fetch the history, or look"


def switched_off(
    snapshot: Snapshot, tests: Mapping[str, Test], wanted: Mapping[str, Mapping[str, str]], scans: Scans
) -> Iterator[Change]:
    """Yield what keeps tests from judging since their files matched `wanted` (id → path → digits).

    `tests` are those of now by their reviewed id, `scans` gives all of now and of a past state. A file with no digits
    did not exist. Where git lacks the content of a test's files, whatever they hold now may be new, which is a warning.
    """
    left = dict(wanted)
    for past, names in past_states(snapshot, wanted):
        sides = _Sides(past, snapshot, scans)
        for name in sorted(names):
            yield from _told(tests[name], sides.changes(name, tests[name], left.pop(name)))
    together: dict[frozenset[str], _Sides] = {}
    for name, files in left.items():
        lacking = frozenset(_changed(files, snapshot))
        sides = together.setdefault(lacking, _Sides(snapshot.without(lacking), snapshot, scans))
        for one in _told(tests[name], sides.changes(name, tests[name], files)):
            yield replace(one, kind="unread", message=f"{one.message} ({_LACKING})", severity="warning")


def _told(test: Test, found: Iterable[Change]) -> Iterator[Change]:
    return (replace(one, test=test.id, before=test.id) for one in found)


def _changed(files: Mapping[str, str], now: Snapshot) -> list[str]:
    return [path for path, digits in files.items() if not is_same(path, digits, now.identity)]


class _Sides:
    """A past state and the one of now; what many tests share is read once."""

    def __init__(self, past: Snapshot, now: Snapshot, scans: Scans) -> None:
        self._past, self._now, self._read = past, now, scans
        self._known: dict[tuple[str, ...], tuple[Change, ...]] = {}
        self._signs: dict[str, bool] = {}
        self._codes: dict[str, tuple[str, str]] = {}

    def changes(self, name: str, test: Test, files: Mapping[str, str]) -> Iterator[Change]:
        """Yield what the changed ones of its files do to a test; `name` is its id at review."""
        changed = _changed(files, self._now)
        yield from self._beside(tuple(sorted({*changed} - {test.file})))
        if test.file in changed and self._shows_signs(test.file):
            yield from (*self._around_tests(test.file), *self._within(name, test))

    @cached_property
    def _scans(self) -> tuple[Scan, Scan]:
        return self._read(self._past)

    def _beside(self, paths: tuple[str, ...]) -> tuple[Change, ...]:
        """Return what changed files do to the tests that rest on them; their place is part of the message."""
        if paths not in self._known:
            shown = [path for path in paths if self._shows_signs(path)]
            old, new = ({path: self._code(path)[at] for path in shown} for at in (0, 1))
            found = _errors(old, new)
            told = (replace(one, message=f"{one.message} ({one.before}:{one.line})", line=0) for one in found)
            self._known[paths] = tuple(told)
        return self._known[paths]

    def _shows_signs(self, path: str) -> bool:
        """Whether a file has any sign, be it in a string; of most files nothing else has to be read."""
        if path not in self._signs:
            self._signs[path] = any(_errors({}, {path: _text(self._now, path)}))
        return self._signs[path]

    def _code(self, path: str) -> tuple[str, str]:
        """Return the code of a file then and now."""
        if path not in self._codes:
            self._codes[path] = (_code(self._past, path), _code(self._now, path))
        return self._codes[path]

    def _around_tests(self, path: str) -> tuple[Change, ...]:
        """Return what a file of tests does to all of them, outside of their own lines."""
        if (path, "") not in self._known:
            now, then = (scan.by_file.get(path, ()) for scan in self._scans)
            old, new = self._code(path)
            self._known[path, ""] = tuple(_errors({path: _without(old, then)}, {path: _without(new, now)}))
        return self._known[path, ""]

    def _within(self, name: str, test: Test) -> Iterator[Change]:
        """Yield what the lines of a test do to it, its decorators among them."""
        then = next((one for one in self._scans[1].by_file.get(test.file, ()) if one.id == name), None)
        old, new = self._code(test.file)
        before = "" if then is None else _lines(old, then)
        found = _errors({test.file: before}, {test.file: _lines(new, test)})
        yield from (replace(one, line=one.line + test.line - 1) for one in found)


def _errors(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    found = sign_changes(old, new, whole=False)
    return (one for one in found if one.severity == "error" and one.message not in _OF_OTHERS)


def _text(snapshot: Snapshot, path: str) -> str:
    source = snapshot.read(path)
    return (source or b"").decode("utf-8", "replace")


def _code(snapshot: Snapshot, path: str) -> str:
    """Return the text of a file, a Python file's with blanks for what its strings hold, unless that is a name."""
    text = _text(snapshot, path)
    if not path.endswith((".py", ".pyi")):
        return text
    source = bytearray(text.encode())
    pending = [parse(bytes(source)).root_node]
    while pending:
        node = pending.pop()
        pending += node.children
        held = source[node.start_byte : node.end_byte]
        if node.type == "string_content" and not _NAME.fullmatch(held):
            source[node.start_byte : node.end_byte] = _HELD.sub(b" ", held)
    return source.decode()


def _lines(text: str, test: Test) -> str:
    return dedent("\n".join(text.split("\n")[test.line - 1 : test.end_line]))


def _without(text: str, tests: Iterable[Test]) -> str:
    """Return the text of a file with `pass` in place of each test, and as many lines as before."""
    lines = text.split("\n")
    for test in tests:
        first = lines[test.line - 1]
        indent = first[: len(first) - len(first.lstrip())]
        lines[test.line - 1 : test.end_line] = [f"{indent}pass", *[""] * (test.end_line - test.line)]
    return "\n".join(lines)
