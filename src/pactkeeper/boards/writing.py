"""Make one change to a target exactly once: reserve, write, read back, confirm.

A write without a response may have happened. Its reservation stays, and repeating the change looks for its key before
anything is written. Nothing else in the project calls `Board.perform`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from pactkeeper.boards.port import Board, Look, Preflight, Reservation, Reservations, valid_key
from pactkeeper.errors import BoardUnavailable, InputError, RefusedError, StaleError
from pactkeeper.intent.board import Change, CreateDocument, CreateTask, Written, undo_of, verb_of

_SKEW = timedelta(days=1)  # tolerance for clock differences and for a lost log


def write(board: Board, change: Change, key: str, *, reservations: Reservations, at: str) -> Written:
    """Make a change and return what was read back; idempotent.

    `key` identifies this change permanently (an op's id), `at` is the current time in ISO 8601. Raise RefusedError if
    the target doesn't support the change or the key belongs to another one, and any error that `Board` raises; after
    BoardUnavailable the same call may be repeated.
    """
    _refuse_incapable(board, change)
    with reservations.alone():
        return _write(board, change, valid_key(key), reservations=reservations, at=at)


def _write(board: Board, change: Change, key: str, *, reservations: Reservations, at: str) -> Written:
    held = reservations.held(key)
    if held is not None:
        _refuse_other(held, change)
        if held.written is not None:
            return replace(held.written, outcome="found")
    seen = board.look(change, key, since=_before(at if held is None else held.at))
    if seen.done:
        held_by = held or Reservation(key, change, at, None if seen.sure else seen.now)
        return _confirm(reservations, held_by, seen, ours=held is not None or seen.sure)
    held = held or Reservation(key, change, at, seen.now)
    reservations.reserve(held)
    target = _perform(board, held, reservations, at=at)
    after = board.look(change, key, since=_before(held.at), target=target)
    if not after.done:
        raise BoardUnavailable(
            f"{board.name!r} took {verb_of(change)} {key!r} but does not show it; look at {target!r} and run it again"
        )
    return _confirm(reservations, held, after, ours=True)


def preflight(board: Board, change: Change, key: str, *, at: str) -> Preflight:
    """Predict the result of a change without writing; raise BoardUnavailable if that isn't possible."""
    try:
        _refuse_incapable(board, change)
        seen = board.look(change, valid_key(key), since=_before(at))
    except StaleError as error:
        return Preflight("conflict", str(error))
    except (RefusedError, InputError) as error:
        return Preflight("impossible", str(error))
    return _preflight(seen)


def _preflight(seen: Look) -> Preflight:
    if seen.drift == "conflict":
        reason = f"people changed the same parts of {seen.target!r}, and theirs stay"
        return Preflight("conflict", reason, done=seen.done, partly=True)
    if seen.done:
        return Preflight("already so", done=True)
    if seen.drift == "safe":
        return Preflight("safe drift", f"people changed other parts of {seen.target!r}, which stay")
    return Preflight("ready")


def undo(board: Board, written: Written, *, reservations: Reservations, at: str) -> Written:
    """Undo a written change; raise RefusedError if it can't be undone, StaleError if it has been changed since."""
    if written.outcome == "found" and written.undo is None:
        raise RefusedError(f"{written.key!r} changed nothing on {board.name!r}, so there is nothing to take back")
    if written.undo is None:
        raise RefusedError(f"{written.verb} cannot be taken back; change {written.target!r} on {board.name!r} by hand")
    return write(board, written.undo, undo_key(written), reservations=reservations, at=at)


def undo_key(written: Written) -> str:
    """The key of a change's undo."""
    return f"{written.key}.undo"


def _perform(board: Board, held: Reservation, reservations: Reservations, *, at: str) -> str:
    """Write; a refusal certainly wrote nothing, so its reservation is dropped."""
    try:
        return board.perform(held.change, held.key, at=at)
    except (StaleError, RefusedError, InputError):
        reservations.give_up(held.key)
        raise


def _confirm(reservations: Reservations, held: Reservation, seen: Look, *, ours: bool) -> Written:
    change = held.change
    written = Written(
        held.key,
        verb_of(change),
        seen.target,
        outcome="written" if ours else "found",
        before=held.before if ours else seen.now,
        after=seen.now,
        url=seen.url,
        undo=undo_of(change, seen.target, held.before, seen.now) if ours else None,
    )
    reservations.reserve(held)
    reservations.confirm(held.key, written)
    return written


def _refuse_incapable(board: Board, change: Change) -> None:
    verb = verb_of(change)
    if verb not in board.capabilities.writes:
        can = ", ".join(sorted(board.capabilities.writes)) or "nothing"
        raise RefusedError(f"{board.name!r} is of kind {board.kind!r}, which cannot do {verb}; it can {can}")
    if isinstance(change, CreateTask | CreateDocument) and not change.title.strip():
        raise RefusedError(f"{verb} has no title; give it one")


def _refuse_other(held: Reservation, change: Change) -> None:
    if held.change != change:
        raise RefusedError(f"the key {held.key!r} stands for another change ({verb_of(held.change)}) since {held.at}")


def _before(at: str) -> str:
    """A time well before `at`, in UTC and whole seconds, as every API accepts it."""
    try:
        found = datetime.fromisoformat(at)
    except ValueError as error:
        raise InputError(f"{at!r} is no ISO 8601 time ({error})") from error
    return (found.astimezone(UTC) - _SKEW).strftime("%Y-%m-%dT%H:%M:%SZ")
