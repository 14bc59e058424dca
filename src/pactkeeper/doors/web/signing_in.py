"""Signing in to a server for a team, by password or by a provider, and out again."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from html import escape
from typing import Final
from urllib.parse import parse_qs

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from pactkeeper.doors.web.entering import Site, header, host_of
from pactkeeper.doors.web.limits import Limit, whole_body
from pactkeeper.doors.web.plain import goodbye, plain_page, welcome
from pactkeeper.doors.web.problems import Problem
from pactkeeper.doors.web.provider import Provider, Trip
from pactkeeper.doors.web.reception import acting
from pactkeeper.errors import PactkeeperError, RefusedError
from pactkeeper.operators.accounts import sign_in, sign_in_claimed, sign_out
from pactkeeper.operators.team import Team

Answers = Callable[[Request], Awaitable[Response]]

LONGEST: Final = 4000  # bytes of the form
FORM: Final = (
    '<form method="post" action="/sign-in"><input type="hidden" name="next" value="{onward}">'
    '<p><label>Name <input name="name" autocomplete="username" required autofocus></label></p>'
    '<p><label>Password <input name="password" type="password" autocomplete="current-password" required></label></p>'
    "<p><button>Sign in</button></p></form>{provider}"
)
BY_PROVIDER: Final = '<p><a href="/sign-in/provider">Sign in with your organisation</a></p>'


@dataclass(frozen=True, slots=True)
class Desk:
    """Where people sign in and out; at most two passwords are weighed at a time, each takes memory."""

    team: Team
    site: Site
    provider: Provider | None
    tries: Limit
    weighing: anyio.CapacityLimiter

    async def form(self, request: Request) -> Response:
        """The form to sign in."""
        return self._form("", _onward(request.query_params.get("next", "/")))

    async def sign_in(self, request: Request) -> Response:
        """Take name and password."""
        if not (header(request.scope, b"origin") or header(request.scope, b"sec-fetch-site") == "same-origin"):
            raise Problem(403, "sign in on this server's own page")
        given = await _form_of(request)
        name, onward = given.get("name", ""), _onward(given.get("next", "/"))
        for one in (f"from {_address(request)}", f"as {name[:100]}"):
            self.tries.take(one)
        team, password = acting(self.team, request.scope, None), given.get("password", "")
        secret = await anyio.to_thread.run_sync(lambda: sign_in(team, name, password), limiter=self.weighing)
        if secret is None:
            return self._form("That name and password do not belong together.", onward, 403)
        return self._welcome(request, secret, onward)

    async def go_to_provider(self, _: Request) -> Response:
        """Send the browser to the provider."""
        provider, trip = self._by_provider(), Trip.begin()
        address = await anyio.to_thread.run_sync(lambda: provider.address(trip))
        answer = RedirectResponse(address, 303)
        answer.set_cookie(
            self._trip, str(trip), max_age=600, httponly=True, samesite="lax", secure=self.site.secure, path="/"
        )
        return answer

    async def come_back(self, request: Request) -> Response:
        """Take the provider's answer."""
        provider, trip = self._by_provider(), Trip.of(request.cookies.get(self._trip, ""))
        self.tries.take(f"from {_address(request)}")
        said = request.query_params
        if trip is None or not secrets.compare_digest(trip.state.encode(), said.get("state", "").encode()):
            raise Problem(403, "this answer belongs to no sign-in of this browser; begin again at /sign-in")
        if "code" not in said:
            raise Problem(403, f"the provider refused: {said.get('error', 'no code')[:200]}; begin again at /sign-in")
        team = acting(self.team, request.scope, None)
        secret = await anyio.to_thread.run_sync(lambda: sign_in_claimed(team, provider.claimed(said["code"], trip)))
        answer = self._welcome(request, secret, "/")
        answer.delete_cookie(self._trip, httponly=True, samesite="lax", secure=self.site.secure, path="/")
        return answer

    async def sign_out(self, request: Request) -> Response:
        """End the session."""
        cookie = self.site.cookie(host_of(request))
        await anyio.to_thread.run_sync(sign_out, self.team, request.cookies.get(cookie, ""))
        return goodbye(cookie, secure=self.site.secure)

    def _by_provider(self) -> Provider:
        if self.provider is None:
            raise Problem(404, "no provider is set up here; sign in with a password at /sign-in")
        return self.provider

    @property
    def _trip(self) -> str:
        return "__Host-pactkeeper-trip" if self.site.secure else "pactkeeper-trip"

    def _form(self, words: str, onward: str, status: int = 200) -> Response:
        form = FORM.format(onward=escape(onward), provider="" if self.provider is None else BY_PROVIDER)
        return HTMLResponse(plain_page("Sign in", words, form=form), status)

    def _welcome(self, request: Request, secret: str, onward: str) -> Response:
        return welcome(self.site.cookie(host_of(request)), secret, secure=self.site.secure, onward=onward)


def saying_why(do: Answers) -> Answers:
    """An error of ours as a problem, which says what to do."""

    async def answer(request: Request) -> Response:
        try:
            return await do(request)
        except PactkeeperError as error:
            raise Problem(403 if isinstance(error, RefusedError) else 503, str(error)) from error

    return answer


async def _form_of(request: Request) -> dict[str, str]:
    held = await whole_body(request, LONGEST, "the form")
    try:
        fields = parse_qs(held.decode(), keep_blank_values=True, max_num_fields=10)
    except ValueError:
        raise Problem(400, "the form cannot be read") from None
    return {name: values[0] for name, values in fields.items()}


def _onward(path: str) -> str:
    """A path of this server to go on to; anything else is the start."""
    plain = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and "\\" not in path
    return path if plain else "/"


def _address(request: Request) -> str:
    return "" if request.client is None else request.client.host
