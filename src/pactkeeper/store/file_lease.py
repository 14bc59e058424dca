"""The lease next to a SQLite history: a lock on a file in the state folder, released when the process ends."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pactkeeper.errors import WriteFailed
from pactkeeper.store.owner import here, in_children

LEASE_FILE: Final = "run.lock"
_LONGEST: Final = 400


@dataclass(slots=True, weakref_slot=True)
class FileLease:
    """A lock held as long as its handle is open."""

    handle: int

    def ensure(self) -> None:
        """Do nothing: a living process can't lose a file lock."""

    def release(self) -> None:
        """Release the lock; idempotent."""
        handle, self.handle = self.handle, -1
        if handle >= 0:
            os.close(handle)


def take(folder: Path) -> FileLease | None:
    """Take the lease and record the owner; None if another process or thread holds it."""
    handle = _locked(folder)
    if handle is None:
        return None
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{here()}\n".encode(), 0)
    except OSError as error:
        os.close(handle)
        raise _untaken(folder, error) from error
    found = FileLease(handle)
    # A forked worker that outlives a killed parent would keep the lock through its copy of the handle.
    in_children(found, FileLease.release)
    return found


def owner(folder: Path) -> str:
    """Return the holder of the lease as `host:pid`; empty if it is free."""
    try:
        handle = os.open(folder / LEASE_FILE, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise _untaken(folder, error) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(handle, _LONGEST).decode("utf-8", "replace").strip() or "another process"
    else:
        return ""
    finally:
        os.close(handle)


def _locked(folder: Path) -> int | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / LEASE_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise _untaken(folder, error) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    except BaseException:
        os.close(handle)
        raise
    return handle


def _untaken(folder: Path, error: OSError) -> WriteFailed:
    why = f"the lease {str(folder / LEASE_FILE)!r} cannot be taken: {error.strerror}"
    return WriteFailed(f"{why}; allow writing, or remove what is there")
