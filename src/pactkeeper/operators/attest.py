"""Verbs about attestations: what is declared, linked, proven and found at one commit.

They create one, verify one that was handed in, and store one in the history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from pactkeeper import __version__
from pactkeeper.errors import InputError, RefusedError, UnknownRevision, UsageError, some_of
from pactkeeper.intent.binding import Unmatched
from pactkeeper.intent.evidence_state import (
    TestEvidenceState,
    TestOutcomeRow,
    evidence_by_atom,
    evidence_by_test,
    state_counts,
)
from pactkeeper.intent.signatures import (
    NAMESPACE,
    AtomProof,
    Attestation,
    CheckSaid,
    CoverageRead,
    Examined,
    ResultsRead,
    TestProof,
    Unverified,
    Verified,
    catalog_hash,
    decode_attestation,
    encode_attestation,
    signed_bytes,
)
from pactkeeper.ledger.canonical import digest_bytes, tally
from pactkeeper.operators.check import CheckReport, check_repo
from pactkeeper.operators.proof import CLAIMED, VERIFIED
from pactkeeper.operators.test_reports import Reported, changed_paths, path_of, read_all, refuse_older, reported
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.world import World
from pactkeeper.repo.named_file import read_named
from pactkeeper.repo.reports import read_coverage
from pactkeeper.repo.signing import Claim, sign, verify_many

if TYPE_CHECKING:
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace


MOST_BYTES: Final = 64 << 20
MOST_SIGNERS: Final = 4 << 20
UNSIGNED: Final = Unverified("not checked", "it has no signature, so anybody could have written it")
CatalogMatch = Literal["same", "differs", "no such commit here"]


@dataclass(frozen=True, slots=True)
class Held:
    """An attestation with a correct hash, the result of its signature check, and whether the commit's pact matches."""

    attestation: Attestation
    signature: str
    text: str
    examined: Examined
    catalog: CatalogMatch

    @property
    def against(self) -> tuple[str, ...]:
        """What keeps it from holding for its commit, in words; empty if it holds."""
        said = self.attestation
        found = [self.examined.reason] if isinstance(self.examined, Unverified) else []
        if said.changed:
            found.append(f"the working tree differed from the commit: {some_of(map(repr, said.changed), MOST_NAMED)}")
        elif self.catalog == "differs":
            found.append(f"commit {said.commit[:12]} has a different pact than it claims")
        return tuple(found)


def verify_attestation(workspace: Workspace, name: str, *, allowed_signers: str | None = None) -> Held:
    """Read an attestation and check it against its signers and the repository; raises PatchError if it is incomplete.

    Without `allowed_signers`, a path relative to the current folder, the pact's own list is used.
    """
    text = _read(path_of(workspace, name), name)
    said, signature = decode_attestation(text)
    examined = _examined(workspace, said, signature, allowed_signers) if signature else UNSIGNED
    return Held(said, signature, text, examined, _catalog(workspace, said))


def import_attestation(workspace: Workspace, name: str, *, allowed_signers: str | None = None) -> Held:
    """Store an attestation in the history; an unsigned one is stored as a claim.

    Raises RefusedError if its signature does not hold, if the commit's pact differs, or if it was made from a work tree
    that differed from the commit.
    """
    held = verify_attestation(workspace, name, allowed_signers=allowed_signers)
    against = held.against if held.signature else held.against[1:]  # that it is unsigned is recorded with it
    if against:
        raise RefusedError(f"the attestation {name!r} does not hold: {'; '.join(against)}; nothing was kept")
    from pactkeeper.store.attestations import Attestation as Row  # noqa: PLC0415 - only needed when storing one
    from pactkeeper.store.attestations import save_attestation  # noqa: PLC0415 - likewise

    said = held.attestation
    signer = held.examined.principal if isinstance(held.examined, Verified) else None
    by = said.claims.get("actor", "") if signer is None else signer
    origin = CLAIMED if signer is None else VERIFIED
    row = Row(said.commit, said.catalog, origin, by, said.at, held.text, held.signature)
    save_attestation(workspace.history(), row)
    return held


