"""Canonical JSON for every value that is hashed, so that equal values have equal digests on every machine.

The form is UTF-8 JSON with sorted keys, no spaces and no floats (floats print differently across languages, and
confidences and amounts of money compare by their digits). Text is kept as is: NFC normalisation is up to whoever names
things. The version prefix of a digest changes whenever this form does.

Also observations (things seen in a source, with where, when, and how far they can be trusted) and runs (one
reconciliation with its history, from start to final state).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast, get_args

from pactkeeper.ledger.health import Health, allows_presence

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Key = TypeVar("Key")
Value = TypeVar("Value")
JsonValue = None | bool | int | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"]

VERSION: Final = "v1:"
MAX_DEPTH: Final = 100


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True).encode
_SCALARS: Final = frozenset({type(None), bool, int, str})
_STRING: Final = frozenset({str})


def canonical_json(value: JsonValue) -> bytes:
    """Encode a value made of None, bool, int, str, list, tuple and dict with str keys; a tuple encodes as a list.

    Raises TypeError for any other type (floats included) and ValueError for text that UTF-8 cannot encode or for
    nesting deeper than `MAX_DEPTH`; both messages name the place.
    """
    if not _is_ordinary(value, 0):
        _refuse_foreign(value, "$", 0)
    text = _encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        bad = text[error.start : error.end]
        raise ValueError(
            f"text holds {bad!r}, which is not a valid character; decode the source before hashing it"
        ) from error


def plain(value: JsonValue) -> JsonValue:
    """A deep copy made only of lists and of dicts with sorted keys, as parsing the canonical form returns it."""
    copy: JsonValue = json.loads(canonical_json(value))
    return copy


def fields_of(value: DataclassInstance) -> dict[str, JsonValue]:
    """A dataclass as a mapping of its fields, which `from_fields` reads."""
    return cast("dict[str, JsonValue]", plain(asdict(value)))


def from_fields(kind: Callable[..., Value], found: Mapping[str, Any]) -> Value:
    """A dataclass from a mapping of its fields, whose lists become tuples; unknown ones are left out."""
    known = {one.name for one in fields(cast("type[DataclassInstance]", kind))}
    return kind(**{name: tuple(one) if isinstance(one, list) else one for name, one in found.items() if name in known})


def tally(words: Iterable[str]) -> dict[str, int]:
    """Count words, in alphabetical order."""
    return dict(sorted(Counter(words).items()))


def counted(words: Iterable[Key], names: Iterable[Key]) -> dict[Key, int]:
    """Count words, zeros included, in the order of `names`."""
    found = Counter(words)
    return {name: found[name] for name in names}


def by_key(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Gather the second parts of pairs by their first, in the order met."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def digest(value: JsonValue) -> str:
    """The SHA-256 of the canonical form, as `v1:` and 64 hex digits; raises as `canonical_json` does."""
    return digest_bytes(canonical_json(value))


def digest_bytes(data: bytes) -> str:
    """The SHA-256 of raw bytes, as `v1:` and 64 hex digits."""
    return VERSION + hashlib.sha256(data).hexdigest()


def _is_ordinary(value: object, depth: int) -> bool:
    """Whether a value consists only of exact JSON types; does not report where it does not, which keeps it fast.

    Scalars, which most values are, are recognised without a recursive call.
    """
    if type(value) in _SCALARS:
        return True
    if depth >= MAX_DEPTH:
        return False
    inner: Iterable[object]
    if isinstance(value, dict):
        if not _STRING.issuperset(map(type, value)):
            return False
        inner = value.values()
    elif isinstance(value, list | tuple):
        inner = value
    else:
        return False
    for item in inner:  # noqa: SIM110 - a generator would take half of the time of hashing
        if type(item) not in _SCALARS and not _is_ordinary(item, depth + 1):
            return False
    return True


def _refuse_foreign(value: object, place: str, depth: int) -> None:
    if value is None or isinstance(value, str | int):  # bool is an int
        return
    if depth >= MAX_DEPTH:
        raise ValueError(f"{place} is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{place} has the key {key!r}; keys are text, since JSON knows no other")
            _refuse_foreign(item, f"{place}.{key}", depth + 1)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _refuse_foreign(item, f"{place}[{index}]", depth + 1)
    else:
        raise TypeError(f"{place} is {value!r} of type {type(value).__name__}; write it as text or a whole number")


Trust = Literal["machine", "human", "model"]

# Machine records outweigh what a person says, which outweighs what a model wrote.
TRUST_ORDER: Final[tuple[Trust, ...]] = get_args(Trust)

CursorKind = Literal["commit", "offset", "event"]


@dataclass(frozen=True, slots=True)
class Span:
    """Where something was seen: a path with lines counted from 1, a record's uuid, or a permalink with no lines."""

    source: str
    locator: str
    first_line: int = 0
    last_line: int = 0


