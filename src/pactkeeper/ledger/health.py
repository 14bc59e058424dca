"""How much of a source was seen; only a complete view can prove that something is absent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, get_args

HealthStatus = Literal["complete", "partial", "unavailable"]
HEALTH_STATUSES: Final[tuple[HealthStatus, ...]] = get_args(HealthStatus)


@dataclass(frozen=True, slots=True)
class Health:
    """The completeness of a source's view; `reason` says what is missing and is empty only for a complete view."""

    status: HealthStatus
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.status == "complete") == bool(self.reason):
            raise ValueError(f"{self!r}: a source that is not complete says why, a complete one has no reason")


COMPLETE: Final = Health("complete")


def allows_absence(health: Health) -> bool:
    """Whether something missing from this source can be taken as absent."""
    return health.status == "complete"


def worst(healths: Iterable[Health]) -> Health:
    """Return the least complete of several views, joining all reasons of that status; complete if there are none."""
    found = list(healths)
    status = max((health.status for health in found), key=HEALTH_STATUSES.index, default=COMPLETE.status)
    reasons = dict.fromkeys(health.reason for health in found if health.status == status and health.reason)
    return Health(status, "; ".join(reasons))


Actor = Literal["person", "agent", "ci", "timer"]
ACTORS: Final[tuple[Actor, ...]] = get_args(Actor)

# How well the decider's identity is known: typed at a terminal, signed in, signed with a key, verified by CI.
Assurance = Literal["terminal", "session", "signed", "ci-verified"]
ASSURANCES: Final[tuple[Assurance, ...]] = get_args(Assurance)
