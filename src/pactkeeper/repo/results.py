"""Cached whole results: one is reused only if every file that was read for it is unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from pactkeeper.repo.cache import Cache
from pactkeeper.repo.snapshot import Snapshot

Reads = tuple[tuple[str, str], ...]


class Result(Protocol):
    """A dataclass of plain values; `reads` are the files it depends on besides those its key names, with identities."""

    @property
    def reads(self) -> Reads:
        """Path and `Snapshot.identity` of every file that was read."""


Shape = TypeVar("Shape", bound=Result)


def reads_of(snapshot: Snapshot, paths: Iterable[str]) -> Reads:
    """Return the paths with their identities in a snapshot."""
    return tuple((path, snapshot.identity(path)) for path in sorted(paths))


def recall(
    cache: Cache, snapshot: Snapshot, *, space: str, keys: Sequence[str], shape: type[Shape]
) -> dict[str, Shape]:
    """Return the results of the keys that are still valid; the keys must cover the shape's fields."""
    kept = cache.get_many(space, keys)
    if not kept:
        return {}
    import msgspec  # noqa: PLC0415 - only where there is something to decode

    decode = msgspec.msgpack.Decoder(shape).decode
    results = {key: decode(value) for key, value in kept.items()}
    return {
        key: result
        for key, result in results.items()
        if all(snapshot.identity(path) == seen for path, seen in result.reads)
    }


def store(cache: Cache, results: Iterable[tuple[str, Result]], *, space: str, keep: int) -> None:
    """Store results by key; only the newest `keep` of the whole space remain."""
    import msgspec  # noqa: PLC0415 - only where there is something to encode

    encode = msgspec.msgpack.Encoder().encode
    cache.put_many(space, [(key, encode(result)) for key, result in results], keep=keep)
