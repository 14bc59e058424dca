"""Run one job: its command in a separate process, whose exit code and last output are the result."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from pactkeeper.jobs.job import Job, arguments_of, kind_of
from pactkeeper.settings.environment import for_job

MOST_KEPT: Final = 64 * 1024  # bytes of a result stored with the job; the history has all of it
MOST_SAID: Final = 4 * 1024
TEMPORARY: Final = "pactkeeper-job-"  # followed by the worker's process id


@dataclass(slots=True)
class Running:
    """The process of a job and its output."""

    process: subprocess.Popen[bytes]
    out: IO[bytes] = field(repr=False)
    err: IO[bytes] = field(repr=False)

    def wait(self) -> int:
        """Wait for the process to end; returns its exit code, negative if a signal ended it."""
        return self.process.wait()

    def end(self) -> None:
        """Kill the process and its group at once: it may not write any more, so there is nothing to wait for."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def said(self) -> str:
        """The tail of what it wrote to standard error."""
        return _tail(self.err, MOST_SAID).decode(errors="replace").strip()

    def result(self, code: int) -> dict[str, Any]:
        """The result, as stored with the job."""
        printed = _tail(self.out, MOST_KEPT + 1)
        return {"exit": code, **_document(printed)}


def _tail(stream: IO[bytes], most: int) -> bytes:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - most))
    return stream.read()


def _document(printed: bytes) -> Mapping[str, Any]:
    if len(printed) > MOST_KEPT:
        return {"said": f"the result is longer than {MOST_KEPT:,} bytes and not kept here; the history has it"}
    try:
        found = json.loads(printed)
    except ValueError:
        return {"said": printed.decode(errors="replace").strip()[-MOST_SAID:]}
    return {"document": found}


@contextmanager
def started(job: Job, token: str, folder: Path) -> Iterator[Running]:
    """Start a job's command in a folder; on exit, kill whatever still runs."""
    command = [sys.executable, "-m", "pactkeeper.jobs.child", str(os.getpid()), "-C", str(folder)]
    own = f"{TEMPORARY}{os.getpid()}-"
    with (
        tempfile.TemporaryDirectory(prefix=own, ignore_cleanup_errors=True) as temporary,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        process = subprocess.Popen(
            [*command, *arguments_of(kind_of(job.kind), job.commit, job.since, job.files)],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=for_job(job.id, token, job.trace) | {"TMPDIR": temporary},
            start_new_session=True,
        )
        running = Running(process, out, err)
        try:
            yield running
        finally:
            running.end()
            process.wait()


def bury_temporary() -> None:
    """Remove the temporary files of jobs whose worker was killed."""
    for one in Path(tempfile.gettempdir()).glob(f"{TEMPORARY}*"):
        worker = one.name.removeprefix(TEMPORARY).partition("-")[0]
        if worker.isascii() and worker.isdigit() and not _lives(int(worker)):
            shutil.rmtree(one, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass  # it belongs to another account
    return True
