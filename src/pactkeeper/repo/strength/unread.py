"""Changed lines of what may be a test and isn't read: nothing says whether as much is noticed as before."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from pactkeeper.intent.strength.change import Change
from pactkeeper.intent.tests import Gap
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.support import TestState

_MOST_LINES: Final = 20_000  # of a file; longer ones are not compared
_ENDS: Final = " \t,;"  # what other findings leave out of a line
_Span = tuple[int, int]


def unread_changes(
    before: TestState, after: TestState, changed: Collection[str], found: Iterable[Change]
) -> Iterator[Change]:
    """Yield a warning for each changed piece of a declaration that is unread on either side; a new one is none.

    A piece is left out if something was `found` at its line, or of the line that it lost.
    """
    places = [(one.test.partition("::")[0], one) for one in found if one.severity != "note"]
    told = {(path, said) for path, one in places for said in (one.line, one.old) if said}
    sides = (before, after)
    gaps = [{gap.file: gap for gap in side.scan.gaps if gap.spans and gap.file in changed} for side in sides]
    for path in sorted(gaps[0].keys() | gaps[1].keys()):
        if any(path not in side.snapshot for side in sides):
            continue
        old, new = (_lines(side.snapshot, path) for side in sides)
        spans = [_innermost(side.get(path)) for side in gaps]
        message = f"it may be part of a test, and is not compared: {(gaps[1].get(path) or gaps[0][path]).reason}"
        for first, last, start, end in _pieces(old, new):
            taken = any(low <= last and first < high for low, high in spans[0]) and last > first
            put = any(_cuts(span, start + 1, end) for span in spans[1])
            one, other = (_telling(lines) for lines in (old[first:last], new[start:end]))
            if (taken or put) and told.isdisjoint({(path, start + 1), (path, one.strip(_ENDS))}):
                yield Change("unread", path, message, one, other, start + 1, "warning", path)


def _innermost(gap: Gap | None) -> list[_Span]:
    """Return the unread declarations that hold no other one."""
    spans = gap.spans if gap is not None else ()
    return [(low, high) for low, high in spans if not any(low <= one <= other <= high != other for one, other in spans)]


def _telling(lines: Sequence[str]) -> str:
    """Return the first line with a word in it, else the first that isn't blank; "" if all are."""
    return next((line for line in lines if any(map(str.isalnum, line))), next(filter(None, lines), ""))


def _cuts(span: _Span, start: int, end: int) -> bool:
    """Whether lines were put into a declaration, and not all of it is new."""
    low, high = span
    return start <= high and low <= end and not start <= low <= high <= end


def _lines(side: Snapshot, path: str) -> list[str]:
    return [line.strip() for line in (side.read(path) or b"").decode("utf-8", "replace").splitlines()]


def _pieces(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield where pieces that say something else begin and end, on both sides."""
    if max(len(old), len(new)) > _MOST_LINES:
        return
    for tag, *at in SequenceMatcher(None, old, new).get_opcodes():
        first, last, start, end = at
        if tag != "equal" and _said(old[first:last]) != _said(new[start:end]):
            yield first, last, start, end


def _said(lines: Sequence[str]) -> str:
    """Return what lines say, however they are broken, without comments."""
    return "".join("".join(line.split()) for line in lines if not line.startswith(("//", "#", "/*", "*")))
