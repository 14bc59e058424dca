"""How much of a source was seen; only a complete view can prove that something is absent.

Also the difference between two views of the same things, which concludes nothing from what was not seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


def allows_presence(health: Health) -> bool:
    """Whether anything this source shows can be used."""
    return health.status != "unavailable"


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


def at_least(have: Assurance, need: Assurance) -> bool:
    """Whether the assurance reaches the required level."""
    return ASSURANCES.index(have) >= ASSURANCES.index(need)


@dataclass(frozen=True, slots=True)
class SourceView:
    """The digests of what a source shows, by id, and how much of it was seen."""

    digests: Mapping[str, str]
    health: Health


@dataclass(frozen=True, slots=True)
class Withheld:
    """An id about which nothing is concluded, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Ids added, changed or removed, each sorted; `withheld` holds those that may have been added or removed."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    withheld: tuple[Withheld, ...] = ()


def difference(before: SourceView, after: SourceView) -> Difference:
    """Compare two views.

    "Added" claims that an id did not exist before, so it needs a complete `before`; "removed" needs a complete `after`.
    A view of an unavailable source proves nothing, whatever it contains.
    """
    came = sorted(after.digests.keys() - before.digests.keys())
    went = sorted(before.digests.keys() - after.digests.keys())
    both = sorted(
        key for key in before.digests.keys() & after.digests.keys() if before.digests[key] != after.digests[key]
    )
    unseen = [view.health.reason for view in (before, after) if not allows_presence(view.health)]
    if unseen:
        return Difference(withheld=tuple(Withheld(key, "; ".join(unseen)) for key in sorted((*came, *went, *both))))
    added = tuple(came) if allows_absence(before.health) else ()
    removed = tuple(went) if allows_absence(after.health) else ()
    withheld = [Withheld(key, before.health.reason) for key in came if not added]
    withheld += [Withheld(key, after.health.reason) for key in went if not removed]
    return Difference(added, tuple(both), removed, tuple(withheld))
