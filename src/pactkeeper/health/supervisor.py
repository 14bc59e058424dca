"""Runs one program and kills whatever it started, daemons included: `python supervisor.py FD PROGRAM [ARGUMENT]…`.

It is a separate process and, on Linux, the reaper of all its descendants, so that a daemon that left its parent, its
group, its session and its environment still ends with its check. SIGTERM is passed on to the program; SIGHUP, which is
also sent when Pactkeeper dies, kills everything at once. The outcome is written to the descriptor FD as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_PARENT_DEATH, _SUBREAPER = 1, 36  # prctl(2)
_PROCESSES: Final = Path("/proc")
_MOMENT: Final = 0.3  # seconds in which a program's last processes may end by themselves
_PAUSE: Final = 0.02


def main(descriptor: int, argv: list[str]) -> int:
    """Run the program to completion, then kill what is left."""
    _become_reaper()
    try:
        child = os.posix_spawnp(argv[0], argv, os.environ, setpgroup=0, setsigdef=(signal.SIGTERM, signal.SIGHUP))
    except OSError as error:
        _tell(descriptor, errno=error.errno)
        return 127
    signal.signal(signal.SIGTERM, lambda *_: _forward(child))
    signal.signal(signal.SIGHUP, lambda *_: _end_all(child))
    _, status = os.waitpid(child, 0)
    until = time.monotonic() + _MOMENT
    while _left() and time.monotonic() < until:
        time.sleep(_PAUSE)
    left = len(_left())
    _end_all(child)
    _tell(descriptor, code=os.waitstatus_to_exitcode(status), left=left)
    return 0


def _become_reaper() -> None:
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - only here

        libc = ctypes.CDLL(None)
        libc.prctl(_SUBREAPER, 1, 0, 0, 0)
        libc.prctl(_PARENT_DEATH, signal.SIGHUP, 0, 0, 0)


def _forward(child: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGTERM)


def _end_all(child: int) -> None:
    """Kill all descendants, repeatedly while something forks."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    while left := _left():
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE / 10)


def _left() -> set[int]:
    """Return every living descendant, reaping those that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    parents = dict(_parents())
    found, edge = set[int](), {os.getpid()}
    while edge:
        edge = {pid for pid, parent in parents.items() if parent in edge} - found
        found |= edge
    return found


def _parents() -> Iterator[tuple[int, int]]:
    """Yield (pid, parent pid) of every living process; none if the system does not expose them."""
    for place in _PROCESSES.iterdir() if _PROCESSES.is_dir() else ():
        if place.name.isdigit():
            with suppress(OSError):
                state, parent = (place / "stat").read_bytes().rpartition(b")")[2].split()[:2]
                if state != b"Z":
                    yield int(place.name), int(parent)


def _tell(descriptor: int, **told: int | None) -> None:
    with suppress(OSError):
        os.write(descriptor, json.dumps(told).encode())


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
