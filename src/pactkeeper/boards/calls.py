"""HTTP calls to a target: bounded in time, size and number, and retried only if that can't repeat a write.

A call is retried after a response saying that it wasn't carried out (429, 409, a rate-limited 403). If the caller marks
it as repeatable, it is also retried after a lost response or a server error. Redirects are never followed.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from pactkeeper.boards.port import CallLimits
from pactkeeper.errors import BoardUnavailable, InputError, PactkeeperError, RefusedError
from pactkeeper.intent.board import Document, Snapshot, Task
from pactkeeper.ledger.documents import whole_escapes
from pactkeeper.ledger.health import COMPLETE, Health

if TYPE_CHECKING:
    import httpx2


@dataclass(slots=True)
class Exchanges:
    """The connection of one client, which makes one exchange at a time; pass `noted` as its requests' `trace`."""

    _socket: socket.socket | None = field(default=None, repr=False)
    _over: threading.Event = field(default_factory=threading.Event, repr=False)

    def noted(self, event: str, told: Mapping[str, Any]) -> None:
        """Remember the socket that requests use."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._socket = told["return_value"].get_extra_info("socket")
            if self._over.is_set():  # the DNS lookup took all of the time
                self._cut(self._over)

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Cut the connection at the deadline and raise httpx2.ReadTimeout, whatever was read."""
        import httpx2  # noqa: PLC0415 - most commands make no calls

        self._over = over = threading.Event()
        timer = threading.Timer(seconds, self._cut, [over])
        timer.daemon = True
        timer.start()
        try:
            yield
        except httpx2.HTTPError as error:
            if over.is_set():
                raise httpx2.ReadTimeout(f"no complete answer within {seconds:g} seconds") from error
            raise
        finally:
            timer.cancel()
        if over.is_set():  # a body that ends when its connection closes has ended without an error
            raise httpx2.ReadTimeout(f"no complete answer within {seconds:g} seconds")

    def _cut(self, over: threading.Event) -> None:
        over.set()
        if self._socket is not None:
            with suppress(OSError):  # closed in the meantime
                self._socket.shutdown(socket.SHUT_RDWR)


_OK: Final = 200
_REDIRECT, _CLIENT, _SERVER = 300, 400, 500
_NO_TOKEN, _FORBIDDEN, _MISSING, _CONFLICT, _GONE, _MANY = 401, 403, 404, 409, 410, 429
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_SHOWN: Final = 200


