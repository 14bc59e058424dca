"""`pk` at a real pseudo-terminal, with what a person would see on it."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

import pyte

from tests.doors.forking import SERVER
from tests.waiting import PATIENCE


def started_at_a_terminal(project, *arguments, **env):
    """Start `pk` at a pseudo-terminal; gives the process and our end."""
    ours, theirs = pty.openpty()
    surroundings = {name: text for name, text in os.environ.items() if name != "CI"}
    process = subprocess.Popen(
        SERVER.program(*arguments),
        cwd=project.root,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**surroundings, "NO_COLOR": "1", **env},
    )
    os.close(theirs)
    return process, ours


def seen_at_a_terminal(project, *arguments, typed=b"", **env):
    """Run `pk` at a pseudo-terminal with this typed ahead; gives all that was on the screen and the exit code."""
    process, ours = started_at_a_terminal(project, *arguments, **env)
    os.write(ours, typed)
    seen = b""
    try:
        while part := os.read(ours, 1 << 16):
            seen += part
    except OSError:  # how Linux says that the other side is closed
        pass
    os.close(ours)
    return seen.decode(), process.wait()


class Terminal:
    """A process at a terminal of this size; `screen` is what stands on it."""

    def __init__(self, arguments, *, cwd, columns=140, rows=40, **env):
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        surroundings = {
            **{name: text for name, text in os.environ.items() if name != "CI"},
            "TERM": "xterm-256color",
            **env,
        }
        command = [sys.executable, "-m", "pactkeeper", *arguments]
        self._process = subprocess.Popen(command, cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs, env=surroundings)
        os.close(theirs)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    @property
    def text(self):
        return "\n".join(self.screen.display)

    def press(self, keys, until, times=1):
        """Press keys, and wait until these words stand on the screen so many times.

        A single letter waits until the program reads single keys: what is typed before that is thrown away.
        """
        end = time.monotonic() + PATIENCE
        while keys.isalpha() and termios.tcgetattr(self._ours)[3] & termios.ICANON:
            assert time.monotonic() < end, f"no single keys are read:\n{self.text}"
            self._read(wait=0.01)
        os.write(self._ours, keys.encode())
        while self.text.count(until) < times:
            assert time.monotonic() < end, f"{until!r} did not come:\n{self.text}"
            self._read()

    def code(self):
        """Wait until the process ends; its exit code."""
        while self._read(wait=PATIENCE):
            pass
        return self._process.wait(PATIENCE)

    def _read(self, wait=0.2):
        """Take what was written meanwhile; False where the process closed the terminal."""
        ready, _, _ = select.select([self._ours], [], [], wait)
        if not ready:
            return True
        try:
            data = os.read(self._ours, 1 << 16)
        except OSError:  # how Linux says that the other side is closed
            return False
        self._stream.feed(data)
        return bool(data)