@dataclass(frozen=True, slots=True)
class Observation:
    """Something seen once; `time` is the source's own ISO 8601 time in UTC, empty if the source has none."""

    kind: str
    origin: Span
    time: str
    payload: Mapping[str, JsonValue]
    trust: Trust

    @property
    def id(self) -> str:
        """The same for the same thing seen twice: a replayed record does not become a second observation."""
        origin: list[JsonValue] = [
            self.origin.source,
            self.origin.locator,
            self.origin.first_line,
            self.origin.last_line,
        ]
        return "ob-" + digest([self.kind, origin, self.time, self.payload, self.trust])[3:19]


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a source has been read: a commit, a byte offset with the uuid just before it, or an event id."""

    source: str
    kind: CursorKind
    position: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a source once; `next` is where to continue once all observations are stored."""

    observations: tuple[Observation, ...]
    health: Health
    next: Cursor | None


def advance(cursor: Cursor | None, reading: Reading, stored: Collection[str]) -> Cursor | None:
    """Advance to the reading's end only if every observation in it is among the `stored` ids.

    Otherwise, or if the source was unavailable, return the cursor unchanged so that the next run reads the same part
    again.
    """
    if not allows_presence(reading.health) or reading.next is None:
        return cursor
    if cursor is not None and (cursor.source, cursor.kind) != (reading.next.source, reading.next.kind):
        raise ValueError(f"a cursor of {cursor.source!r} ({cursor.kind}) cannot move to {reading.next!r}")
    return reading.next if all(one.id in stored for one in reading.observations) else cursor


def by_trust(observations: Iterable[Observation]) -> tuple[Observation, ...]:
    """Sort by precedence: most trusted first, then latest, then smallest id."""
    latest = sorted(sorted(observations, key=lambda one: one.id), key=lambda one: one.time, reverse=True)
    return tuple(sorted(latest, key=lambda one: TRUST_ORDER.index(one.trust)))


Mode = Literal["full-scan", "delta"]
RunStatus = Literal["running", "paused", "completed", "failed", "cancelled"]
RUN_STATUSES: Final[tuple[RunStatus, ...]] = get_args(RunStatus)
FINAL: Final[frozenset[RunStatus]] = frozenset({"completed", "failed", "cancelled"})

# A completed or cancelled run is final; a failed one can be resumed, and a paused one runs again once answered.
RUN_STEPS: Final[Mapping[RunStatus, frozenset[RunStatus]]] = {
    "running": frozenset({"running", "paused", "completed", "failed", "cancelled"}),
    "paused": frozenset({"running", "completed", "failed", "cancelled"}),
    "completed": frozenset(),
    "failed": frozenset({"running"}),
    "cancelled": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Run:
    """One reconciliation.

    `repository` is the same in every clone and distinguishes repositories that share a history. `root` is the work tree
    it ran in, for display only. `commit` is HEAD at its start, `base` a digest of everything it looked at. The baseline
    of a delta is a run, a commit or both. `phase` is the current node of the graph. `owner` is `host:pid` of the
    process that last ran it. Times are ISO 8601 with offset; `completed_at` is empty until a final state.
    """

    id: str
    repository: str
    root: str
    mode: Mode
    created_at: str
    updated_at: str
    status: RunStatus = "running"
    phase: str = "structure"
    commit: str | None = None
    base: str = ""
    baseline_run: str | None = None
    baseline_commit: str | None = None
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    summary: Mapping[str, int] = field(default_factory=dict)
    patch: str | None = None
    owner: str = ""
    error: str = ""
    cancel_requested_by: str = ""
    completed_at: str = ""


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One traced step of a run: a visit to a node, with its duration in milliseconds and its counts."""

    run: str
    sequence: int
    node: str
    at: str
    milliseconds: int
    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