class _Again(Exception):
    """A failed try that is worth repeating; carries the seconds to wait, or None for exponential backoff."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Clock:
    """The current time and how to wait; tests pass their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    today: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class Response:
    """A response: decoded JSON (None if it was empty) and the headers, their names in lower case."""

    data: Any
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TargetAddress:
    """A target's base URL and authentication; the headers may hold a token and are never shown."""

    base_url: str
    headers: Mapping[str, str] = field(repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
            raise InputError(f"{self.base_url!r} is not https; the token could be read in transit")

    @classmethod
    def of(cls, base_url: str, token: str, headers: Mapping[str, str], *, scheme: str = "Bearer") -> TargetAddress:
        """An address with these headers, our name, and the token if there is one."""
        given = {"Authorization": f"{scheme} {token}"} if token else {}
        return cls(base_url, {**headers, "User-Agent": "pactkeeper", **given})


@dataclass(slots=True)
class Calls:
    """Calls to one address; the rate applies to all of them, the total time to those of one `session`.

    `variable` is the name of the environment variable for the token, used in advice.
    """

    address: TargetAddress
    limits: CallLimits
    clock: Clock = field(default_factory=Clock)
    variable: str = ""
    _client: httpx2.Client | None = field(default=None, repr=False)
    _exchanges: Exchanges = field(default_factory=Exchanges)
    _ends: float | None = None
    _next: float = 0.0

    @contextmanager
    def session(self) -> Iterator[None]:
        """Start counting the total time; a nested session continues the outer one.

        A response of an unexpected shape raises BoardUnavailable, too.
        """
        if self._ends is not None:
            yield
            return
        self._ends = self.clock.now() + self.limits.total
        try:
            yield
        except (KeyError, TypeError, AttributeError) as error:
            raise BoardUnavailable(f"{self._host} sent an answer in an unknown format ({error!r})") from error
        finally:
            self._ends = None

    def get(self, path: str, **query: str | int) -> Response:
        """Read; raises BoardUnavailable."""
        return self.send("GET", path, query=query, repeatable=True)

    def send(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        query: Mapping[str, str | int] | None = None,
        repeatable: bool = False,
    ) -> Response:
        """Make one call; `repeatable` means that it is idempotent.

        Raise InputError if something doesn't exist (404), RefusedError if the target refuses, and BoardUnavailable for
        anything else; a write without a response may have been carried out, and the message says so.
        """
        with self.session():
            for number in range(1, self.limits.tries + 1):
                try:
                    return self._once(method, path, body=body, query=query or {}, repeatable=repeatable)
                except _Again as again:
                    if number == self.limits.tries:
                        raise BoardUnavailable(f"{self._named(method, path)} {again}, {number} times") from again
                    if again.wait is not None and self.limits.pace is not None:
                        self.limits.pace.hold(self._host, again.wait)
                    self._wait(again.wait if again.wait is not None else 0.5 * 2.0**number, why=str(again))
        raise AssertionError  # pragma: no cover - the last try returns or raises

    def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _once(
        self, method: str, path: str, *, body: object, query: Mapping[str, str | int], repeatable: bool
    ) -> Response:
        import httpx2  # noqa: PLC0415 - most commands make no calls

        self._keep_pace()
        seconds = min(self.limits.call, self._left())
        traced = {"trace": self._exchanges.noted}
        request = self._opened(httpx2).build_request(
            method, path, params=query or None, json=body, timeout=seconds, extensions=traced
        )
        try:
            with self._exchanges.within(seconds):
                status, headers, data = self._fetch(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise _Again(f"cannot be reached ({type(error).__name__})") from error
        except httpx2.HTTPError as error:
            why = f"got no answer ({type(error).__name__})"
            if repeatable:
                raise _Again(why) from error
            raise BoardUnavailable(
                f"{self._named(method, path)} {why}; it may have taken effect, so run the same again"
            ) from error
        return self._judged(method, path, status, headers=headers, data=data, repeatable=repeatable)

    def _fetch(self, request: httpx2.Request) -> tuple[int, Mapping[str, str], bytes]:
        """Read a response in pieces, up to the size limit."""
        assert self._client is not None  # noqa: S101 - it built the request
        response = self._client.send(request, stream=True, follow_redirects=False)
        try:
            pieces = bytearray()
            for piece in response.iter_bytes():
                pieces += piece
                if len(pieces) > self.limits.answer:
                    raise BoardUnavailable(f"the answer of {self._host} is larger than {self.limits.answer:,} bytes")
            return (
                response.status_code,
                {name.lower(): value for name, value in response.headers.items()},
                bytes(pieces),
            )
        finally:
            response.close()

    def _judged(  # noqa: PLR0913 - one response in parts
        self, method: str, path: str, status: int, *, headers: Mapping[str, str], data: bytes, repeatable: bool
    ) -> Response:
        named = self._named(method, path)
        if _OK <= status < _REDIRECT:
            return Response(self._decoded(data), headers)
        if status < _CLIENT:
            raise BoardUnavailable(
                f"{named} redirects to {headers.get('location', '')!r}; set base_url to the new address"
            )
        limited = self._limit(status, headers)
        if limited is not None or status == _CONFLICT:
            raise _Again("is limited" if limited is not None else "collided with another write", limited)
        said = _said(data)
        if status >= _SERVER:
            if repeatable:
                raise _Again(f"failed with {status}")
            raise BoardUnavailable(
                f"{named} failed with {status} ({said}); it may have taken effect, so run the same again"
            )
        if status in {_NO_TOKEN, _FORBIDDEN}:
            raise BoardUnavailable(f"{named} is not allowed ({status}: {said}); {self._advice}")
        if status in {_MISSING, _GONE}:
            raise InputError(f"{named} does not exist, or the token has no access to it ({status}: {said})")
        written = "" if method == "GET" else "; nothing was written"
        raise RefusedError(f"{named} was refused ({status}: {said}){written}")

    @property
    def _advice(self) -> str:
        """What to do about a call that isn't allowed."""
        if "Authorization" in self.address.headers:
            return "check the token and its permissions"
        return f"no token was sent, since the variable {self.variable or 'of token_env'} is not set"

    def _limit(self, status: int, headers: Mapping[str, str]) -> float | None:
        """The seconds to wait for a rate limit; None if the response isn't about one."""
        if "retry-after" in headers and status in {_FORBIDDEN, _MANY, 503, 529}:
            return self._seconds(headers["retry-after"])
        if status in {_FORBIDDEN, _MANY} and headers.get("x-ratelimit-remaining") == "0":
            reset = headers.get("x-ratelimit-reset", "")
            return max(1.0, (float(reset) if reset.isdigit() else 0.0) - self.clock.today())
        return 1.0 if status == _MANY else None

    def _seconds(self, text: str) -> float:
        if text.strip().isdigit():
            return max(0.0, float(text))
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - self.clock.today())
        except ValueError:
            return 1.0

    def _decoded(self, data: bytes) -> object:
        if not data:
            return None
        try:
            found: object = _json(data)
        except (ValueError, RecursionError) as error:
            raise BoardUnavailable(f"the answer of {self._host} is not JSON ({error})") from error
        return found

    def _keep_pace(self) -> None:
        if self.limits.pace is not None:
            wait = self.limits.pace.turn(self._host, 1.0 / self.limits.rate)
            if wait > 0:
                self._wait(wait, why="is paced for all hosts")
            return
        now = self.clock.now()
        if self._next > now:
            self._wait(self._next - now, why="is paced")
        self._next = max(now, self._next) + 1.0 / self.limits.rate

    def _wait(self, seconds: float, *, why: str) -> None:
        if seconds > self._left():
            raise BoardUnavailable(
                f"{self._host} {why}; waiting {seconds:.0f} s exceeds the {self.limits.total:.0f} s of `total`"
            )
        self.clock.sleep(seconds)

    def _left(self) -> float:
        left = self.limits.total if self._ends is None else self._ends - self.clock.now()
        if left <= 0:
            raise BoardUnavailable(f"{self._host} did not answer within the {self.limits.total:.0f} s of `total`")
        return left

    def _opened(self, library: Any) -> httpx2.Client:  # noqa: ANN401 - the module, imported on use
        if self._client is None:
            url, headers = self.address.base_url, dict(self.address.headers)
            # Loading the certificates takes longer than all else here, and an address on this machine may need none.
            self._client = library.Client(base_url=url, headers=headers, verify=not url.startswith("http:"))
        client: httpx2.Client = self._client
        return client

    @property
    def _host(self) -> str:
        return urlsplit(self.address.base_url).netloc

    def _named(self, method: str, path: str) -> str:
        return f"{method} {self._host}/{path.lstrip('/')}"


def read_all(calls: Calls, tasks: Iterable[Task], documents: Iterable[Document] = (), *, at: str) -> Snapshot:
    """Collect what a target shows while it is read; what came before an error makes a partial view."""
    found: list[Task] = []
    texts: list[Document] = []
    health = COMPLETE
    try:
        with calls.session():
            found.extend(tasks)
            texts.extend(documents)
    except PactkeeperError as error:
        health = Health("partial" if found or texts else "unavailable", str(error))
    return Snapshot(tuple(found), tuple(texts), health, at)


def _json(data: bytes) -> object:
    found: object = json.loads(whole_escapes(data.decode("utf-8", "replace")))
    return found


def _said(data: bytes) -> str:
    """A short version of a target's error messages, including those about single fields."""
    try:
        found = _json(data)
    except (ValueError, RecursionError):
        found = None
    return "; ".join(_messages(found))[:_SHOWN] or "no reason given"


def _messages(found: object) -> Iterator[str]:
    if not isinstance(found, Mapping):
        return
    if found.get("message"):
        yield str(found["message"])
    several, by_field = found.get("errorMessages"), found.get("errors")
    yield from (str(one) for one in several) if isinstance(several, list) else ()
    yield from (f"{name}: {one}" for name, one in by_field.items()) if isinstance(by_field, Mapping) else ()
