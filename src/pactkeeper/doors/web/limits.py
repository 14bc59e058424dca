"""Rate limits: a token bucket per name, which refills over time.

Also here: what a team's server does with a request, which is to find its repository, count it, and log writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

import anyio.to_thread
from starlette.requests import Request

from pactkeeper.doors.web.entering import SAFE, seeing
from pactkeeper.doors.web.problems import WebProblem
from pactkeeper.errors import PactkeeperError, UsageError
from pactkeeper.ledger.policy import Principal
from pactkeeper.operators.team import Actor, Team, principal_in
from pactkeeper.store.database import AuditEntry, conclude, record
from pactkeeper.store.team import Registered, repository_named
from pactkeeper.verbs.calling import to_stderr
from pactkeeper.verbs.listening import ASGIApp, Receive, Scope, Send

BODY_SECONDS: Final = 30.0
_REFUSED: Final = 400  # statuses from here on
MOST: Final = 10_000  # names at a time; the least recently used is dropped first


@dataclass(slots=True)
class Limit:
    """A burst of `most` requests, plus one every `every` seconds; `now` counts seconds. Each process counts alone."""

    most: int
    every: float
    now: Callable[[], float]
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, name: str) -> None:
        """Count a request; raises Problem if there were too many."""
        left, at = self._left.pop(name, (float(self.most), self.now()))
        left = min(float(self.most), left + (self.now() - at) / self.every)
        while len(self._left) >= MOST:
            del self._left[next(iter(self._left))]
        self._left[name] = (max(left - 1, 0.0) if left >= 1 else left, self.now())
        if left < 1:
            wait = int((1 - left) * self.every) + 1
            raise WebProblem(429, f"too many requests; try again in {wait} seconds", {"Retry-After": str(wait)})

    def give_back(self, name: str) -> None:
        """Undo the count of a request."""
        if name in self._left:
            left, at = self._left[name]
            self._left[name] = (min(float(self.most), left + 1), at)


async def whole_body(request: Request, most: int, what: str) -> bytes:
    """The body of a request, up to `most` bytes; raises Problem if it is longer, or arrives too slowly."""
    held = bytearray()
    with anyio.move_on_after(BODY_SECONDS):
        async for part in request.stream():
            held += part
            if len(held) > most:
                raise WebProblem(413, f"{what} has at most {most:,} bytes; send less at a time")
        return bytes(held)
    close = {"Connection": "close"}
    raise WebProblem(408, f"{what} did not arrive completely within {BODY_SECONDS:.0f} seconds; send it again", close)


REPOSITORIES = "/repos/"


@dataclass(frozen=True, slots=True)
class Reception:
    """Dispatches a request to its repository's application, or to `front`, which is about the server itself."""

    team: Team
    front: ASGIApp
    build: Callable[[Registered, Team], ASGIApp]
    writes: Limit
    _houses: dict[tuple[str, str], ASGIApp] = field(default_factory=dict)
    _building: Lock = field(default_factory=Lock, repr=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; a write is logged when it begins and when it ends."""
        who = scope.get("state", {}).get("principal") if scope["type"] == "http" else None
        if not isinstance(who, Principal):
            await self.front(scope, receive, send)
            return
        if scope["method"] in SAFE:
            await self._answer(scope, who, receive, send)
            return
        try:
            number = await anyio.to_thread.run_sync(self._begin, scope, who)
        except PactkeeperError as error:  # what can't be logged is not done
            await WebProblem(503, str(error)).response()(scope, receive, send)
            return
        status = [0]
        try:
            await self._answer(scope, who, receive, seeing(send, status))
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._end, number, _outcome(scope, status[0]))

    async def _answer(self, scope: Scope, who: Principal, receive: Receive, send: Send) -> None:
        try:
            if scope["method"] not in SAFE:
                self.writes.take(who.account)
            app = await anyio.to_thread.run_sync(self._where, scope, who)
        except WebProblem as problem:
            await problem.response()(scope, receive, send)
            return
        except PactkeeperError as error:
            await WebProblem(503, str(error)).response()(scope, receive, send)
            return
        await app(scope, receive, send)

    def _where(self, scope: Scope, who: Principal) -> ASGIApp:
        """The application for a path, with the caller's role there; raises Problem."""
        path: str = scope["path"]
        if not path.startswith(REPOSITORIES):
            return self.front
        name = path.removeprefix(REPOSITORIES).partition("/")[0]
        with self.team.database.together():
            found = self._repository(name, who)
            narrowed = None if found is None else principal_in(self.team, who, found)
        if found is None or narrowed is None:
            raise WebProblem(404, f"there is no repository {name!r} that you may see; GET /repos lists yours")
        scope["state"]["principal"] = narrowed
        scope["root_path"] = f"{REPOSITORIES}{name}"
        return self._house(found)

    def _repository(self, name: str, who: Principal) -> Registered | None:
        if who.only not in {"", name}:
            return None
        try:
            return repository_named(self.team.database, name)
        except UsageError:
            return None

    def _house(self, found: Registered) -> ASGIApp:
        """One application per repository, shared by all callers: it has the lock that admits one writer at a time."""
        key = (found.name, found.place)
        with self._building:
            if key not in self._houses:
                self._houses[key] = self.build(found, self.team)
            return self._houses[key]

    def _begin(self, scope: Scope, who: Principal) -> int:
        by = actor_of(scope, who)
        entry = AuditEntry(self.team.at, by.account, by.kind, scope["method"], scope["path"][:500], "began", by.address)
        return record(self.team.database, entry)

    def _end(self, number: int, outcome: str) -> None:
        """Log the outcome of a write; the response is already sent, so a failure can only be reported by the server."""
        try:
            conclude(self.team.database, number, outcome)
        except PactkeeperError as error:
            to_stderr(f"entry {number} of the audit log does not record that it ended with {outcome}: {error}")


def _outcome(scope: Scope, status: int) -> str:
    """The status, after what was asked for where the path doesn't say it, which a page sets as `deed`."""
    told, deed = str(status or "broken off"), scope["state"].get("deed", "")
    return f"{deed}: {'done' if 0 < status < _REFUSED else 'refused'} ({told})" if deed else told


def actor_of(scope: Scope, who: Principal | None) -> Actor:
    """The actor and address for the audit log."""
    address = (scope.get("client") or ("",))[0]
    return Actor("", "nobody", address) if who is None else Actor(who.account, who.kind, address)
