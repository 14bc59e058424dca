"""What all pages of one repository share: how it is opened, who writes, and the patches that were read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeVar

import anyio.to_thread
from starlette.requests import Request

from pactkeeper.doors.web.page.visiting import NAME, visitor
from pactkeeper.errors import ForbiddenError
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.roles import Role
from pactkeeper.operators.decide import Pending, pending_of
from pactkeeper.operators.history import find_patch
from pactkeeper.store.runs import find_run
from pactkeeper.verbs.calling import House, to_stderr
from pactkeeper.workspace import Workspace, open_workspace

MOST_PATCHES: Final = 4  # a patch of thousands of ops takes half a second to read, and never changes

Found = TypeVar("Found")
Work = Callable[[Workspace], Found]


@dataclass(frozen=True, slots=True)
class Desk:
    """One repository, opened anew for every request."""

    house: House
    _patches: dict[str, Patch] = field(default_factory=dict)

    async def look(self, request: Request, work: Work[Found], *, program: str = NAME) -> Found:
        """Read, beside whatever else is read; raises ForbiddenError. Without a `program` as the person themselves."""
        visitor(request).permit("reader")
        return await self._opened(request, work, program=program)

    async def write(self, request: Request, work: Work[Found], *, need: Role = "reviewer") -> Found:
        """Write, one at a time; raises ForbiddenError."""
        visitor(request).permit(need)
        async with self.house.writing:
            return await self._opened(request, work)

    async def commit(self, request: Request, work: Work[Found]) -> Found:
        """Do what only a person may, under their own name; raises ForbiddenError."""
        if not visitor(request).may_commit:
            raise ForbiddenError("only a person with the role committer commits, in a browser they signed in with")
        async with self.house.writing:
            return await self._opened(request, work, program="")

    async def _opened(self, request: Request, work: Work[Found], *, program: str = NAME) -> Found:
        person = visitor(request).who.person

        def opened() -> Found:
            with open_workspace(self.house.folder, notice=to_stderr) as workspace:
                return work(workspace.acting_for(program, person))

        return await anyio.to_thread.run_sync(opened)

    def pending(self, workspace: Workspace, run: str) -> Pending:
        """The newest patch of a run with the decisions taken so far; raises UsageError where there is no such run."""
        known = find_run(workspace.history(), run) if workspace.has_history else None
        name = run if known is None or known.patch is None else known.patch
        patch = self._patches.get(name) or find_patch(workspace, name)
        if len(self._patches) >= MOST_PATCHES:
            self._patches.clear()
        self._patches[name] = patch
        return pending_of(workspace, patch)
