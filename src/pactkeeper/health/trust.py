"""Whether the user has trusted what a commit declares to run; until then, nothing from a repository runs.

Trust covers the declaration: commands, their folders and variables, and the package.json scripts they call. It is tied
to the declaration's hash and stored with the user, so no clone or unpacked archive can bring it along. The code that
the commands run changes with every commit and is not covered.

Also plans which checks run in a tree: those its pact declares, else the detected ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import join
from typing import Final

from pactkeeper.catalog.read import at_home, read_settings, recognise
from pactkeeper.catalog.schema import SETTINGS_FILE
from pactkeeper.errors import InputError, UntrustedError, UsageError
from pactkeeper.health import conflicts, presets
from pactkeeper.health.parsers import AUTO, PARSERS, parser_of, scripts_behind
from pactkeeper.health.presets import Planned, Project
from pactkeeper.health.tree import write_whole
from pactkeeper.intent.health import CHECK_CATEGORIES, HealthSettings
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.repo.pact_folder import OnDisk, folder_of

ANY: Final = "any"
_MOST_KEPT: Final = 200


@dataclass(frozen=True, slots=True)
class Trust:
    """What may run: the declarations with these hashes, or everything if `any` is among them."""

    declarations: frozenset[str] = frozenset()

    def ensure(self, plan: Plan, commit: str) -> None:
        """Raise UntrustedError, listing all that would run, unless the user has trusted exactly that."""
        name = declaration(plan)
        if plan.checks and name not in self.declarations and ANY not in self.declarations:
            raise UntrustedError(commit, name, tuple(shown(plan)))


NOTHING: Final = Trust()


def declaration(plan: Plan) -> str:
    """Return the hash of everything that a plan runs."""
    rows = [list(_parts(one)) for one in plan.checks]
    inside = [] if plan.settings.sandbox == "none" else [plan.settings.sandbox, *plan.settings.readable]
    return digest([rows, [*plan.settings.inherit], *inside])[:19]


def shown(plan: Plan) -> Iterator[str]:
    """Yield everything that a plan runs, for display, with non-printable characters escaped."""
    for one in plan.checks:
        check = one.check
        where = "" if check.directory == "." else f" in {check.directory}"
        yield _plain(f"{check.name}: {join(check.argv)}{where}")
        if check.prepare:
            yield _plain(f"    prepared by {join(check.prepare)}{where}")
        yield from (_plain(f"    with {name}={value}") for name, value in check.environment.items())
        yield from (_plain(f"    script {name}: {text}") for name, text in one.scripts)
    if plan.settings.sandbox != "none":
        yield _plain(
            ", ".join((f"inside {plan.settings.sandbox}", *(f"reading {one}" for one in plan.settings.readable)))
        )
    if plan.settings.inherit:
        yield _plain(f"with your environment variables {', '.join(plan.settings.inherit)}")


def trusted(file: Path) -> frozenset[str]:
    """Return the trusted declarations in a file; none if it is missing or invalid."""
    try:
        found = json.loads(file.read_bytes())
        return frozenset(str(one["declaration"]) for one in found)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return frozenset()


def add_trusted(file: Path, name: str, *, by: str, at: str) -> None:
    """Record that somebody trusts a declaration; raises WriteFailed."""
    try:
        known = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        known = []
    kept: Sequence[object] = known if isinstance(known, list) else []
    write_whole(file, json.dumps([*kept, {"declaration": name, "by": by, "at": at}][-_MOST_KEPT:], indent=1))


def _parts(one: Planned) -> Iterator[JsonValue]:
    check = one.check
    yield from (check.name, check.category, check.directory, [*check.argv], [*check.prepare])
    yield [[name, value] for name, value in sorted(check.environment.items())]
    yield [[name, text] for name, text in one.scripts]


def _plain(text: str) -> str:
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


_DECLARED: Final = f"declared in {SETTINGS_FILE}"


@dataclass(frozen=True, slots=True)
class Plan:
    """The checks of a sweep in order, and the `[health]` settings; `torn` if a merge left the settings unreadable."""

    settings: HealthSettings
    checks: tuple[Planned, ...]
    torn: bool = False

    def only(self, names: Sequence[str]) -> tuple[Planned, ...]:
        """Return the checks with these names, or all if none are given; raises UsageError for an unknown name."""
        known = [one.check.name for one in self.checks]
        unknown = [name for name in names if name not in {*known, conflicts.CHECK}]
        if unknown:
            raise UsageError(f"there is no check {unknown[0]!r}; known are {', '.join((conflicts.CHECK, *known))}")
        return tuple(one for one in self.checks if not names or one.check.name in names)


def plan_of(root: Path, home: Path) -> Plan:
    """Read the checks declared by the tree at `root`, or detect them; raises CatalogError and InputError."""
    settings = _settings(root)
    declared = tuple(Planned(one, _DECLARED) for one in settings.checks)
    found = tuple(_looked_at(one, root, home) for one in declared or presets.detect(root, home))
    for one in found:
        if one.check.parser not in PARSERS:
            raise InputError(
                f"{SETTINGS_FILE}: the check {one.check.name!r} names the parser {one.check.parser!r}; "
                f"known are {', '.join(sorted(PARSERS))}"
            )
    return Plan(settings, tuple(sorted(found, key=lambda one: CHECK_CATEGORIES.index(one.check.category))))


def _looked_at(one: Planned, root: Path, home: Path) -> Planned:
    """Return a check with the scripts it calls, and the parser of its tool if none is named."""
    check = one.check
    scripts = presets.scripts(Project(root, check.directory, home))
    behind = scripts_behind(" ; ".join([" ".join(check.prepare), " ".join(check.argv)]), scripts)
    parser = parser_of(check.argv, check.category, scripts) if check.parser == AUTO else check.parser
    return replace(one, check=replace(check, parser=parser), scripts=tuple(behind.items()))


_MEANT: Final = re.compile(rb"^[ \t]*\[+[ \t]*health\b", re.MULTILINE)


def _settings(root: Path) -> HealthSettings:
    """Read `[health]`; raises InputError if a file declares health but is not marked as Pactkeeper's."""
    folder = folder_of(OnDisk(root))
    path = folder.path(SETTINGS_FILE)
    place = root / path
    if not place.is_file():
        return HealthSettings()
    source = place.read_bytes()
    if recognise({path: source}, folder) == "ours":
        with at_home(folder):
            return read_settings(source).health
    if _MEANT.search(source):
        raise InputError(f"{path}: it has [health] but no [pact] with `format = 1`; add both at the top")
    return HealthSettings()