def _read(path: Path, name: str) -> str:
    data = read_named(path, f"the attestation {name!r}", most=MOST_BYTES)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{name!r} is not an attestation: byte {error.start:,} is not UTF-8") from error


def _examined(workspace: Workspace, said: Attestation, signature: str, signers: str | None) -> Examined:
    content = _signers(workspace, signers)
    if isinstance(content, Unverified):
        return content
    (found,) = verify_many([Claim(signed_bytes(said), signature, said.at)], content, namespace=NAMESPACE)
    return found


def _signers(workspace: Workspace, name: str | None) -> bytes | Unverified:
    """Return the list of allowed signers: the named file, else that of the current pact."""
    if name is not None:
        return read_named(path_of(workspace, name), f"the list of signers {name!r}", most=MOST_SIGNERS)
    snapshot = workspace.snapshot()
    listed = workspace.pact(snapshot).settings.allowed_signers
    found = snapshot.read(listed)
    if found is None:
        return Unverified(
            "not checked", f"there is no list of allowed signers {listed!r}; name one: --allowed-signers FILE"
        )
    return found


def _catalog(workspace: Workspace, said: Attestation) -> CatalogMatch:
    try:
        snapshot = workspace.snapshot(said.commit)
    except UnknownRevision:
        return "no such commit here"
    return "same" if catalog_hash(workspace.pact_files(snapshot)) == said.catalog else "differs"


MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Ask:
    """What to attest: the work tree, or the commit `at`; with which reports and key.

    `apart` are files, besides the reports, that may differ from the commit, such as the output file.
    """

    results: tuple[str, ...] = ()
    coverage: tuple[str, ...] = ()
    at: str | None = None
    allow_dirty: bool = False
    key: Path | None = None
    apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """The document as text and as a value, and the reported cases that match no test."""

    text: str
    attestation: Attestation
    signed: bool
    unmatched: tuple[Unmatched, ...]


def attest(workspace: Workspace, ask: Ask) -> Made:
    """Attest what is found at a commit; evidence from this machine's history is not used.

    Raises RefusedError if the work tree differs from its commit, unless that is allowed and so recorded, and UsageError
    if there is no commit yet.
    """
    snapshot = workspace.snapshot(ask.at)
    changed = _changed(workspace, ask)
    look = _Look(workspace, snapshot, workspace.world(snapshot, required=True), _commit(workspace, snapshot))
    found = reported(workspace, snapshot, look.world.scan, ask.results)
    refuse_older(workspace, look.commit, ask.results, found)
    said = look.attestation(found, changed, tuple(_coverage(workspace, ask.coverage)))
    signature = "" if ask.key is None else sign(signed_bytes(said), ask.key, NAMESPACE)
    return Made(encode_attestation(said, signature), said, bool(signature), found.outcomes.unmatched)


@dataclass(frozen=True, slots=True)
class _Look:
    """One state of the repository with its pact."""

    workspace: Workspace
    snapshot: Snapshot
    world: World
    commit: str

    def attestation(self, found: Reported, changed: tuple[str, ...], coverage: tuple[CoverageRead, ...]) -> Attestation:
        """Assemble the attestation."""
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
            tests=tally(entry.state for entry in world.linked),
            atoms=tally(str(world.pact.status_of(name)) for name in world.pact.atoms),
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
    """Return the files that differ from the commit and affect the attestation."""
    if ask.at is not None:
        return ()
    changed = changed_paths(workspace, (*ask.results, *ask.coverage, *ask.apart))
    if changed and not ask.allow_dirty:
        raise RefusedError(
            f"the working tree differs from its commit: {some_of(map(repr, changed), MOST_NAMED)}; commit or ignore "
            "them, attest only the commit with --at HEAD, or record the difference with --allow-dirty"
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
    """Yield every committed atom that is not superseded, by id, with the results of its tests."""
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
        tally(row.code for row in report.findings),
        report.count("error"),
        report.count("warning"),
        len(report.waived),
        tally(rule.status for rule in report.rules),
        dict(report.commitments),
    )
