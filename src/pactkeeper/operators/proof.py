"""How well the pact's claims are proven: plausible by this machine's history, or attested by CI at a commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.errors import PactkeeperError

if TYPE_CHECKING:
    from pactkeeper.intent.evidence_state import AtomEvidence, Backing, TestEvidenceState, TestOutcomeRow
    from pactkeeper.reconcile.world import World
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.store.attestations import Attestation
    from pactkeeper.workspace import Workspace

VERIFIED: Final = "verified"  # the origin of an attestation whose signature was valid when imported
CLAIMED: Final = "claimed"  # the origin of an unsigned one
_FARTHEST: Final = 10_000  # commits searched for an attested one


@dataclass(frozen=True, slots=True)
class Attested:
    """The newest attested commit in HEAD's history.

    `ago` counts the commits since, `verified` says that the signature was valid when imported, and `current` that the
    work tree is exactly that commit. `agrees` is the result of `pk check` there, `atoms` counts committed atoms by
    state.
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
class Ran:
    """A commit at which proven tests passed, empty if the working tree equalled none, and how many tests.

    `changed` counts the files, besides tests and the pact, that are different now and may matter to the tests; None if
    that is unknown.
    """

    commit: str
    tests: int
    changed: int | None

    @property
    def here(self) -> bool:
        """Whether the code that passed is the code that is here."""
        return bool(self.commit) and self.changed == 0

    @property
    def told(self) -> str:
        """Say in a sentence what passed where, and whether that was the code that is here."""
        passed = f"{self.tests:,} {'test' if self.tests == 1 else 'tests'} passed"
        if not self.commit:
            return f"{passed} with uncommitted changes"
        if self.changed is None:
            return f"{passed} at {self.commit[:12]}, which is not in this repository"
        files, have = ("file", "has") if self.changed == 1 else ("files", "have")
        others = f"{self.changed:,} {files} besides tests and pact {have}"
        since = f"; {others} changed since: not proven for the code here" if self.changed else ""
        return f"{passed} at {self.commit[:12]}{since}"


@dataclass(frozen=True, slots=True)
class Proof:
    """Tests and live atoms by the evidence in this machine's history, and the latest attestation.

    `ran` says where the proven tests passed; `broken` counts the committed atoms that fail.
    """

    tests: Mapping[str, int]
    atoms: Mapping[str, int]
    attested: Attested | None
    ran: tuple[Ran, ...] = ()
    broken: int = 0


def proof(workspace: Workspace, snapshot: Snapshot, world: World) -> Proof | None:
    """Sum up the evidence; None without a history, at no cost."""
    if not workspace.has_history:
        return None
    from pactkeeper.intent.evidence_state import state_counts  # noqa: PLC0415 - only with a history

    states, atoms = judged(workspace, snapshot, world)
    return Proof(
        state_counts(one.state for one in states.values()),
        state_counts(one.state for one in atoms.values()),
        latest_attested(workspace),
        ran_at(workspace, snapshot, world, states),
        sum(one.state == "failing" and world.pact.is_committed(name) for name, one in atoms.items()),
    )


def ran_at(
    workspace: Workspace, snapshot: Snapshot, world: World, states: Mapping[str, TestEvidenceState]
) -> tuple[Ran, ...]:
    """Return where the proven tests passed, the commit with the most tests first."""
    from pactkeeper.intent.tests import homes  # noqa: PLC0415 - only with a history

    rows = [one.row for one in states.values() if one.row is not None and one.state == "proven"]
    tests = {file for one in world.scan.tests for file in homes(one)}
    apart = tests.union(*(row.source.split(", ") for row in rows))
    commits = Counter(row.commit for row in rows)
    return tuple(
        Ran(commit, number, _changed_since(workspace, snapshot, commit, apart) if commit else None)
        for commit, number in commits.most_common()
    )


def _changed_since(workspace: Workspace, snapshot: Snapshot, commit: str, apart: Collection[str]) -> int | None:
    """Count the files that differ from a commit, except the pact's and those `apart`.

    A file that git doesn't track counts if it is code: the tests passed without it, and nothing else can change that.
    """
    from pactkeeper.repo.git import untracked  # noqa: PLC0415 - only with a history
    from pactkeeper.repo.languages import owner  # noqa: PLC0415 - likewise

    try:
        then = workspace.snapshot(commit)
    except PactkeeperError:  # the commit is not in this repository
        return None
    paths = {path for path in (*then.paths, *snapshot.paths) if path not in apart and not snapshot.folder.holds(path)}
    changed = [path for path in paths if _blob(then, path) != _blob(snapshot, path)]
    loose = untracked(workspace.repository) if changed and snapshot.commit is None else frozenset()
    return sum(path not in loose or owner(path) is not None for path in changed)


def _blob(snapshot: Snapshot, path: str) -> str | None:
    return snapshot.blob(path) if path in snapshot else None


