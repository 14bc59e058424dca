"""Python in another process, killed or waited for."""

import subprocess
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, cast

from tests.doors.forking import SERVER
from tests.waiting import PATIENCE

SETUP = """
import os, signal, sys, time
from pathlib import Path
from pactkeeper.errors import PactkeeperError
from pactkeeper.store.database import open_database
from pactkeeper.store.history import History
from tests.store.rows import *
url, repository, *rest = sys.argv[1:]
"""


class Script(subprocess.Popen[str]):
    """A running script; `said` is the line that it printed before it waits."""

    said = ""


def start(source, *arguments) -> Script:
    """Run a script with `url`, `repository` and the `rest` of its arguments at hand."""
    command = SERVER.program("-c", SETUP + textwrap.dedent(source), *arguments)
    return Script(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> str:
    """What it printed; a script that fails fails the test with its own words."""
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    return out


def run(source, *arguments) -> str:
    return finish(start(source, *arguments))


def killed(source, *arguments) -> None:
    """Run a script that kills itself with SIGKILL."""
    process = start(source, *arguments)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == -9, err


@contextmanager
def waiting(source, *arguments) -> Iterator[Script]:
    """A script that has printed its first line and goes on when its input is closed."""
    process = start(source, *arguments)
    try:
        process.said = cast("IO[str]", process.stdout).readline().strip()
        if not process.said:
            raise AssertionError(cast("IO[str]", process.stderr).read())
        yield process
    finally:
        process.communicate(timeout=PATIENCE)
