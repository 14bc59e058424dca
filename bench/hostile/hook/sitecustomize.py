"""Loaded by every Python below `PYTHONPATH`: one that is given `PACT_DIE_AT` ends as by `kill -9` at that change.

A change is a file opened for writing, renamed, removed or synced below `PACT_DIE_BELOW`, or a transaction of SQLite or
Postgres that begins, is about to be committed, or just was. With `PACT_DIE_AT=0` changes are counted in
`PACT_DIE_COUNT`. With `PACT_DIE_ABROAD` the start of a process (git) and what is sent over a socket (to a forge) are
changes as well.
"""

import os
import signal
import socket
import sqlite3
import sqlite3.dbapi2
import sys
from collections.abc import Callable
from contextlib import suppress

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_EVENTS = frozenset({"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate", "shutil.move"})
_seen = [0]
_connect, _sync, _send = sqlite3.connect, os.fsync, socket.socket.send


def _step() -> None:
    if "PACT_DIE_AT" not in os.environ:
        return
    _seen[0] += 1
    if _seen[0] == int(os.environ["PACT_DIE_AT"]):
        os.kill(os.getpid(), signal.SIGKILL)
    if count := os.environ.get("PACT_DIE_COUNT"):
        handle = os.open(count, os.O_WRONLY | os.O_CREAT)
        os.write(handle, str(_seen[0]).encode())
        os.close(handle)


def _below(path: object) -> bool:
    root = os.environ.get("PACT_DIE_BELOW")
    known = root and isinstance(path, (str, bytes, os.PathLike))
    return bool(known) and os.path.abspath(os.fsdecode(path)).startswith(str(root))  # type: ignore[arg-type]  # noqa: PTH100 - links stay links


def _watch(event: str, given: tuple[object, ...]) -> None:
    if event == "open":
        if isinstance(given[2], int) and given[2] & _WRITING and _below(given[0]):
            _step()
    elif (event in _EVENTS and _below(given[0])) or (event == "subprocess.Popen" and "PACT_DIE_ABROAD" in os.environ):
        _step()


class _Connection(sqlite3.Connection):
    """A connection that may die before and after each commit."""

    def commit(self) -> None:
        _step()
        super().commit()
        _step()

    def execute(self, sql: str, *given: object) -> sqlite3.Cursor:
        if sql.lstrip()[:6].upper() in {"COMMIT", "BEGIN "}:
            _step()
        return super().execute(sql, *given)  # type: ignore[arg-type]


def _dying(*given: object, **named: object) -> sqlite3.Connection:
    return _connect(*given, **{"factory": _Connection, **named})  # type: ignore[call-overload,no-any-return]


def _fsync(handle: int) -> None:
    _step()
    _sync(handle)


def _sending(connection: socket.socket, *given: object) -> int:
    if "PACT_DIE_ABROAD" not in os.environ:
        return _send(connection, *given)  # type: ignore[arg-type]
    _step()
    sent = _send(connection, *given)  # type: ignore[arg-type]
    _step()
    return sent


def _dying_after(commit: Callable[[object], None]) -> Callable[[object], None]:
    def both(connection: object) -> None:
        _step()
        commit(connection)
        _step()

    return both


if os.environ.get("PACT_MAY_DIE"):
    sys.addaudithook(_watch)
    sqlite3.connect = sqlite3.dbapi2.connect = _dying  # type: ignore[assignment]
    os.fsync = _fsync  # type: ignore[assignment]
    socket.socket.send = _sending  # type: ignore[method-assign, assignment]
    with suppress(ImportError):
        import psycopg

        psycopg.Connection.commit = _dying_after(psycopg.Connection.commit)  # type: ignore[method-assign, arg-type, assignment]
