"""Loaded by every Python below `PYTHONPATH`: ends the process as `kill -9` does at its n-th change of the disk."""

import os
import signal
import sqlite3
import sys

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_EVENTS = frozenset({"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate", "shutil.move"})
_left = [int(os.environ.get("PACT_DIE_AT", "0"))]
_root = os.environ.get("PACT_DIE_BELOW", "")


def _step() -> None:
    _left[0] -= 1
    if _left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)


def _below(path: object) -> bool:
    return isinstance(path, (str, bytes, os.PathLike)) and os.path.abspath(os.fsdecode(path)).startswith(_root)  # noqa: PTH100 - links stay links


def _watch(event: str, given: tuple[object, ...]) -> None:
    if event == "open":
        if isinstance(given[2], int) and given[2] & _WRITING and _below(given[0]):
            _step()
    elif event in _EVENTS and _below(given[0]):
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


if _left[0] > 0:
    sys.addaudithook(_watch)
    _connect = sqlite3.connect

    def _dying(*given: object, **named: object) -> sqlite3.Connection:
        return _connect(*given, **{"factory": _Connection, **named})  # type: ignore[call-overload,no-any-return]

    sqlite3.connect = _dying  # type: ignore[assignment]
    _sync = os.fsync

    def _fsync(handle: int) -> None:
        _step()
        _sync(handle)

    os.fsync = _fsync  # type: ignore[assignment]
