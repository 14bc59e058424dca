"""Compare the checks that two states run: removed, no longer heard of, given less to check."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from pactkeeper.intent.strength.change import Change, Severity
from pactkeeper.repo.strength.switches.commands import Check, parsed
from pactkeeper.repo.strength.switches.options import words_changes
from pactkeeper.repo.strength.switches.rules import chosen_files
from pactkeeper.repo.test_side import is_test_side

_BY_NAME: Final = ("npm ", "make ", "just ", "poe ", "task ", "invoke ")
_PYTHON: Final = ("pytest", "py.test", "unittest", "nose2", "mypy", "pyright", "ruff", "flake8", "pylint", "doctest")
_SCRIPTS: Final = (".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".go", ".rs")


def running_changes(
    old: Sequence[Check], new: Sequence[Check], *, elsewhere: Iterable[Check], entries: set[str], paths: Sequence[str]
) -> Iterator[Change]:
    """What became of every check of one family.

    `elsewhere` are checks that the change adds to other families; `entries` are what is called by name in the later
    state, so that what one of them ran may not simply run under another name.
    """
    if entries:
        for entry in sorted(entries & {check.entry for check in old}):
            yield from _family([c for c in old if c.entry == entry], [c for c in new if c.entry == entry], (), paths)
        old = [check for check in old if check.entry not in entries]
        elsewhere = [*elsewhere, *new]
        new = []
    yield from _family(old, new, tuple(elsewhere), paths)


def _key(check: Check) -> tuple[object, ...]:
    return check.program, check.words, check.ignored, check.condition


def _family(
    old: Sequence[Check], new: Sequence[Check], elsewhere: Sequence[Check], paths: Sequence[str]
) -> Iterator[Change]:
    rest, gained = _without(old, new), _without(new, old)
    sound = {(check.program, check.words) for check in new if not check.ignored}
    later: list[Check] = []
    for check in rest:
        other = _closest(check, gained)
        if other is None:
            later.append(check)
            continue
        gained.remove(other)
        yield from _compared(check, other, new, paths)
    gone: defaultdict[tuple[str, str], list[Check]] = defaultdict(list)
    for check in later:
        if (check.program, check.words) in sound or check.ignored:
            continue
        if any(one.aspect == check.aspect and not one.ignored for one in (*gained, *elsewhere)):
            continue
        gone[check.path, check.aspect].append(check)
    for (_, aspect), some in gone.items():
        left = {other.program for other in new if other.aspect == aspect and not other.ignored}
        named = all(check.program.startswith(_BY_NAME) or check.program in left for check in some)
        severity: Severity = "warning" if aspect == "lint" or (named and left) else "error"
        change = _change(some[0], None, f"{aspect} are no longer run here", severity)
        yield replace(change, old="; ".join(dict.fromkeys(check.text for check in some)))


def _without(some: Sequence[Check], others: Sequence[Check]) -> list[Check]:
    counted = Counter(map(_key, others))
    rest = []
    for check in some:
        if counted[_key(check)]:
            counted[_key(check)] -= 1
        else:
            rest.append(check)
    return rest


def _closest(check: Check, offered: Sequence[Check]) -> Check | None:
    same = [other for other in offered if other.program == check.program]
    return max(same, key=lambda o: (o.entry == check.entry, len(set(o.words) & set(check.words))), default=None)


def _compared(old: Check, new: Check, all_new: Sequence[Check], paths: Sequence[str]) -> Iterator[Change]:
    if new.ignored and not old.ignored:
        yield _change(old, new, "nobody hears of a failure any more", "error")
        return
    several = sum(other.program == old.program for other in all_new) > 1
    found: list[tuple[Severity, str]] = list(words_changes(old.program, old.words, new.words))
    if _fewer_files(old, all_new, new, paths):
        found.append(("error" if old.aspect == "tests" else "warning", "it is given fewer files"))
    if new.condition and not old.condition:
        found.append(("warning", "it runs only under a condition now"))
    for severity, message in found[:1] if several else found:
        yield _change(old, new, message, "warning" if several else severity)


def _fewer_files(old: Check, all_new: Sequence[Check], new: Check, paths: Sequence[str]) -> bool:
    one, two = parsed(old.words)[1], parsed(new.words)[1]
    if one == two or not two or old.program.startswith(("npm", "make", "tox", "nox", "just")):
        return False
    endings = (".py", ".pyi") if old.program in _PYTHON else _SCRIPTS
    union = [word for check in all_new if check.program == old.program and not check.ignored
             for word in parsed(check.words)[1]]  # fmt: skip
    if any(not parsed(check.words)[1] for check in all_new if check.program == old.program and not check.ignored):
        return False
    files = [path for path in paths if path.endswith(endings) and (old.aspect != "tests" or is_test_side(path))]
    covered = chosen_files(union, files, loose=True)
    before = chosen_files(one, files, loose=True) if one else set(files)
    return bool(before - covered) if covered or any("/" in word for word in two) else False


def _change(old: Check, new: Check | None, message: str, severity: Severity) -> Change:
    path = new.path if new is not None else old.path
    entry = new.entry if new is not None else old.entry
    return Change("switched_off", f"{path} {entry}".strip(), message, old.text, new.text if new else "", 0, severity,
                  old.path)  # fmt: skip
