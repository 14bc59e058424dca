"""The board port: show everything with its health, look at one change, and make one change.

Only `boards.writing` calls `perform`: it reserves, writes, reads back and confirms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Final, Literal, Protocol

from pactkeeper.errors import InputError
from pactkeeper.intent.board import Change, Document, Snapshot, Task, Written
from pactkeeper.ledger.canonical import JsonValue

_KEY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{5,79}")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a target supports: `writes` are wire names of changes, `meta` the metadata keys it has (None: any).

    `marker` says where a change's key is stored to detect repeated changes; empty if it can't be stored.
    """

    writes: frozenset[str]
    documents: bool
    marker: str
    meta: frozenset[str] | None = None


class Pace(Protocol):
    """Rate-limiting turns at one target, shared by processes on any host."""

    def turn(self, target: str, every: float) -> float:
        """Take the next turn, with turns `every` seconds apart; return the seconds until it comes."""

    def hold(self, target: str, seconds: float) -> None:
        """Give out no turn for a number of seconds, as the target asked."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Limits on calls: seconds per call and in total, calls per second, tries per call, items per snapshot.

    `answer` is the maximum size of a response in bytes. With a `pace`, the rate applies to all processes that share it,
    else to this process.
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
    """A target's view of one change: whether it is `done`, the value it touches, and the id of its subject.

    `sure` means that the key of this very change was found, so nobody else can have made it. `drift` means that people
    edited the text being revised: other parts of it ("safe"), or the same ones, which stay ("conflict").
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
    """The expected result of a change made now, and why.

    It is "already so", "ready", a "safe drift" (people changed other parts, and both go together), a "conflict" (they
    changed the same part, which stays as it is) or "impossible" (gone, closed to us, or unsupported by the target).
    `done` means that nothing is left to write; `partly` that despite a conflict the rest of the change goes in.
    """

    state: PreflightState
    reason: str = ""
    done: bool = False
    partly: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """One read-only check of a target; `advice` says what to do if it fails."""

    what: str
    works: bool
    advice: str = ""


class Board(Protocol):
    """A board, a folder of documents or a tracker.

    Reading raises BoardUnavailable if the target can't be reached and InputError for an id it doesn't have; `snapshot`
    raises neither and reports problems as its health. Writing raises StaleError if what was shown has changed,
    RefusedError if the target refuses, and BoardUnavailable if the result is unknown.
    """

    @property
    def name(self) -> str:
        """The board's name in the settings."""

    @property
    def kind(self) -> str:
        """The kind of board, as in the table of kinds."""

    @property
    def place(self) -> str:
        """Where it is, in a form for people: a folder or an address; never a secret."""

    @property
    def capabilities(self) -> Capabilities:
        """What it supports."""

    @property
    def limits(self) -> CallLimits:
        """The limits of its calls."""

    def snapshot(self, *, at: str) -> Snapshot:
        """Read everything, within the limits."""

    def task(self, task: str) -> Task:
        """Read one whole task."""

    def document(self, document: str) -> Document:
        """Read one whole document."""

    def look(self, change: Change, key: str, *, since: str, target: str = "") -> Look:
        """Say whether a change is already made; if not, check that its precondition holds.

        The key can't have been written before `since`; `target` is the id that `perform` returned.
        """

    def perform(self, change: Change, key: str, *, at: str) -> str:
        """Make a change once, with its key, and return the id of its subject."""

    def trials(self) -> tuple[Trial, ...]:
        """Check access and configuration by reading only."""

    def close(self) -> None:
        """Close connections."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What is needed to open a board; `options` are its kind's keys, as listed in docs/boards.md.

    `token` is empty if there is none, `base_url` for the kind's default; `variable` is the environment variable that
    holds the token.
    """

    name: str
    kind: str
    options: Mapping[str, str | tuple[str, ...]]
    limits: CallLimits = field(default_factory=CallLimits)
    token: str = field(default="", repr=False)
    base_url: str = ""
    variable: str = ""

    def text(self, name: str) -> str:
        """The option as text; empty if it isn't set."""
        found = self.options.get(name, "")
        return found if isinstance(found, str) else ", ".join(found)

    def texts(self, name: str) -> tuple[str, ...]:
        """The option as a list of texts; empty if it isn't set."""
        found = self.options.get(name, ())
        return (found,) if isinstance(found, str) else found


def open_board(opening: Opening) -> Board:
    """Open a board without any call to it, by `opened` in the module named after its kind."""
    board: Board = import_module(f"pactkeeper.boards.{opening.kind}").opened(opening)
    return board


@dataclass(frozen=True, slots=True)
class Reservation:
    """A change about to be made: what, when, and the value it found; `written` once it is confirmed."""

    key: str
    change: Change
    at: str
    before: JsonValue = None
    written: Written | None = None


class Reservations(Protocol):
    """Durable reservations made before each write, so that an interrupted one can be recovered."""

    def alone(self) -> AbstractContextManager[None]:
        """Keep other processes from writing to the board; raise BusyError if one already holds it."""

    def held(self, key: str) -> Reservation | None:
        """The reservation with a key."""

    def reserve(self, reservation: Reservation) -> None:
        """Store a reservation before its write begins."""

    def confirm(self, key: str, written: Written) -> None:
        """Store the result of a reservation."""

    def give_up(self, key: str) -> None:
        """Forget a reservation for which certainly nothing was written."""


Source = Literal["task", "document"]


def valid_key(key: str) -> str:
    """The key itself; raise InputError if it isn't safe in a comment, a property and a file."""
    if not _KEY.fullmatch(key) or "--" in key:
        raise InputError(f"{key!r} is not the key of a change; write 6 to 80 letters, digits, single dashes, dots")
    return key
