"""How far what the pact declares is known to hold: plausible by this machine's history, attested by CI at a commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pactkeeper.intent.evidence_state import AtomEvidence, TestEvidenceState, TestOutcomeRow
    from pactkeeper.reconcile.world import World
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.store.attestations import Attestation
    from pactkeeper.workspace import Workspace

VERIFIED: Final = "verified"  # the origin of an attestation whose signature held when it was imported
CLAIMED: Final = "claimed"  # the origin of one that nobody signed
_FARTHEST: Final = 10_000  # commits that are looked through for an attested one


@dataclass(frozen=True, slots=True)
class Attested:
    """The newest attested commit that HEAD stands on.

    `ago` counts the commits since, `verified` says that the signature held when it was imported, `current` that the
    work tree is that very commit. `agrees` is what `pk check` said there, `atoms` counts committed atoms by state.
    """

    commit: str
    ago: int
    at: str
    by: str
    verified: bool
    current: bool
    agrees: bool
    atoms: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Proof:
    """Tests and live atoms by what this machine's history says of them, and what CI vouched for last."""

    tests: Mapping[str, int]
    atoms: Mapping[str, int]
    attested: Attested | None


def proof(workspace: Workspace, snapshot: Snapshot, world: World) -> Proof | None:
    """Sum up what is known; None where there is no history, which costs nothing to find out."""
    if not workspace.has_history:
        return None
    from pactkeeper.intent.evidence_state import state_counts  # noqa: PLC0415 - only where there is a history

    states, atoms = judged(workspace, snapshot, world)
    return Proof(
        state_counts(one.state for one in states.values()),
        state_counts(one.state for one in atoms.values()),
        latest_attested(workspace),
    )


def kept_proof(fields: dict[str, Any] | None) -> Proof | None:
    """Read a proof back from the fields of its JSON form."""
    if fields is None:
        return None
    attested = fields.pop("attested")
    return Proof(attested=None if attested is None else Attested(**attested), **fields)


def judged(
    workspace: Workspace, snapshot: Snapshot, world: World
) -> tuple[dict[str, TestEvidenceState], dict[str, AtomEvidence]]:
    """Judge every test and every live atom by the history."""
    from pactkeeper.intent.evidence_state import evidence_by_atom, evidence_by_test  # noqa: PLC0415 - as above

    states = evidence_by_test(world.scan.tests, _rows(workspace), snapshot.blob)
    return states, evidence_by_atom(world.linked, states, world.pact)


def _rows(workspace: Workspace) -> Mapping[str, TestOutcomeRow]:
    if not workspace.has_history:
        return {}
    from pactkeeper.store.attestations import latest_outcomes  # noqa: PLC0415 - only where there is a history

    return latest_outcomes(workspace.history())


def latest_attested(workspace: Workspace) -> Attested | None:
    """Find the attested commit nearest to HEAD among those that it stands on."""
    if not workspace.has_history or workspace.repository.head() is None:
        return None
    from pactkeeper.store.attestations import attestations, attested_commits  # noqa: PLC0415 - as above

    history = workspace.history()
    commit = _nearest(workspace, attested_commits(history))
    if commit is None:
        return None
    found = attestations(history, commit=commit)  # the newest first; one that is signed outweighs any that is not
    return _attested(workspace, next((one for one in found if one.origin == VERIFIED), found[0]))


def _nearest(workspace: Workspace, commits: frozenset[str]) -> str | None:
    if not commits:
        return None
    listed = workspace.repository.run("rev-list", f"--max-count={_FARTHEST}", "HEAD").decode().split()
    return next((commit for commit in listed if commit in commits), None)


def _attested(workspace: Workspace, row: Attestation) -> Attested:
    from pactkeeper.intent.evidence_state import state_counts  # noqa: PLC0415 - likewise
    from pactkeeper.intent.signatures import decode_attestation  # noqa: PLC0415 - only where one is shown
    from pactkeeper.repo.git import uncommitted  # noqa: PLC0415 - likewise

    said, _ = decode_attestation(row.text)
    ago = int(workspace.repository.run("rev-list", "--count", f"{row.commit}..HEAD"))
    return Attested(
        row.commit,
        ago,
        row.at,
        row.by,
        row.origin == VERIFIED,
        ago == 0 and not uncommitted(workspace.repository),
        said.check.agrees,
        state_counts(one.state for one in said.proofs),
    )