def kept_proof(fields: dict[str, Any] | None) -> Proof | None:
    """Rebuild a proof from its JSON fields."""
    if fields is None:
        return None
    attested, ran = fields.pop("attested"), tuple(Ran(**one) for one in fields.pop("ran"))
    return Proof(attested=None if attested is None else Attested(**attested), ran=ran, **fields)


def judged(
    workspace: Workspace, snapshot: Snapshot, world: World
) -> tuple[dict[str, TestEvidenceState], dict[str, AtomEvidence]]:
    """Judge every test and every live atom by the history."""
    from pactkeeper.intent.evidence_state import evidence_by_atom  # noqa: PLC0415 - as above

    states = test_states(workspace, snapshot, world)
    return states, evidence_by_atom(world.linked, states, world.pact)


def with_earlier(
    backings: Mapping[str, Backing],
    atoms: Mapping[str, AtomEvidence],
    states: Mapping[str, TestEvidenceState],
    ran: Collection[Ran],
) -> dict[str, Backing]:
    """Add the commit at which an atom's tests passed, if files besides tests and the pact have changed since."""
    changed = [one.commit for one in ran if one.changed]

    def earlier(atom: AtomEvidence) -> str:
        rows = (states[name].row for name in atom.tests.get("proven", ()))
        commits = {row.commit for row in rows if row is not None}
        return next((one for one in changed if one in commits), "")

    return {name: replace(one, earlier=earlier(atoms[name])) for name, one in backings.items()}


def backing_here(workspace: Workspace) -> dict[str, Backing]:
    """Say of every live atom of the working tree which tests back it, by atom id; raises if there is no pact."""
    snapshot = workspace.snapshot()
    return backings_of(workspace, snapshot, workspace.world(snapshot, required=True))


def backings_of(workspace: Workspace, snapshot: Snapshot, world: World) -> dict[str, Backing]:
    """Say of every live atom which tests back it, by atom id."""
    from pactkeeper.intent.evidence_state import backing_by_atom  # noqa: PLC0415 - as above

    states, atoms = judged(workspace, snapshot, world)
    found = backing_by_atom(world.linked, states, world.pact, world.unseen)
    return with_earlier(found, atoms, states, ran_at(workspace, snapshot, world, states))


def test_states(workspace: Workspace, snapshot: Snapshot, world: World) -> dict[str, TestEvidenceState]:
    """Judge every test by the outcomes that this machine's history holds."""
    from pactkeeper.intent.evidence_state import evidence_by_test, failed_uncommitted  # noqa: PLC0415 - as above

    rows = _rows(workspace)
    unsure = any(failed_uncommitted(row) for row in rows.values())
    clean = unsure and (snapshot.commit is not None or _is_clean(workspace, rows.values()))
    return evidence_by_test(world.scan.tests, rows, snapshot.blob, clean=clean)


def _is_clean(workspace: Workspace, rows: Collection[TestOutcomeRow]) -> bool:
    """Whether nothing differs from HEAD but the reports that the outcomes come from."""
    from pactkeeper.repo.git import uncommitted  # noqa: PLC0415 - only for a doubtful failure

    reports = {name for row in rows for name in row.source.split(", ")}
    return reports.issuperset(uncommitted(workspace.repository))


def _rows(workspace: Workspace) -> Mapping[str, TestOutcomeRow]:
    """Return the latest outcome of every test at the commits of this clone; other clones may share the history."""
    if not workspace.has_history:
        return {}
    from pactkeeper.store.attestations import commits_of_outcomes, latest_outcomes  # noqa: PLC0415 - only with a history

    history = workspace.history()
    commits = commits_of_outcomes(history)
    here = workspace.repository.commits_named(commits)
    return latest_outcomes(history, apart=[one for one in commits if one not in here])


def latest_attested(workspace: Workspace) -> Attested | None:
    """Return the attested commit nearest to HEAD in its history."""
    if not workspace.has_history or workspace.repository.head() is None:
        return None
    from pactkeeper.store.attestations import attestations, attested_commits  # noqa: PLC0415 - as above

    history = workspace.history()
    commit = _nearest(workspace, attested_commits(history))
    if commit is None:
        return None
    found = attestations(history, commit=commit)  # newest first; a signed one outweighs any unsigned one
    return _attested(workspace, next((one for one in found if one.origin == VERIFIED), found[0]))


def _nearest(workspace: Workspace, commits: frozenset[str]) -> str | None:
    if not commits:
        return None
    listed = workspace.repository.run("rev-list", f"--max-count={_FARTHEST}", "HEAD").decode().split()
    return next((commit for commit in listed if commit in commits), None)


def _attested(workspace: Workspace, row: Attestation) -> Attested:
    from pactkeeper.intent.evidence_state import state_counts  # noqa: PLC0415 - likewise
    from pactkeeper.intent.signatures import decode_attestation  # noqa: PLC0415 - only if one is shown
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
