"""When the next sweep is due, and notifying a planner of one over HTTP."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from pactkeeper.boards.calls import Exchanges
from pactkeeper.catalog.placement import Lock
from pactkeeper.errors import SourceError, UsageError, WriteFailed
from pactkeeper.intent.health import FAILED, HealthSettings, Sweep

SWEEPING: Final = Lock("sweep.lock", "is sweeping this repository; wait for it to finish")
WATCHING: Final = Lock("watch.lock", "is already watching this repository; stop it first, or leave the work to it")
Colour = Literal["green", "red", "not known"]

SLOWEST_RETRY: Final = 3600  # seconds; a sweep that can't start is retried at least hourly


@dataclass(frozen=True, slots=True)
class SweepPace:
    """The inputs for scheduling the next sweep: when and at which commit the last one ended, and colours, newest first.

    `ended` is None and `commit` empty before the first sweep.
    """

    settings: HealthSettings = field(default_factory=HealthSettings)
    ended: datetime | None = None
    commit: str = ""
    colours: tuple[Colour, ...] = ()


def colour(sweep: Sweep) -> Colour:
    """Red if anything but lint failed or timed out, green if everything applicable passed, else not known.

    A partial sweep is never green, nor is one that skips the conflict-marker check or builds, compiles and tests
    nothing. Conflict markers are red even if the environment is at fault.
    """
    if any(one.category == "conflict" and one.verdict == "fail" for one in sweep.results):
        return "red"
    if sweep.infrastructure:
        return "not known"
    if any(one.verdict in FAILED for one in sweep.results if one.category != "lint"):
        return "red"
    whole = any(one.category == "conflict" for one in sweep.results)
    return "green" if whole and sweep.green else "not known"


def colours(sweeps: Iterable[Sweep]) -> tuple[Colour, ...]:
    """Return the colours of sweeps in order, without stale ones, which count for nothing."""
    return tuple(colour(one) for one in sweeps if not one.stale)


def next_interval(history: Sequence[Colour], settings: HealthSettings) -> int:
    """Return the seconds between one sweep and the next; `history` is newest first.

    The fastest pace applies after a red sweep until `greens` in a row were green, the ordinary one otherwise. Sweeps of
    unknown colour change nothing.
    """
    judged = [one for one in history if one != "not known"]
    fastest = min(settings.fastest, settings.interval)
    return fastest if "red" in judged[: settings.greens] else settings.interval


def due_at(pace: SweepPace, *, tip: str, now: datetime) -> datetime:
    """Return when to sweep next: after the interval, or after the fastest one if the branch has moved.

    Due at once before the first sweep, or if the last one ended in the future, as after a clock was set back.
    """
    if pace.ended is None or pace.ended > now:
        return now
    seconds = next_interval(pace.colours, pace.settings)
    if tip != pace.commit:
        seconds = min(seconds, pace.settings.fastest)
    return pace.ended + timedelta(seconds=seconds)


def retry_after(failures: int, settings: HealthSettings) -> int:
    """Return the seconds to wait after consecutive sweeps that couldn't start: doubling each time, up to an hour."""
    doubled = settings.fastest << min(failures - 1, 20)
    return min(doubled, max(SLOWEST_RETRY, settings.fastest))


SIGNATURE, TIMESTAMP, DELIVERY = "Pactkeeper-Signature", "Pactkeeper-Timestamp", "Pactkeeper-Delivery"
TRIES: Final = 3
_PATIENCE: Final = 10.0  # seconds per attempt
_PAUSES: Final = (1.0, 3.0)
_ACCEPTED, _ABOVE, _MANY, _SERVER = 200, 300, 429, 500


@dataclass(frozen=True, slots=True)
class WebhookClock:
    """A clock, in seconds since 1970, and a sleep function; tests pass their own."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address and the secret shared with its owner; raises UsageError for an unusable address."""

    url: str
    secret: str = field(repr=False)
    patience: float = _PATIENCE
    clock: WebhookClock = field(default_factory=WebhookClock)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.password:
            raise UsageError(
                f"{self.url!r} is not a URL that can be called; write https://HOST/PATH, without user name and password"
            )

    def deliver(self, name: str, document: Mapping[str, object]) -> None:
        """Post a document under a name that is the same for every retry; raises SourceError."""
        import httpx2  # noqa: PLC0415 - most watches call nobody

        body = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
        why = ""
        for number in range(TRIES):
            if number:
                self.clock.sleep(_PAUSES[number - 1])
            try:
                code = self._post(name, body)
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                why = f"{type(error).__name__}: {error}"
                continue
            if _ACCEPTED <= code < _ABOVE:
                return
            why = f"it answers {code}"
            if code != _MANY and code < _SERVER:
                break  # a retry would get the same answer
        raise SourceError(f"the webhook at {urlsplit(self.url).netloc} did not accept {name}: {why}; look at its log")

    def _post(self, name: str, body: bytes) -> int:
        """Post once and return the status; the response body is not read."""
        import httpx2  # noqa: PLC0415 - as above

        moment = str(int(self.clock.now()))
        headers = {
            "Content-Type": "application/json",
            DELIVERY: name,
            TIMESTAMP: moment,
            SIGNATURE: f"sha256={signature(self.secret, moment, body)}",
        }
        exchanges = Exchanges()
        traced = {"trace": exchanges.noted}
        with (
            exchanges.within(self.patience),
            httpx2.Client(timeout=self.patience, follow_redirects=False) as client,
            client.stream("POST", self.url, content=body, headers=headers, extensions=traced) as answer,
        ):
            return answer.status_code


def signature(secret: str, moment: str, body: bytes) -> str:
    """Return the hexadecimal signature of a body sent at `moment`, in seconds since 1970."""
    return hmac.new(secret.encode(), moment.encode() + b"." + body, hashlib.sha256).hexdigest()


STANDARD_OUTPUT: Final = "-"
MOST_BYTES: Final = 8 << 20  # per file; at most one earlier file of that size is kept


@dataclass(frozen=True, slots=True)
class Feed:
    """A line feed to a file, or to standard output for `-`. A full file becomes FILE.1, replacing the previous one."""

    place: str
    most: int = MOST_BYTES

    def add(self, document: Mapping[str, object]) -> None:
        """Append one line, completely or not at all; raises WriteFailed."""
        line = json.dumps(document, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        if self.place == STANDARD_OUTPUT:
            sys.stdout.write(line.decode("ascii"))
            sys.stdout.flush()
            return
        try:
            self._append(Path(self.place), line)
        except OSError as error:
            raise WriteFailed(
                f"the feed {self.place!r} cannot be written: {error.strerror}; free some space"
            ) from error

    def _append(self, file: Path, line: bytes) -> None:
        if file.is_file() and file.stat().st_size + len(line) > self.most:
            file.replace(file.with_name(f"{file.name}.1"))
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(handle).st_size
            if size and os.pread(handle, 1, size - 1) != b"\n":
                line = b"\n" + line  # a line cut short when its writer was killed
            if os.write(handle, line) != len(line):
                os.ftruncate(handle, size)
                raise OSError(0, "only part of the line fits")
        finally:
            os.close(handle)
