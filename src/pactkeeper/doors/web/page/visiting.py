"""Who reads a page, and what they may do there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request

from pactkeeper.doors.web.entering import principal
from pactkeeper.errors import ForbiddenError
from pactkeeper.ledger.roles import Principal, Role, may_commit, why_not

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
