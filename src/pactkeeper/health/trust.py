"""Whether a person has trusted what a commit declares to run: nothing of a repository runs before.

What is trusted is the declaration: commands, where and with which variables they run, and the scripts of package.json
behind them. It is bound to its hash and kept with the person, so no clone and no unpacked archive brings it along.
The code that the commands run changes with every commit and is no part of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import join
from typing import Final

from pactkeeper.errors import UntrustedError, WriteFailed
from pactkeeper.health.plan import Plan
from pactkeeper.health.planned import Planned
from pactkeeper.ledger.canonical import JsonValue, digest

ANY: Final = "any"
_MOST_KEPT: Final = 200


@dataclass(frozen=True, slots=True)
class Trust:
    """What may run: the declarations of these hashes, or everything where `any` is among them."""

    declarations: frozenset[str] = frozenset()

    def ensure(self, plan: Plan, commit: str) -> None:
        """Raise UntrustedError, with all that would run, unless a person trusted exactly that."""
        name = declaration(plan)
        if plan.checks and name not in self.declarations and ANY not in self.declarations:
            raise UntrustedError(commit, name, tuple(shown(plan)))


NOTHING: Final = Trust()


def declaration(plan: Plan) -> str:
    """The hash of everything that a plan has run."""
    rows = [list(_parts(one)) for one in plan.checks]
    inside = [] if plan.settings.sandbox == "none" else [plan.settings.sandbox]
    return digest([rows, [*plan.settings.inherit], *inside])[:19]


def shown(plan: Plan) -> Iterator[str]:
    """Everything that a plan has run, for people, with every sign that is not printable written out."""
    for one in plan.checks:
        check = one.check
        where = "" if check.directory == "." else f" in {check.directory}"
        yield _plain(f"{check.name}: {join(check.argv)}{where}")
        if check.prepare:
            yield _plain(f"    prepared by {join(check.prepare)}{where}")
        yield from (_plain(f"    with {name}={value}") for name, value in check.environment.items())
        yield from (_plain(f"    script {name}: {text}") for name, text in one.scripts)
    if plan.settings.sandbox != "none":
        yield f"inside {plan.settings.sandbox}"
    if plan.settings.inherit:
        yield _plain(f"with your variables {', '.join(plan.settings.inherit)}")


def trusted(file: Path) -> frozenset[str]:
    """The declarations that a file says are trusted; none where it is missing or makes no sense."""
    try:
        found = json.loads(file.read_bytes())
        return frozenset(str(one["declaration"]) for one in found)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return frozenset()


def add_trusted(file: Path, name: str, *, by: str, at: str) -> None:
    """Note that somebody trusts a declaration; raises WriteFailed."""
    try:
        known: Sequence[object] = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        known = []
    draft = file.with_suffix(".new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft.write_text(json.dumps([*known, {"declaration": name, "by": by, "at": at}][-_MOST_KEPT:], indent=1))
        draft.replace(file)
    except OSError as error:
        raise WriteFailed(f"{str(draft)!r} cannot be written: {error.strerror}; make room or allow it") from error


def _parts(one: Planned) -> Iterator[JsonValue]:
    check = one.check
    yield from (check.name, check.category, check.directory, [*check.argv], [*check.prepare])
    yield [[name, value] for name, value in sorted(check.environment.items())]
    yield [[name, text] for name, text in one.scripts]


def _plain(text: str) -> str:
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
