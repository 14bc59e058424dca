"""What differs between two views of the same things, concluding nothing from what was not seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pactkeeper.ledger.health import Health, allows_absence, allows_presence


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
    """Ids that came, changed or went, each sorted; `withheld` holds those that may have come or gone."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    withheld: tuple[Withheld, ...] = ()


def difference(before: SourceView, after: SourceView) -> Difference:
    """Compare two views.

    "Added" says that an id was not there before, so it needs a complete view of before; "removed" needs one of after.
    A view of an unavailable source says nothing at all, whatever it holds.
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
