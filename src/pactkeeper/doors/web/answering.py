"""Answer one request: arguments to the verb, and a document, a preview to consent to, or events back."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fastapi.responses import JSONResponse
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pactkeeper.advice import Reader, for_reader
from pactkeeper.doors.web.describing import Route
from pactkeeper.doors.web.entering import principal
from pactkeeper.doors.web.limits import whole_body
from pactkeeper.doors.web.problems import WebProblem, problem_of
from pactkeeper.errors import ForbiddenError
from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.shape import Items, Shape, Truth, Whole
from pactkeeper.published.plain import told
from pactkeeper.verbs.calling import Caller, Failed, House, carry_out, permit
from pactkeeper.verbs.verb import Document, Verb, YesWanted

NAME: Final = "the REST API"
STREAM: Final = "text/event-stream"
PENDING: Final = 202
# The request headers for the key of a preview, for the version that was seen, and for an idempotency key.
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
        caller = _caller(route, request)
        given = await arguments(route, request)
        if not route.verb.reads and STREAM in request.headers.get("accept", ""):
            return StreamingResponse(self._events(route, given, caller), media_type=STREAM)
        key = "" if route.verb.reads else _header(request, KEY)
        if not key:
            return await self._plain(route, request, given, caller)
        account = caller.who.account
        before = self.repeats.begin(account, key, json.dumps([route.method, request.url.path, given, _held(request)]))
        if before is not None:
            return before
        done = None
        try:
            answer = await self._plain(route, request, given, caller)
            done = None if answer.status_code == PENDING else answer
        finally:
            self.repeats.finish(account, key, done)
        return answer

    async def _plain(self, route: Route, request: Request, given: Mapping[str, Any], caller: Caller) -> Response:
        found = await self._carried_out(route, given, caller)
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
        """Progress events, then the result or the problem; a client that disconnects cancels what can be cancelled."""
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
        except WebProblem as problem:
            return "problem", problem.document
        return ("pending", _pending(found)) if isinstance(found, YesWanted) else ("result", dict(found))


async def _silent(_count: float, _message: str) -> None:
    """Report no progress."""


def _caller(route: Route, request: Request) -> Caller:
    """The caller, if permitted; raises Problem, for a missing permission before a missing header."""
    consent, seen = _held(request)
    who = principal(request)
    reader: Reader = "agent" if who.kind == "agent" else "person"
    caller = Caller(NAME, _silent, consent, seen if route.decides else "", who, reader)
    try:
        permit(route.verb, caller)
    except ForbiddenError as error:
        raise WebProblem(403, for_reader(error.message, reader)) from error
    if route.decides and not seen:
        raise WebProblem(428, "send If-Match with the ETag of the run's patch or review, so nothing is decided unseen")
    return caller


def _held(request: Request) -> tuple[str, str]:
    """What a request gives back: the key that consents, and the version it decides on."""
    return _header(request, CONSENT), _header(request, MATCH).removeprefix("W/").strip('"')


def _header(request: Request, name: str) -> str:
    """A header restricted to plain characters, so that what is compared is what was sent. Raises Problem."""
    text = request.headers.get(name, "")
    if _PLAIN.fullmatch(text) is None:
        raise WebProblem(400, f"the header {name} takes letters, digits and punctuation, without spaces")
    return text


def _pending(wanted: YesWanted) -> dict[str, object]:
    """The preview, and how to consent: repeat the same request with the key."""
    consent = {"key": wanted.key, "message": told(wanted.message)} if wanted.message else None
    return {**wanted.document, "status": "pending", "consent": consent, "confirm": told(wanted.command)}


Endpoint = Callable[[Request], Awaitable[Response]]


def endpoint(answering: Answering, route: Route) -> Endpoint:
    """The endpoint of a route for FastAPI."""

    async def answer(request: Request) -> Response:
        return await answering.answer(route, request)

    return answer


LONGEST: Final = 1_000_000  # bytes of a body
_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")


async def arguments(route: Route, request: Request) -> dict[str, Any]:
    """The arguments of a request in the verb's shape, not yet validated against it. Raises Problem."""
    parts = {name: request.path_params[name] for name in route.names}
    query = {name: request.query_params.getlist(name) for name in request.query_params}
    if route.method == "GET":
        given = {name: _read(values, _shape(route.verb, name)) for name, values in query.items()}
    elif query:
        raise WebProblem(400, f"{route.method} takes its arguments in the body; leave out the query")
    else:
        given = await _body(request)
    both = sorted({*parts, *route.fixed} & given.keys())
    if both:
        raise WebProblem(400, f"already given in the path: {', '.join(both)}")
    return {**given, **parts, **route.fixed}


def _shape(verb: Verb, name: str) -> Shape | None:
    return verb.shape.required.get(name, verb.shape.optional.get(name))


def _read(values: Sequence[str], shape: Shape | None) -> object:
    """A query value converted by its shape; what can't be converted stays text, which the shape rejects."""
    if isinstance(shape, Items):
        return [_read([one], shape.of) for one in values]
    if len(values) != 1:
        return list(values)
    text = values[0]
    if isinstance(shape, Whole) and _WHOLE.fullmatch(text):
        return int(text)
    if isinstance(shape, Truth) and text in {"true", "false"}:
        return text == "true"
    return text


async def _body(request: Request) -> dict[str, Any]:
    held = await whole_body(request, LONGEST, "the body")
    if not held:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise WebProblem(415, "send the body as application/json")
    try:
        said = json.loads(held)
    except (ValueError, RecursionError) as error:
        raise WebProblem(400, f"the body is not JSON: {error}") from None
    if not isinstance(said, dict):
        raise WebProblem(400, "the body must be a JSON object")
    return said


LASTS: Final = 24 * 3600.0  # seconds
MOST: Final = 1000  # keys at a time; the oldest is dropped first
LONGEST_KEY: Final = 200  # characters of a key


@dataclass(slots=True)
class _Kept:
    """The request that a key stands for, its expiry, and the answer once there is one."""

    asked: str
    until: float
    answer: Response | None = None


@dataclass(slots=True)
class Repeats:
    """The idempotency keys of one server, separate per account; `now` counts seconds."""

    now: Callable[[], float]
    _kept: dict[tuple[str, str], _Kept] = field(default_factory=dict)

    def begin(self, account: str, key: str, asked: str) -> Response | None:
        """The earlier answer to this key, or None if the request is new. Raises Problem.

        A key stands for one request: a different request with it is refused, and so is the same one while it is in
        progress.
        """
        if len(key) > LONGEST_KEY:
            raise WebProblem(400, f"an Idempotency-Key has at most {LONGEST_KEY} characters")
        known = self._kept.get((account, key))
        if known is None or known.until < self.now():
            self._keep((account, key), asked)
            return None
        if known.asked != asked:
            raise WebProblem(422, f"the Idempotency-Key {key!r} was used for another request; use a new one")
        if known.answer is None:
            raise WebProblem(409, f"the request with the Idempotency-Key {key!r} is still running; try again later")
        return known.answer

    def finish(self, account: str, key: str, answer: Response | None) -> None:
        """Store the answer to a key; without one nothing was done, and the key may be used again."""
        if answer is None:
            self._kept.pop((account, key), None)
        elif (account, key) in self._kept:
            self._kept[account, key].answer = answer

    def _keep(self, key: tuple[str, str], asked: str) -> None:
        self._kept.pop(key, None)
        while len(self._kept) >= MOST:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = _Kept(asked, self.now() + LASTS)
