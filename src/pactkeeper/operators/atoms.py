"""Verbs that read atoms: list, get, search and count them, list their tags, and trace their history.

The history of an atom is what it replaced, what replaces it, its commitments, and the commits of its table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, get_args

from pactkeeper.catalog.statements import entry_ranges
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Atom, Clarification, Commitment, Molecule, Status, predecessors
from pactkeeper.intent.commitments import in_order
from pactkeeper.intent.evidence_state import Backing
from pactkeeper.intent.listing import SORTS, AtomCounts, AtomFilter, count, matching, ordered, popular_tags, search
from pactkeeper.intent.pact import Pact
from pactkeeper.operators.proof import backing_here
from pactkeeper.repo.line_history import Revision, committed_bytes, revisions_of
from pactkeeper.workspace import Workspace

CLOSE_ENOUGH = 0.7
MOST_SUGGESTIONS = 3
EVERYTHING: Final = 10**9  # a limit that leaves nothing out
BackingWanted = Literal["any", "backed", "unbacked"]
BACKINGS: Final[tuple[BackingWanted, ...]] = get_args(BackingWanted)


@dataclass(frozen=True, slots=True)
class AtomRow:
    """An atom with its standing in the pact.

    `tests` have a reviewed link to it; `successor` has replaced it, and `waiting` is declared to but is not as firm
    yet. `reason` says why it was abandoned. `backing` is None if nobody asked for it, or if the atom is not in force.
    """

    atom: Atom
    status: Status
    tests: tuple[str, ...]
    commitment: str | None
    successor: str | None
    waiting: str | None
    backing: Backing | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class AtomQuery:
    """Which atoms to list, in which order, and which page; pages count from 1.

    With `backing`, each atom has the tests that back it; `backed` and `unbacked` list only those atoms in force.
    """

    wanted: AtomFilter = field(default_factory=AtomFilter)
    sort: str = "place"
    descending: bool = False
    page: int = 1
    limit: int = 50
    backing: BackingWanted | None = None


@dataclass(frozen=True, slots=True)
class AtomPage:
    """One page of a list; `total` counts all pages."""

    rows: tuple[AtomRow, ...]
    total: int
    page: int
    pages: int


@dataclass(frozen=True, slots=True)
class AtomDetail:
    """An atom with its molecules and the answered questions about it."""

    row: AtomRow
    molecules: tuple[Molecule, ...]
    clarifications: tuple[Clarification, ...]


@dataclass(frozen=True, slots=True)
class SearchHit:
    """An atom that matched a search; `matched` are the words of the query found in it."""

    row: AtomRow
    matched: tuple[str, ...]


def list_atoms(workspace: Workspace, query: AtomQuery) -> AtomPage:
    """List the atoms that match a filter, a page at a time."""
    if query.sort not in SORTS or query.page < 1 or query.limit < 1:
        raise UsageError(f"{query!r} cannot be listed; sort by {', '.join(SORTS)}, pages and limits begin at 1")
    pact = declared(workspace)
    backing = backing_here(workspace) if query.backing else {}
    found = ordered(matching(pact, query.wanted), pact, sort=query.sort, descending=query.descending)
    if query.backing in {"backed", "unbacked"}:
        backed = query.backing == "backed"
        found = [atom for atom in found if atom.id in backing and backing[atom.id].backed is backed]
    start = (query.page - 1) * query.limit
    rows = tuple(
        replace(row_of(atom, pact), backing=backing.get(atom.id)) for atom in found[start : start + query.limit]
    )
    return AtomPage(rows, len(found), query.page, -(-len(found) // query.limit))


def get_atom(workspace: Workspace, name: str) -> AtomDetail:
    """Get one atom by its id."""
    pact = declared(workspace)
    atom = named_atom(pact, name)
    molecules = tuple(one for one in pact.molecules.values() if atom.id in pact.in_force(one.atoms))
    row = replace(row_of(atom, pact), backing=backing_here(workspace).get(atom.id))
    return AtomDetail(row, molecules, pact.clarifications_of(atom.id))


def search_atoms(
    workspace: Workspace, query: str, wanted: AtomFilter | None = None, *, limit: int = 20
) -> tuple[SearchHit, ...]:
    """Find atoms by words in their sentence, tags, outcomes, category and origin, best first."""
    pact = declared(workspace)
    hits = search(matching(pact, wanted or AtomFilter()), query)[:limit]
    return tuple(SearchHit(row_of(hit.atom, pact), hit.matched) for hit in hits)


def count_atoms(workspace: Workspace, wanted: AtomFilter | None = None) -> AtomCounts:
    """Count the atoms that match a filter, by status, category and source, and what they lack."""
    pact = declared(workspace)
    return count(matching(pact, wanted or AtomFilter()), pact)


def get_popular_tags(workspace: Workspace, limit: int | None = None) -> Sequence[tuple[str, int]]:
    """List the tags with the number of atoms that have each, most frequent first."""
    return popular_tags(declared(workspace).atoms.values())[:limit]


def declared(workspace: Workspace) -> Pact:
    """Return the pact of the working tree; raises if there is none."""
    return workspace.pact(workspace.snapshot(), required=True)


def row_of(atom: Atom, pact: Pact) -> AtomRow:
    """Join an atom with its standing in the pact."""
    abandonment = pact.abandonment_of(atom.id)
    return AtomRow(
        atom,
        pact.status_of(atom.id) or atom.status,
        pact.tests_of(atom.id),
        pact.commitment_of(atom.id),
        pact.successor_of(atom.id),
        pact.waiting_for(atom.id),
        reason=atom.reason if abandonment is None else abandonment.abandons,
    )


def named_atom(pact: Pact, name: str) -> Atom:
    """Return the atom with this id, ignoring case; raises UsageError that suggests similar ids."""
    found = pact.atoms.get(name) or pact.atoms.get(name.upper())
    if found is not None:
        return found
    from difflib import get_close_matches  # noqa: PLC0415 - only for an error

    close = get_close_matches(name.upper(), list(pact.atoms), MOST_SUGGESTIONS, CLOSE_ENOUGH)
    hint = f"did you mean {' or '.join(close)}?" if close else "to find it: pk atom search WORDS"
    raise UsageError(f"the pact has no atom {name!r}; {hint}")


MOST_REVISIONS = 20


@dataclass(frozen=True, slots=True)
class AtomHistory:
    """An atom's chain of succession, oldest first and including itself, with its commitments and commits.

    A chain that forks includes every branch. `revisions` are the latest commits of its table, newest first, and empty
    if the table is not in git yet.
    """

    atom: AtomRow
    chain: tuple[AtomRow, ...]
    commitments: tuple[Commitment, ...]
    revisions: tuple[Revision, ...]


def atom_history(workspace: Workspace, name: str, *, most: int = MOST_REVISIONS) -> AtomHistory:
    """Trace an atom's history, with at most `most` commits."""
    pact = declared(workspace)
    atom = named_atom(pact, name)
    return AtomHistory(
        row_of(atom, pact),
        tuple(row_of(pact.atoms[one], pact) for one in chain_of(atom.id, pact)),
        commitments_of(atom.id, pact),
        table_revisions(workspace, atom, most=most),
    )


def chain_of(name: str, pact: Pact) -> Sequence[str]:
    """Return the ids of what an atom replaced, itself, and everything declared to replace it, oldest first."""
    found = [*reversed(list(predecessors(name, pact.atoms))), name]
    for one in found:
        found.extend(claimant for claimant in pact.claimants_of(one) if claimant not in found)
    return found


def commitments_of(name: str, pact: Pact) -> tuple[Commitment, ...]:
    """Return the commitments that froze an atom, oldest first."""
    return tuple(one for one in in_order(pact.commitments.values()) if name in one.frozen)


def table_revisions(workspace: Workspace, atom: Atom, *, most: int) -> tuple[Revision, ...]:
    """Return the last commits that changed the atom's table, as of HEAD."""
    source = committed_bytes(workspace.repository, atom.path)
    if source is None:
        return ()
    return revisions_of(workspace.repository, atom.path, entry_ranges(source, atom.id), most=most)
