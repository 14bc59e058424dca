"""The verb that makes a patch: look, choose, read what tests state, word it, propose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pactkeeper.intent.ids import hashed_id
from pactkeeper.intent.links import LinkedTest
from pactkeeper.ledger.patch import Patch
from pactkeeper.operators.observe import baseline
from pactkeeper.operators.view import refuse_unknown
from pactkeeper.reconcile.assembling import assemble
from pactkeeper.reconcile.carrying import carrier_for
from pactkeeper.reconcile.inferring import infer_tests
from pactkeeper.reconcile.looking import changed_tests
from pactkeeper.reconcile.propose import Inferred, Proposals, Proposer
from pactkeeper.reconcile.rejections import without_rejected
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.runs import Run, carry_over, latest_proposal, save_run
from pactkeeper.reconcile.select import Selection, select
from pactkeeper.reconcile.world import World
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The run with its patch, the world it was made for, and what no op is about: tests that need a person's words."""

    run: Run
    patch: Patch
    world: World
    needs_words: tuple[Inferred, ...]
    left_out: tuple[tuple[str, int], ...]


def reconcile_repo(workspace: Workspace, request: Request) -> Reconciled:
    """Make and store a patch for the working tree; nothing in the work tree changes."""
    workspace.ensure_settled()
    snapshot = workspace.snapshot()
    refuse_unknown(workspace, snapshot, request.paths)
    world = workspace.world(snapshot)
    base = None if request.full else baseline(workspace, request.since)
    changed = changed_tests(workspace, snapshot, world, base=base)
    selection = select(world, changed=None if request.full else changed, paths=request.paths).first(request.max_tests)
    proposals, again = without_rejected(propose(world, snapshot, selection=selection, changed=changed), world)
    selection = selection.leaving_out("rejected_before", again)
    patch = assemble(
        world,
        proposals,
        selection=selection,
        extra=(),
        base=workspace.repository.head() or "no commit yet",
        today=workspace.now().date(),
    )
    before = latest_proposal(workspace.state)
    run = _run(workspace, request, patch, base=base)
    save_run(workspace.state, run, patch)
    carry_over(workspace.state, before, patch)
    return Reconciled(run, patch, world, proposals.needs_words, selection.left_out)


def propose(world: World, snapshot: Snapshot, *, selection: Selection, changed: frozenset[str]) -> Proposals:
    """Word the selected tests and turn the words into ops."""
    inferred = inferences(snapshot, (*selection.infer, *selection.confirm))
    proposer = Proposer.of(
        world,
        threshold=f"{world.pact.settings.inference_threshold:.2f}",
        carrier=carrier_for(world, changed),
    )
    return proposer.propose(
        [inferred[entry.test.id] for entry in selection.infer],
        [inferred[entry.test.id] for entry in selection.confirm],
        selection.gone,
    )


def inferences(snapshot: Snapshot, entries: Iterable[LinkedTest]) -> Mapping[str, Inferred]:
    """Read what the tests state and word it, by test id."""
    return {one.entry.test.id: one for one in infer_tests(snapshot, entries)}


def _run(workspace: Workspace, request: Request, patch: Patch, *, base: str | None) -> Run:
    at = workspace.now().isoformat(timespec="microseconds")
    return Run(
        hashed_id("REC", patch.hash, at),
        at,
        "full-scan" if request.full else "delta",
        workspace.repository.head(),
        base,
        patch.id,
        dict(patch.summary),
    )
