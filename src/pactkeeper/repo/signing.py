"""The only place that runs `ssh-keygen`: it makes signatures and verifies who made them.

Signatures are OpenSSH's own (`ssh-keygen -Y`, PROTOCOL.sshsig); a file in `ssh-keygen`'s ALLOWED SIGNERS format lists
who may sign. Times without a zone in that file are UTC, so that every machine gets the same answer.

An armored SSH signature states its namespace and the key that claims to have made it.
"""

from __future__ import annotations

import os
import subprocess
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pactkeeper.errors import MissingProgram, SigningFailed
from pactkeeper.intent.signatures import Examined, Unverified, Verified

BEGIN: Final = "-----BEGIN SSH SIGNATURE-----"
END: Final = "-----END SSH SIGNATURE-----"
_MAGIC: Final = b"SSHSIG"
_SIZE: Final = 4  # bytes of a length, and of the version before the first field


@dataclass(frozen=True, slots=True)
class Armor:
    """The fields of a signature that can be read before it is verified."""

    namespace: str
    public_key: bytes

    @property
    def key(self) -> str:
        """The key's fingerprint, as `ssh-keygen -l` prints it."""
        return "SHA256:" + b64encode(sha256(self.public_key).digest()).decode().rstrip("=")

    def is_listed(self, signers: bytes) -> bool:
        """Whether a list of allowed signers contains this exact key."""
        wanted = b64encode(self.public_key)
        lines = (line.split() for line in signers.splitlines())
        return any(wanted in words for words in lines if words and not words[0].startswith(b"#"))


def read_armor(text: str) -> Armor | None:
    """Read the fields; return None if the text isn't an armored signature (PROTOCOL.sshsig of OpenSSH)."""
    lines = text.strip().splitlines()
    if len(lines) < 3 or lines[0].strip() != BEGIN or lines[-1].strip() != END:  # noqa: PLR2004 - one line between
        return None
    try:
        blob = b64decode("".join(line.strip() for line in lines[1:-1]), validate=True)
    except NotBase64:
        return None
    if not blob.startswith(_MAGIC):
        return None
    public_key, rest = _field(blob[len(_MAGIC) + _SIZE :])
    namespace, _ = _field(rest)
    if not public_key or not namespace:
        return None
    return Armor(namespace.decode("utf-8", "replace"), public_key)


def _field(data: bytes) -> tuple[bytes, bytes]:
    """Split off one length-prefixed field; empty if it is truncated."""
    size = int.from_bytes(data[:_SIZE])
    end = _SIZE + size
    return (data[_SIZE:end], data[end:]) if len(data) >= end else (b"", b"")


PROGRAM: Final = "ssh-keygen"
_INSTALL: Final = "install OpenSSH 8.9 or newer (Debian and Ubuntu: `openssh-client`, Fedora: `openssh`)"
_UNFIT: Final = ("unknown option", "illegal option", "usage: ssh-keygen", "invalid option")
_NOT_FOR_THIS: Final = "not permitted for use in signature namespace"


@dataclass(frozen=True, slots=True)
class Claim:
    """That `identity` signed `data` at `at` (ISO 8601 with offset); an identity of None asks who it was."""

    data: bytes
    signature: str
    at: str
    identity: str | None = None


def sign(data: bytes, key: Path, namespace: str) -> str:
    """Sign bytes with a private key file, or with the agent's key for a public key file; return armored text.

    `ssh-keygen` asks for a passphrase in its usual ways: through the agent, the terminal, or SSH_ASKPASS. Raises
    SigningFailed and MissingProgram.
    """
    if not key.is_file():
        raise SigningFailed(f"there is no key file {os.fspath(key)!r}; create one: `ssh-keygen -t ed25519 -f FILE`")
    done = _run(["sign", "-f", os.fspath(key), "-n", namespace], data)
    if done.returncode:
        raise SigningFailed(
            f"nothing was signed with {os.fspath(key)!r}: {_last_line(done)};"
            " check the key and its passphrase, or load it first: `ssh-add FILE`"
        )
    return done.stdout.decode("ascii", "replace")


def verify_many(
    claims: Sequence[Claim], allowed_signers: bytes, *, namespace: str, processes: int = 1
) -> tuple[Examined, ...]:
    """Verify claims against one list of signers, `processes` at a time; return answers in the order given.

    Raises MissingProgram.
    """
    with TemporaryDirectory(prefix="pactkeeper-") as folder:
        signers = Path(folder) / "allowed_signers"
        signers.write_bytes(allowed_signers)

        def one(numbered: tuple[int, Claim]) -> Examined:
            number, claim = numbered
            return _examine(claim, signers, namespace, Path(folder) / f"signature-{number}")

        with ThreadPoolExecutor(max(1, processes)) as threads:
            return tuple(threads.map(one, enumerate(claims)))


