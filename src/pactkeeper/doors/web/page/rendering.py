"""Render templates as pages: everything is escaped, and every page knows its path and its visitor."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from pactkeeper import __version__
from pactkeeper.doors.web.page.desk import visitor
from pactkeeper.ledger.canonical import digest
from pactkeeper.published.plain import printable
from pactkeeper.settings import environment

HERE: Final = Path(__file__).parent
PREFIX: Final = "/page"
NAV: Final = (
    ("", "Overview"),
    ("/review", "Review"),
    ("/words", "Words"),
    ("/questions", "Questions"),
    ("/pact", "Pact"),
    ("/runs", "Runs"),
    ("/commit", "Commit"),
    ("/threads", "Threads"),
    ("/health", "Health"),
    ("/ask", "Ask"),
)
JOBS: Final = ("/jobs", "Jobs")  # shown if several hosts share a history, and so may share work
PART: Final = "x-part"  # sent by the script to get only the changed parts of a page


@cache
def _templates() -> Environment:
    found = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    found.globals["query"] = lambda **given: urlencode({name: one for name, one in given.items() if one})
    found.globals["key_of"] = lambda text: digest([text])[3:15]
    found.filters["number"] = lambda count: f"{count:,}"
    found.filters["count"] = lambda count, one, many="": f"{count:,} {one if count == 1 else many or one + 's'}"
    found.filters["moment"] = lambda at: str(at).replace("T", " ")[:16]
    return found


def _shown(value: object) -> object:
    """Text made safe to display: no control characters, and none that change the reading direction."""
    return printable(value) if type(value) is str else value


def base_of(request: Request) -> str:
    """The base path of this repository's pages."""
    return f"{_root(request)}{PREFIX}"


def _root(request: Request) -> str:
    """The base path of this repository; empty if the server has only one."""
    return str(request.scope.get("root_path", ""))


def page(request: Request, name: str, section: str, /, status: int = 200, **values: object) -> Response:
    """A page rendered from a template."""
    who = visitor(request)
    nav = (*NAV, JOBS) if environment().database_url else NAV
    shown = {"root": _root(request), "base": base_of(request), "who": who, "version": __version__, "section": section}
    return HTMLResponse(_templates().get_template(name).render(nav=nav, **shown, **values), status)


def onward(request: Request, path: str) -> Response:
    """Redirect to a page of this repository after a write."""
    return RedirectResponse(base_of(request) + path, 303)


def wants_part(request: Request) -> bool:
    """Whether the page's script asks; it needs only the changed parts."""
    return PART in request.headers
