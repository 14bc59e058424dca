"""Committing atoms: what a ceremony shows, and the one step that carries it out.

This is no verb: the table of operators, which every door and every agent is offered, has no row for it. A door that
has a person before it calls these functions, and hands over what that person agreed to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pactkeeper.catalog.commitments import write_commitment
from pactkeeper.catalog.journal import Entry
from pactkeeper.catalog.read import read_pact
from pactkeeper.catalog.schema import INVARIANTS_FILE, ROOT, SETTINGS_FILE
from pactkeeper.catalog.transaction import Basis, Checkpoint, no_checkpoint, settle
from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.intent.atoms import Atom, Commitment, Pledge
from pactkeeper.intent.commitments import NAMESPACE, identity_of, new_commitment, signed_bytes, tips
from pactkeeper.intent.gate import Gate, gate
from pactkeeper.intent.invariants import CommitRequest, Facts
from pactkeeper.intent.molecules import atoms_within
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.signatures import Unverified
from pactkeeper.operators.invariants import evidence_of
from pactkeeper.operators.signatures import commitments_at
from pactkeeper.reconcile.world import World
from pactkeeper.repo.signing import Claim, sign, verify_many
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace

CLOSE_ENOUGH = 0.6


@dataclass(frozen=True, slots=True)
class Ask:
    """What a person asks to commit: atoms by id, all within a molecule (id or name), and rules to override with why.

    `key` is the file of the ssh key to sign with; None where the person types at a terminal. `only_look` writes nothing
    and may be asked without either.
    """

    atoms: tuple[str, ...] = ()
    molecule: str | None = None
    overrides: Mapping[str, str] = field(default_factory=dict)
    key: Path | None = None
    only_look: bool = False


@dataclass(frozen=True, slots=True)
class Ceremony:
    """Everything that a person is shown before committing; `commitment` is not signed yet.

    `left_out` are atoms that were named and will not be frozen, with the reason; `basis` is what was judged.
    """

    commitment: Commitment
    atoms: tuple[Atom, ...]
    gate: Gate
    left_out: tuple[tuple[str, str], ...]
    basis: Basis = field(repr=False)
    signers: str
    key: Path | None = None


@dataclass(frozen=True, slots=True)
class Consent:
    """A person's yes to the one ceremony whose commitment has this id: typed at a terminal, or given with a key."""

    commitment: str
    key: Path | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """The commitment as it was written, and the journal entry of the write."""

    commitment: Commitment
    entry: Entry


def prepare_commit(workspace: Workspace, ask: Ask) -> Ceremony:
    """Put together what would be frozen and let the gate judge it; nothing is written but an interrupted write settled.

    Raises `UsageError` where a name means no atom that could be committed, and `RefusedError` where this project or
    this kind of request needs a signature that cannot be had.
    """
    if ask.only_look:
        workspace.ensure_settled()
    else:
        settle(workspace.place)
    snapshot = workspace.snapshot()
    files, pact = _read(workspace, snapshot)
    atoms, left_out = _chosen(pact, ask)
    commitment = _unsigned(workspace, pact, ask, atoms=atoms, by=workspace.person())
    _refuse_unfounded(pact, ask, files, commitment.by)
    verdict = _judged(workspace, snapshot, pact, commitment=commitment)
    signers = pact.settings.allowed_signers
    judged = {*(atom.path for atom in atoms), SETTINGS_FILE, INVARIANTS_FILE, signers}
    commitments = frozenset(one.path for one in pact.commitments.values())
    basis = Basis({path: files.get(path) for path in sorted(judged)}, commitments)
    return Ceremony(commitment, atoms, verdict, left_out, basis, signers, ask.key)


def commit_atoms(
    workspace: Workspace, ceremony: Ceremony, consent: Consent, *, checkpoint: Checkpoint = no_checkpoint
) -> Committed:
    """Freeze what the ceremony showed, all or nothing.

    Raises `RefusedError` where the gate forbids it or the consent is to something else, `StaleError` where what was
    judged has changed since, `SigningFailed` and `MissingProgram`.
    """
    commitment = ceremony.commitment
    if consent.commitment != commitment.id or consent.key != ceremony.key:
        raise RefusedError(f"the consent is not to {commitment.id} as it was shown; nothing was committed")
    if not ceremony.gate.allowed:
        names = ", ".join(one.invariant for one in ceremony.gate.refusals)
        raise RefusedError(f"the gate does not let this through: {names}; nothing was committed")
    if consent.key is not None:
        commitment = _signed(commitment, consent.key, ceremony, workspace)
    entry = write_commitment(workspace.place, commitment, ceremony.gate, basis=ceremony.basis, checkpoint=checkpoint)
    return Committed(commitment, entry)


def _read(workspace: Workspace, snapshot: Snapshot) -> tuple[dict[str, bytes], Pact]:
    """The pact and the list of signers as they lie on disk: exactly these bytes are held against at the write."""

    def content(path: str) -> bytes:
        return (workspace.repository.root / path).read_bytes()

    files = {path: content(path) for path in snapshot.paths if path.startswith(ROOT)}
    pact = read_pact(files)
    signers = pact.settings.allowed_signers
    return ({**files, signers: content(signers)} if signers in snapshot else files), pact


