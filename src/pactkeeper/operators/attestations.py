"""The verbs for attestations that somebody hands in: tell whether one holds, and keep one in the history."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from pactkeeper.errors import InputError, RefusedError, UnknownRevision
from pactkeeper.intent.attestation import NAMESPACE, Attestation, catalog_hash, decode_attestation, signed_bytes
from pactkeeper.intent.signatures import Examined, Unverified, Verified
from pactkeeper.operators.proof import CLAIMED, VERIFIED
from pactkeeper.operators.test_reports import path_of
from pactkeeper.repo.named_file import read_named
from pactkeeper.repo.signing import Claim, verify_many

if TYPE_CHECKING:
    from pactkeeper.workspace import Workspace

MOST_BYTES: Final = 64 << 20
MOST_SIGNERS: Final = 4 << 20
MOST_NAMED: Final = 5
UNSIGNED: Final = Unverified("not checked", "it has no signature, so anybody may have written it")
CatalogMatch = Literal["same", "differs", "no such commit here"]


@dataclass(frozen=True, slots=True)
class Held:
    """An attestation whose hash is right, what its signature says, and whether the commit's pact is what it says."""

    attestation: Attestation
    signature: str
    text: str
    examined: Examined
    catalog: CatalogMatch

    @property
    def against(self) -> tuple[str, ...]:
        """What keeps it from holding for its commit, in words; nothing where it holds."""
        said = self.attestation
        found = [self.examined.reason] if isinstance(self.examined, Unverified) else []
        if said.changed:
            found.append(f"the work tree differed from the commit: {_some(said.changed)}")
        elif self.catalog == "differs":
            found.append(f"commit {said.commit[:12]} has another pact than it says")
        return tuple(found)


def verify_attestation(workspace: Workspace, name: str, *, allowed_signers: str | None = None) -> Held:
    """Read an attestation and hold it against its signers and the repository; raises PatchError where it is not whole.

    Without `allowed_signers`, a file named from where the person stands, the list of the pact counts.
    """
    text = _read(path_of(workspace, name), name)
    said, signature = decode_attestation(text)
    examined = _examined(workspace, said, signature, allowed_signers) if signature else UNSIGNED
    return Held(said, signature, text, examined, _catalog(workspace, said))


def import_attestation(workspace: Workspace, name: str, *, allowed_signers: str | None = None) -> Held:
    """Keep an attestation in the history; one that nobody signed is kept as a claim.

    Raises RefusedError where its signature does not hold, the commit has another pact, or the work tree that it was
    made from was not the commit.
    """
    held = verify_attestation(workspace, name, allowed_signers=allowed_signers)
    against = held.against if held.signature else held.against[1:]  # that nobody signed is known and kept with it
    if against:
        raise RefusedError(f"the attestation {name!r} does not hold: {'; '.join(against)}; nothing was kept")
    from pactkeeper.store.attestations import Attestation as Row  # noqa: PLC0415 - only where one is kept
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
        raise InputError(f"{name!r} is no attestation: byte {error.start:,} is not UTF-8") from error


def _examined(workspace: Workspace, said: Attestation, signature: str, signers: str | None) -> Examined:
    content = _signers(workspace, signers)
    if isinstance(content, Unverified):
        return content
    (found,) = verify_many([Claim(signed_bytes(said), signature, said.at)], content, namespace=NAMESPACE)
    return found


def _signers(workspace: Workspace, name: str | None) -> bytes | Unverified:
    """The list of who may sign: the file that is named, else the one of the pact as it is now."""
    if name is not None:
        return read_named(path_of(workspace, name), f"the list of signers {name!r}", most=MOST_SIGNERS)
    snapshot = workspace.snapshot()
    listed = workspace.pact(snapshot).settings.allowed_signers
    found = snapshot.read(listed) if listed in snapshot else None
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


def _some(paths: tuple[str, ...]) -> str:
    named = ", ".join(repr(path) for path in paths[:MOST_NAMED])
    return named if len(paths) <= MOST_NAMED else f"{named} and {len(paths) - MOST_NAMED} more"
