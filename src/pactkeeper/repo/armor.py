"""What an armored ssh signature says of itself: its namespace and the key that claims to have made it."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

BEGIN: Final = "-----BEGIN SSH SIGNATURE-----"
END: Final = "-----END SSH SIGNATURE-----"
_MAGIC: Final = b"SSHSIG"
_SIZE: Final = 4  # bytes of a length, and of the version that stands before the first field


@dataclass(frozen=True, slots=True)
class Armor:
    """The fields of a signature that can be read without trusting it."""

    namespace: str
    public_key: bytes

    @property
    def key(self) -> str:
        """The key's fingerprint, as `ssh-keygen -l` prints it."""
        return "SHA256:" + b64encode(sha256(self.public_key).digest()).decode().rstrip("=")

    def is_listed(self, signers: bytes) -> bool:
        """Whether a line of a list of allowed signers names this very key."""
        wanted = b64encode(self.public_key)
        lines = (line.split() for line in signers.splitlines())
        return any(wanted in words for words in lines if words and not words[0].startswith(b"#"))


def read_armor(text: str) -> Armor | None:
    """Read the fields; None where the text is no armored signature (PROTOCOL.sshsig of OpenSSH)."""
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
    """Take one length-prefixed field off; empty where it is cut short."""
    size = int.from_bytes(data[:_SIZE])
    end = _SIZE + size
    return (data[_SIZE:end], data[end:]) if len(data) >= end else (b"", b"")
