"""The counts behind status, taken where no kept ones hold any longer."""

from __future__ import annotations

from collections import Counter

from pactkeeper.operators.gathering import verdict_of
from pactkeeper.operators.observe import Statistics
from pactkeeper.operators.proof import proof
from pactkeeper.reconcile.world import World
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace


def count(workspace: Workspace, snapshot: Snapshot) -> tuple[Statistics, bool]:
    """Count; False where the same files may give other numbers the next time."""
    world = workspace.world(snapshot)
    verdict, lasting = verdict_of(workspace, snapshot, world)
    severities = Counter(entry.finding.severity for entry in verdict.findings)
    counted = Statistics(
        snapshot.name,
        snapshot.declares,
        verdict.tests,
        dict(sorted(Counter(entry.test.framework for entry in world.linked).items())),
        verdict.atoms,
        len(world.pact.debt.by_test),
        len(world.scan.gaps),
        severities["error"],
        severities["warning"],
        _waiting(workspace),
        None,
        _orphans_by_folder(world),
        proof(workspace, snapshot, world),
    )
    return counted, lasting


def _orphans_by_folder(world: World) -> tuple[tuple[str, int], ...]:
    """The five folders with the most tests without intent."""
    unlinked = [entry.test.file for entry in world.linked if entry.state in {"orphan", "debt", "changed_debt"}]
    folders = Counter(file.rpartition("/")[0] or "." for file in unlinked)
    return tuple(sorted(folders.items(), key=lambda item: (-item[1], item[0]))[:5])


def _waiting(workspace: Workspace) -> int:
    """How many ops nobody has decided; a repository without a history waits for nobody."""
    if not workspace.has_history:
        return 0
    from pactkeeper.store.waiting import undecided_ops  # noqa: PLC0415 - only where there is a history

    return undecided_ops(workspace.history())
