"""Verbs that write: apply a patch, undo an apply, recover an interrupted write."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pactkeeper.catalog.journal import WriteEntry, entries
from pactkeeper.catalog.transaction import WriteNote, set_aside, settle, undo
from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.records import MoleculeRecommendation
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.decision import Decision, bind
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.operators.driving import drive_of, running, steps_of
from pactkeeper.operators.history import asserted, keep_patch, known_run
from pactkeeper.reconcile import applying
from pactkeeper.reconcile.applying import Applied
from pactkeeper.reconcile.flow import Drive
from pactkeeper.reconcile.journal import follow_journal
from pactkeeper.reconcile.world import ATOM, MOLECULE
from pactkeeper.store.decisions import decisions_of, save_decisions
from pactkeeper.store.history import History
from pactkeeper.store.recommendations import set_molecule_status
from pactkeeper.workspace import Workspace


def apply_patch(  # noqa: PLR0913 - what to apply and how, all named
    workspace: Workspace,
    patch: Patch,
    decisions: Sequence[Decision],
    *,
    skip_stale: bool = False,
    dry_run: bool = False,
    drive: Drive | None = None,
) -> Applied:
    """Apply the accepted ops of a patch, all or none, and record the rejected ones.

    The patch's run continues with these decisions, which are stored once they are carried out. Raises StaleError naming
    every op whose node changed since it was shown, unless `skip_stale`, and RefusedError if the policy forbids an op;
    the run then keeps waiting, with no decision recorded.
    """
    bind(patch, decisions)
    workspace.settle(dry_run=dry_run or not decisions)
    if dry_run or not decisions:
        return applying.apply_patch(workspace, patch, decisions, skip_stale=skip_stale, keep=None)
    with running(workspace) as held:
        run = known_run(workspace, patch)
        if run is None or run.status in {"completed", "cancelled"}:
            return _directly(workspace, patch, decisions=decisions, skip_stale=skip_stale)
        steps = steps_of(workspace, held, run)
        steps.said = tuple(decisions)
        word = _word(workspace.history(), patch, decisions, skip_stale=skip_stale)
        (drive or drive_of(workspace)).go(steps, word)
    if steps.failure is not None:
        raise steps.failure
    if steps.applied is None:
        raise RefusedError(f"{run.id} was cancelled; nothing was applied")
    return steps.applied


def _directly(workspace: Workspace, patch: Patch, *, decisions: Sequence[Decision], skip_stale: bool) -> Applied:
    """Apply a patch whose run has ended, or that came from a file."""

    def keep() -> None:
        keep_patch(workspace, patch, origin="apply")
        save_decisions(workspace.history(), patch.id, decisions)

    applied = applying.apply_patch(workspace, patch, decisions, skip_stale=skip_stale, keep=keep)
    follow_journal(workspace.history(), workspace.state)
    return applied


def _word(
    history: History, patch: Patch, decisions: Sequence[Decision], *, skip_stale: bool
) -> Mapping[str, JsonValue]:
    """Build the reply to the waiting run: apply all decisions, or only those meant this time."""
    meant = {one.op for one in decisions}
    everything = all(one.op in meant for one in decisions_of(history, patch.id))
    return {"apply": True, "skip_stale": skip_stale, **({} if everything else {"only": sorted(meant)})}


def without_test(patch: Patch, taken: Collection[Op]) -> Iterator[str]:
    """Yield a sentence for each new atom among the taken ops whose test the patch links, if that link isn't taken."""
    links = {str(op.payload["atomId"]): op for op in patch.ops if op.verb == "attachTestToAtom"}
    linked = {op.payload["atomId"] for op in taken if op.verb == "attachTestToAtom"}
    for name in (op.target.removeprefix(ATOM) for op in taken if op.verb == "createAtom"):
        if name in links and name not in linked:
            test = links[name].payload["testId"]
            yield f"no test will be linked to {name}: {links[name].id}, which links {test}, is not accepted"


@dataclass(frozen=True, slots=True)
class Undone:
    """The undone write, and the journal entry that undid it; None if nothing of the write was left."""

    entry: WriteEntry | None
    write: WriteEntry | None


def next_undo(workspace: Workspace, *, entry_id: int | None = None) -> WriteEntry:
    """Return the write `undo_apply` would undo; raises UsageError if there is none, or none with that number."""
    standing = [one for one in entries(workspace.state) if one.undone_by is None and one.undoes is None]
    found = [one for one in standing if entry_id in {None, one.id}]
    if not found:
        raise UsageError(f"no write {'' if entry_id is None else f'{entry_id!r} '}is left to undo")
    return found[-1]


def undo_apply(workspace: Workspace, *, entry_id: int | None = None) -> Undone:
    """Undo the latest apply that still stands, or the named one."""
    metadata: Mapping[str, JsonValue] = {"verb": "undo", **asserted(workspace)}
    note = WriteNote(workspace.now().isoformat(timespec="seconds"), metadata)
    done = undo(workspace.place, note, entry_id=entry_id)
    write = next((one for one in entries(workspace.state) if done is not None and one.id == done.undoes), None)
    if workspace.has_history:
        follow_journal(workspace.history(), workspace.state)
    return Undone(done, write)


def settle_write(workspace: Workspace, *, aside: bool = False) -> str:
    """Complete or roll back an interrupted write, or set it aside; returns a word for what was done."""
    done = ("set aside" if set_aside(workspace.place) else None) if aside else settle(workspace.place)
    if workspace.has_history:
        follow_journal(workspace.history(), workspace.state)
    return done or "nothing to settle"


def settle_groups(
    workspace: Workspace, groups: Sequence[MoleculeRecommendation], *, accepted: bool
) -> tuple[Decision, ...]:
    """Write the molecules into the pact, or record that they were rejected.

    A superseded atom gives its place to its successor. Raises UsageError if the pact lacks one of their atoms: atoms
    are accepted and applied first.
    """
    if not accepted:
        for one in groups:
            set_molecule_status(workspace.history(), one.id, "rejected", one.molecule_id)
        return ()
    workspace.settle()
    pact = workspace.pact(workspace.snapshot(), required=True)
    missing = sorted({atom for one in groups for atom in one.atom_ids if atom not in pact.atoms})
    if missing:
        raise UsageError(f"{', '.join(missing)}: not in the pact; accept and apply the atoms of a molecule first")
    patch = Patch(workspace.repository.head() or "no commit yet", tuple(_op(one, pact) for one in groups))
    by, at = workspace.person(), workspace.now().isoformat(timespec="seconds")
    decisions = tuple(Decision(op.id, op.shown_hash, "accept", by, at) for op in patch.ops)
    apply_patch(workspace, patch, decisions)
    for one in groups:
        set_molecule_status(workspace.history(), one.id, "applied", one.molecule_id)
    return decisions


def _op(one: MoleculeRecommendation, pact: Pact) -> Op:
    payload = {
        "moleculeId": one.molecule_id,
        "name": one.name,
        "description": one.description,
        "atomRecommendationIds": list(one.atom_recommendation_ids),
        "atomIds": list(dict.fromkeys(pact.successor_of(atom) or atom for atom in one.atom_ids)),
        "confidence": one.confidence,
    }
    return Op("createMolecule", f"{MOLECULE}{one.molecule_id}", None, payload, group=f"{MOLECULE}{one.molecule_id}")