def _examine(claim: Claim, signers: Path, namespace: str, scratch: Path) -> Examined:
    armor = read_armor(claim.signature)
    if armor is None:
        return Unverified("forged", "it is no ssh signature")
    when = _moment(claim.at)
    if when is None:
        return Unverified("expired", f"no key was valid at {claim.at}", armor.key)
    if "\0" in (claim.identity or ""):
        return Unverified("unknown signer", f"no signer can be listed as {claim.identity!r}", armor.key)
    scratch.write_text(claim.signature, encoding="utf-8")
    try:
        return _Question(claim, armor, signers, namespace, scratch, when).answer()
    finally:
        scratch.unlink()


def _moment(at: str) -> str | None:
    """Format a time for `ssh-keygen`; None if it is out of range once converted to UTC."""
    try:
        return datetime.fromisoformat(at).astimezone(UTC).strftime("%Y%m%d%H%M%S")
    except OverflowError:
        return None


@dataclass(frozen=True, slots=True)
class _Question:
    """One claim, with its parts in the form `ssh-keygen` wants."""

    claim: Claim
    armor: Armor
    signers: Path
    namespace: str
    scratch: Path
    when: str

    def answer(self) -> Examined:
        """Verify with a single call if all is well; ask for a reason only after a refusal."""
        identity = self.claim.identity
        if identity is None:
            identity = next(iter(self._principals()), None)
        complaint = ""
        if identity is not None:
            done = self._ask("verify", "-f", os.fspath(self.signers), "-I", identity, "-n", self.namespace)
            if done.returncode == 0:
                return Verified(identity, self.armor.key)
            complaint = _last_line(done)
        return self._refusal(complaint)

    def _refusal(self, complaint: str) -> Unverified:
        key = self.armor.key
        if self.armor.namespace != self.namespace:
            what = f"it was made for {self.armor.namespace!r}, not for {self.namespace!r}"
            return Unverified("wrong namespace", what, key)
        plain = self._ask("check-novalidate", "-n", self.namespace)
        if plain.returncode:
            return Unverified("forged", f"it does not match this content: {_last_line(plain)}", key)
        if not self.armor.is_listed(self.signers.read_bytes()):
            return Unverified("unknown signer", f"no signer is listed with the key {key}", key)
        if _NOT_FOR_THIS in complaint:
            what = f"the key {key} is listed, but not for the namespace {self.namespace!r}"
            return Unverified("unknown signer", what, key)
        owners = self._principals()
        if not owners:
            return Unverified("expired", f"the key {key} was not valid at {self.claim.at}", key)
        return Unverified("other signer", f"the key {key} belongs to {', '.join(owners)}", key)

    def _principals(self) -> tuple[str, ...]:
        """Return who is listed with the key and valid at the time; patterns are returned as written."""
        done = self._ask("find-principals", "-f", os.fspath(self.signers))
        lines = done.stdout.decode("utf-8", "replace").splitlines() if done.returncode == 0 else []
        return tuple(dict.fromkeys(name for line in lines for name in line.split(",") if name))

    def _ask(self, verb: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        time = () if verb == "check-novalidate" else ("-O", f"verify-time={self.when}")
        return _run([verb, *arguments, "-s", os.fspath(self.scratch), *time], self.claim.data)


def _run(arguments: Sequence[str], data: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run `ssh-keygen` on bytes; the environment is passed on for the agent and for passphrase prompts."""
    try:
        done = subprocess.run(
            [PROGRAM, "-Y", *arguments],
            input=data,
            capture_output=True,
            check=False,
            env={**os.environ, "TZ": "UTC0", "LC_ALL": "C"},
        )
    except FileNotFoundError as missing:
        raise MissingProgram(f"the program `{PROGRAM}` was not found on PATH; {_INSTALL}") from missing
    said = done.stderr.decode("utf-8", "replace").casefold()
    if done.returncode and any(words in said for words in _UNFIT):
        raise MissingProgram(f"the program `{PROGRAM}` on PATH cannot `-Y {arguments[0]}`; {_INSTALL}")
    return done


def _last_line(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip() if lines else f"exit code {done.returncode}"
