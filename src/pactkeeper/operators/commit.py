"""Committing atoms, or giving committed ones up: what the ceremony shows, and the one step that carries it out.

This is not a verb: the table of verbs, which every door and agent is offered, has no row for it. A door with a person
in front of it calls these functions and passes on what that person agreed to. Also selects the atoms to commit, and
says which cannot be frozen or already are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pactkeeper.advice import COMMIT
from pactkeeper.catalog.commitments import write_commitment
from pactkeeper.catalog.journal import WriteEntry
from pactkeeper.catalog.read import read_pact
from pactkeeper.catalog.schema import INVARIANTS_FILE, SETTINGS_FILE
from pactkeeper.catalog.transaction import Basis
from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.intent.atoms import Atom, Commitment, Pledge, atoms_within
from pactkeeper.intent.commitments import NAMESPACE, identity_of, new_commitment, signed_bytes, tips
from pactkeeper.intent.evidence_state import MOST_NAMED, TestEvidenceState
from pactkeeper.intent.gate import Gate, gate
from pactkeeper.intent.invariants import CommitRequest, Facts
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.signatures import Unverified, Verified
from pactkeeper.operators.invariants import evidence_of
from pactkeeper.operators.molecules import stored_molecule
from pactkeeper.operators.signatures import commitments_at, known_commitments
from pactkeeper.reconcile.world import World
from pactkeeper.repo.signing import Claim, sign, verify_many
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Ask:
    """A request to commit: atoms by id, all those in a molecule (id or name), and overrides of invariants with reasons.

    `key` is the ssh key file to sign with. Without one, `session` says that the person is signed in to a server;
    otherwise they type at a terminal. `passing` leaves out atoms that the gate refuses, instead of refusing all.
    `only_look` writes nothing and is open to anybody. With `abandons`, the reason, the atoms are given up instead.
    """

    atoms: tuple[str, ...] = ()
    molecule: str | None = None
    overrides: Mapping[str, str] = field(default_factory=dict)
    key: Path | None = None
    session: bool = False
    passing: bool = False
    only_look: bool = False
    abandons: str | None = None


@dataclass(frozen=True, slots=True)
class Ceremony:
    """Everything a person is shown before committing; `commitment` is not signed yet.

    `left_out` are named atoms that will not be frozen, with the reason; `basis` is what was judged. `failing` are those
    of which a test failed when it last ran, each with the sentence that says so: the gate doesn't refuse them.
    """

    commitment: Commitment
    atoms: tuple[Atom, ...]
    gate: Gate
    left_out: tuple[tuple[str, str], ...]
    basis: Basis = field(repr=False)
    signers: str
    key: Path | None = None
    failing: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Consent:
    """A person's consent to the ceremony whose commitment has this id: typed, or given with a key."""

    commitment: str
    key: Path | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """The commitment as written, and the journal entry of the write."""

    commitment: Commitment
    entry: WriteEntry


def prepare_commit(workspace: Workspace, ask: Ask) -> Ceremony:
    """Assemble what would be frozen and let the gate judge it; nothing is written, except to recover a write.

    An interrupted write is recovered first. Raises `UsageError` if a name means no atom that could be committed, and
    `RefusedError` if the project or this kind of request requires a signature that cannot be made.
    """
    workspace.settle(dry_run=ask.only_look)
    reading = _read(workspace, ask)
    atoms, left_out = _chosen_atoms(reading)
    _refuse_unfounded(reading)
    ceremony = reading.ceremony(atoms, left_out)
    refused = _refused(ceremony.gate) if ask.passing else {}
    if 0 < len(refused) < len(atoms):
        passing = tuple(atom for atom in atoms if atom.id not in refused)
        ceremony = reading.ceremony(passing, (*left_out, *refused.items()))
    return ceremony


