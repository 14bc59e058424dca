"""Carry out or undo one action exactly once: record it, write it, read it back, record the result.

The history records that an action has begun before anything is written, the board's reservations record what is being
written, and only what was read back counts as done. Recovery after a crash relies on both.

Also computes, from people's answers, how often each kind of action was right and which threshold would help.

No threshold changes automatically: a person copies the suggestion into the settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final, Literal

from pactkeeper.boards.looking import DocumentChange
from pactkeeper.boards.port import Board, Reservations
from pactkeeper.boards.writing import undo, undo_key, write
from pactkeeper.errors import (
    BoardUnavailable,
    BusyError,
    InputError,
    RefusedError,
    SettingsError,
    StaleError,
    UsageError,
    WriteFailed,
)
from pactkeeper.intent.actions import HIGH, LOW, MARK, Deed
from pactkeeper.intent.board import (
    CHANGES,
    Change,
    CreateDocument,
    CreateTask,
    Snapshot,
    Written,
    read_change,
    subject_of,
)
from pactkeeper.intent.redaction import redacted
from pactkeeper.intent.routing import Routing
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.op import Op
from pactkeeper.settings.transcripts import OUT_OF_REACH
from pactkeeper.store.actions import list_deeds, save_deed
from pactkeeper.store.history import History
from pactkeeper.transcripts.sorting import USUAL, forbidden, forbidden_in

# Fields that are written to a board, so secrets are removed; the other fields only locate the target.
_WRITTEN: Final[Mapping[str, tuple[str, ...]]] = {
    "createTask": ("title", "body", "labels"),
    "logTask": ("text",),
    "createDocument": ("title", "body", "meta"),
    "enrichDocument": ("heading", "text"),
    "updateDocumentMeta": ("values",),
    "patchDocumentSection": ("new",),
}


def change_of(op: Op) -> Change | None:
    """Return the change that an op describes, the same for the same op; None for advice, which changes no board."""
    if op.verb == "proposeSkillFix":
        return None
    known = {one.name for one in fields(CHANGES[op.verb])}
    given = {name: value for name, value in op.payload.items() if name in known}
    written = {name: _bare(given[name]) for name in _WRITTEN.get(op.verb, ()) if name in given}
    return read_change({**given, **written, "verb": op.verb})


def _bare(value: JsonValue) -> JsonValue:
    """A value with its secrets removed."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, Mapping):
        return {name: _bare(one) for name, one in value.items()}
    return [_bare(one) for one in value] if isinstance(value, Sequence) else value


# After a _CERTAIN error nothing was written; after an _UNKNOWN one that can't be known.
_CERTAIN: Final = (StaleError, RefusedError, InputError, UsageError, WriteFailed)
_UNKNOWN: Final = (BoardUnavailable, BusyError)
NOTED: Final = "noted; only people change instructions for agents"


@dataclass(frozen=True, slots=True)
class ExecutionGround:
    """What carrying out an action needs: the history, boards by name with their reservations, and the clock.

    `now` returns ISO 8601 with an offset; `routing` names what a person has closed to writes.
    """

    history: History
    board: Callable[[str], Board]
    reservations: Callable[[Board], Reservations]
    now: Callable[[], str]
    routing: Routing = USUAL


def carry_out(ground: ExecutionGround, deed: Deed, seen: Snapshot | None = None) -> Deed:
    """Carry out a deed that has not begun and return its new state; a refusal is a result, not an error.

    `seen` is a fresh view of the board; nothing is created that it already shows, or when it is incomplete.
    """
    begun = deed.now("begun", at=ground.now())
    save_deed(ground.history, begun)
    change = change_of(begun.action.op)
    if change is None:
        return _keep(ground, begun.now("done", at=ground.now(), reason=NOTED))
    try:
        board = ground.board(begun.action.board)
        _refuse_forbidden(begun, board, change, routing=ground.routing)
        _refuse_there(change, seen)
    except (*_CERTAIN, *_UNKNOWN) as error:
        return _failed(ground, begun, str(error))
    return _written(ground, begun, board, change)


def settle(ground: ExecutionGround, board: str | None = None) -> tuple[Deed, ...]:
    """Finish what an interrupted process left half done, on one board or on all, and return the resulting deeds."""
    found = list_deeds(ground.history, standings=("begun", "undoing"))
    left = [one for one in found if board in {None, one.action.board}]
    return tuple(_taken_back(ground, one) if one.standing == "undoing" else _taken_up(ground, one) for one in left)


def take_back(ground: ExecutionGround, deed: Deed, *, by: str) -> Deed:
    """Undo a deed for a person; raise RefusedError if it can't be undone, StaleError if somebody changed it since."""
    if deed.written is None or deed.written.undo is None:
        raise RefusedError(f"{deed.action.id} ({deed.action.verb}) left nothing that can be undone; change it by hand")
    undoing = replace(deed.now("undoing", at=ground.now()), undone_by=by)
    save_deed(ground.history, undoing)
    found = _taken_back(ground, undoing)
    if found.standing == "done":
        raise StaleError(found.reason)
    if found.standing == "undoing":
        raise BoardUnavailable(f"it is unknown whether {deed.action.id} was undone ({found.reason}); run it again")
    return found


def _taken_up(ground: ExecutionGround, begun: Deed) -> Deed:
    """Resume an action that had begun; without a reservation nothing was written, and it may be proposed again."""
    change = change_of(begun.action.op)
    if change is None:
        return _keep(ground, begun.now("done", at=ground.now(), reason=NOTED))
    try:
        board = ground.board(begun.action.board)
    except SettingsError as error:
        return _keep(ground, begun.now("begun", at=ground.now(), reason=str(error)))
    if ground.reservations(board).held(begun.action.id) is None:
        return _failed(ground, begun, "it was interrupted before anything was written")
    return _written(ground, begun, board, change)


