"""Take falsifiers out of atoms that only turn an outcome around: anybody who reads the outcome knows them."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.ids import normalised_intent
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.reading.opposite import falsifiers
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.operators.apply import apply_patch
from pactkeeper.reconcile.applying import Applied
from pactkeeper.reconcile.authored import AtomChange, change
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Trimmed:
    """How many falsifiers went from how many atoms, and how many stay because they say something of their own.

    `settled` counts those of atoms that are committed or given up, whose words nobody changes.
    """

    dropped: int
    atoms: int
    kept: int
    settled: int
    applied: Applied | None


def trim_falsifiers(workspace: Workspace, *, dry_run: bool = False) -> Trimmed:
    """Drop each falsifier of a draft or a proposal that is the opposite of its outcome, all in one write.

    Who wrote a falsifier is not recorded: one that a person wrote in the very same words goes as well.
    """
    workspace.settle(dry_run=dry_run)
    world = workspace.world(workspace.snapshot(), required=True)
    stored = [atom for atom in world.pact.atoms.values() if atom.falsified_by]
    loose = [atom for atom in stored if _is_open(world.pact, atom)]
    left = {atom.id: _own(atom) for atom in loose}
    changed = [change(world, atom, AtomChange(falsified_by=left[atom.id]), by=workspace.person()) for atom in loose]
    ops = [op for op in changed if op is not None]
    before = sum(len(atom.falsified_by) for atom in loose)
    kept = sum(map(len, left.values()))
    settled = sum(len(atom.falsified_by) for atom in stored) - before
    return Trimmed(before - kept, len(ops), kept, settled, _write(workspace, ops, dry_run=dry_run) if ops else None)


def _is_open(pact: Pact, atom: Atom) -> bool:
    return (pact.status_of(atom.id) or atom.status) in {"draft", "proposed"}


def _own(atom: Atom) -> tuple[str, ...]:
    """The falsifiers that say more than the opposite of an outcome."""
    known = {normalised_intent(one) for one in falsifiers(atom.intent, atom.outcomes)}
    return tuple(one for one in atom.falsified_by if normalised_intent(one) not in known)


def _write(workspace: Workspace, ops: list[Op], *, dry_run: bool) -> Applied:
    patch = Patch(workspace.repository.head() or "no commit yet", tuple(ops))
    by, at = workspace.person(), workspace.now().isoformat(timespec="seconds")
    decisions = [Decision(op.id, op.shown_hash, "accept", by, at) for op in ops]
    return apply_patch(workspace, patch, decisions, dry_run=dry_run)
