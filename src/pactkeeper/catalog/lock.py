"""One writer at a time: an advisory lock that the system releases when its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pactkeeper.errors import BusyError

LOCK_FILE: Final = "lock"


@contextmanager
def writing(state_dir: Path) -> Iterator[None]:
    """Hold the repository's pact; raises `BusyError` naming the process that holds it already."""
    state_dir.mkdir(parents=True, exist_ok=True)
    handle = os.open(state_dir / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BusyError(_busy(os.pread(handle, 32, 0))) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def holder(state_dir: Path) -> str | None:
    """Say who is writing right now, or None."""
    try:
        with writing(state_dir):
            return None
    except BusyError as error:
        return str(error)


def _busy(content: bytes) -> str:
    pid = content.split(b"\n")[0].decode("ascii", "replace")
    who = f"process {pid}" if pid.isdigit() else "another process"
    return f"{who} is writing to this repository's pact; wait for it to end and try again"
