"""Which checks a tree calls for: those that its pact declares, else those of the presets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pactkeeper.catalog.read import at_home, read_settings, recognise
from pactkeeper.catalog.schema import SETTINGS_FILE
from pactkeeper.errors import InputError, UsageError
from pactkeeper.health import conflicts, presets
from pactkeeper.health.parsers import AUTO, PARSERS, parser_of, scripts_behind
from pactkeeper.health.planned import Planned, Project
from pactkeeper.health.presets import node
from pactkeeper.intent.health import CHECK_CATEGORIES, HealthSettings
from pactkeeper.repo.pact_folder import OnDisk, folder_of

_DECLARED: Final = f"declared in {SETTINGS_FILE}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sweep would run, in order, and what `[health]` says of how; `torn` where a merge left settings unread."""

    settings: HealthSettings
    checks: tuple[Planned, ...]
    torn: bool = False

    def only(self, names: Sequence[str]) -> tuple[Planned, ...]:
        """The checks of these names, all of them for none; raises UsageError for a name that no check has."""
        known = [one.check.name for one in self.checks]
        unknown = [name for name in names if name not in {*known, conflicts.CHECK}]
        if unknown:
            raise UsageError(f"there is no check {unknown[0]!r}; known are {', '.join((conflicts.CHECK, *known))}")
        return tuple(one for one in self.checks if not names or one.check.name in names)


def plan_of(root: Path, home: Path) -> Plan:
    """Read what the tree at `root` declares, or detect what it calls for; raises CatalogError and InputError."""
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
    """A check with the scripts behind it, and the parser of the tool that it runs where none is named."""
    check = one.check
    scripts = node.scripts(Project(root, check.directory, home))
    behind = scripts_behind(" ; ".join([" ".join(check.prepare), " ".join(check.argv)]), scripts)
    parser = parser_of(check.argv, check.category, scripts) if check.parser == AUTO else check.parser
    return replace(one, check=replace(check, parser=parser), scripts=tuple(behind.items()))


_MEANT: Final = re.compile(rb"^[ \t]*\[+[ \t]*health\b", re.MULTILINE)


def _settings(root: Path) -> HealthSettings:
    """What `[health]` says; a file that declares health and is not marked as ours would be passed over unseen."""
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
        raise InputError(f"{path}: it has [health] but no [pact] with `format = 1`; add both at its top")
    return HealthSettings()
