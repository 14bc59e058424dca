"""Verify commitments: their signatures, each once, and their presence in an earlier commit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.catalog.read import read_commitment
from pactkeeper.catalog.schema import COMMITMENTS_FOLDER, LINKS_FOLDER
from pactkeeper.errors import MissingProgram
from pactkeeper.intent.commitments import NAMESPACE, identity_of, signed_bytes
from pactkeeper.intent.signatures import Examined, Unverified, Verified
from pactkeeper.ledger.canonical import tally
from pactkeeper.reconcile.commitments import Base, CommitmentFacts
from pactkeeper.repo.pact_folder import InCommit, folder_of
from pactkeeper.repo.signing import Claim, verify_many

if TYPE_CHECKING:
    from pactkeeper.intent.atoms import Commitment
    from pactkeeper.intent.pact import Pact
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace

SPACE: Final = "signatures/1"
_WAITING: Final = 2  # processes per core, which spend most of their time starting and ending
_LARGEST: Final = 16 << 20


def known_commitments(workspace: Workspace, snapshot: Snapshot, pact: Pact, *, below: str | None) -> CommitmentFacts:
    """Verify every signature of the pact, and compare its commitments with those of the commit `below`.

    The allowed signers are read from the snapshot itself.
    """
    with looking(workspace, snapshot, pact, below=below) as known:
        return known()


@contextmanager
def looking(
    workspace: Workspace, snapshot: Snapshot, pact: Pact, *, below: str | None
) -> Iterator[Callable[[], CommitmentFacts]]:
    """Start verifying while the caller does other work; calling the yielded function waits for the result.

    In a first check most of the time goes into new signatures, and most of that is waiting for processes.
    """
    path = pact.settings.allowed_signers
    signers = snapshot.read(path)
    signed = [one for one in pact.commitments.values() if one.signature is not None]
    claims = {} if signers is None else {one.id: _claim(one) for one in signed}
    keys = {name: _key(claim, signers or b"") for name, claim in claims.items()}
    kept = workspace.cache.get_many(SPACE, list(keys.values()))
    found = {name: examined for name, key in keys.items() if (examined := _decode(kept.get(key))) is not None}
    fresh = {name: claim for name, claim in claims.items() if name not in found}
    base = None if below is None else _base(workspace, snapshot, pact, below=below)
    with ThreadPoolExecutor(1) as thread:
        processes = _WAITING * workspace.surroundings.processes
        answers = thread.submit(_examined, fresh, signers or b"", processes)

        def known() -> CommitmentFacts:
            if signers is None:
                missing = Unverified("not checked", f"there is no list of allowed signers {path!r}")
                return CommitmentFacts(dict.fromkeys((one.id for one in signed), missing), base)
            looked, lasting = answers.result()
            if lasting:
                workspace.cache.put_many(SPACE, [(keys[name], _encode(one)) for name, one in looked.items()])
            return CommitmentFacts({**found, **looked}, base, lasting)

        yield known


def assurances(pact: Pact, known: CommitmentFacts, *, ci: bool) -> dict[str, int]:
    """Count commitments by assurance."""
    return tally(assurance(one, known, ci=ci) for one in pact.commitments.values())


def assurance(commitment: Commitment, known: CommitmentFacts, *, ci: bool) -> str:
    """Return the assurance of a commitment: how surely the committer is known, or the flaw of its signature."""
    found = known.signatures.get(commitment.id)
    if commitment.signature is None:
        return "session" if commitment.assurance == "session" else "terminal"
    if isinstance(found, Unverified):
        return found.flaw
    return "ci-verified" if ci else "signed"


def _examined(claims: Mapping[str, Claim], signers: bytes, processes: int) -> tuple[Mapping[str, Examined], bool]:
    """Verify signatures now; the flag is False if the program for that is missing."""
    if not claims:
        return {}, True
    try:
        answers = verify_many(list(claims.values()), signers, namespace=NAMESPACE, processes=processes)
    except MissingProgram as missing:
        return dict.fromkeys(claims, Unverified("not checked", str(missing))), False
    return dict(zip(claims, answers, strict=True)), True


def _claim(commitment: Commitment) -> Claim:
    return Claim(
        signed_bytes(commitment), commitment.signature or "", commitment.at, identity=identity_of(commitment.by)
    )


def _key(claim: Claim, signers: bytes) -> str:
    """Hash everything that the result depends on."""
    parts = (claim.data, claim.signature.encode(), claim.at.encode(), (claim.identity or "").encode(), signers)
    return sha256(b"".join(b"%d:%s" % (len(part), part) for part in parts)).hexdigest()


def _encode(examined: Examined) -> bytes:
    return json.dumps(asdict(examined)).encode()


def _decode(kept: bytes | None) -> Examined | None:
    if kept is None:
        return None
    fields: dict[str, Any] = json.loads(kept)
    return Verified(**fields) if "principal" in fields else Unverified(**fields)


def commitments_at(workspace: Workspace, revision: str, *, prefix: str) -> dict[str, Commitment]:
    """Return the commitments in a commit of the repository, by id; `prefix` is that of atom ids."""
    folder = folder_of(InCommit(workspace.repository, revision))
    listed = _listed(workspace, revision, folder.path(COMMITMENTS_FOLDER))
    return _read(workspace, {folder.name(path): blob for path, blob in listed.items()}, prefix)


def _base(workspace: Workspace, snapshot: Snapshot, pact: Pact, *, below: str) -> Base:
    """Return the commitments of a commit whose files are missing or different in the snapshot, and if its links are."""
    path, then, now = pact.settings.allowed_signers, folder_of(InCommit(workspace.repository, below)), pact.folder
    place = then.path(now.name(path))
    listed = _listed(workspace, below, then.path(COMMITMENTS_FOLDER), then.path(LINKS_FOLDER), place)
    signers = listed.pop(place, None)
    names = {then.name(path): blob for path, blob in listed.items()}
    differ = {name: blob for name, blob in names.items() if snapshot.blob(now.path(name)) != blob}
    blobs = {name: blob for name, blob in names.items() if not name.startswith(LINKS_FOLDER)}
    before = _read(workspace, {name: blob for name, blob in differ.items() if name in blobs}, pact.settings.atom_prefix)
    relinked = not differ.keys() <= blobs.keys()
    changed = signers != (snapshot.blob(path) if path in snapshot else None)
    ids = frozenset(PurePosixPath(name).stem for name in blobs)
    return Base(f"commit {below[:12]}", before, changed, ids, relinked)


def _listed(workspace: Workspace, revision: str, *paths: str) -> dict[str, str]:
    """Map the files at or below the paths in a commit to their blob ids."""
    output = workspace.repository.run("ls-tree", "-r", "-z", "--full-tree", revision, "--", *paths)
    lines = (line.partition("\t") for line in output.decode("utf-8", "replace").split("\0")[:-1])
    return {name: head.split()[2] for head, _, name in lines}


def _read(workspace: Workspace, blobs: Mapping[str, str], prefix: str) -> dict[str, Commitment]:
    """Parse the commitments among git's files; one that no pact could be read with never committed anything."""
    if not blobs:
        return {}
    with workspace.repository.blobs() as objects:
        contents = list(objects.read_many(blobs.values(), limit=_LARGEST))
    pairs = zip(blobs, contents, strict=True)
    read = (read_commitment(name, data, prefix=prefix) for name, data in pairs if data is not None)
    return {one.id: one for one in read if one is not None}
