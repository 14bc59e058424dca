"""What became of an atom: what it replaced, what replaces it, its commitments, and the commits of its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pactkeeper.catalog.places import entry_ranges
from pactkeeper.intent.atoms import Atom, Commitment
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.succession import predecessors
from pactkeeper.operators.atoms import AtomRow, declared, named_atom, row_of
from pactkeeper.repo.line_history import Revision, committed_bytes, revisions_of
from pactkeeper.workspace import Workspace

MOST_REVISIONS = 20


@dataclass(frozen=True, slots=True)
class AtomHistory:
    """An atom's chain from the oldest atom to the newest, itself included, and what is known of its own table.

    Where a chain forks, every branch is in it. `revisions` are the newest commits first, empty where nobody committed
    the table to git yet.
    """

    atom: AtomRow
    chain: tuple[AtomRow, ...]
    commitments: tuple[Commitment, ...]
    revisions: tuple[Revision, ...]


def atom_history(workspace: Workspace, name: str, *, most: int = MOST_REVISIONS) -> AtomHistory:
    """Tell what became of an atom; at most so many commits."""
    pact = declared(workspace)
    atom = named_atom(pact, name)
    return AtomHistory(
        row_of(atom, pact),
        tuple(row_of(pact.atoms[one], pact) for one in chain_of(atom.id, pact)),
        commitments_of(atom.id, pact),
        table_revisions(workspace, atom, most=most),
    )


def chain_of(name: str, pact: Pact) -> Sequence[str]:
    """The ids of what an atom replaced, the atom, and of all that was declared to replace it, oldest first."""
    found = [*reversed(list(predecessors(name, pact.atoms))), name]
    for one in found:
        found.extend(claimant for claimant in pact.claimants_of(one) if claimant not in found)
    return found


def commitments_of(name: str, pact: Pact) -> tuple[Commitment, ...]:
    """The commitments that froze an atom, oldest first."""
    found = [one for one in pact.commitments.values() if name in one.frozen]
    return tuple(sorted(found, key=lambda one: (one.at, one.id)))


def table_revisions(workspace: Workspace, atom: Atom, *, most: int) -> tuple[Revision, ...]:
    """The last commits that changed the atom's table, as HEAD has it."""
    source = committed_bytes(workspace.repository, atom.path)
    if source is None:
        return ()
    return revisions_of(workspace.repository, atom.path, entry_ranges(source, atom.id), most=most)