def _written(ground: ExecutionGround, begun: Deed, board: Board, change: Change) -> Deed:
    at = ground.now()
    reservations = ground.reservations(board)
    try:
        written = write(board, change, begun.action.id, reservations=reservations, at=at)
    except _CERTAIN as error:
        return _failed(ground, begun, str(error))
    except _UNKNOWN as error:
        if reservations.held(begun.action.id) is None:
            return _failed(ground, begun, str(error))
        return _keep(ground, begun.now("begun", at=at, reason=str(error)))
    return _keep(ground, begun.now("done", at=ground.now(), written=written))


def _taken_back(ground: ExecutionGround, undoing: Deed) -> Deed:
    written: Written | None = undoing.written
    assert written is not None  # noqa: S101 - only deeds that were written can be undone
    at = ground.now()
    try:
        board = ground.board(undoing.action.board)
        _refuse_gone_on(ground, undoing, board, written)
        undo(board, written, reservations=ground.reservations(board), at=at)
    except _CERTAIN as error:
        return _keep(ground, replace(undoing.now("done", at=at, reason=str(error)), undone_by=""))
    except _UNKNOWN as error:
        return _keep(ground, undoing.now("undoing", at=at, reason=str(error)))
    return _keep(ground, undoing.now("undone", at=ground.now()))


def _refuse_forbidden(deed: Deed, board: Board, change: Change, *, routing: Routing) -> None:
    """Check the action again, and the document it is about as it is now."""
    reason = forbidden(deed.action, routing)
    if not reason and isinstance(change, DocumentChange):
        reason = forbidden_in(deed.action, board.document(subject_of(change)), routing)
    if reason:
        raise RefusedError(reason)


def _refuse_there(change: Change, seen: Snapshot | None) -> None:
    if seen is None or not isinstance(change, CreateTask | CreateDocument):
        return
    if seen.health.status != "complete":
        raise BoardUnavailable(f"the board was not read completely, so it may already exist ({seen.health.reason})")
    there = [one for one in seen.tasks if one.status != "done"] if isinstance(change, CreateTask) else seen.documents
    for one in there:
        if _plain(one.title) == _plain(change.title):
            raise StaleError(f"{one.title!r} ({one.id}) already exists; nothing was created")


def _plain(title: str) -> str:
    return " ".join(title.replace(MARK, " ").split()).casefold()


def _refuse_gone_on(ground: ExecutionGround, undoing: Deed, board: Board, written: Written) -> None:
    """Refuse to undo something that was created and has changed since: somebody is working with it.

    After an interrupted undo, the change is our own and doesn't count.
    """
    change = change_of(undoing.action.op)
    begun = ground.reservations(board).held(undo_key(written)) is not None
    if begun or not isinstance(change, CreateTask | CreateDocument):
        return
    seen = board.look(change, written.key, since=undoing.at, target=written.target)
    if seen.done and seen.now != written.after:
        raise StaleError(f"{change.title!r} ({written.target}) has changed since it was created; remove it by hand")


def _failed(ground: ExecutionGround, deed: Deed, reason: str) -> Deed:
    return _keep(ground, deed.now("failed", at=ground.now(), reason=reason))


def _keep(ground: ExecutionGround, deed: Deed) -> Deed:
    save_deed(ground.history, deed)
    return deed


# The minimum number of answers for a suggestion, and the wanted percentage of right ones for actions that were asked
# about and for automatic ones.
ENOUGH: Final = 5
WANTED_ASKED: Final = 80
WANTED_AUTOMATIC: Final = 95


@dataclass(frozen=True, slots=True)
class Precision:
    """How often a verb's actions were right, asked about or automatic; `threshold` is a suggestion or None."""

    verb: str
    kind: Literal["ask", "auto"]
    right: int
    wrong: int
    threshold: int | None = None

    @property
    def percent(self) -> int:
        """Right answers per hundred, rounded down."""
        return self.right * 100 // (self.right + self.wrong)


def precision(deeds: Iterable[Deed]) -> tuple[Precision, ...]:
    """Count answers by verb: accepted and not undone is right, rejected or undone is wrong."""
    told: dict[tuple[str, Literal["ask", "auto"]], list[tuple[int, bool]]] = {}
    for deed in deeds:
        if deed.standing in {"done", "rejected", "undone"}:
            key = (deed.action.verb, "auto" if deed.automatic else "ask")
            told.setdefault(key, []).append((deed.action.confidence.points, deed.standing == "done"))  # type: ignore[arg-type]  # one of the two
    return tuple(_precision(verb, kind, answers) for (verb, kind), answers in sorted(told.items()))


def _precision(verb: str, kind: Literal["ask", "auto"], answers: Sequence[tuple[int, bool]]) -> Precision:
    right = sum(1 for _, well in answers if well)
    return Precision(verb, kind, right, len(answers) - right, _threshold(kind, answers))


def _threshold(kind: Literal["ask", "auto"], answers: Sequence[tuple[int, bool]]) -> int | None:
    """The lowest score from which answers are right often enough; None if they already are or there are too few."""
    wanted = WANTED_ASKED if kind == "ask" else WANTED_AUTOMATIC
    if len(answers) < ENOUGH or _share(answers) >= wanted:
        return None
    least = LOW if kind == "ask" else HIGH + 1
    for points in sorted({points for points, _ in answers if points > least}):
        above = [one for one in answers if one[0] >= points]
        if _share(above) >= wanted:
            return points
    return OUT_OF_REACH


def _share(answers: Sequence[tuple[int, bool]]) -> int:
    return sum(100 for _, well in answers if well) // len(answers)
