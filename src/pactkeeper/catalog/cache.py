"""Decoded files of the pact, kept by the hash of their bytes, so that reading an unchanged pact decodes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Protocol

from pactkeeper.intent.atoms import Atom, Clarification, Commitment, Molecule
from pactkeeper.intent.contested import Contested, Unmerged
from pactkeeper.intent.pact import Invariant, LinkRecord, Waiver

if TYPE_CHECKING:
    import msgspec

VERSION: Final = 3  # raised with every change of what is decoded from the same bytes


class Cache(Protocol):
    """Somewhere to keep bytes under a key; may forget anything at any time, never mixes keys up."""

    def get(self, key: str) -> bytes | None:
        """The bytes kept under the key, or None."""

    def put(self, key: str, value: bytes) -> None:
        """Keep the bytes under the key."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What one file declares, in at most one of the first eight fields, and what a merge left open in it.

    `whole` is False where the file's text could not be read to its end, so that it may declare more.
    """

    atoms: tuple[Atom, ...] = ()
    links: tuple[LinkRecord, ...] = ()
    molecules: tuple[Molecule, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    commitments: tuple[Commitment, ...] = ()
    clarifications: tuple[Clarification, ...] = ()
    debt: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True
    contested: tuple[Contested, ...] = ()
    unmerged: tuple[Unmerged, ...] = ()


def cache_key(path: str, source: bytes, *, prefix: str) -> str:
    """Name the decoded form of these bytes at this path under this version of the decoder."""
    place = sha256(f"{VERSION}\0{prefix}\0{path}\0".encode())
    place.update(source)
    return f"catalog:{place.hexdigest()}"


def restore(cache: Cache, path: str, source: bytes, *, prefix: str) -> Contents | None:
    """Return what the cache knows of these bytes; what does not decode counts as not known."""
    kept = cache.get(cache_key(path, source, prefix=prefix))
    if kept is None:
        return None
    import msgspec  # noqa: PLC0415 - only runs that have a cache load it

    try:
        decoded: Contents = _codec()[1].decode(kept)
    except (msgspec.DecodeError, ValueError):
        return None
    return decoded


def save(cache: Cache, path: str, source: bytes, *, prefix: str, contents: Contents) -> None:
    """Keep what was decoded from these bytes."""
    cache.put(cache_key(path, source, prefix=prefix), _codec()[0].encode(contents))


@cache
def _codec() -> tuple[msgspec.msgpack.Encoder, msgspec.msgpack.Decoder[Any]]:
    import msgspec  # noqa: PLC0415 - only runs that have a cache load it

    return msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(Contents)