def _unsigned(workspace: Workspace, pact: Pact, ask: Ask, *, atoms: Sequence[Atom], by: str) -> Commitment:
    at = workspace.now().isoformat(timespec="seconds")
    assurance: Pledge = "terminal" if ask.key is None else "signed"
    after = _after(workspace, pact)
    return new_commitment(atoms, by=by, at=at, assurance=assurance, overrides=ask.overrides, after=after)


def _judged(workspace: Workspace, snapshot: Snapshot, pact: Pact, *, commitment: Commitment) -> Gate:
    overrides = commitment.overrides or {}
    request = CommitRequest(tuple(commitment.frozen), commitment.by, "person", commitment.assurance, overrides)
    world = World.of(workspace.scan(snapshot, pact), pact)
    evidence = evidence_of(workspace, snapshot, world)
    facts = Facts(pact, world.linked, evidence=evidence, at=commitment.at, unseen=world.unseen, unfinished=())
    return gate(request, facts)


def _chosen(pact: Pact, ask: Ask) -> tuple[tuple[Atom, ...], tuple[tuple[str, str], ...]]:
    unknown = [name for name in ask.atoms if name not in pact.atoms]
    if unknown:
        raise UsageError(
            "the pact has no such atom\n" + "\n".join(f"  {name!r}{_hint(pact, name)}" for name in unknown)
        )
    names = list(dict.fromkeys((*ask.atoms, *_members(pact, ask.molecule))))
    if not names:
        raise UsageError("name the atoms to commit: pk commit IA-…, or pk commit --molecule M-…")
    reasons = {name: reason for name in names if (reason := _obstacle(pact, name, signing=ask.key is not None))}
    chosen = tuple(pact.atoms[name] for name in names if name not in reasons)
    if not chosen:
        listed = "\n".join(f"  {name}: {reason}" for name, reason in reasons.items())
        raise UsageError(f"there is nothing to commit\n{listed}")
    return chosen, tuple(reasons.items())


def _members(pact: Pact, name: str | None) -> Iterator[str]:
    if name is None:
        return
    hits = [one for one in pact.molecules.values() if name in {one.id, one.name}]
    if len(hits) != 1:
        problem = "there is no molecule" if not hits else "more than one molecule is named"
        raise UsageError(f"{problem} {name!r}; see: pk molecule list")
    yield from atoms_within(hits[0].id, pact.molecules)


def _obstacle(pact: Pact, name: str, *, signing: bool) -> str:
    """Why an atom is left out; empty where it can be frozen. With a key, what was only typed is committed again."""
    status = pact.status_of(name)
    if status == "superseded":
        return f"it is superseded by {pact.successor_of(name)}"
    if status == "abandoned":
        return "it is abandoned"
    frozen = pact.atoms[name].frozen_hash()
    for commitment in pact.commitments.values():
        if commitment.frozen.get(name) == frozen and (not signing or commitment.assurance == "signed"):
            return f"{commitment.id} committed it already"
    return ""


def _hint(pact: Pact, name: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only on the way to an error

    close = get_close_matches(name, list(pact.atoms), 3, CLOSE_ENOUGH)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _refuse_unfounded(pact: Pact, ask: Ask, files: Mapping[str, bytes], by: str) -> None:
    if ask.only_look:
        return
    path = pact.settings.allowed_signers
    if ask.key is None and pact.settings.require_signed:
        raise RefusedError("this project requires signed commitments ([commitments] require_signed); add --sign KEY")
    if ask.key is not None and path not in files:
        line = f'echo "{identity_of(by)} $(cat {ask.key}.pub)" >> {path}'
        raise RefusedError(f"a signature would prove nothing: there is no list of allowed signers {path!r}; {line}")


def _after(workspace: Workspace, pact: Pact) -> Mapping[str, str]:
    """The commitments at the end of what HEAD holds; those that git does not have yet may still be thrown away."""
    head = workspace.repository.head()
    if head is None:
        return {}
    return tips(commitments_at(workspace, head, prefix=pact.settings.atom_prefix).values())


def _signed(commitment: Commitment, key: Path, ceremony: Ceremony, workspace: Workspace) -> Commitment:
    """Sign, and hold the signature against the list of signers at once: one that does not hold is never written."""
    data = signed_bytes(commitment)
    signature = sign(data, key, NAMESPACE)
    claim = Claim(data, signature, commitment.at, identity_of(commitment.by))
    signers = ceremony.basis.files.get(ceremony.signers) or b""
    (found,) = verify_many([claim], signers, namespace=NAMESPACE, processes=workspace.surroundings.processes)
    if isinstance(found, Unverified):
        raise RefusedError(
            f"the signature would not show that {commitment.by} committed: {found.reason};"
            f" list the key in {ceremony.signers!r}, or sign with one that is listed. Nothing was committed"
        )
    return replace(commitment, signature=signature)
