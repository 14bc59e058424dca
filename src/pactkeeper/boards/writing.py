"""Writing to a board: what is reserved first, so that a repeated action writes once, and read back afterwards."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from pactkeeper.boards.port import Board, Look, Preflight, Reservation, Reservations, valid_key
from pactkeeper.errors import BoardUnavailable, BusyError, InputError, RefusedError, StaleError
from pactkeeper.intent.board import (
    Change,
    CreateDocument,
    CreateTask,
    ReviseTask,
    Written,
    change_document,
    read_change,
    read_written,
    undo_of,
    verb_of,
    written_document,
)
from pactkeeper.ledger.canonical import JsonValue

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
            f"{board.name!r} accepted {verb_of(change)} {key!r} but does not show it; check {target!r} and run it again"
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
        reason = f"people changed the same parts of {seen.target!r}; their version was kept"
        return Preflight("conflict", reason, done=seen.done, partly=True)
    if seen.done:
        return Preflight("already so", done=True)
    if seen.drift == "safe":
        return Preflight("safe drift", f"people changed other parts of {seen.target!r}, which were kept")
    return Preflight("ready")


def undo(board: Board, written: Written, *, reservations: Reservations, at: str) -> Written:
    """Undo a written change; raise RefusedError if it can't be undone, StaleError if it has been changed since."""
    if written.outcome == "found" and written.undo is None:
        raise RefusedError(f"{written.key!r} changed nothing on {board.name!r}, so there is nothing to undo")
    if written.undo is None:
        raise RefusedError(f"{written.verb} cannot be undone; change {written.target!r} on {board.name!r} by hand")
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
        raise RefusedError(f"the key {held.key!r} was used for another change ({verb_of(held.change)}) since {held.at}")


def _before(at: str) -> str:
    """A time well before `at`, in UTC and whole seconds, as every API accepts it."""
    try:
        found = datetime.fromisoformat(at)
    except ValueError as error:
        raise InputError(f"{at!r} is not an ISO 8601 time ({error})") from error
    return (found.astimezone(UTC) - _SKEW).strftime("%Y-%m-%dT%H:%M:%SZ")


class Log(Protocol):
    """A board's lines, only ever appended to."""

    def alone(self) -> AbstractContextManager[None]:
        """Lock the board against other processes until the block or process ends; raise BusyError if locked."""

    def append(self, line: Mapping[str, JsonValue]) -> None:
        """Append a line durably."""

    def after(self, position: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """The lines after a position (0: all of them), and the new end position."""


class LoggedReservations:
    """Reservations of one board; other processes may append to the same log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._read = 0
        self._held: dict[str, Reservation] = {}

    def alone(self) -> AbstractContextManager[None]:
        """Lock the board against other processes until the block or process ends; raise BusyError if locked."""
        return self._log.alone()

    def held(self, key: str) -> Reservation | None:
        """The reservation with a key; raise InputError if the log can't be read."""
        self._catch_up()
        return self._held.get(key)

    def bodies(self, prefix: str) -> Mapping[str, str]:
        """The text of each task, by its id, as it was last written under a key that begins with a prefix."""
        self._catch_up()
        return {
            one.written.target: one.change.body
            for one in self._held.values()
            if one.written and one.key.startswith(prefix) and isinstance(one.change, CreateTask | ReviseTask)
        }

    def reserve(self, reservation: Reservation) -> None:
        """Store a reservation, unless the same one is already stored."""
        self._catch_up()
        if self._held.get(reservation.key) != reservation:
            self._log.append(
                {
                    "reserve": reservation.key,
                    "change": change_document(reservation.change),
                    "at": reservation.at,
                    "before": reservation.before,
                }
            )

    def confirm(self, key: str, written: Written) -> None:
        """Store the result of a reservation."""
        self._log.append({"confirm": key, "written": written_document(written)})

    def give_up(self, key: str) -> None:
        """Forget a reservation for which nothing was written."""
        self._log.append({"give_up": key})

    def _catch_up(self) -> None:
        lines, self._read = self._log.after(self._read)
        for line in lines:
            try:
                self._apply(line)
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(f"a reservation cannot be read ({error!r}): {str(line)[:80]!r}") from error

    def _apply(self, found: Mapping[str, Any]) -> None:
        if "reserve" in found:
            change = read_change(found["change"])
            self._held[found["reserve"]] = Reservation(found["reserve"], change, found["at"], found["before"])
        elif "confirm" in found:
            written = read_written(found["written"])
            self._held[found["confirm"]] = replace(self._held[found["confirm"]], written=written)
        else:
            self._held.pop(found["give_up"], None)


@dataclass(frozen=True, slots=True)
class FileLog:
    """A file with one JSON line per entry; positions are byte offsets."""

    path: Path

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the board against other processes until the block or process ends; raise BusyError if locked."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = self.path.with_suffix(".lock")
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError as error:
            raise BusyError(
                f"another process is writing to this board ({str(lock)!r}); try again when it has finished"
            ) from error
        finally:
            os.close(handle)

    def append(self, line: Mapping[str, JsonValue]) -> None:
        """Append a line, after a newline if the last one is incomplete."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            size = os.fstat(handle).st_size
            torn = size and os.pread(handle, 1, size - 1) != b"\n"
            os.write(handle, (b"\n" if torn else b"") + json.dumps(line).encode() + b"\n")
            os.fsync(handle)
        finally:
            os.close(handle)

    def after(self, position: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """The complete lines; a last one without a newline was interrupted."""
        if not self.path.exists():
            return (), position
        with self.path.open("rb") as stream:
            stream.seek(position)
            found = stream.read()
        whole = found[: found.rfind(b"\n") + 1]
        return [line for line in map(_line, whole.splitlines()) if line], position + len(whole)


class FileReservations(LoggedReservations):
    """Reservations in a local file."""

    def __init__(self, path: Path) -> None:
        super().__init__(FileLog(path))


def _line(text: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}  # interrupted by a crash; the next line is complete
    return found if isinstance(found, dict) else {"no object": found}
