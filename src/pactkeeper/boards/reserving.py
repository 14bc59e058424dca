"""Reservations in one file, a line each in JSON: durable before a write begins, and never rewritten."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pactkeeper.boards.port import Reservation
from pactkeeper.errors import BusyError, InputError
from pactkeeper.intent.board import Written, change_document, read_change


class FileReservations:
    """Reservations of one board; other processes may write to the same file at the same time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self._held: dict[str, Reservation] = {}

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the board against other processes until this ends or dies; raises BusyError."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lock = self._path.with_suffix(".lock")
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

    def held(self, key: str) -> Reservation | None:
        """The reservation of a key; raises InputError where the file does not read."""
        self._catch_up()
        return self._held.get(key)

    def reserve(self, reservation: Reservation) -> None:
        """Keep a reservation; the same one again writes nothing."""
        self._catch_up()
        if self._held.get(reservation.key) != reservation:
            self._append(
                {
                    "reserve": reservation.key,
                    "change": change_document(reservation.change),
                    "at": reservation.at,
                    "before": reservation.before,
                }
            )

    def confirm(self, key: str, written: Written) -> None:
        """Keep what came of a reservation."""
        undo = None if written.undo is None else change_document(written.undo)
        self._append({"confirm": key, "written": {**asdict(replace(written, undo=None)), "undo": undo}})

    def give_up(self, key: str) -> None:
        """Forget a reservation of which nothing was written."""
        self._append({"give_up": key})

    def _append(self, line: dict[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            size = os.fstat(handle).st_size
            torn = size and os.pread(handle, 1, size - 1) != b"\n"
            os.write(handle, (b"\n" if torn else b"") + json.dumps(line).encode() + b"\n")
            os.fsync(handle)
        finally:
            os.close(handle)

    def _catch_up(self) -> None:
        """Read what was appended since; a last line without an end is one that was cut short."""
        if not self._path.exists():
            return
        with self._path.open("rb") as stream:
            stream.seek(self._read)
            found = stream.read()
        whole = found[: found.rfind(b"\n") + 1]
        for line in whole.splitlines():
            self._take(line)
        self._read += len(whole)

    def _take(self, line: bytes) -> None:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            return  # cut short by a crash; the line after it is whole
        try:
            self._apply(found)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{str(self._path)!r} holds a line that does not read ({error}): {line[:80]!r}") from error

    def _apply(self, found: dict[str, Any]) -> None:
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
