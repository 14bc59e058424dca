"""Processes that a check leaves behind, known by a variable that every process inherits from the one that started it.

A daemon leaves its parent, its group and its session, but keeps its environment. Only Linux shows the environment of
other processes; elsewhere nothing is found here and only the process group of a check is ended.
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
_ROUNDS: Final = 50  # a process that forks while it is looked for is found in the next round


def mark_of(owner: str, token: str) -> str:
    """What the processes of one check of this process are marked with; `owner` names the repository."""
    return f"{owner}.{os.getpid()}.{token}"


def end_marked(wanted: Callable[[str], bool]) -> int:
    """Kill every process whose mark is `wanted`, wait for their end, and return how many there were."""
    ended: set[int] = set()
    for _ in range(_ROUNDS):
        found = {pid for pid, mark in _marked() if wanted(mark)}
        if not found:
            break
        for pid in found:
            _kill(pid, wanted)
        ended |= found
        time.sleep(_PAUSE)  # the system takes a moment to end what was killed
    return len(ended)


def end_orphans(owner: str) -> int:
    """Kill what checks of a repository left whose Pactkeeper is dead, and return how many there were."""
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
    """The mark of a process; empty for none, for a process of another user, and for one that has ended."""
    try:
        environment = (_PROCESSES / str(pid) / "environ").read_bytes()
    except OSError:
        return ""
    opening = f"{VARIABLE}=".encode()
    found = next((one for one in environment.split(b"\0") if one.startswith(opening)), b"")
    return found.removeprefix(opening).decode("utf-8", "replace")


def _kill(pid: int, wanted: Callable[[str], bool]) -> None:
    """Kill a process, unless its number belongs to another one by now."""
    with suppress(OSError):
        handle = os.pidfd_open(pid)
        try:
            if wanted(_mark(pid)):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)
