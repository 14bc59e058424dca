"""A job as a value: what to do for whom, and what became of it.

The kinds of job: one row each, with the command that does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self

from pactkeeper.errors import InputError, UsageError
from pactkeeper.ledger.canonical import digest

JobState = Literal["waiting", "running", "done", "failed", "cancelled"]
JOB_STATES: Final[tuple[JobState, ...]] = ("waiting", "running", "done", "failed", "cancelled")
HEAD: Final = "HEAD"
_LENGTH: Final = 16  # of the part of an id that is a hash


@dataclass(frozen=True, slots=True)
class Job:
    """What to do: a kind of job for a repository, at a place on the worker's host or by its name on the server.

    `subject` is the repository's id: jobs of one subject run one after the other. Two jobs with the same kind, subject
    and `key` are one; the key is the commit, or what else tells one occasion from another.
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
        """The id under which the queue knows it: equal jobs have equal ids."""
        value = digest([self.kind, self.subject, self.key, self.since, list(self.files)])
        return f"{self.kind}-{value.rpartition(':')[2][:_LENGTH]}"

    def told(self) -> dict[str, Any]:
        """As the queue keeps it."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "place": self.place,
            "key": self.key,
            "commit": self.commit,
            "since": self.since,
            "files": list(self.files),
            "trace": self.trace,
            "repository": self.repository,
        }

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Read it back; raises InputError where it is none. Other versions may know more of a job, or less."""
        try:
            needed = (told["kind"], told["subject"], told["place"], told["key"])
        except (KeyError, TypeError):
            raise InputError(f"the queue holds {told!r:.200}, which is no job; another program has added it") from None
        files = tuple(told.get("files", ()))
        rest = {name: told.get(name, "") for name in ("commit", "since", "trace", "repository")}
        return cls(*needed, files=files, **rest)


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job with what became of it; times are milliseconds since 1970, 0 where it has not come to that.

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
    """What a job of this kind runs: the arguments of `pk`, in which `{commit}`, `{files}` and `{since}` are filled in.

    With a `tree` it runs in a throw-away worktree at its commit. It is cancelled after `seconds`, and tried again
    `retries` times where it failed; kinds whose second try could do something twice have none. Of the jobs that wait
    for one subject the one with the lowest `priority` comes first. `whole` stands for `{since}` where a job names no
    commit to compare with. `takes` names what a job of this kind needs besides, in the order of its files; two such
    jobs are the same where these are, whatever the commit. Jobs of one `about` run one after the other: of a
    repository, of a person with their transcripts, of the thread or the board that the job takes.
    """

    name: str
    does: str
    arguments: tuple[str, ...]
    priority: int
    seconds: int = 30 * MINUTE
    retries: int = 0
    tree: bool = False
    whole: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    about: Literal["repository", "person", "thread", "board"] = "repository"


COMMIT, FILES, SINCE = "{commit}", "{files}", "{since}"
NUMBER, COMMENT, THREAD, BOARD = "{number}", "{comment}", "{thread}", "{board}"
KINDS: Final[Mapping[str, Kind]] = {
    one.name: one
    for one in (
        Kind(
            "guard",
            "Tell what a change did to the tests.",
            ("guard", "--at", COMMIT, SINCE, "--json"),
            10,
            retries=2,
            whole=("--since", f"{COMMIT}^"),
        ),
        Kind(
            "answer",
            "Do what a comment below a pull request asks for.",
            ("pr", "answer", NUMBER, "--comment", COMMENT),
            5,
            takes=(NUMBER, COMMENT),
        ),
        Kind(
            "pull-request",
            "Keep the status and the comment of a pull request current.",
            ("pr", "report", NUMBER, "--answers"),
            15,
            retries=2,
            takes=(NUMBER,),
        ),
        Kind("propose", "Keep our own pull request current.", ("pr", "propose"), 45, retries=2),
        Kind("threads", "Go on with threads that wait.", ("thread", "tick", "--json"), 10, retries=2, about="person"),
        Kind(
            "thread",
            "Go on with one thread.",
            ("thread", "tick", THREAD, "--json"),
            10,
            retries=2,
            takes=(THREAD,),
            about="thread",
        ),
        Kind(
            "board",
            "Do on one board what conversations plainly show.",
            ("transcripts", "execute", "--board", BOARD, "--json"),
            70,
            takes=(BOARD,),
            about="board",
        ),
        Kind("tick", "Do what is due: reminders, ends of snoozes.", ("tick", "--json"), 20, retries=2),
        Kind("check", "Tell what has drifted.", ("check", "--at", COMMIT, "--json"), 30, retries=2),
        Kind(
            "reconcile",
            "Propose a patch.",
            ("reconcile", SINCE, "--json"),
            40,
            retries=1,
            tree=True,
            whole=("--all",),
        ),
        Kind(
            "evidence",
            "Take in reports of a test run.",
            ("evidence", "import", "--json", "--commit", COMMIT, FILES),
            40,
            retries=2,
        ),
        Kind("attest", "Keep an attestation of CI.", ("attest", "import", FILES), 50, retries=2),
        Kind(
            "sweep",
            "Run the checks of a commit.",
            ("health", "sweep", "--at", COMMIT, "--json"),
            60,
            120 * MINUTE,
            retries=1,
        ),
        Kind("watch", "Sweep if one is due.", ("health", "watch", "--once"), 60, 120 * MINUTE),
        Kind(
            "ingest",
            "Read what is new in transcripts.",
            ("transcripts", "ingest", "--json"),
            70,
            retries=2,
            about="person",
        ),
        Kind("report", "Tell where tests and pact stand.", ("report", "--markdown"), 55, retries=2, tree=True),
        Kind("prune", "Forget old outcomes of tests.", ("evidence", "prune"), 90, retries=2),
        Kind(
            "standup", "Do what conversations plainly show.", ("transcripts", "standup", "--json"), 80, about="person"
        ),
    )
}


def kind_of(name: str) -> Kind:
    """The kind of that name; raises UsageError."""
    if name not in KINDS:
        raise UsageError(f"there is no kind of job {name!r}; the kinds are: {', '.join(KINDS)}")
    return KINDS[name]


def arguments_of(kind: Kind, commit: str, since: str, files: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments of `pk` for a job; raises InputError where a value could be taken for an option."""
    for value in (commit, since, *files):
        if value.startswith("-"):
            raise InputError(f"{value!r} would be read as an option; name a commit or a file that begins otherwise")
    filled: list[str] = []
    named = dict(zip(kind.takes, files, strict=False))
    for one in kind.arguments:
        if one in named:
            filled.append(named[one])
        elif one == FILES:
            filled.extend(files)
        elif one == SINCE:
            filled.extend(("--since", since) if since else kind.whole)
        else:
            filled.append(one)
    return tuple(one if one in files else one.replace(COMMIT, commit) for one in filled)
