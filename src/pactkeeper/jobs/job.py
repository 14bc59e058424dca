"""A job as a value, what became of it, and the kinds of job: one row each, with the command that runs it.

The command runs in a process of its own, whose exit code and last output are the result.
"""

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
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Literal, Self

from pactkeeper.errors import InputError, UsageError
from pactkeeper.ledger.canonical import digest
from pactkeeper.settings.environment import for_job

JobState = Literal["waiting", "running", "done", "failed", "cancelled"]
JOB_STATES: Final[tuple[JobState, ...]] = ("waiting", "running", "done", "failed", "cancelled")
HEAD: Final = "HEAD"
_LENGTH: Final = 16  # hex digits of the hash in an id


@dataclass(frozen=True, slots=True)
class Job:
    """What to do: a kind of job for a repository, given by a path on the worker's host or its name on the server.

    `subject` is the repository's id: jobs with the same subject run one after the other. Two jobs with the same kind,
    subject and `key` are the same job; the key is the commit, or whatever else tells one occasion from another.
    """

    kind: str
    subject: str
    place: str
    key: str
    commit: str = ""
    since: str = ""
    files: tuple[str, ...] = ()
    trace: str = ""
    repository: str = ""

    @property
    def id(self) -> str:
        """The job's id in the queue: equal jobs have equal ids."""
        value = digest([self.kind, self.subject, self.key, self.since, list(self.files)])
        return f"{self.kind}-{value.rpartition(':')[2][:_LENGTH]}"

    def told(self) -> dict[str, Any]:
        """The dictionary that the queue stores."""
        return {**asdict(self), "files": list(self.files)}

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Read a job back; raises InputError if it isn't one. Other versions may store more fields, or fewer."""
        try:
            needed = (told["kind"], told["subject"], told["place"], told["key"])
        except (KeyError, TypeError):
            raise InputError(f"the queue holds {told!r:.200}, which is not a job; another program added it") from None
        files = tuple(told.get("files", ()))
        rest = {name: told.get(name, "") for name in ("commit", "since", "trace", "repository")}
        return cls(*needed, files=files, **rest)


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job and what became of it; times are milliseconds since 1970, 0 if that hasn't happened yet.

    `result` is what its command printed last, with its exit code under `exit`; `error` says why it failed.
    """

    id: str
    job: Job
    state: JobState
    added: int
    began: int = 0
    ended: int = 0
    worker: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A job that is added again and again, at the times of a cron expression in UTC."""

    name: str
    cron: str
    kind: str
    place: str
    paused: bool = False


MINUTE: Final = 60


@dataclass(frozen=True, slots=True)
class Kind:
    """What a job of this kind runs: the arguments of `pk`, with placeholders in braces.

    Of the jobs waiting for one subject, the one with the lowest `priority` goes first. A job is cancelled after
    `seconds`, and retried `retries` times if it fails; kinds that could do something twice have no retries. With
    `tree`, it runs in a temporary worktree at its commit. `whole` replaces `{since}` if a job names no commit to
    compare with. Jobs about the same thing run one at a time; `about` says what that is: a repository, a person with
    their transcripts, or the thread or board that the job takes.
    """

    name: str
    command: str
    priority: int
    retries: int = 0
    seconds: int = 30 * MINUTE
    tree: bool = False
    whole: str = ""
    about: Literal["repository", "person", "thread", "board"] = "repository"

    @property
    def takes(self) -> tuple[str, ...]:
        """The further arguments of this kind, in the order of a job's files; they are part of a job's identity."""
        return tuple(one for one in self.command.split() if one in _TAKEN)


COMMIT, FILES, SINCE = "{commit}", "{files}", "{since}"
NUMBER, COMMENT, THREAD, BOARD = "{number}", "{comment}", "{thread}", "{board}"
_TAKEN: Final = (NUMBER, COMMENT, THREAD, BOARD)
KINDS: Final[Mapping[str, Kind]] = {
    one.name: one
    for one in (
        Kind("answer", "pr answer {number} --comment {comment}", 5),
        Kind("guard", "guard --at {commit} {since} --json", 10, 2, whole="--since {commit}^"),
        Kind("threads", "thread tick --json", 10, 2, about="person"),
        Kind("thread", "thread tick {thread} --json", 10, 2, about="thread"),
        Kind("pull-request", "pr report {number} --answers", 15, 2),
        Kind("tick", "tick --json", 20, 2),
        Kind("check", "check --at {commit} --json", 30, 2),
        Kind("reconcile", "reconcile {since} --json", 40, 1, tree=True, whole="--all"),
        Kind("evidence", "evidence import --json --commit {commit} {files}", 40, 2),
        Kind("propose", "pr propose", 45, 2),
        Kind("attest", "attest import {files}", 50, 2),
        Kind("report", "report --markdown", 55, 2, tree=True),
        Kind("sweep", "health sweep --at {commit} --json", 60, 1, 120 * MINUTE),
        Kind("watch", "health watch --once", 60, 0, 120 * MINUTE),
        Kind("ingest", "transcripts ingest --json", 70, 2, about="person"),
        Kind("board", "transcripts execute --board {board} --json", 70, about="board"),
        Kind("standup", "transcripts standup --json", 80, about="person"),
        Kind("prune", "evidence prune", 90, 2),
    )
}


def kind_of(name: str) -> Kind:
    """The kind with that name; raises UsageError if there is none."""
    if name not in KINDS:
        raise UsageError(f"there is no kind of job {name!r}; the kinds are: {', '.join(KINDS)}")
    return KINDS[name]


def arguments_of(kind: Kind, commit: str, since: str, files: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments of `pk` for a job; raises InputError if a value could be mistaken for an option."""
    for value in (commit, since, *files):
        if value.startswith("-"):
            raise InputError(f"{value!r} would be read as an option; use a commit or file name that begins differently")
    filled: list[str] = []
    named = dict(zip(kind.takes, files, strict=False))
    for one in kind.command.split():
        if one == FILES:
            filled.extend(files)
        elif one == SINCE:
            whole = [word.replace(COMMIT, commit) for word in kind.whole.split()]
            filled.extend(("--since", since) if since else whole)
        else:
            filled.append(named.get(one) or one.replace(COMMIT, commit))
    return tuple(filled)


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
