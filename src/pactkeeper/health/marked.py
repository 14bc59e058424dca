"""Finds processes that a check leaves behind, by an environment variable that every child process inherits.

A daemon leaves its parent, process group and session, but keeps its environment. Only Linux exposes the environment of
other processes; elsewhere nothing is found here and only the check's process group is killed.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

VARIABLE: Final = "PACTKEEPER_CHECK"
_PROCESSES: Final = Path("/proc")
_PAUSE: Final = 0.03
_ROUNDS: Final = 50  # a process that forks during the search is found in the next round


def mark_of(owner: str, token: str) -> str:
    """Return the mark for the processes of one check; `owner` names the repository."""
    return f"{owner}.{os.getpid()}.{token}"


def end_marked(wanted: Callable[[str], bool]) -> int:
    """Kill every process whose mark is `wanted`, wait for them to end, and return their number."""
    ended: set[int] = set()
    for _ in range(_ROUNDS):
        found = {pid for pid, mark in _marked() if wanted(mark)}
        if not found:
            break
        for pid in found:
            _kill(pid, wanted)
        ended |= found
        time.sleep(_PAUSE)  # the system takes a moment to reap what was killed
    return len(ended)


def end_orphans(owner: str) -> int:
    """Kill processes left by a repository's checks whose Pactkeeper has died, and return their number."""
    return end_marked(lambda mark: _is_orphan(mark, owner))


def _is_orphan(mark: str, owner: str) -> bool:
    name, _, rest = mark.partition(".")
    pid = rest.partition(".")[0]
    return name == owner and pid.isdigit() and not _lives(int(pid))


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _marked() -> Iterator[tuple[int, str]]:
    if not _PROCESSES.is_dir():
        return
    for entry in _PROCESSES.iterdir():
        if entry.name.isdigit() and (mark := _mark(int(entry.name))):
            yield int(entry.name), mark


def _mark(pid: int) -> str:
    """Return the mark of a process; empty if it has none, belongs to another user, or has ended."""
    try:
        environment = (_PROCESSES / str(pid) / "environ").read_bytes()
    except OSError:
        return ""
    opening = f"{VARIABLE}=".encode()
    found = next((one for one in environment.split(b"\0") if one.startswith(opening)), b"")
    return found.removeprefix(opening).decode("utf-8", "replace")


def _kill(pid: int, wanted: Callable[[str], bool]) -> None:
    """Kill a process, unless its pid has been reused."""
    with suppress(OSError):
        handle = os.pidfd_open(pid)
        try:
            if wanted(_mark(pid)):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)
