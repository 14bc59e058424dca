"""What every target must do: show all it has with its health, look at one change, and make one change.

`boards.writing` is the only caller of `look` and `perform`: it reserves, writes, reads back and confirms.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from pactkeeper.errors import InputError
from pactkeeper.intent.board import Change, Document, Snapshot, Task, Written
from pactkeeper.ledger.canonical import JsonValue

_KEY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{5,79}")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a target can: `writes` are wire names of changes, `meta` the keys of metadata it has (None: any).

    `marker` says where the key of a change is kept, by which a repeated one is found; empty where it cannot be.
    """

    writes: frozenset[str]
    documents: bool
    marker: str
    meta: frozenset[str] | None = None


class Pace(Protocol):
    """Turns at one target that several processes share, on whichever hosts they run."""

    def turn(self, target: str, every: float) -> float:
        """Take the next turn, turns being `every` seconds apart; the seconds until it comes."""

    def hold(self, target: str, seconds: float) -> None:
        """Give out no turn for so long, as the target asked for."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """How much a target is asked: seconds a call and in total, calls a second, tries a call, items a snapshot.

    `answer` is the greatest number of bytes of one answer. With a `pace` the calls a second are those of all processes
    that share it, else of this one.
    """

    call: float = 20.0
    total: float = 120.0
    rate: float = 3.0
    tries: int = 4
    items: int = 5000
    answer: int = 8_000_000
    pace: Pace | None = None


Drift = Literal["", "safe", "conflict"]


@dataclass(frozen=True, slots=True)
class Look:
    """What a target shows of one change: whether it is `done`, the value it touches, and the id it is about.

    `sure` says that the key of this very change was found, so that nobody else can have made it. `drift` says that
    people changed what is revised: other parts of it ("safe"), or the same ones, which stay ("conflict").
    """

    done: bool
    now: JsonValue = None
    target: str = ""
    url: str = ""
    sure: bool = False
    drift: Drift = ""


PreflightState = Literal["already so", "ready", "safe drift", "conflict", "impossible"]


@dataclass(frozen=True, slots=True)
class Preflight:
    """What would come of a change now, and why.

    It is "already so", "ready", a "safe drift" (people changed other parts, and both go together), a "conflict" (they
    changed the same part, which stays as it is) or "impossible" (gone, closed to us, or nothing that this target can).
    `done` says that nothing is left to write; `partly` that in spite of a conflict the rest of the change goes in.
    """

    state: PreflightState
    reason: str = ""
    done: bool = False
    partly: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that was tried of a target without writing; `advice` says what to do where it does not work."""

    what: str
    works: bool
    advice: str = ""


class Board(Protocol):
    """A board, a folder of documents or a tracker.

    Reading raises BoardUnavailable where the target cannot be reached and InputError for an id it does not have;
    `snapshot` raises neither and says it by its health. Writing raises StaleError where what was shown has changed,
    RefusedError where the target will not have it, and BoardUnavailable where it is not known what came of it.
    """

    @property
    def name(self) -> str:
        """What the settings call it."""

    @property
    def kind(self) -> str:
        """The row of the table of kinds."""

    @property
    def place(self) -> str:
        """Where it is, for people: a folder, an address; never a secret."""

    @property
    def capabilities(self) -> Capabilities:
        """What it can."""

    @property
    def limits(self) -> CallLimits:
        """How much it is asked."""

    def snapshot(self, *, at: str) -> Snapshot:
        """Read everything within the limits."""

    def task(self, task: str) -> Task:
        """Read one task whole."""

    def document(self, document: str) -> Document:
        """Read one document whole."""

    def look(self, change: Change, key: str, *, since: str, target: str = "") -> Look:
        """Say whether a change is made already; where not, that its precondition holds.

        `since` is the time before which the key cannot have been written; `target` the id that `perform` returned.
        """

    def perform(self, change: Change, key: str, *, at: str) -> str:
        """Make a change once, with its key, and return the id of what it is about."""

    def trials(self) -> tuple[Trial, ...]:
        """Try access and set-up by reading only."""

    def close(self) -> None:
        """Let connections go."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """That a change is about to be made: what, when, and the value it found; `written` once it is confirmed."""

    key: str
    change: Change
    at: str
    before: JsonValue = None
    written: Written | None = None


class Reservations(Protocol):
    """Where reservations are kept durably before a write, so that one that was cut short is found again."""

    def alone(self) -> AbstractContextManager[None]:
        """Keep every other process from writing to the board; raises BusyError where one does."""

    def held(self, key: str) -> Reservation | None:
        """The reservation of a key."""

    def reserve(self, reservation: Reservation) -> None:
        """Keep one before its write begins."""

    def confirm(self, key: str, written: Written) -> None:
        """Keep what came of it."""

    def give_up(self, key: str) -> None:
        """Forget one of which it is certain that nothing was written."""


Source = Literal["task", "document"]


def valid_key(key: str) -> str:
    """The key itself; raises InputError for one that could not stand in a comment, a property and a file."""
    if not _KEY.fullmatch(key) or "--" in key:
        raise InputError(f"{key!r} is no key of a change; write 6 to 80 letters, digits, single dashes, dots")
    return key
