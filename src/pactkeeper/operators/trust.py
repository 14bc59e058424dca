"""The verb by which a person trusts what a commit declares to run, and what they trusted so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pactkeeper.errors import StaleError, UsageError
from pactkeeper.health.sweeping import declared
from pactkeeper.health.trust import ANY, Plan, Trust, add_trusted, declaration, trusted

if TYPE_CHECKING:
    from pathlib import Path

    from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Declared:
    """What a commit declares to run, the hash that it is trusted by, and whether a person here has done so."""

    commit: str
    declaration: str
    plan: Plan
    trusted: bool


def declared_checks(workspace: Workspace, at: str | None = None) -> Declared:
    """Tell what a commit, by default HEAD, declares to run, without running any of it."""
    commit, plan = declared(workspace.repository, workspace.sweep_places, at)
    name = declaration(plan)
    return Declared(commit, name, plan, name in trusted(_file(workspace)))


def trust_checks(workspace: Workspace, name: str, at: str | None = None) -> Declared:
    """Trust the declaration of a commit by the hash under which it was shown; raises StaleError for another one."""
    found = declared_checks(workspace, at)
    if found.declaration != name:
        raise StaleError(f"{found.commit[:12]} declares {found.declaration}, not {name!r}; look again: pk health trust")
    add_trusted(_file(workspace), name, by=workspace.person(), at=workspace.now().isoformat(timespec="seconds"))
    return Declared(found.commit, name, found.plan, trusted=True)


def trust_of(workspace: Workspace, *also: str) -> Trust:
    """What may run here: what the person trusted in this clone, what CI says, and what is trusted for this once."""
    given = {one for one in (workspace.surroundings.trust, *also) if one}
    return Trust(frozenset(given) if ANY in given else trusted(_file(workspace)) | given)


def _file(workspace: Workspace) -> Path:
    """With the person and not in the clone, where a check or an unpacked archive could bring it along."""
    personal = workspace.surroundings.personal
    if personal is None:
        raise UsageError("there is no home folder to keep in what you trust; set HOME or XDG_DATA_HOME")
    return personal / "trust" / f"{workspace.sweep_places.folder.name}.json"
