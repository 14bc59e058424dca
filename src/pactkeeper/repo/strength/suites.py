"""Calls of another file's functions that declare tests: those that a change removes, skips or gives something else."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.strength.change import Change, Severity, shown_skip, term_text
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.support import TestState
from pactkeeper.repo.test_side import SCRIPTS, is_test_side

if TYPE_CHECKING:
    from pactkeeper.repo.languages.javascript.strength.suites import SuiteCall

_LARGEST: Final = 2_000_000  # bytes; longer files are data
_OF_A_FILE: Final = re.compile(rb"['\"]\.{1,2}/")  # where something is imported from
_WITHOUT_NAMES: Final = "a function of another file declares tests here, which have no names of their own"


def suite_changes(before: TestState, after: TestState, changed: Collection[str]) -> Iterator[Change]:
    """Yield a warning for each call that is lost, and for one that may not run now.

    A call that moved to another changed file is the same. One that went together with the code it names is a note.
    """
    paths = sorted(path for path in changed if path.endswith(SCRIPTS) and is_test_side(path))
    olds, every = {path: _calls(before, path) for path in paths}, {path: _all_calls(after, path) for path in paths}
    left = {path: [*calls] for path, calls in every.items()}
    lost: list[tuple[str, SuiteCall]] = []
    for path in paths:
        for call in olds[path]:
            same = _taken(call, left[path])
            if same is None:
                lost.append((path, call))
            else:
                yield from _skipped(path, call, same)
    left = {path: _unlisted(after, path, calls) for path, calls in left.items()}
    for path, call in lost:
        elsewhere = ((other, _taken(call, calls)) for other, calls in left.items())
        place, same = next(((other, one) for other, one in elsewhere if one is not None), (path, None))
        same = same or next((one for one in left[path] if one.includes(call)), None)
        if same is not None:
            yield from _skipped(place, call, same)
        else:
            yield _lost(path, call, left[path], after.snapshot)


def listed_at_calls(before: TestState, after: TestState, path: str) -> bool:
    """Whether what a file's functions declare is newly listed as tests at their calls, all of which are still there."""
    files = {file for file, tests in after.scan.by_file.items() if file.endswith(SCRIPTS) and file in before.snapshot}
    both = [(_calls(before, file), _all_calls(after, file)) for file in files if file != path]
    old = [(call, every) for calls, every in both for call in calls if path in call.names]
    return bool(old) and all(_taken(call, every) is not None for call, every in old)


def _calls(side: TestState, path: str) -> list[SuiteCall]:
    """Return the calls in a file, without those that are listed as tests."""
    return _unlisted(side, path, _all_calls(side, path))


def _unlisted(side: TestState, path: str, calls: Iterable[SuiteCall]) -> list[SuiteCall]:
    listed = {(test.line, test.end_line) for test in side.tests_of(path)}
    return [one for one in calls if one.lines not in listed]


def _all_calls(side: TestState, path: str) -> list[SuiteCall]:
    """Return the calls in a file; source nested too deeply has none."""
    source = side.snapshot.read(path) if path in side.snapshot else None
    if source is None or len(source) > _LARGEST or _OF_A_FILE.search(source) is None:
        return []
    from pactkeeper.repo.languages.javascript.strength.suites import suite_calls  # noqa: PLC0415 - few changes need it

    try:
        return list(suite_calls(path, source, read=side.snapshot.read))
    except RecursionError:
        return []


def _taken(call: SuiteCall, calls: list[SuiteCall]) -> SuiteCall | None:
    """Take the equal call out of a list, the one with the same skips if there are several."""
    same = sorted((one for one in calls if one == call), key=lambda one: one.skips != call.skips)
    if not same:
        return None
    calls.remove(same[0])
    return same[0]


def _skipped(path: str, old: SuiteCall, new: SuiteCall) -> Iterator[Change]:
    for skip in sorted(new.skips - old.skips, key=lambda one: one.line):
        message = f"what keeps tests from running is new: {_WITHOUT_NAMES}"
        yield Change("unread", path, message, "", shown_skip(skip), new.lines[0], "warning", path)


def _lost(path: str, call: SuiteCall, fresh: list[SuiteCall], after: Snapshot) -> Change:
    gone = any(not is_test_side(name) and name not in after for name in call.names)
    severity: Severity = "note" if gone else "warning"
    others = sorted(
        (one for one in fresh if one.function == call.function),
        key=lambda one: (one.given != call.given, one.row != call.row),
    )
    if not others:
        message = f"the call is gone: {_WITHOUT_NAMES.replace('declares', 'declared')}"
        return Change("unread", path, message, call.source, "", 0, severity, path)
    other = others[0]
    fresh.remove(other)
    old, new = (_row(call), _row(other)) if call.given == other.given else (call.source, other.source)
    message = f"the call is another one now: {_WITHOUT_NAMES}"
    return Change("unread", path, message, old, new, other.lines[0], severity, path)


def _row(call: SuiteCall) -> str:
    return f"{call.function}, {', '.join(f'{term_text(name)} = {term_text(value)}' for name, value in call.row)}"
