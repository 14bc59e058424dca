"""One request answered: its arguments to the verb, and a document, a preview to consent to or events back."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from fastapi.responses import JSONResponse
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pactkeeper.doors.web.arguments import arguments
from pactkeeper.doors.web.entering import principal
from pactkeeper.doors.web.problems import Problem, problem_of
from pactkeeper.doors.web.repeating import Repeats
from pactkeeper.doors.web.routes import Route
from pactkeeper.ledger.canonical import digest
from pactkeeper.verbs.calling import Caller, Failed, House, Tell, carry_out
from pactkeeper.verbs.verb import Document, YesWanted

NAME: Final = "the REST API"
STREAM: Final = "text/event-stream"
PENDING: Final = 202
# The headers that give back the key of what was shown and the version that was seen, and that name a request.
CONSENT, MATCH, KEY = "consent", "if-match", "idempotency-key"
_PLAIN: Final = re.compile(r"[!-~]*")

Report = tuple[str, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Answering:
    """Answers every route of one repository."""

    house: House
    repeats: Repeats

    async def answer(self, route: Route, request: Request) -> Response:
        """Answer a request; raises Problem."""
        given = await arguments(route, request)
        if not route.verb.reads and STREAM in request.headers.get("accept", ""):
            caller = _caller(route, request, _silent)
            return StreamingResponse(self._events(route, given, caller), media_type=STREAM)
        key = "" if route.verb.reads else _header(request, KEY)
        if not key:
            return await self._plain(route, request, given)
        before = self.repeats.begin(key, json.dumps([route.method, request.url.path, given, _held(request)]))
        if before is not None:
            return before
        done = None
        try:
            answer = await self._plain(route, request, given)
            done = None if answer.status_code == PENDING else answer
        finally:
            self.repeats.finish(key, done)
        return answer

    async def _plain(self, route: Route, request: Request, given: Mapping[str, Any]) -> Response:
        found = await self._carried_out(route, given, _caller(route, request, _silent))
        if isinstance(found, YesWanted):
            return JSONResponse(_pending(found), PENDING)
        if not route.verb.reads:
            return JSONResponse(dict(found))
        tag = f'"{found.get("version") or digest(json.dumps(found))}"'
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers={"ETag": tag})
        return JSONResponse(dict(found), headers={"ETag": tag})

    async def _carried_out(self, route: Route, given: Mapping[str, Any], caller: Caller) -> Document | YesWanted:
        try:
            return await carry_out(self.house, route.verb, given, caller)
        except Failed as error:
            raise problem_of(error, named=bool(route.names) and route.verb.reads, decides=route.decides) from error

    async def _events(self, route: Route, given: Mapping[str, Any], caller: Caller) -> AsyncIterator[str]:
        """How far it is, then the result or the problem; who goes away stops what can be stopped."""
        said: asyncio.Queue[Report] = asyncio.Queue()

        async def tell(count: float, message: str) -> None:
            said.put_nowait(("progress", {"count": int(count), "message": message}))

        work = asyncio.create_task(self._outcome(route, given, replace(caller, tell=tell)))
        work.add_done_callback(lambda done: None if done.cancelled() else said.put_nowait(done.result()))
        try:
            while True:
                kind, document = await said.get()
                yield f"event: {kind}\ndata: {json.dumps(document)}\n\n"
                if kind != "progress":
                    return
        finally:
            work.cancel()

    async def _outcome(self, route: Route, given: Mapping[str, Any], caller: Caller) -> Report:
        try:
            found = await self._carried_out(route, given, caller)
        except Problem as problem:
            return "problem", problem.document
        return ("pending", _pending(found)) if isinstance(found, YesWanted) else ("result", dict(found))


async def _silent(_count: float, _message: str) -> None:
    """Tell nobody how far it is."""


def _caller(route: Route, request: Request, tell: Tell) -> Caller:
    consent, seen = _held(request)
    if route.decides and not seen:
        raise Problem(
            428, "send If-Match with the ETag of the run's patch or review, so that nothing unseen is decided"
        )
    return Caller(NAME, tell, consent, seen if route.decides else "", principal(request))


def _held(request: Request) -> tuple[str, str]:
    """What a request gives back: the key that consents, and the version that it decides on."""
    return _header(request, CONSENT), _header(request, MATCH).removeprefix("W/").strip('"')


def _header(request: Request, name: str) -> str:
    """A header that must be plain, so that what is compared is what was sent. Raises Problem."""
    text = request.headers.get(name, "")
    if _PLAIN.fullmatch(text) is None:
        raise Problem(400, f"the header {name} takes letters, digits and signs without spaces")
    return text


def _pending(wanted: YesWanted) -> dict[str, object]:
    """What would happen, and how to say yes: the same request again with the key."""
    consent = {"key": wanted.key, "message": wanted.message} if wanted.message else None
    return {**wanted.document, "status": "pending", "consent": consent, "confirm": wanted.command}


Endpoint = Callable[[Request], Awaitable[Response]]


def endpoint(answering: Answering, route: Route) -> Endpoint:
    """What FastAPI calls for a route."""

    async def answer(request: Request) -> Response:
        return await answering.answer(route, request)

    return answer
