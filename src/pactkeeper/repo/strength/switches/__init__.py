"""Checks that a change switched off: settings of runners, coverage, linters and type checkers, CI steps, hooks.

Each is compared with where it may have moved to. Also what tests expect the compiler of TypeScript to refuse.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.switches.signs import LESS_COVERED, UNREAD, WARNINGS, sign_changes
from pactkeeper.repo.test_side import CODE, is_test_side, is_type_test

_GATE: Final = re.compile(r"\Anyc\.|\.thresholds\.|\.coverageThreshold\b|\.fail_under\Z")
_TYPED: Final = (".ts", ".tsx", ".mts", ".cts")
_EXPECTED: Final = "@ts-expect-error"
_SILENCED: Final = re.compile(r"@ts-(?:ignore|nocheck)\b|\bas\s++(?:any|never|unknown)\b|<any>")
_TOLD: Final = re.compile(r"@ts-[a-z-]{1,20}")
_COMMENTS: Final = ("//", "/*", "*", "{/*")
_ACCEPTED: Final = "the compiler is no longer expected to refuse it"
_SHOWN: Final = 160
_ASKING: Final = re.compile(r"(?:config(?:[.-]\w{1,60}){0,4}|rc|noxfile|workspace|projects)\.\w+\Z")


def switch_changes(before: Snapshot, after: Snapshot, changed: Iterable[str]) -> Iterator[Change]:
    """Yield settings that became less strict, checks that no longer run, and code that silences or detects checks."""
    paths = sorted(changed)
    found = _told_once([*_asked(before, after, paths), *_signs(before, after, paths)], after)
    asked = {change.test.partition(" ")[2] for change in found if change.kind == "stronger"}
    strict = any(key.endswith(".filterwarnings") for key in asked)
    gated = any(_GATE.search(key) for key in asked)
    moved = _become_settings(found, before, after)
    unread: set[str] = set()
    for change in found:
        if (strict and change.message == WARNINGS) or (gated and change.message == LESS_COVERED):
            continue  # a command's option became a setting
        if "mypy.strict" in asked and " mypy." in change.test and not change.new:
            continue  # what is no longer said is a part of it
        if change in moved:
            continue
        if change.message.startswith(UNREAD):
            if change.test in unread:
                continue  # read both as settings and as a script
            unread.add(change.test)
        yield change if change.line else replace(change, line=_line(after, change))


def _told_once(found: Sequence[Change], after: Snapshot) -> list[Change]:
    """Report a change of one script of a package once, although other scripts of it call that one."""
    kept: dict[object, Change] = {}
    for change in found:
        path = change.test.partition(" ")[0]
        shared = path.endswith("package.json") and change.old and change.new
        only = shared and (after.read(path) or b"").decode("utf-8", "replace").count(change.new) == 1
        key = (path, change.message, change.old, change.new) if only else id(change)
        if key not in kept or change.severity == "error":
            kept[key] = change
    return list(kept.values())


def _become_settings(found: Iterable[Change], before: Snapshot, after: Snapshot) -> list[Change]:
    """Return the changes of commands whose options files set now, or did before."""
    commands = [
        one for one in found if one.kind == "switched_off" and one.old and one.new and " --" in one.old + one.new
    ]
    if not commands:
        return []
    from pactkeeper.repo.strength.switches.spelling import are_settings  # noqa: PLC0415 - most changes don't need it

    return are_settings(commands, before, after)


def _asked(before: Snapshot, after: Snapshot, paths: Sequence[str]) -> Iterator[Change]:
    if not all(path.endswith(CODE) and _ASKING.search(path) is None for path in paths):
        from pactkeeper.repo.strength.switches.asked import asked_changes  # noqa: PLC0415 - most changes only touch code

        yield from asked_changes(before, after, paths)


def _signs(before: Snapshot, after: Snapshot, changed: Sequence[str]) -> Iterator[Change]:
    old, new = _texts(before, changed), _texts(after, changed)
    yield from sign_changes(old, new)
    yield from _refusals(old, new)
    yield from _accepted(old, new)


def _texts(snapshot: Snapshot, paths: Sequence[str]) -> dict[str, str]:
    sources = ((path, snapshot.read(path)) for path in paths if path in snapshot)
    return {path: source.decode("utf-8", "replace") for path, source in sources if source is not None}


def _line(snapshot: Snapshot, change: Change) -> int:
    """Return the later state's line for it: the one with the setting's last part or the command; 0 if there is none."""
    path, _, key = change.test.partition(" ")
    source = snapshot.read(path)
    if source is None:
        return 0
    lines = source.decode("utf-8", "replace").splitlines()
    sought = [change.new.partition(" (")[0], key.rpartition(".")[2]]
    found = (at for word in sought if word for at, line in enumerate(lines, 1) if word in line)
    return next(found, 0)


def _refusals(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Report that tests expect fewer errors of the compiler, while it is silenced or given `any` in more places.

    Type tests are compared assertion by assertion.
    """
    expected, silenced = _expected_and_silenced(old)
    still_expected, now_silenced = _expected_and_silenced(new)
    if len(still_expected) < len(expected) and len(now_silenced) > len(silenced):
        path, line = next((one for one in now_silenced if one not in silenced), now_silenced[-1])
        number = [other.strip() for other in new[path].splitlines()].index(line) + 1
        yield Change("switched_off", path, _ACCEPTED, expected[0][1][:_SHOWN], line[:_SHOWN], number, "warning", path)


def _accepted(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Report lines of tests that stand without the comment that expected an error of them, if their file has fewer."""
    for path in sorted(old.keys() & new.keys()):
        if not (path.endswith(_TYPED) and is_test_side(path)) or old[path].count(_EXPECTED) <= new[path].count(
            _EXPECTED
        ):
            continue
        before, after = _under_comments(old[path]), _under_comments(new[path])
        for (line, comment), places in before.items():
            now, bare = len(after.get((line, comment), ())), after.get((line, ""), [])
            if comment == _EXPECTED and now < len(places) and len(bare) > len(before.get((line, ""), ())):
                yield Change("switched_off", path, _ACCEPTED, _EXPECTED, line[:_SHOWN], bare[0], "warning", path)


def _under_comments(text: str) -> Mapping[tuple[str, str], list[int]]:
    """Return the numbers of each line of code under each comment to the compiler, "" if there is none above it."""
    found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    said = ""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if line.startswith(_COMMENTS):
            told = _TOLD.search(line)
            said = told[0] if told is not None else said
        elif line:
            found[line, said].append(number)
            said = ""
    return found


def _expected_and_silenced(files: Mapping[str, str]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the lines of tests that expect an error of the compiler, and those that silence it, with their files."""
    paths = (path for path in files if path.endswith(_TYPED) and is_test_side(path) and not is_type_test(path))
    lines = [(path, line.strip()) for path in paths for line in files[path].splitlines()]
    return [one for one in lines if _EXPECTED in one[1]], [one for one in lines if _SILENCED.search(one[1])]
