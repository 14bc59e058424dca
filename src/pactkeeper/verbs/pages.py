"""Pages of long results, none longer than fits: the rest is kept here under a name that says nothing, for a while."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pactkeeper.errors import UsageError
from pactkeeper.ledger.slices import Slice
from pactkeeper.verbs.folding import MOST as LONGEST
from pactkeeper.verbs.folding import fitting, size

LASTS: Final = 900.0  # seconds
CURSOR: Final = 100  # characters that the cursor and the name of the list take
MOST: Final = 200  # cursors at a time; the oldest goes first


def room(head: Mapping[str, Any], members: Sequence[object]) -> int:
    """How many of the first members fit into a page beside its other facts; at least one, where there is one."""
    return fitting(members, LONGEST - size(head) - CURSOR)


def sliced(document: Mapping[str, Any], rows: str) -> dict[str, Any]:
    """The document with those members of its slice `rows` that fit, how many there are, and a cursor to the rest."""
    found: Slice = document[rows]
    count = room({**document, rows: []}, found.members)
    page = {**document, rows: list(found.members[:count]), "total": found.total}
    if found.more or count < len(found.members):
        page["cursor"] = found.cursors[count - 1]
    return page


@dataclass(frozen=True, slots=True)
class _Rest:
    """What a cursor stands for: the members that were not given yet, for whom, and until when."""

    owner: str
    head: Mapping[str, Any]
    rows: Sequence[object]
    until: float


@dataclass(slots=True)
class Pages:
    """The cursors of one server; `now` counts seconds, `mint` makes a name that nobody can guess."""

    now: Callable[[], float]
    mint: Callable[[], str]
    _kept: dict[str, _Rest] = field(default_factory=dict)

    def first(self, owner: str, document: Mapping[str, Any], *, rows: str, limit: int) -> dict[str, Any]:
        """The document with the first members of its list `rows`, how many there are, and a cursor to the rest."""
        members = document[rows]
        return self._page(owner, {"total": len(members), **document}, members, rows=rows, limit=limit)

    def next(self, owner: str, cursor: str, *, rows: str, limit: int) -> dict[str, Any]:
        """The next page; the same cursor gives the same page again.

        Raises UsageError where the cursor is not of this server, of another call, or has run out.
        """
        rest = self._kept.get(cursor)
        if rest is None or rest.until < self.now():
            raise UsageError(f"the cursor {cursor!r} is unknown or has expired; call again without it")
        if rest.owner != owner:
            raise UsageError(f"the cursor {cursor!r} belongs to another call; repeat that call's other arguments")
        return self._page(owner, rest.head, rest.rows, rows=rows, limit=limit)

    def _page(
        self, owner: str, head: Mapping[str, Any], members: Sequence[object], *, rows: str, limit: int
    ) -> dict[str, Any]:
        count = room({**head, rows: []}, members[:limit])
        page = {**head, rows: list(members[:count])}
        if len(members) > count:
            page["cursor"] = self.keep(owner, head, members[count:])
        return page

    def shortened(self, owner: str, page: Mapping[str, Any], *, rows: str, count: int) -> dict[str, Any]:
        """A page with its first members alone; the others come first of what its cursor stands for."""
        members, rest = page[rows], self._kept[page["cursor"]].rows if "cursor" in page else ()
        head = {name: one for name, one in page.items() if name != "cursor"}
        cursor = self.keep(owner, head, [*members[count:], *rest])
        return {**head, rows: members[:count], "cursor": cursor}

    def keep(self, owner: str, head: Mapping[str, Any], members: Sequence[object]) -> str:
        """Keep what is left for the owner; gives the cursor to it."""
        while len(self._kept) >= MOST:
            del self._kept[next(iter(self._kept))]
        name = self.mint()
        self._kept[name] = _Rest(owner, head, members, self.now() + LASTS)
        return name
