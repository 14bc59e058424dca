"""Results that are kept whole: one is taken again only where every file that was read for it is still the same."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

from pactkeeper.repo.cache import Cache
from pactkeeper.repo.snapshot import Snapshot

Reads = tuple[tuple[str, str], ...]


class Result(Protocol):
    """A dataclass of plain values; `reads` are files with what each was, beyond those that its key names."""

    @property
    def reads(self) -> Reads:
        """Path and `Snapshot.identity` of every file that was looked at."""


Shape = TypeVar("Shape", bound=Result)


def reads_of(snapshot: Snapshot, paths: Iterable[str]) -> Reads:
    """What those files are in a snapshot."""
    return tuple((path, snapshot.identity(path)) for path in sorted(paths))


def recall(
    cache: Cache, snapshot: Snapshot, *, space: str, keys: Sequence[str], shape: type[Shape]
) -> dict[str, Shape]:
    """The results of those keys that still hold; the shape's fields must be a part of the keys."""
    kept = cache.get_many(space, keys)
    if not kept:
        return {}
    import msgspec  # noqa: PLC0415 - only where there is something to decode

    decode = msgspec.msgpack.Decoder(shape).decode
    with _collector_paused():
        results = {key: decode(value) for key, value in kept.items()}
    return {
        key: result
        for key, result in results.items()
        if all(snapshot.identity(path) == seen for path, seen in result.reads)
    }


def store(cache: Cache, results: Iterable[tuple[str, Result]], *, space: str, keep: int) -> None:
    """Keep results by key; of the whole space only the newest `keep` stay."""
    import msgspec  # noqa: PLC0415 - only where there is something to encode

    encode = msgspec.msgpack.Encoder().encode
    cache.put_many(space, [(key, encode(result)) for key, result in results], keep=keep)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Hold back the cycle collector: values are made by the ten thousand and hold no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
