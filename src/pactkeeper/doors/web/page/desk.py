"""What all pages of one repository share: how it is opened, and who writes.

What a form of ours brings: fields of text, and the token that says it came from a page of this visit.

Who reads a page, and what they may do there.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar
from urllib.parse import parse_qs

import anyio.to_thread
from starlette.requests import Request

from pactkeeper.doors.web.entering import principal
from pactkeeper.doors.web.limits import whole_body
from pactkeeper.doors.web.problems import Problem
from pactkeeper.errors import ForbiddenError
from pactkeeper.ledger.roles import Principal, Role, may_commit, why_not
from pactkeeper.verbs.calling import House
from pactkeeper.workspace import Workspace

LONGEST: Final = 1_000_000  # bytes
MOST_FIELDS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of one form; browsers send line ends as CR LF, here they are LF."""

    fields: Mapping[str, list[str]]

    def text(self, name: str) -> str:
        """The text of a field; empty where the form has none."""
        return self.fields.get(name, [""])[0]

    def texts(self, name: str) -> tuple[str, ...]:
        """All texts under this name."""
        return tuple(self.fields.get(name, ()))

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines of a field that hold something."""
        return tuple(line.strip() for line in self.text(name).splitlines() if line.strip())


async def read_form(request: Request) -> Form:
    """The form that a request brings; raises Problem where it is none of this visit's pages."""
    held = await whole_body(request, LONGEST, "the form")
    try:
        fields = parse_qs(held.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise Problem(400, f"the form cannot be read: {error}") from None
    form = Form({name: [one.replace("\r\n", "\n") for one in values] for name, values in fields.items()})
    if not hmac.compare_digest(form.text("form").encode(), visitor(request).form.encode()):
        raise Problem(403, "this form is not from a page of your visit; reload the page and send it again")
    return form


NAME: Final = "the page"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks, as pages show it: what they are not let do is not offered."""

    who: Principal

    @property
    def form(self) -> str:
        """What every form brings back, so that no other page can have made it."""
        return self.who.session

    @property
    def may_decide(self) -> bool:
        """Whether their word on an item counts."""
        return not self.refusal("reviewer")

    @property
    def may_commit(self) -> bool:
        """Whether they may freeze atoms."""
        return may_commit(self.who)

    def refusal(self, need: Role) -> str:
        """Why they may not do what takes this role; empty where they may. A page is for people, not for agents."""
        return why_not(self.who, need, for_agents=need == "reader", consents=False)

    def permit(self, need: Role) -> None:
        """Raise ForbiddenError where they may not do what takes this role."""
        why = self.refusal(need)
        if why:
            raise ForbiddenError(why)


def visitor(request: Request) -> Visitor:
    """Who asks; raises Problem for nobody."""
    return Visitor(principal(request))


Found = TypeVar("Found")
Work = Callable[[Workspace], Found]


@dataclass(frozen=True, slots=True)
class Desk:
    """One repository, opened anew for every request."""

    house: House

    async def look(self, request: Request, work: Work[Found], *, program: str = NAME) -> Found:
        """Read, beside whatever else is read; raises ForbiddenError. Without a `program` as the person themselves."""
        visitor(request).permit("reader")
        return await self._opened(request, work, program=program)

    async def write(
        self, request: Request, work: Work[Found], *, need: Role = "reviewer", program: str = NAME
    ) -> Found:
        """Write, one at a time; raises ForbiddenError. Without a `program` as the person themselves."""
        visitor(request).permit(need)
        async with self.house.writing:
            return await self._opened(request, work, program=program)

    async def commit(self, request: Request, work: Work[Found]) -> Found:
        """Do what only a person may, under their own name; raises ForbiddenError."""
        if not visitor(request).may_commit:
            raise ForbiddenError("only a person with the role committer commits, in a browser they signed in with")
        async with self.house.writing:
            return await self._opened(request, work, program="")

    async def _opened(self, request: Request, work: Work[Found], *, program: str = NAME) -> Found:
        person = visitor(request).who.person

        def opened() -> Found:
            with self.house.opened() as workspace:
                return work(workspace.acting_for(program, person))

        return await anyio.to_thread.run_sync(opened)
