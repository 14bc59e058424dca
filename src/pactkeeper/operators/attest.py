"""The verb that makes an attestation: what is declared, linked, proven and found at one commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pactkeeper import __version__
from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.intent.attestation import (
    NAMESPACE,
    AtomProof,
    Attestation,
    CheckSaid,
    CoverageRead,
    ResultsRead,
    TestProof,
    catalog_hash,
    encode_attestation,
    signed_bytes,
)
from pactkeeper.intent.evidence_state import (
    TestEvidenceState,
    TestOutcomeRow,
    evidence_by_atom,
    evidence_by_test,
    state_counts,
)
from pactkeeper.intent.outcomes import Unmatched
from pactkeeper.ledger.canonical import digest_bytes
from pactkeeper.operators.check import CheckReport, check_repo
from pactkeeper.operators.test_reports import Reported, changed_paths, read_all, reported
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.world import World
from pactkeeper.repo.reports import read_coverage
from pactkeeper.repo.signing import sign

if TYPE_CHECKING:
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace

MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Ask:
    """What to attest: the work tree, or the commit `at`; with which reports and key.

    `apart` are files that may differ from the commit besides the reports, such as the one that is written.
    """

    results: tuple[str, ...] = ()
    coverage: tuple[str, ...] = ()
    at: str | None = None
    allow_dirty: bool = False
    key: Path | None = None
    apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """The document as text and as a value, and the cases of reports that fit no test."""

    text: str
    attestation: Attestation
    signed: bool
    unmatched: tuple[Unmatched, ...]


def attest(workspace: Workspace, ask: Ask) -> Made:
    """Look at a commit and vouch for what is there; evidence of this machine's history takes no part.

    Raises RefusedError where the work tree differs from its commit, unless that is allowed and so recorded, and
    UsageError before the first commit.
    """
    snapshot = workspace.snapshot(ask.at)
    changed = _changed(workspace, ask)
    look = _Look(workspace, snapshot, workspace.world(snapshot, required=True), _commit(workspace, snapshot))
    found = reported(workspace, snapshot, look.world.scan, ask.results)
    said = look.attestation(found, changed, tuple(_coverage(workspace, ask.coverage)))
    signature = "" if ask.key is None else sign(signed_bytes(said), ask.key, NAMESPACE)
    return Made(encode_attestation(said, signature), said, bool(signature), found.outcomes.unmatched)


@dataclass(frozen=True, slots=True)
class _Look:
    """One state of the repository with the pact in it."""

    workspace: Workspace
    snapshot: Snapshot
    world: World
    commit: str

    def attestation(self, found: Reported, changed: tuple[str, ...], coverage: tuple[CoverageRead, ...]) -> Attestation:
        """Put together what was looked at."""
        world, files = self.world, self.workspace.pact_files(self.snapshot)
        at = self.workspace.now().isoformat(timespec="seconds")
        rows = _rows(world, found, self.commit, at=at)
        states = evidence_by_test(world.scan.tests, rows, self.snapshot.blob)
        return Attestation(
            commit=self.commit,
            at=at,
            version=__version__,
            changed=changed,
            claims=dict(self.workspace.surroundings.claims),
            catalog=catalog_hash(files),
            files=len(files),
            tests=_counted(entry.state for entry in world.linked),
            atoms=_counted(str(world.pact.status_of(name)) for name in world.pact.atoms),
            evidence=state_counts(one.state for one in states.values()),
            proofs=tuple(_proofs(world, states)),
            results=tuple(_results(found)),
            coverage=coverage,
            check=_check(check_repo(self.workspace, StateView(at=self.snapshot.commit))),
        )


def _commit(workspace: Workspace, snapshot: Snapshot) -> str:
    commit = snapshot.commit or workspace.repository.head()
    if commit is None:
        raise UsageError("there is no commit to attest yet; commit something first")
    return commit


def _changed(workspace: Workspace, ask: Ask) -> tuple[str, ...]:
    """What differs from the commit and takes part in what is looked at."""
    if ask.at is not None:
        return ()
    changed = changed_paths(workspace, (*ask.results, *ask.coverage, *ask.apart))
    if changed and not ask.allow_dirty:
        some = ", ".join(repr(path) for path in changed[:MOST_NAMED])
        more = f" and {len(changed) - MOST_NAMED} more" if len(changed) > MOST_NAMED else ""
        raise RefusedError(
            f"the work tree is not what its commit says: {some}{more}; commit or ignore them, attest the commit alone "
            "with --at HEAD, or have the difference recorded with --allow-dirty"
        )
    return changed


def _rows(world: World, found: Reported, commit: str, *, at: str) -> Mapping[str, TestOutcomeRow]:
    bodies = {test.id: test.body_hash for test in world.scan.tests}
    return {
        name: TestOutcomeRow(name, bodies[name], commit, one.outcome, at, "")
        for name, one in found.outcomes.verdicts.items()
        if one.outcome != "skipped"
    }


def _proofs(world: World, states: Mapping[str, TestEvidenceState]) -> Iterator[AtomProof]:
    """Every atom that is committed and not superseded, by id, with what came of its tests."""
    for name, one in sorted(evidence_by_atom(world.linked, states, world.pact).items()):
        if world.pact.status_of(name) == "committed":
            rows = [states[test].row for state in ("failing", "proven") for test in one.tests.get(state, ())]
            tests = tuple(TestProof(row.test_id, row.body_hash, row.outcome) for row in rows if row is not None)
            yield AtomProof(name, world.pact.atoms[name].frozen_hash(), one.state, tests)


def _results(found: Reported) -> Iterator[ResultsRead]:
    for report, results in found.reports:
        unmatched = sum(one.source == report.name for one in found.outcomes.unmatched)
        yield ResultsRead(report.name, results.form, digest_bytes(report.data), results.counts, unmatched)


def _coverage(workspace: Workspace, names: Sequence[str]) -> Iterator[CoverageRead]:
    for report, found in read_all(workspace, names, read_coverage) if names else ():
        hit, lines = found.totals
        yield CoverageRead(report.name, found.form, digest_bytes(report.data), len(found.files), lines, hit)


def _check(report: CheckReport) -> CheckSaid:
    return CheckSaid(
        report.agrees,
        _counted(row.code for row in report.findings),
        report.count("error"),
        report.count("warning"),
        len(report.waived),
        _counted(rule.status for rule in report.rules),
        dict(report.commitments),
    )


def _counted(words: Iterator[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))
