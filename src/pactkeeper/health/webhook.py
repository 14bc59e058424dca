"""Notifies a planner of a sweep over HTTP: signed, with bounded time and retries, and never a reason to stop watching.

The signature is HMAC-SHA256 over timestamp, dot and body, so that neither can be altered or replayed later (RFC 2104).
Redirects are not followed: a signed body is sent to the configured address and nowhere else.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pactkeeper.boards.calls import Exchanges
from pactkeeper.errors import SourceError, UsageError, WriteFailed

SIGNATURE, TIMESTAMP, DELIVERY = "Pactkeeper-Signature", "Pactkeeper-Timestamp", "Pactkeeper-Delivery"
TRIES: Final = 3
_PATIENCE: Final = 10.0  # seconds per attempt
_PAUSES: Final = (1.0, 3.0)
_ACCEPTED, _ABOVE, _MANY, _SERVER = 200, 300, 429, 500


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock, in seconds since 1970, and a sleep function; tests pass their own."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address and the secret shared with its owner; raises UsageError for an unusable address."""

    url: str
    secret: str = field(repr=False)
    patience: float = _PATIENCE
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.password:
            raise UsageError(f"{self.url!r} is no address to call; write https://HOST/PATH, without name and password")

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
        raise SourceError(f"the webhook at {urlsplit(self.url).netloc} did not take {name}: {why}; look at its log")

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
            raise WriteFailed(f"the feed {self.place!r} cannot be written: {error.strerror}; make room") from error

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
                raise OSError(0, "only a part of the line fits")
        finally:
            os.close(handle)
