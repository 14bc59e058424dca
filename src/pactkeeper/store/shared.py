"""One open database for all requests of a server: connecting anew takes longer than most of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pactkeeper.store.address import address
from pactkeeper.store.database import Database, open_database
from pactkeeper.store.fence import Fence

_lock = threading.Lock()
_kept: dict[str, Database] = {}
_servers: list[object] = []


@contextmanager
def keeping_open() -> Iterator[None]:
    """Inside, a database on a server stays open once it was used, for every thread of the process."""
    mark = object()
    _servers.append(mark)
    try:
        yield
    finally:
        _servers.remove(mark)
        with _lock:
            left = [] if _servers else [_kept.pop(url) for url in tuple(_kept)]
        for one in left:
            one.close()


def is_server() -> bool:
    """Whether this process keeps open and in memory what the next request needs again."""
    return bool(_servers)


@contextmanager
def database_at(url: str, *, fence: Fence | None = None) -> Iterator[Database]:
    """The database that a URL names: its own, closed afterwards, or without a fence the one that is kept open."""
    if _servers and fence is None and address(url).path is None:
        yield _shared(url)
        return
    database = open_database(url, fence=fence)
    try:
        yield database
    finally:
        database.close()


def _shared(url: str) -> Database:
    with _lock:
        if url not in _kept:
            _kept[url] = open_database(url)
        return _kept[url]
