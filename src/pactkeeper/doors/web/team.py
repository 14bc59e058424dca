"""A server for a team: signing in by password or provider, many repositories, and what only admins read."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from html import escape
from typing import Final
from urllib.parse import quote

import anyio
import anyio.to_thread
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from pactkeeper.doors.web.app import about_the_server, bare_app, repository_app
from pactkeeper.doors.web.entering import ASGIApp, Entered, Site, principal
from pactkeeper.doors.web.hooks import Hooks
from pactkeeper.doors.web.limits import Limit
from pactkeeper.doors.web.measuring import Measures
from pactkeeper.doors.web.page.routing import static_files
from pactkeeper.doors.web.plain import plain_page
from pactkeeper.doors.web.problems import Problem
from pactkeeper.doors.web.provider import Provider
from pactkeeper.doors.web.reception import Reception
from pactkeeper.doors.web.signing_in import Answers, Desk, saying_why
from pactkeeper.ledger.roles import Principal, Role, why_not
from pactkeeper.operators.accounts import list_users
from pactkeeper.operators.audit import list_audit
from pactkeeper.operators.repositories import list_repositories, mirror_of, principal_in
from pactkeeper.operators.team import Team
from pactkeeper.operators.tokens import principal_of
from pactkeeper.store.repositories import Registered
from pactkeeper.verbs.calling import House
from pactkeeper.verbs.pages import Pages


@dataclass(frozen=True, slots=True)
class Known:
    """The entrance for accounts: their sessions, and the tokens of their programs."""

    team: Team

    async def by_token(self, token: str) -> Principal | None:
        """The account of a token."""
        return await anyio.to_thread.run_sync(lambda: principal_of(self.team, token, session=False))

    async def by_session(self, secret: str) -> Principal | None:
        """The account of a session."""
        return await anyio.to_thread.run_sync(lambda: principal_of(self.team, secret, session=True))

    def lobby(self, path: str) -> Response:
        """Sign in, and go on to what was asked for."""
        return RedirectResponse(f"/sign-in?next={quote(path)}", 303)


@dataclass(frozen=True, slots=True)
class About:
    """What the server tells of itself: its repositories, and to admins its accounts and its audit log."""

    team: Team

    def repositories(self, request: Request) -> Response:
        """Those that the caller may see, each with what they are there."""
        found = [
            {**asdict(one), "role": there.role, "path": f"/repos/{one.name}"}
            for one, there in self._open(principal(request))
        ]
        return JSONResponse({"repositories": found})

    def _open(self, who: Principal) -> list[tuple[Registered, Principal]]:
        """The repositories that somebody may see, and who they are there."""
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
        """The newest acts."""
        text = request.query_params.get("limit", "200")
        limit = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 200  # noqa: PLR2004 - digits
        found = list_audit(self.team, account=request.query_params.get("account", ""), limit=min(max(limit, 1), 10_000))
        return JSONResponse({"entries": [asdict(one) for one in found]})

    def start(self, request: Request) -> Response:
        """The repositories as links."""
        who = principal(request)
        names = [escape(one.name) for one, _ in self._open(who)]
        links = [f'<li><a href="/repos/{name}/">{name}</a></li>' for name in names]
        listed = f"<ul>{''.join(links)}</ul>" if links else "<p>No repository is open to you yet.</p>"
        leave = '<form method="post" action="/sign-out"><button>Sign out</button></form>'
        return HTMLResponse(plain_page("Repositories", f"Signed in as {who.person}.", form=listed + leave))


# What is about the server and no repository, with the role that it takes.
FRONT: Final[tuple[tuple[str, Role, str], ...]] = (
    ("/", "reader", "start"),
    ("/repos", "reader", "repositories"),
    ("/users", "admin", "users"),
    ("/audit", "admin", "audit"),
)


NO_SECRETS: Final[Mapping[str, str]] = {}


def team_application(
    team: Team, site: Site, provider: Provider | None = None, secrets_of: Mapping[str, str] = NO_SECRETS
) -> Entered:
    """The application of a server for a team; `secrets_of` webhooks, by the kind of forge."""
    measures = Measures()

    def build(found: Registered, of: Team) -> ASGIApp:
        folder = mirror_of(of, found).tree
        return repository_app(
            House(folder, Pages(time.monotonic, lambda: secrets.token_urlsafe(12)), anyio.Lock()), measures
        )

    desk = Desk(team, site, provider, Limit(10, 30.0, time.monotonic), anyio.CapacityLimiter(2))
    front = _front(team, desk, measures)
    for path, answer in Hooks(team, secrets_of, time.time).paths().items():
        front.add_api_route(path, answer, methods=["POST"], include_in_schema=False)
    reception = Reception(team, front, build, Limit(240, 0.25, time.monotonic))
    return Entered(reception, site, Known(team))


def _front(team: Team, desk: Desk, measures: Measures) -> FastAPI:
    app, about = bare_app(measures), About(team)
    about_the_server(app, measures)
    app.mount("/static", static_files())
    for path, need, name in FRONT:
        app.add_api_route(path, _reading(getattr(about, name), need), include_in_schema=False)
    app.add_api_route("/sign-in", desk.form, include_in_schema=False)
    app.add_api_route("/sign-in", saying_why(desk.sign_in), methods=["POST"], include_in_schema=False)
    app.add_api_route("/sign-in/provider", saying_why(desk.go_to_provider), include_in_schema=False)
    app.add_api_route("/sign-in/return", saying_why(desk.come_back), include_in_schema=False)
    app.add_api_route("/sign-out", desk.sign_out, methods=["POST"], include_in_schema=False)
    return app


def _reading(show: Callable[[Request], Response], need: Role) -> Answers:
    async def answer(request: Request) -> Response:
        why = why_not(principal(request), need, for_agents=True, consents=False)
        if why:
            raise Problem(403, why)
        return await anyio.to_thread.run_sync(show, request)

    return answer
