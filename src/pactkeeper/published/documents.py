"""Gaps, jobs, scores, tasks and fixes as documents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from pactkeeper.authoring.refining import Refinement
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.health import FixTask
from pactkeeper.intent.quality import Quality
from pactkeeper.intent.tests import Gap
from pactkeeper.jobs.job import JobRow
from pactkeeper.published.plain import Codec, plain
from pactkeeper.reconcile.task import Task

GAP: Final = Codec(Gap, "file line reason")


_ALWAYS: Final = Codec(JobRow, "id kind=job.kind repository=job.subject place=job.place commit=job.commit state")
_LATER: Final = Codec(JobRow, "added began ended worker result error")
_TIMES: Final = {"added", "began", "ended"}


def job_document(row: JobRow) -> dict[str, object]:
    """A job with what became of it; what has not come to be yet is left out."""
    later = {name: value for name, value in _LATER(row).items() if value}
    return {**_ALWAYS(row), **{name: moment(value) if name in _TIMES else value for name, value in later.items()}}


def lost_document(lost_by: Sequence[tuple[str, int]]) -> list[dict[str, object]]:
    """The workers that lost a job, each with the time when it was taken from them."""
    return [{"worker": worker, "at": moment(at)} for worker, at in lost_by]


def moment(milliseconds: int) -> str:
    """A time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


QUALITY: Final = Codec(
    Quality, "score verdict judged language= dimensions", language=lambda quality: quality.language or None
)
_REFINED: Final = Codec(
    Refinement,
    "intent=words.intent quality atomic= reasons=joints questions",
    quality=QUALITY,
    atomic=lambda found: not found.joints,
)


def refinement_document(found: Refinement, atom: Atom | None) -> dict[str, object]:
    """The published form; `atom` is the one of the pact whose words they are."""
    return {"atom": None if atom is None else atom.id, **_REFINED(found)}


TASK: Final = Codec(Task, "priority kind subject message command severity path line fingerprint ops")


def fix_document(one: FixTask) -> dict[str, object]:
    """The published form: the fields of seed tasks in their spelling, and ours beside them."""
    return {**plain(one), "createdAt": one.created_at}
