"""What all pages of one repository share: opening it, and writing to it.

Also here: the fields of our forms with their anti-forgery token, and the visitor with their permissions.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import parse_qs, urlencode

import anyio.to_thread
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from pactkeeper import __version__
from pactkeeper.doors.web.entering import principal
from pactkeeper.doors.web.limits import whole_body
from pactkeeper.doors.web.problems import WebProblem
from pactkeeper.errors import ForbiddenError
from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.policy import Principal, Role, may_commit, why_not
from pactkeeper.published.plain import printable
from pactkeeper.settings import environment
from pactkeeper.store.driver import address
from pactkeeper.verbs.calling import House
from pactkeeper.workspace import Workspace

LONGEST: Final = 1_000_000  # bytes
MOST_FIELDS: Final = 2_000


@dataclass(frozen=True, slots=True)
class PageForm:
    """The fields of one form; CR LF line ends, as browsers send them, are converted to LF."""

    fields: Mapping[str, list[str]]

    @classmethod
    def asked(cls, request: Request) -> PageForm:
        """The fields that an address holds, as a form would send them."""
        given = request.query_params
        return cls({name: given.getlist(name) for name in given})

    def text(self, name: str) -> str:
        """The text of a field; empty if it is missing."""
        return next(iter(self.texts(name)), "")

    def texts(self, name: str) -> tuple[str, ...]:
        """All values of a field."""
        return tuple(one.replace("\r\n", "\n") for one in self.fields.get(name, ()))

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines of a field that aren't blank."""
        return tuple(line.strip() for line in self.text(name).splitlines() if line.strip())


async def read_form(request: Request) -> PageForm:
    """The form of a request; raises Problem unless it comes from a page of this visit."""
    held = await whole_body(request, LONGEST, "the form")
    try:
        form = PageForm(parse_qs(held.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError as error:
        raise WebProblem(400, f"the form cannot be read: {error}") from None
    if not hmac.compare_digest(form.text("form").encode(), visitor(request).form.encode()):
        raise WebProblem(403, "this form is not from your session; reload the page and send it again")
    return form


NAME: Final = "the page"


@dataclass(frozen=True, slots=True)
class Visitor:
    """The visitor of a page, who is offered only what they are permitted to do."""

    who: Principal

    @property
    def form(self) -> str:
        """The token that every form returns, so that no other page can forge it."""
        return self.who.session

    @property
    def may_decide(self) -> bool:
        """Whether they may decide on items."""
        return not self.refusal("reviewer")

    @property
    def may_commit(self) -> bool:
        """Whether they may freeze atoms."""
        return may_commit(self.who)

    def refusal(self, need: Role) -> str:
        """Why they lack this role's permission; empty if they have it. Pages are for people, not for agents."""
        return why_not(self.who, need, for_agents=need == "reader", consents=False)

    def permit(self, need: Role) -> None:
        """Raise ForbiddenError unless they have this role's permission."""
        why = self.refusal(need)
        if why:
            raise ForbiddenError(why)


def visitor(request: Request) -> Visitor:
    """The visitor of a page; raises Problem if there is none."""
    return Visitor(principal(request))


Found = TypeVar("Found")
Work = Callable[[Workspace], Found]


@dataclass(frozen=True, slots=True)
class Desk:
    """One repository, reopened for every request."""

    house: House

    async def look(self, request: Request, work: Work[Found], *, program: str = NAME) -> Found:
        """Read, concurrently with others; raises ForbiddenError. An empty `program` means the person themselves."""
        visitor(request).permit("reader")
        return await self._opened(request, work, program=program)

    async def write(
        self, request: Request, work: Work[Found], *, need: Role = "reviewer", program: str = NAME
    ) -> Found:
        """Write, one at a time; raises ForbiddenError. An empty `program` means the person themselves."""
        visitor(request).permit(need)
        async with self.house.writing:
            return await self._opened(request, work, program=program)

    async def commit(self, request: Request, work: Work[Found]) -> Found:
        """Do what only a person may, in their own name; raises ForbiddenError."""
        if not visitor(request).may_commit:
            raise ForbiddenError("only a person with the role committer can commit, signed in with a browser")
        async with self.house.writing:
            return await self._opened(request, work, program="")

    async def _opened(self, request: Request, work: Work[Found], *, program: str = NAME) -> Found:
        person = visitor(request).who.person

        def opened() -> Found:
            with self.house.opened() as workspace:
                return work(workspace.acting_for(program, person))

        return await anyio.to_thread.run_sync(opened)


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
JOBS: Final = ("/jobs", "Jobs")  # shown with Postgres, which the queue needs
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
    url = environment().database_url
    nav = (*NAV, JOBS) if url and address(url).path is None else NAV
    shown = {"root": _root(request), "base": base_of(request), "who": who, "version": __version__, "section": section}
    return HTMLResponse(_templates().get_template(name).render(nav=nav, **shown, **values), status)


def onward(request: Request, path: str) -> Response:
    """Redirect to a page of this repository after a write."""
    return RedirectResponse(base_of(request) + path, 303)


def wants_part(request: Request) -> bool:
    """Whether the page's script asks; it needs only the changed parts."""
    return PART in request.headers
