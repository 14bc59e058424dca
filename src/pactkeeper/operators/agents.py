"""Verbs that tell a repository's coding agents about its pact, and remove that again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pactkeeper.agents.planning import FileChange, installing, removing
from pactkeeper.agents.table import AGENTS, Agent, chosen
from pactkeeper.catalog.journal import FileEdit, WriteEntry, edits_of, entries
from pactkeeper.catalog.placement import targets
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.errors import InputError, RefusedError
from pactkeeper.workspace import Workspace

VERB = "agents"


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """The planned changes to agents' files; `act` is install or remove."""

    act: str
    changes: tuple[FileChange, ...]

    @property
    def edits(self) -> tuple[FileEdit, ...]:
        """The files that change."""
        return tuple(FileEdit(one.agent.path, one.before, one.after) for one in self.changes if one.before != one.after)


def show_agents(workspace: Workspace) -> AgentPlan:
    """Return the state of every known agent's file, whether or not the repository uses the agent."""
    known = _apart(workspace, AGENTS)
    return AgentPlan("install", installing(known, _files(workspace, known)))


def plan_agents(workspace: Workspace, names: Sequence[str] = (), *, remove: bool = False) -> AgentPlan:
    """Plan an install or removal; without names, for the agents that the repository shows signs of.

    Raises UsageError for an unknown name, RefusedError for a symlinked path or a file that cannot be edited safely,
    InputError for an unreadable one.
    """
    workspace.ensure_settled()
    if not remove:
        agents = _apart(workspace, chosen(names, lambda path: _lies(workspace.repository.root / path)))
        return AgentPlan("install", installing(agents, _files(workspace, agents)))
    agents = _apart(workspace, chosen(names, lambda _: True))
    files = _files(workspace, agents)
    return AgentPlan("remove", tuple(_as_before(workspace, one) for one in removing(agents, files)))


def write_agents(workspace: Workspace, plan: AgentPlan) -> WriteEntry | None:
    """Write the plan, all or nothing; None if nothing changes. Raises what a transaction raises."""
    at = workspace.now().isoformat(timespec="seconds")
    entry = apply(workspace.place, plan.edits, WriteNote(at, {"verb": VERB, "act": plan.act}))
    for edit in plan.edits:
        if edit.after is None:
            _remove_empty(workspace.repository.root, edit.path)
    return entry


def _apart(workspace: Workspace, agents: Sequence[Agent]) -> tuple[Agent, ...]:
    """Leave out pointer files that are symlinks to the file they would point to."""
    root = workspace.repository.root
    target = (root / "AGENTS.md").resolve()
    return tuple(one for one in agents if one.form != "pointer" or (root / one.path).resolve() != target)


def _files(workspace: Workspace, agents: Sequence[Agent]) -> dict[str, bytes | None]:
    root = workspace.repository.root
    linked = [one.path for one in agents if _through_link(root, one.path)]
    if linked:
        raise RefusedError(
            f"nothing was written; a symbolic link is in the way of {', '.join(map(repr, linked))};"
            " skip those agents with --agent NAME"
        )
    found = targets(root, [one.path for one in agents])
    return {path: _read(path, place) for path, place in found.items()}


def _through_link(root: Path, path: str) -> bool:
    place = root / path
    return any(one.is_symlink() for one in (place, *place.parents) if one != root and one.is_relative_to(root))


def _read(path: str, place: Path) -> bytes | None:
    try:
        return place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path!r} cannot be read: {error.strerror}") from error


def _lies(place: Path) -> bool:
    return place.exists() or place.is_symlink()


def _as_before(workspace: Workspace, change: FileChange) -> FileChange:
    """If the file is as an install left it, restore its earlier content: an empty file is not a missing one."""
    if change.before == change.after:
        return change
    path = change.agent.path
    for entry in reversed(entries(workspace.state)):
        if entry.metadata.get("verb") == VERB and entry.metadata.get("act") == "install" and path in entry.paths:
            edit = next(one for one in edits_of(workspace.state, entry.id) if one.path == path)
            if edit.after == change.before and _is_free(change.agent, edit.before):
                return replace(change, after=edit.before)
            break
    return change


def _is_free(agent: Agent, content: bytes | None) -> bool:
    (one,) = removing([agent], {agent.path: content})
    return one.standing == "absent"


def _remove_empty(root: Path, path: str) -> None:
    """Remove the folders of a deleted file that are empty now."""
    for folder in (root / path).parents:
        if folder == root or not folder.is_relative_to(root):
            return
        with suppress(OSError):  # not empty
            folder.rmdir()
