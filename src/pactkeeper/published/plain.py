"""The one codec: a value of the product as plain JSON, by its own fields or by those that its type publishes.

What could not be looked at, as JSON.

Jobs, workers and schedules as documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

from pactkeeper.authoring.refining import Refinement
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.health import FixTask
from pactkeeper.intent.quality import Quality
from pactkeeper.intent.tests import Gap
from pactkeeper.jobs.job import JobRow
from pactkeeper.reconcile.task import Task

T = TypeVar("T")


def plain(value: object) -> Any:  # noqa: ANN401 - JSON, which has no type of its own here
    """The JSON form of a value: dataclasses by their fields, dates as ISO 8601, sets sorted.

    Raises TypeError for what has no form in JSON.
    """
    if value is None or isinstance(value, str | int):
        return value
    import msgspec  # noqa: PLC0415 - a command that prints no JSON does without it

    return msgspec.to_builtins(value, str_keys=True, order="deterministic", enc_hook=_other)


def _other(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


class Codec(Generic[T]):
    """What values of one type publish, in this order: `key`, `key=attribute`, `key=attribute.of.it`, `key=`.

    `inner` are codecs of members by their key: applied to the member, to each of a sequence, or to each value of a
    mapping; None stays None. The codec of `key=` is given the whole value. A name that the type does not have raises
    TypeError where the codec is made.
    """

    __slots__ = ("_members",)

    def __init__(self, kind: type[T], names: str, **inner: Callable[[Any], object]) -> None:
        parts = [(key, path if equals else key) for key, equals, path in (one.partition("=") for one in names.split())]
        fields = getattr(kind, "__dataclass_fields__", {})
        known = {path for _, path in parts if (head := path.partition(".")[0]) in fields or hasattr(kind, head)}
        wrong = {key for key, path in parts if path not in known and (path or key not in inner)}
        wrong |= inner.keys() - {key for key, _ in parts}
        if wrong:
            raise TypeError(f"{kind.__name__} has no {', '.join(sorted(wrong))}")
        self._members = [(key, attrgetter(path) if path else None, inner.get(key, plain)) for key, path in parts]

    def __call__(self, value: T) -> dict[str, Any]:
        """The published form of a value."""
        return {key: _member(value, read, codec) for key, read, codec in self._members}

    def each(self, values: Iterable[T]) -> list[dict[str, Any]]:
        """The published form of several values."""
        return [self(one) for one in values]


def _member(value: Any, read: Callable[[Any], Any] | None, codec: Callable[[Any], object]) -> Any:  # noqa: ANN401 - a value of any type
    """One member, read from a value or, without a way to read it, made of the whole."""
    member = value if read is None else read(value)
    if read is None or codec is plain or member is None:
        return plain(None if member is None else codec(member))
    if isinstance(member, Mapping):
        return {key: plain(codec(one)) for key, one in member.items()}
    return [plain(codec(one)) for one in member] if isinstance(member, tuple | list) else plain(codec(member))


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