def commit_atoms(workspace: Workspace, ceremony: Ceremony, consent: Consent) -> Committed:
    """Freeze what the ceremony showed, all or nothing.

    Raises `RefusedError` if the gate forbids it or the consent is for something else, `StaleError` if what was judged
    has changed since, `SigningFailed` and `MissingProgram`.
    """
    commitment = ceremony.commitment
    if consent.commitment != commitment.id or consent.key != ceremony.key:
        raise RefusedError(f"{commitment.id} is not as it was shown when consent was given; nothing was committed")
    if not ceremony.gate.allowed:
        names = ", ".join(one.invariant for one in ceremony.gate.refusals)
        raise RefusedError(f"the gate refuses this: {names}; nothing was committed")
    if consent.key is not None:
        commitment = _signed(commitment, consent.key, ceremony, workspace)
    entry = write_commitment(workspace.place, commitment, ceremony.gate, basis=ceremony.basis)
    return Committed(commitment, entry)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A request and everything it is judged by; `files` are the bytes on disk.

    `counting` are the commitments that leave nothing to commit: with a key, only those with a valid signature.
    """

    ask: Ask
    files: Mapping[str, bytes]
    world: World
    evidence: Mapping[str, TestEvidenceState] | None
    after: Mapping[str, str]
    counting: frozenset[str]
    by: str
    at: str

    @property
    def pact(self) -> Pact:
        return self.world.pact

    def ceremony(self, atoms: tuple[Atom, ...], left_out: tuple[tuple[str, str], ...]) -> Ceremony:
        """Build the ceremony for these atoms."""
        ask = self.ask
        assurance = _pledge(ask)
        commitment = new_commitment(
            atoms,
            by=self.by,
            at=self.at,
            assurance=assurance,
            overrides=ask.overrides,
            after=self.after,
            abandons=ask.abandons,
        )
        request = CommitRequest(
            tuple(commitment.frozen), self.by, "person", assurance, ask.overrides, abandons=ask.abandons
        )
        verdict = gate(request, self._facts())
        signers, failing = self.pact.settings.allowed_signers, tuple(self._failing(atoms))
        return Ceremony(commitment, atoms, verdict, left_out, self._basis(atoms), signers, ask.key, failing)

    def _failing(self, atoms: Iterable[Atom]) -> Iterator[tuple[str, str]]:
        """Yield each atom with a failing test, and which of its tests failed at which commit."""
        for atom in atoms:
            own = [one.test.id for one in self.world.linked if atom.id in one.atoms(LIVE_LINKS)]
            states = ((test, self.evidence[test]) for test in own if self.evidence and test in self.evidence)
            bad = [f"{test} at {one.row.commit[:12]}" for test, one in states if one.row and one.state == "failing"]
            many = "its only test" if len(own) == 1 else f"{len(bad)} of its {len(own)} tests"
            if bad:
                yield atom.id, f"{many} failed when last run: {', '.join(bad[:MOST_NAMED])}"

    def _facts(self) -> Facts:
        world = self.world
        return Facts(self.pact, world.linked, evidence=self.evidence, at=self.at, unseen=world.unseen, unfinished=())

    def _basis(self, atoms: Sequence[Atom]) -> Basis:
        rules = (self.pact.folder.path(name) for name in (SETTINGS_FILE, INVARIANTS_FILE))
        judged = {*(atom.path for atom in atoms), *rules, self.pact.settings.allowed_signers}
        commitments = frozenset(one.path for one in self.pact.commitments.values())
        return Basis({path: self.files.get(path) for path in sorted(judged)}, commitments)


def _pledge(ask: Ask) -> Pledge:
    if ask.key is not None:
        return "signed"
    return "session" if ask.session else "terminal"


def _read(workspace: Workspace, ask: Ask) -> _Reading:
    """Read the pact and the list of signers from disk; the write is checked against exactly these bytes."""
    snapshot = workspace.snapshot()

    def content(path: str) -> bytes:
        return (workspace.repository.root / path).read_bytes()

    files = {path: content(path) for path in snapshot.pact_paths()}
    pact = read_pact(files, folder=snapshot.folder)
    signers = pact.settings.allowed_signers
    if signers in snapshot:
        files[signers] = content(signers)
    world = World.of(workspace.scan(snapshot, pact), pact, workspace.weigh(snapshot, pact))
    return _Reading(
        ask,
        files,
        world,
        evidence_of(workspace, snapshot, world),
        _after(workspace, pact),
        _counting(workspace, snapshot, pact, signing=ask.key is not None),
        workspace.person(),
        workspace.now().isoformat(timespec="seconds"),
    )


def _refused(verdict: Gate) -> dict[str, str]:
    """Return the atoms that checks refuse by name, each with those checks."""
    found: dict[str, list[str]] = {}
    for check in verdict.refusals:
        for name in dict.fromkeys(one.subject for one in check.findings if one.subject in verdict.request.atoms):
            found.setdefault(name, []).append(check.invariant)
    return {name: f"the gate refuses it: {', '.join(checks)}" for name, checks in found.items()}


def _refuse_unfounded(reading: _Reading) -> None:
    """Refuse a typed consent if a signature is required, and a signature that nobody could verify."""
    ask, settings = reading.ask, reading.pact.settings
    if ask.only_look:
        return
    if ask.key is None and settings.require_signed:
        raise RefusedError("this project requires signed commitments ([commitments] require_signed); add --sign KEY")
    path = settings.allowed_signers
    if ask.key is not None and path not in reading.files:
        line = f'echo "{identity_of(reading.by)} $(cat {ask.key}.pub)" >> {path}'
        raise RefusedError(f"a signature would prove nothing without a list of allowed signers {path!r}; {line}")


def _after(workspace: Workspace, pact: Pact) -> Mapping[str, str]:
    """Return the latest commitments in HEAD; those not in git yet may still be discarded."""
    head = workspace.repository.head()
    if head is None:
        return {}
    return tips(commitments_at(workspace, head, prefix=pact.settings.atom_prefix).values())


def _counting(workspace: Workspace, snapshot: Snapshot, pact: Pact, *, signing: bool) -> frozenset[str]:
    if not signing:
        return frozenset(pact.commitments)
    known = known_commitments(workspace, snapshot, pact, below=None)
    return frozenset(name for name, one in known.signatures.items() if isinstance(one, Verified))


def _signed(commitment: Commitment, key: Path, ceremony: Ceremony, workspace: Workspace) -> Commitment:
    """Sign, and verify the signature against the list of signers at once: an invalid one is never written."""
    data = signed_bytes(commitment)
    signature = sign(data, key, NAMESPACE)
    claim = Claim(data, signature, commitment.at, identity_of(commitment.by))
    signers = ceremony.basis.files.get(ceremony.signers) or b""
    (found,) = verify_many([claim], signers, namespace=NAMESPACE, processes=workspace.surroundings.processes)
    if isinstance(found, Unverified):
        raise RefusedError(
            f"the signature does not show that {commitment.by} committed: {found.reason};"
            f" list the key in {ceremony.signers!r}, or sign with one that is listed. Nothing was committed"
        )
    return replace(commitment, signature=signature)


CLOSE_ENOUGH = 0.6


def _chosen_atoms(reading: _Reading) -> tuple[tuple[Atom, ...], tuple[tuple[str, str], ...]]:
    """Return the named atoms and those in a molecule that can be frozen, and those left out, each with the reason.

    Raises `UsageError` naming every unknown atom with similar ids, and if nothing is left.
    """
    pact, names, abandons = reading.pact, reading.ask.atoms, reading.ask.abandons
    if abandons is not None and not abandons.strip():
        raise UsageError("a committed atom is given up for a reason; say why: --reason 'Why.'")
    unknown = [name for name in names if name not in pact.atoms]
    if unknown:
        raise UsageError(
            "the pact has no such atom\n" + "\n".join(f"  {name!r}{_hint(pact, name)}" for name in unknown)
        )
    meant = list(dict.fromkeys((*names, *_members(pact, reading.ask.molecule))))
    if not meant:
        raise UsageError("name the atoms to commit: " + COMMIT("IA-…") + ", or " + COMMIT("--molecule M-…"))
    weaker = _weaker_now(reading.world.linked) if abandons is None else {}
    reasons = {name: reason for name in meant if (reason := _obstacle(reading, name) or weaker.get(name, ""))}
    chosen = tuple(pact.atoms[name] for name in meant if name not in reasons)
    if not chosen:
        listed = "\n".join(f"  {name}: {reason}" for name, reason in reasons.items())
        raise UsageError(f"there is nothing to {'commit' if abandons is None else 'abandon'}\n{listed}")
    return chosen, tuple(reasons.items())


def _weaker_now(linked: Iterable[LinkedTest]) -> Mapping[str, str]:
    """Map atoms for which a test proves less than was reviewed to what is missing."""
    return {
        atom: f"{entry.test.id} proves less of it than was reviewed: {entry.weaker[0].message}"
        for entry in linked
        if entry.proves_less
        for atom in entry.atoms(LIVE_LINKS)
    }


def _members(pact: Pact, name: str | None) -> Iterator[str]:
    if name is None:
        return
    yield from pact.in_force(atoms_within(stored_molecule(pact, name).id, pact.molecules))


def _obstacle(reading: _Reading, name: str) -> str:
    """Return why an atom is left out; empty if it can be frozen, or given up if that is asked."""
    pact, abandons = reading.pact, reading.ask.abandons is not None
    status = pact.status_of(name)
    if status == "superseded":
        return f"it is superseded by {pact.successor_of(name)}"
    if abandons and not pact.is_committed(name):
        return "it is not committed"
    if status == "abandoned" and not abandons:
        return "it is abandoned"
    frozen = pact.atoms[name].frozen_hash()
    for commitment in pact.commitments.values():
        same = (commitment.abandons is not None) == abandons and commitment.frozen.get(name) == frozen
        if same and commitment.id in reading.counting:
            return f"{commitment.id} already {'abandoned' if abandons else 'committed'} it"
    return ""


def _hint(pact: Pact, name: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only for an error

    close = get_close_matches(name, list(pact.atoms), 3, CLOSE_ENOUGH)
    return f"; did you mean {' or '.join(close)}?" if close else "; to find it: pk atom search WORDS"
