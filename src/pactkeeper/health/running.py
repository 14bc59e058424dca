"""Runs one program of the project: no shell, no terminal, no input, bounded output, and guaranteed termination."""

from __future__ import annotations

import json
import os
import secrets
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from errno import ENOENT
from pathlib import Path
from signal import SIGKILL
from typing import IO, Final

from pactkeeper.intent.health import Output

_TICK: Final = 0.05  # seconds between polls of the clock and the process
_CHUNK: Final = 64 << 10
_SUPERVISOR: Final = str(Path(__file__).with_name("supervisor.py"))
_LAST_MOMENT: Final = 10.0  # seconds for the supervisor to kill what is left
_LAST_WORDS: Final = 1 << 20  # bytes; a pipe holds no more at the end, and a daemon may write forever

HEAD_LIMIT: Final = 64 << 10  # bytes; a compiler's first error is often the cause of the rest
TAIL_LIMIT: Final = 256 << 10  # bytes; test runners summarise at the end


@dataclass(frozen=True, slots=True)
class Command:
    """A command to run; `timeout` and `grace` (between terminating and killing) are in seconds.

    `owner` names the repository in the mark by which leftover processes are found.
    """

    argv: Sequence[str]
    folder: Path
    environment: Mapping[str, str] = field(repr=False)
    timeout: float
    grace: float = 5.0
    owner: str = "-"


@dataclass(frozen=True, slots=True)
class Ran:
    """The outcome of a command: its exit code, negative for a signal, or why it was not started.

    `absent` says that the program is missing. `left` counts the processes still running after it exited by itself; they
    are killed.
    """

    code: int | None
    output: Output = field(default_factory=Output)
    milliseconds: int = 0
    timed_out: bool = False
    unstarted: str = ""
    absent: bool = False
    left: int = 0


def run(command: Command) -> Ran:
    """Run a command until it exits or times out; none of its processes outlive the call."""
    mark = mark_of(command.owner, secrets.token_hex(8))
    capture, started = Capture(), time.monotonic()
    reading, writing = os.pipe()
    try:
        process = _start(command, mark, writing)
    except OSError as error:
        os.close(reading)
        return Ran(None, unstarted=_why(command, error))
    finally:
        os.close(writing)
    with _ended(process, mark):
        timed_out = not _follow(process, capture, until=started + command.timeout)
        if timed_out:
            _stop(process, capture, command.grace)
    spent = round((time.monotonic() - started) * 1000)
    told = _told(reading)
    if "errno" in told:
        unstarted = _why(command, OSError(told["errno"], os.strerror(told["errno"])))
        return Ran(None, unstarted=unstarted, absent=told["errno"] == ENOENT)
    left = 0 if timed_out else told.get("left", 0)
    return Ran(told.get("code", -SIGKILL), capture.output(), spent, timed_out=timed_out, left=left)


def _start(command: Command, mark: str, descriptor: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", _SUPERVISOR, str(descriptor), *command.argv],
        cwd=command.folder,
        env={**command.environment, VARIABLE: mark},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # no terminal to prompt on
        pass_fds=(descriptor,),
    )


def _told(reading: int) -> dict[str, int]:
    """Return the supervisor's final report; empty if it was killed."""
    with open(reading, "rb") as stream:
        said = stream.read(1_000)
    try:
        found: dict[str, int] = json.loads(said or b"{}")
    except ValueError:
        return {}
    return found


def _why(command: Command, error: OSError) -> str:
    if not command.folder.is_dir():
        return f"there is no folder {command.folder.name!r} to run {command.argv[0]!r} in"
    if isinstance(error, FileNotFoundError):
        return f"the program {command.argv[0]!r} is not installed"
    return f"the program {command.argv[0]!r} cannot be started: {error.strerror}"


@contextmanager
def _ended(process: subprocess.Popen[bytes], mark: str) -> Iterator[None]:
    """Kill every process of a command when the block exits, for whatever reason."""
    try:
        yield
    finally:
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            if process.poll() is None:
                process.send_signal(signal.SIGHUP)
                process.wait(_LAST_MOMENT)
        if process.poll() is None:
            process.kill()
        process.wait()
        end_marked(lambda found: found == mark)  # in case the supervisor was killed
        _pipe(process).close()


def _follow(process: subprocess.Popen[bytes], capture: Capture, *, until: float) -> bool:
    """Read what a process prints until it exits; return False if `until`, on the monotonic clock, comes first.

    The process decides rather than its pipe, which a daemon may hold open forever.
    """
    pipe = _pipe(process)
    os.set_blocking(pipe.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while process.poll() is None:
            if time.monotonic() >= until:
                return False
            if not selector.get_map():
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_TICK)
            elif selector.select(_TICK) and _read(pipe, capture) == 0:
                selector.unregister(pipe)
    last = 0
    while last < _LAST_WORDS and (length := _read(pipe, capture)):
        last += length
    return True


def _stop(process: subprocess.Popen[bytes], capture: Capture, grace: float) -> None:
    """Terminate a program and read its remaining output for `grace` seconds; the caller kills the rest."""
    process.terminate()
    _follow(process, capture, until=time.monotonic() + grace)


def _read(pipe: IO[bytes], capture: Capture) -> int:
    """Read what is available; 0 at the end of the stream, or if nothing is available."""
    try:
        data = os.read(pipe.fileno(), _CHUNK)
    except BlockingIOError:
        return 0
    capture.add(data)
    return len(data)


def _pipe(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdout is None:
        raise ValueError("the process was started without a pipe")
    return process.stdout


class Capture:
    """Keeps the head and tail of a byte stream of any length; memory is bounded by the head and twice the tail."""

    def __init__(self, head: int = HEAD_LIMIT, tail: int = TAIL_LIMIT) -> None:
        self._limits = (head, tail)
        self._head = bytearray()
        self._tail = bytearray()
        self._length = 0

    def add(self, data: bytes) -> None:
        """Append bytes."""
        head, tail = self._limits
        self._length += len(data)
        room = head - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * tail:  # rarely, so that each byte is moved once
            del self._tail[:-tail]

    def output(self) -> Output:
        """Return what was kept, as text; invalid UTF-8 becomes replacement characters."""
        tail = self._tail[-self._limits[1] :]
        omitted = self._length - len(self._head) - len(tail)
        if not omitted:
            return Output(_text(self._head + tail))
        return Output(_text(self._head), _text(tail), omitted)


def _text(data: bytearray) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


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
