"""Verbs about open tasks; for unchanged content they return the cached list and load nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.advice import Advice
from pactkeeper.intent.tests import under
from pactkeeper.operators.view import Form, history_key, kept, refuse_unknown
from pactkeeper.reconcile.task import Task, TaskKind

if TYPE_CHECKING:
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class BacklogFilter:
    """Which tasks to find: by kind and path; `coverage` names coverage reports."""

    kinds: tuple[TaskKind, ...] = ()
    paths: tuple[str, ...] = ()
    coverage: tuple[str, ...] = ()

    def holds(self, task: Task) -> bool:
        """Whether the task matches the filter."""
        return (not self.kinds or task.kind in self.kinds) and (not self.paths or under(task.path, self.paths))


@dataclass(frozen=True, slots=True)
class Backlog:
    """The open tasks, the fingerprints of suppressed ones, and the sources that could not be checked."""

    tasks: tuple[Task, ...]
    suppressed: tuple[str, ...]
    unseen: tuple[str, ...]


def find_gaps(workspace: Workspace, wanted: BacklogFilter) -> Backlog:
    """Find orphans, uncovered code, violations, conflicts, stale evidence and open questions, most urgent first."""
    workspace.ensure_settled()
    snapshot = workspace.snapshot()
    refuse_unknown(workspace, snapshot, wanted.paths)
    key = None if wanted.coverage else history_key(workspace, snapshot, workspace.repository.head())
    found = kept(workspace, _BACKLOGS, key, lambda: _gather(workspace, snapshot, wanted.coverage))
    return replace(found, tasks=tuple(one for one in found.tasks if wanted.holds(one)))


def _gather(workspace: Workspace, snapshot: Snapshot, coverage: tuple[str, ...]) -> tuple[Backlog, bool]:
    from pactkeeper.operators.gathering import gather  # noqa: PLC0415 - only needed if the repository changed

    return gather(workspace, snapshot, coverage)


def next_task(workspace: Workspace, wanted: BacklogFilter) -> Task | None:
    """Return the next task; None if there are only warnings and notes that no command would change."""
    tasks = find_gaps(workspace, wanted).tasks
    known = [one for one in tasks if not one.message.startswith("PK120 ")]  # only a person knows what runs there
    first = next((one for one in known if one.command or one.severity == "error" or one.kind == "uncovered"), None)
    begun = workspace.snapshot().declares
    if first is not None and not first.ops and not begun:
        return Task("orphan", "pact", "this repository has no pact yet", Advice("pk init"))
    return first


def _kept_backlog(fields: dict[str, Any]) -> Backlog:
    tasks = tuple(_kept_task(one) for one in fields["tasks"])
    return Backlog(tasks, tuple(fields["suppressed"]), tuple(fields["unseen"]))


def _kept_task(fields: dict[str, Any]) -> Task:
    return Task(**{**fields, "command": Advice(*fields["command"]), "ops": tuple(fields["ops"])})


_BACKLOGS: Final = Form("backlogs/2", 4, _kept_backlog)
