"""Webhooks of forges: deliveries are verified, and become jobs before they are answered."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Final

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pactkeeper.doors.web.entering import HOOKS
from pactkeeper.doors.web.limits import whole_body
from pactkeeper.doors.web.problems import Problem, problem_of
from pactkeeper.errors import InputError, PactkeeperError
from pactkeeper.forges.deliveries import distrusted, heard_from
from pactkeeper.ledger.patch_text import whole_escapes
from pactkeeper.operators.jobs import Received, receive_event
from pactkeeper.operators.team import Team
from pactkeeper.verbs.calling import Failed

Answers = Callable[[Request], Awaitable[Response]]
MOST: Final = 5_000_000  # bytes of a delivery; events about pull requests usually have 30 thousand
NOTHING: Final = Received(why="this event asks for nothing here")


@dataclass(frozen=True, slots=True)
class Hooks:
    """The webhooks of one server; `secrets` by kind of forge, `now` returns seconds since 1970."""

    team: Team
    secrets: Mapping[str, str]
    now: Callable[[], float]

    def paths(self) -> Mapping[str, Answers]:
        """The endpoint for each kind of forge, by path."""
        return {f"{HOOKS}{kind}": self._answering(kind) for kind in ("github", "gitlab")}

    def _answering(self, kind: str) -> Answers:
        async def answer(request: Request) -> Response:
            secret = self.secrets.get(kind, "")
            if not secret:
                raise Problem(404, f"webhooks of {kind} are not set up: set PACTKEEPER_{kind.upper()}_HOOK_SECRET")
            body = await whole_body(request, MOST, "a delivery")
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in request.scope["headers"]}
            try:
                why = distrusted(kind, headers, body, secret=secret, now=self.now())
                if why:
                    raise Problem(401, f"the delivery is not taken for {kind}'s: {why}")
                name = headers.get("x-github-event", "")
                found = await anyio.to_thread.run_sync(self._received, kind, name, body)
            except PactkeeperError as error:
                failed = Failed(str(error))
                failed.__cause__ = error
                raise problem_of(failed, named=True, decides=False) from error
            return JSONResponse(asdict(found), 202)

        return answer

    def _received(self, kind: str, name: str, body: bytes) -> Received:
        try:
            event = json.loads(whole_escapes(body.decode()))
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"the delivery is no JSON ({error}); choose application/json as its content type"
            ) from None
        heard = heard_from(kind, name, event)
        return NOTHING if heard is None else receive_event(self.team, heard, notice=_note)


def _note(text: str) -> None:
    sys.stderr.write(f"{text}\n")
