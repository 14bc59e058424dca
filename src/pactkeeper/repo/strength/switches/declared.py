"""What a pact declares for sweeps, `[[health.check]]`, as checks: it says what a green main means."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from pactkeeper.intent.folder import SETTINGS, is_settings
from pactkeeper.ledger.documents import read_toml
from pactkeeper.repo.strength.switches.commands import Aspect, Check
from pactkeeper.repo.strength.switches.flow import SWALLOWS, place
from pactkeeper.repo.strength.switches.rules import TESTS
from pactkeeper.repo.strength.switches.scripts import Scripts, checks, exported
from pactkeeper.repo.strength.switches.workflows import heeded

_PRESETS: Final = "what the project's files suggest"
_INLINE: Final = frozenset({"-c", "-e", "-p", "--eval"})


def is_declaring(path: str) -> bool:
    """Whether a file is named like the settings of a pact."""
    return posixpath.basename(path) == SETTINGS


def declared_checks(path: str, text: str, scripts: Scripts) -> Iterator[Check]:
    """Yield the checks that the settings of a pact declare; raise ValueError."""
    health = read_toml(text).get("health") if is_settings(text.encode()) else None
    listed = health.get("check") if isinstance(health, dict) else None
    for one in listed if isinstance(listed, list) else ():
        argv = [str(word) for word in one.get("argv", ())] if isinstance(one, dict) else []
        if argv:
            given = one.get("environment")
            folder = place(str(one.get("directory", ".")))
            line = exported(shlex.join(argv), heeded(given if isinstance(given, dict) else {}))
            found = list(
                checks(line, path=path, entry=str(one.get("name", "")), scripts=replace(scripts, folder=folder))
            )
            around = (f"in {folder}",) if folder else ()
            for check in found or [_unknown(argv, path, one)]:
                yield replace(check, around=(*around, *check.around))


def _unknown(argv: Sequence[str], path: str, one: dict[str, object]) -> Check:
    """Return a program that isn't known as what its category says; code in its arguments tests nothing."""
    testing = one.get("category") == "test" and not SWALLOWS.match(" ".join(argv)) and not _INLINE.intersection(argv)
    aspect: Aspect = "tests" if testing else "lint"
    return Check(aspect, argv[0], tuple(argv[1:]), str(one.get("name", "")), path, known=False)


def with_presets(mine: Sequence[Check], others: Iterable[Check], path: str, paths: Iterable[str]) -> list[Check]:
    """Return the checks of a state's pact; if it declares none, those that presets run, as the `others` spell them.

    Presets leave no test out. `paths` are the files of both states.
    """
    if mine:
        return list(mine)
    same = [
        replace(one, words=(), ignored="", condition="")
        for one in others
        if one.aspect in {"tests", "types"} and one.known
    ]
    tested = any(map(TESTS.search, paths)) and all(one.aspect != "tests" for one in same)
    return [*same, Check("tests", _PRESETS, (), path=path)] if tested else same
