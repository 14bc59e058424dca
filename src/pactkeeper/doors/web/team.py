"""A server for a team: signing in and out by password or provider, many repositories, and pages for admins."""

from __future__ import annotations

import json
import secrets
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import Final
from urllib.parse import parse_qs, quote

import anyio
import anyio.to_thread
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from pactkeeper.doors.web import entering
from pactkeeper.doors.web.app import Measures, about_the_server, bare_app, repository_app
from pactkeeper.doors.web.entering import HOOKS, Entered, Site
from pactkeeper.doors.web.limits import Limit, Reception, actor_of, whole_body
from pactkeeper.doors.web.page.routing import static_files
from pactkeeper.doors.web.problems import WebProblem, problem_of
from pactkeeper.doors.web.provider import Provider, Trip
from pactkeeper.errors import InputError, PactkeeperError, RefusedError
from pactkeeper.forges.deliveries import distrusted, heard_from
from pactkeeper.ledger.documents import whole_escapes
from pactkeeper.ledger.policy import Principal, Role, why_not
from pactkeeper.operators.accounts import list_users, principal_of, sign_in, sign_in_claimed, sign_out
from pactkeeper.operators.jobs import Received, receive_event
from pactkeeper.operators.team import Team, list_audit, list_repositories, mirror_of, principal_in
from pactkeeper.store.team import Registered
from pactkeeper.verbs.calling import House
from pactkeeper.verbs.listening import ASGIApp


@dataclass(frozen=True, slots=True)
class Known:
    """Access control for accounts: their sessions, and the tokens of their programs."""

    team: Team

    async def by_token(self, token: str) -> Principal | None:
        """The account that owns a token."""
        return await anyio.to_thread.run_sync(lambda: principal_of(self.team, token, session=False))

    async def by_session(self, secret: str) -> Principal | None:
        """The account that owns a session."""
        return await anyio.to_thread.run_sync(lambda: principal_of(self.team, secret, session=True))

    def lobby(self, path: str) -> Response:
        """Redirect to sign-in, and from there to the requested page."""
        return RedirectResponse(f"/sign-in?next={quote(path)}", 303)


@dataclass(frozen=True, slots=True)
class About:
    """Information about the server: its repositories, and for admins its accounts and audit log."""

    team: Team

    def repositories(self, request: Request) -> Response:
        """The repositories that the caller may see, with their role in each."""
        found = [
            {**asdict(one), "role": there.role, "path": f"/repos/{one.name}"}
            for one, there in self._open(entering.principal(request))
        ]
        return JSONResponse({"repositories": found})

    def _open(self, who: Principal) -> list[tuple[Registered, Principal]]:
        """The repositories that somebody may see, with their principal in each."""
        mine = [one for one in list_repositories(self.team) if who.only in {"", one.name}]
        pairs = [(one, principal_in(self.team, who, one)) for one in mine]
        return [(one, there) for one, there in pairs if there is not None]

    def users(self, _: Request) -> Response:
        """Every account."""
        shown = [(one.name, one.person, one.role, one.enabled) for one in list_users(self.team)]
        return JSONResponse(
            {"users": [dict(zip(("name", "person", "role", "enabled"), row, strict=True)) for row in shown]}
        )

    def audit(self, request: Request) -> Response:
        """The newest audit entries."""
        text = request.query_params.get("limit", "200")
        limit = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 200  # noqa: PLR2004 - digits
        found = list_audit(self.team, account=request.query_params.get("account", ""), limit=min(max(limit, 1), 10_000))
        return JSONResponse({"entries": [asdict(one) for one in found]})

    def start(self, request: Request) -> Response:
        """The repositories as links."""
        who = entering.principal(request)
        names = [escape(one.name) for one, _ in self._open(who)]
        links = [f'<li><a href="/repos/{name}/">{name}</a></li>' for name in names]
        listed = f"<ul>{''.join(links)}</ul>" if links else "<p>No repository is open to you yet.</p>"
        leave = '<form method="post" action="/sign-out"><button>Sign out</button></form>'
        return HTMLResponse(entering.plain_page("Repositories", f"Signed in as {who.person}.", form=listed + leave))


# Paths about the server rather than a repository, with the required role.
FRONT: Final[tuple[tuple[str, Role, str], ...]] = (
    ("/", "reader", "start"),
    ("/repos", "reader", "repositories"),
    ("/users", "admin", "users"),
    ("/audit", "admin", "audit"),
)


