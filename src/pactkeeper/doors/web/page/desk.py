"""What all pages of one repository share: how it is opened, and who writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import anyio.to_thread
from starlette.requests import Request

from pactkeeper.doors.web.page.forms import NAME, visitor
from pactkeeper.errors import ForbiddenError
from pactkeeper.ledger.roles import Role
from pactkeeper.verbs.calling import House
from pactkeeper.workspace import Workspace

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
