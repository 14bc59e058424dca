"""Verbs that read commitments: which exist, what each froze, and how well each is authenticated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Literal, get_args

from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Commitment, Frozen, Status
from pactkeeper.intent.commitments import contradictions, in_order
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.signatures import Examined, Unverified, Verified
from pactkeeper.operators.signatures import assurance, known_commitments
from pactkeeper.reconcile.commitments import CommitmentFacts
from pactkeeper.workspace import Workspace

Standing = Literal["standing", "superseded", "abandoned", "broken"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which commitments to list; days are inclusive, in UTC."""

    atom: str | None = None
    status: Standing | None = None
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class FrozenAtom:
    """One atom of a commitment: the frozen words, whether they are intact, and the atom's current status.

    `words` is None if the commitment does not contain them, `status` if the pact has no such atom.
    """

    id: str
    words: Frozen | None
    intact: bool
    status: Status | None
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class CommitmentRow:
    """One commitment as doors show it.

    It is standing while any of its atoms is in force, superseded or abandoned once none is, and broken if it or one of
    its atoms was altered. `assurance` says how surely the committer is known, or what is wrong with the signature, and
    `why` the reason. `abandons` says why it gave its atoms up, None if it froze them.
    """

    id: str
    by: str
    at: str
    status: Standing
    assurance: str
    why: str
    atoms: tuple[FrozenAtom, ...]
    overrides: Mapping[str, str]
    after: tuple[str, ...]
    path: str
    troubles: tuple[str, ...] = ()
    abandons: str | None = None


def list_commitments(workspace: Workspace, chosen: Filter) -> tuple[CommitmentRow, ...]:
    """List commitments, newest first, with the state of their signatures."""
    pact, known = _known(workspace)
    if chosen.atom is not None and chosen.atom not in pact.atoms and chosen.atom not in pact.committed_ids:
        raise UsageError(f"the pact has no atom {chosen.atom!r}; to find it: pk atom search WORDS")
    rows = (_row(one, pact, known, ci=workspace.surroundings.ci) for one in _newest_first(pact))
    return tuple(row for row in rows if _matches(row, chosen))


def get_commitment(workspace: Workspace, name: str) -> tuple[CommitmentRow, ...]:
    """Return the commitment with this id, or all that froze the atom with this id, newest first."""
    pact, known = _known(workspace)
    found = [one for one in _newest_first(pact) if name == one.id or name in one.frozen]
    if not found:
        what = "is not committed" if name in pact.atoms else "is no commitment and no atom of the pact"
        raise UsageError(f"{name!r} {what}; see: pk commitment list")
    return tuple(_row(one, pact, known, ci=workspace.surroundings.ci) for one in found)


def _known(workspace: Workspace) -> tuple[Pact, CommitmentFacts]:
    workspace.ensure_settled()
    snapshot = workspace.snapshot()
    pact = workspace.pact(snapshot, required=True)
    return pact, known_commitments(workspace, snapshot, pact, below=None)


def _newest_first(pact: Pact) -> list[Commitment]:
    return [*reversed(in_order(pact.commitments.values()))]


def _matches(row: CommitmentRow, chosen: Filter) -> bool:
    at = datetime.fromisoformat(row.at)
    return (
        (chosen.atom is None or any(atom.id == chosen.atom for atom in row.atoms))
        and (chosen.status is None or row.status == chosen.status)
        and (chosen.since is None or at >= datetime.combine(chosen.since, time.min, UTC))
        and (chosen.until is None or at <= datetime.combine(chosen.until, time.max, UTC))
    )


def _row(commitment: Commitment, pact: Pact, known: CommitmentFacts, *, ci: bool) -> CommitmentRow:
    atoms = tuple(_frozen(name, commitment, pact) for name in sorted(commitment.frozen))
    examined = known.signatures.get(commitment.id)
    troubles = tuple(_troubles(commitment, atoms, examined))
    statuses = {atom.status for atom in atoms}
    ended: Standing = "superseded" if "superseded" in statuses else "abandoned"
    return CommitmentRow(
        commitment.id,
        commitment.by,
        commitment.at,
        "broken" if troubles else "standing" if "committed" in statuses else ended,
        assurance(commitment, known, ci=ci),
        _why(examined),
        atoms,
        commitment.overrides or {},
        tuple(commitment.after),
        commitment.path,
        troubles,
        commitment.abandons,
    )


def _frozen(name: str, commitment: Commitment, pact: Pact) -> FrozenAtom:
    atom = pact.atoms.get(name)
    intact = atom is not None and atom.frozen_hash() == commitment.frozen[name]
    return FrozenAtom(name, commitment.words.get(name), intact, pact.status_of(name), commitment.replaces.get(name))


def _troubles(commitment: Commitment, atoms: tuple[FrozenAtom, ...], examined: Examined | None) -> Iterator[str]:
    yield from contradictions(commitment)
    for atom in atoms:
        if atom.status is None:
            yield f"{atom.id} is gone from the pact"
        elif not atom.intact:
            yield f"{atom.id} differs from what was frozen"
    if isinstance(examined, Unverified) and examined.flaw != "not checked":
        yield examined.reason


def _why(examined: Examined | None) -> str:
    if isinstance(examined, Verified):
        return f"{examined.principal} with the key {examined.key}"
    return "" if examined is None else examined.reason