NO_SECRETS: Final[Mapping[str, str]] = {}


def team_application(
    team: Team,
    site: Site,
    provider: Provider | None = None,
    secrets_of: Mapping[str, str] = NO_SECRETS,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Entered:
    """The application of a team's server; `secrets_of` webhooks by kind of forge, `clock` counts seconds."""
    measures = Measures()

    def build(found: Registered, of: Team) -> ASGIApp:
        return repository_app(House(mirror_of(of, found).tree), measures)

    desk = TeamDesk(team, site, provider, Limit(10, 30.0, clock), anyio.CapacityLimiter(2))
    front = _front(team, desk, measures)
    for path, answer in Hooks(team, secrets_of, time.time).paths().items():
        front.add_api_route(path, answer, methods=["POST"], include_in_schema=False)
    reception = Reception(team, front, build, Limit(240, 0.25, clock))
    return Entered(reception, site, Known(team))


def _front(team: Team, desk: TeamDesk, measures: Measures) -> FastAPI:
    app, about = bare_app(measures), About(team)
    about_the_server(app, measures)
    app.mount("/static", static_files())
    for path, need, name in FRONT:
        app.add_api_route(path, _reading(getattr(about, name), need), include_in_schema=False)
    app.add_api_route("/sign-in", desk.form, include_in_schema=False)
    app.add_api_route("/sign-in", desk.on_page(desk.sign_in), methods=["POST"], include_in_schema=False)
    app.add_api_route("/sign-in/provider", desk.on_page(desk.go_to_provider), include_in_schema=False)
    app.add_api_route("/sign-in/return", desk.on_page(desk.come_back), include_in_schema=False)
    app.add_api_route("/sign-out", desk.sign_out, methods=["POST"], include_in_schema=False)
    return app


def _reading(show: Callable[[Request], Response], need: Role) -> Answers:
    async def answer(request: Request) -> Response:
        why = why_not(entering.principal(request), need, for_agents=True, consents=False)
        if why:
            raise WebProblem(403, why)
        return await anyio.to_thread.run_sync(show, request)

    return answer


LONGEST: Final = 4000  # bytes of the form
FORM: Final = (
    '<form method="post" action="/sign-in"><input type="hidden" name="next" value="{onward}">'
    '<p><label>Name <input name="name" autocomplete="username" required autofocus></label></p>'
    '<p><label>Password <input name="password" type="password" autocomplete="current-password" required></label></p>'
    "<p><button>Sign in</button></p></form>{provider}"
)
BY_PROVIDER: Final = '<p><a href="/sign-in/provider">Sign in with your organisation</a></p>'


@dataclass(frozen=True, slots=True)
class TeamDesk:
    """Signing in and out; at most two passwords are verified at a time, since each takes memory."""

    team: Team
    site: Site
    provider: Provider | None
    tries: Limit
    weighing: anyio.CapacityLimiter

    async def form(self, request: Request) -> Response:
        """The sign-in form."""
        return self._form("", _onward(request.query_params.get("next", "/")))

    async def sign_in(self, request: Request) -> Response:
        """Sign in with name and password."""
        if not entering.from_our_page(request.scope):
            raise WebProblem(403, "sign in on this server's own page")
        given = await _form_of(request)
        name, onward = given.get("name", ""), _onward(given.get("next", "/"))
        counted = (f"from {_address(request)}", f"as {name[:100]}")
        try:
            for one in counted:
                self.tries.take(one)
        except WebProblem as problem:
            return self._form(_sentence(problem.detail), onward, problem.status, problem.headers)
        team, password = replace(self.team, actor=actor_of(request.scope, None)), given.get("password", "")
        secret = await anyio.to_thread.run_sync(lambda: sign_in(team, name, password), limiter=self.weighing)
        if secret is None:
            return self._form("Wrong name or password.", onward, 403)
        for one in counted:
            self.tries.give_back(one)
        return self._welcome(request, secret, onward)

    async def go_to_provider(self, _: Request) -> Response:
        """Redirect the browser to the provider."""
        provider, trip = self._by_provider(), Trip.begin()
        address = await anyio.to_thread.run_sync(lambda: provider.address(trip))
        answer = RedirectResponse(address, 303)
        answer.set_cookie(
            self._trip, str(trip), max_age=600, httponly=True, samesite="lax", secure=self.site.secure, path="/"
        )
        return answer

    async def come_back(self, request: Request) -> Response:
        """Handle the provider's answer."""
        provider, trip = self._by_provider(), Trip.of(request.cookies.get(self._trip, ""))
        counted = f"from {_address(request)}"
        self.tries.take(counted)
        said = request.query_params
        if trip is None or not secrets.compare_digest(trip.state.encode(), said.get("state", "").encode()):
            raise WebProblem(403, "this answer belongs to no sign-in of this browser; start again at /sign-in")
        if "code" not in said:
            raise WebProblem(
                403, f"the provider refused: {said.get('error', 'no code')[:200]}; start again at /sign-in"
            )
        team = replace(self.team, actor=actor_of(request.scope, None))
        secret = await anyio.to_thread.run_sync(lambda: sign_in_claimed(team, provider.claimed(said["code"], trip)))
        self.tries.give_back(counted)
        answer = self._welcome(request, secret, "/")
        answer.delete_cookie(self._trip, httponly=True, samesite="lax", secure=self.site.secure, path="/")
        return answer

    async def sign_out(self, request: Request) -> Response:
        """End the session."""
        cookie = self.site.cookie(entering.host_of(request))
        await anyio.to_thread.run_sync(sign_out, self.team, request.cookies.get(cookie, ""))
        return entering.goodbye(cookie, secure=self.site.secure)

    def _by_provider(self) -> Provider:
        if self.provider is None:
            raise WebProblem(404, "no provider is set up here; sign in with a password at /sign-in")
        return self.provider

    @property
    def _trip(self) -> str:
        return "__Host-pactkeeper-trip" if self.site.secure else "pactkeeper-trip"

    def on_page(self, do: Answers) -> Answers:
        """Wrap an action so that a refusal shows the sign-in page with the reason."""

        async def answer(request: Request) -> Response:
            try:
                return await do(request)
            except WebProblem as problem:
                return self._form(_sentence(problem.detail), "/", problem.status, problem.headers)
            except PactkeeperError as error:
                return self._form(_sentence(str(error)), "/", 403 if isinstance(error, RefusedError) else 503)

        return answer

    def _form(self, words: str, onward: str, status: int = 200, headers: Mapping[str, str] = NO_SECRETS) -> Response:
        form = FORM.format(onward=escape(onward), provider="" if self.provider is None else BY_PROVIDER)
        return HTMLResponse(entering.plain_page("Sign in", words, form=form), status, headers)

    def _welcome(self, request: Request, secret: str, onward: str) -> Response:
        return entering.welcome(
            self.site.cookie(entering.host_of(request)), secret, secure=self.site.secure, onward=onward
        )


async def _form_of(request: Request) -> dict[str, str]:
    held = await whole_body(request, LONGEST, "the form")
    try:
        fields = parse_qs(held.decode(), keep_blank_values=True, max_num_fields=10)
    except ValueError:
        raise WebProblem(400, "the form cannot be read") from None
    return {name: values[0] for name, values in fields.items()}


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def _onward(path: str) -> str:
    """The path if it is on this server, otherwise the start page."""
    plain = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and "\\" not in path
    return path if plain else "/"


def _address(request: Request) -> str:
    return "" if request.client is None else request.client.host


Answers = Callable[[Request], Awaitable[Response]]
MOST: Final = 5_000_000  # bytes of a delivery; events about pull requests usually have 30 thousand
NOTHING: Final = Received(why="this event triggers nothing here")


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
                raise WebProblem(404, f"webhooks of {kind} are not set up: set PACTKEEPER_{kind.upper()}_HOOK_SECRET")
            body = await whole_body(request, MOST, "a delivery")
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in request.scope["headers"]}
            try:
                why = distrusted(kind, headers, body, secret=secret, now=self.now())
                if why:
                    raise WebProblem(401, f"the delivery could not be verified as {kind}'s: {why}")
                name = headers.get("x-github-event", "")
                found = await anyio.to_thread.run_sync(self._received, kind, name, body)
            except PactkeeperError as error:
                raise problem_of(error, named=True, decides=False) from error
            return JSONResponse(asdict(found), 202)

        return answer

    def _received(self, kind: str, name: str, body: bytes) -> Received:
        try:
            event = json.loads(whole_escapes(body.decode()))
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"the delivery is not JSON ({error}); choose application/json as its content type"
            ) from None
        heard = heard_from(kind, name, event)
        return NOTHING if heard is None else receive_event(self.team, heard, notice=_note)


def _note(text: str) -> None:
    sys.stderr.write(f"{text}\n")
