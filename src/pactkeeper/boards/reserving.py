"""Reservations as an append-only log of lines: durable before a write begins, never rewritten."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from pactkeeper.boards.port import Reservation
from pactkeeper.errors import BusyError, InputError
from pactkeeper.intent.board import Written, change_document, read_change
from pactkeeper.ledger.canonical import JsonValue


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
        undo = None if written.undo is None else change_document(written.undo)
        self._log.append({"confirm": key, "written": {**asdict(replace(written, undo=None)), "undo": undo}})

    def give_up(self, key: str) -> None:
        """Forget a reservation for which nothing was written."""
        self._log.append({"give_up": key})

    def _catch_up(self) -> None:
        lines, self._read = self._log.after(self._read)
        for line in lines:
            try:
                self._apply(line)
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(f"a reservation does not read ({error!r}): {str(line)[:80]!r}") from error

    def _apply(self, found: Mapping[str, Any]) -> None:
        if "reserve" in found:
            change = read_change(found["change"])
            self._held[found["reserve"]] = Reservation(found["reserve"], change, found["at"], found["before"])
        elif "confirm" in found:
            given = found["written"]
            undo = None if given["undo"] is None else read_change(given["undo"])
            written = Written(**{**given, "undo": undo})
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
                f"another process writes to this board ({str(lock)!r}); try again when it has ended"
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
