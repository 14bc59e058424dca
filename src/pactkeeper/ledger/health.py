"""How much of a source was seen; only a complete view lets anybody say that something is not there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

HealthStatus = Literal["complete", "partial", "unavailable"]
HEALTH_STATUSES: Final[tuple[HealthStatus, ...]] = ("complete", "partial", "unavailable")


@dataclass(frozen=True, slots=True)
class Health:
    """What a source says about its own view; `reason` says what is missing and is empty only for a complete one."""

    status: HealthStatus
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.status == "complete") == bool(self.reason):
            raise ValueError(f"{self!r}: a source that is not complete says why, a complete one has no reason")


COMPLETE: Final = Health("complete")


def allows_absence(health: Health) -> bool:
    """Whether what such a source does not show may be taken as not being there."""
    return health.status == "complete"


def worst(healths: Iterable[Health]) -> Health:
    """The least complete of several views, all reasons of that status joined; complete when there are none."""
    found = list(healths)
    status = max((health.status for health in found), key=HEALTH_STATUSES.index, default=COMPLETE.status)
    reasons = dict.fromkeys(health.reason for health in found if health.status == status and health.reason)
    return Health(status, "; ".join(reasons))


Actor = Literal["person", "agent", "ci", "timer"]
ACTORS: Final[tuple[Actor, ...]] = ("person", "agent", "ci", "timer")

# How well it is known who decided: typed at a terminal, signed in to a server, signed with a key, verified by CI.
Assurance = Literal["terminal", "session", "signed", "ci-verified"]
ASSURANCES: Final[tuple[Assurance, ...]] = ("terminal", "session", "signed", "ci-verified")
