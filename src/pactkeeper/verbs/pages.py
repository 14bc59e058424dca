"""Split long results into pages that fit; the rest is kept on the server under an unguessable cursor, for a while.

Documents that are too long are truncated, and what was cut is kept to be fetched in pieces.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from pactkeeper.errors import UsageError
from pactkeeper.ledger.shape import Slice

LASTS: Final = 900.0  # seconds
CURSOR: Final = 100  # characters reserved for the cursor and the name of the list
MOST_CURSORS: Final = 200  # open cursors; the oldest is dropped first


def room(head: Mapping[str, Any], members: Sequence[object]) -> int:
    """Count the leading members that fit on a page beside its other fields; at least one, if there is one."""
    return fitting(members, MOST - size(head) - CURSOR)


def sliced(document: Mapping[str, Any], rows: str) -> dict[str, Any]:
    """Return the document with the members of its slice `rows` that fit, their total, and a cursor to the rest."""
    found: Slice = document[rows]
    count = room({**document, rows: []}, found.members)
    page = {**document, rows: list(found.members[:count]), "total": found.total}
    if found.more or count < len(found.members):
        page["cursor"] = found.cursors[count - 1]
    return page


@dataclass(frozen=True, slots=True)
class _Rest:
    """The members behind a cursor that were not returned yet, with their owner and expiry."""

    owner: str
    head: Mapping[str, Any]
    rows: Sequence[object]
    until: float


@dataclass(slots=True)
class Pages:
    """The open cursors of one server; `now` counts seconds, and `mint` returns an unguessable name."""

    now: Callable[[], float]
    mint: Callable[[], str]
    _kept: dict[str, _Rest] = field(default_factory=dict)

    def first(self, owner: str, document: Mapping[str, Any], *, rows: str, limit: int) -> dict[str, Any]:
        """Return the document with the first members of its list `rows`, their total, and a cursor to the rest."""
        members = document[rows]
        return self._page(owner, {"total": len(members), **document}, members, rows=rows, limit=limit)

    def next(self, owner: str, cursor: str, *, rows: str, limit: int) -> dict[str, Any]:
        """Return the next page; the same cursor always returns the same page.

        Raises UsageError if the cursor is unknown, expired or belongs to another call.
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
        """Return the page with only its first members; the others go to the front of what its cursor returns."""
        members, rest = page[rows], self._kept[page["cursor"]].rows if "cursor" in page else ()
        head = {name: one for name, one in page.items() if name != "cursor"}
        cursor = self.keep(owner, head, [*members[count:], *rest])
        return {**head, rows: members[:count], "cursor": cursor}

    def keep(self, owner: str, head: Mapping[str, Any], members: Sequence[object]) -> str:
        """Store the remaining members for the owner and return a cursor to them."""
        while len(self._kept) >= MOST_CURSORS:
            del self._kept[next(iter(self._kept))]
        name = self.mint()
        self._kept[name] = _Rest(owner, head, members, self.now() + LASTS)
        return name


MOST: Final = 40_000  # characters of one response; clients warn at about this length
PIECE: Final = 8_000  # characters of a text fetched at a time
_LEAST: Final = 100  # minimum characters for every member


@dataclass(frozen=True, slots=True)
class Rest:
    """What was cut at one place in a document, a JSON pointer: members of a list or object, or pieces of a text."""

    at: str
    rows: Sequence[object]
    shown: int


@dataclass(slots=True)
class Folded:
    """A document that fits, with everything cut from it."""

    document: Any
    rests: list[Rest] = field(default_factory=list)


def size(value: object) -> int:
    """Count the characters of a value as JSON; what is not JSON yet counts by its `str`."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def fold(document: Mapping[str, object], most: int = MOST) -> Folded:
    """Truncate the document to about `most` characters; small members stay whole, and large ones share the rest."""
    folded = Folded(document)
    if size(document) > most:
        folded.document = _cut(document, most, "", folded.rests)
    return folded


def fitting(members: Sequence[object], most: int = MOST) -> int:
    """Count the leading members that fit; at least one, if there is one."""
    left = most
    for count, one in enumerate(members):
        left -= size(one) + 1
        if left < 0:
            return max(count, 1)
    return len(members)


def _cut(value: Any, most: int, at: str, rests: list[Rest]) -> Any:  # noqa: ANN401 - any JSON value
    most = max(most, _LEAST)
    if size(value) <= most:
        return value
    if isinstance(value, str):
        return _cut_text(value, most, at, rests)
    if isinstance(value, Mapping):
        return _cut_object(value, most, at, rests)
    if isinstance(value, Sequence):
        return _cut_list(value, most, at, rests)
    return value


def _cut_text(text: str, most: int, at: str, rests: list[Rest]) -> str:
    kept = min(most - 2 if size(text[: most - 2]) <= most else most // 6, len(text) - 1)  # an escape takes 6 characters
    rests.append(Rest(at, [text[a:b] for a, b in pairwise([*range(kept, len(text), PIECE), len(text)])], kept))
    return text[:kept]


def _cut_list(members: Sequence[object], most: int, at: str, rests: list[Rest]) -> list[object]:
    most -= 2
    count = fitting(members, most)
    if count < len(members):
        rests.append(Rest(at, members[count:], count))
    return [_cut(one, most, f"{at}/{position}", rests) for position, one in enumerate(members[:count])]


def _cut_object(members: Mapping[str, object], most: int, at: str, rests: list[Rest]) -> dict[str, object]:
    """Cut small members first: what they leave of their share goes to the larger ones."""
    count = max(fitting([[name] for name in members], most), 1) if at else len(members)
    if count < len(members):
        rests.append(Rest(at, [{name: one} for name, one in list(members.items())[count:]], count))
        members = dict(list(members.items())[:count])
    cut: dict[str, object] = {}
    left, waiting = most - 2, len(members)
    for name, one in sorted(members.items(), key=lambda member: size(member[1])):
        place = f"{at}/{name.replace('~', '~0').replace('/', '~1')}"
        cut[name] = _cut(one, (left // waiting) - len(name) - 4, place, rests)
        left, waiting = left - size(cut[name]) - len(name) - 4, waiting - 1
    return {name: cut[name] for name in members}
