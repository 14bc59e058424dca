"""A job as a value: what to do for whom, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self

from pactkeeper.errors import InputError
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
