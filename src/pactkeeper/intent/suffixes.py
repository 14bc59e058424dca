"""Finding what a name from elsewhere means here, by the longest end that both have in common.

Paths in reports begin wherever a tool ran: at a checkout on another machine, in a container, in a subfolder; and so do
dotted module names. What a name means is read off its end, and where its end fits several things, off what the
beginnings of the other names of the same report turned out to stand for. Nothing is chosen by chance.

Which files of the repository the paths of a report mean.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from posixpath import normpath
from typing import Final

Parts = tuple[str, ...]
Step = tuple[Parts, Parts]  # what the beginning of a name there stands for here
AGREEING: Final = 2  # names that have to agree on a beginning of which both sides keep something
_AFTER_ALL: Final = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Suffixes:
    """What names mean: `found` gives one known name each, `ambiguous` how many it could be; the rest is unknown."""

    found: Mapping[Parts, Parts]
    ambiguous: Mapping[Parts, int]
    unknown: frozenset[Parts]


@dataclass(frozen=True, slots=True)
class _Hit:
    """How many known names share the longest end, of `depth` parts, with a name; `known` is the first of them."""

    depth: int
    count: int
    known: Parts

    def step(self, name: Parts) -> Step:
        return name[: -self.depth], self.known[: -self.depth]


def match_suffixes(names: Iterable[Parts], known: Iterable[Parts], *, least: int = 1) -> Suffixes:
    """Find for each name the known one that it means; they have at least `least` parts in common.

    A name whose end fits one known name means it where nothing of the name is left over; where nothing of the known
    name is left over and no other beginning stands for the root of more names; or where `AGREEING` names say the same
    of their beginning. A name that fits several means the one that a beginning established so leads to, else the one
    that it equals.
    """
    exact = frozenset(known)
    ordered = sorted(one[::-1] for one in exact)
    hits = {name: _hit(name, ordered, least) for name in names if name}
    sole = Counter(hit.step(name) for name, hit in hits.items() if hit is not None and hit.count == 1)
    steps = _established(sole)
    found: dict[Parts, Parts] = {}
    ambiguous: dict[Parts, int] = {}
    for name, hit in hits.items():
        meant = _meant(name, hit, steps, exact) if hit is not None else None
        if meant is not None:
            found[name] = meant
        elif hit is not None and hit.count > 1:
            ambiguous[name] = hit.count
    return Suffixes(found, ambiguous, frozenset(hits) - set(found) - set(ambiguous))


def _hit(name: Parts, ordered: Sequence[Parts], least: int) -> _Hit | None:
    """Look a name up among known ones, reversed and sorted: those beside its place share the most with it."""
    wanted = name[::-1]
    place = bisect_left(ordered, wanted)
    depth = max((_common(wanted, other) for other in ordered[max(place - 1, 0) : place + 1]), default=0)
    if depth < least:
        return None
    first = bisect_left(ordered, wanted[:depth])
    last = bisect_left(ordered, (*wanted[:depth], _AFTER_ALL))
    return _Hit(depth, last - first, ordered[first][::-1])


def _common(one: Parts, other: Parts) -> int:
    length = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        length += 1
    return length


def _established(support: Mapping[Step, int]) -> frozenset[Step]:
    """The beginnings that may be taken for what they seem to stand for."""
    for_root = max((count for (there, here), count in support.items() if there and not here), default=0)
    return frozenset(
        (there, here)
        for (there, here), count in support.items()
        if not there or (count == for_root if not here else count >= AGREEING)
    )


def _meant(name: Parts, hit: _Hit, steps: frozenset[Step], exact: frozenset[Parts]) -> Parts | None:
    if hit.count == 1:
        return hit.known if hit.step(name) in steps else None
    led = {(*here, *name[len(there) :]) for there, here in steps if name[: len(there)] == there} & exact
    if len(led) == 1:
        return led.pop()
    return name if not led and name in exact else None


_DRIVE = re.compile(r"[A-Za-z]:(?=[\\/])")


@dataclass(frozen=True, slots=True)
class Placed:
    """The file that each path means, and the paths that could mean several files or mean none, sorted."""

    files: Mapping[str, str]
    ambiguous: tuple[str, ...]
    unknown: tuple[str, ...]


def place(paths: Iterable[str], known: Iterable[str], *, root: str) -> Placed:
    """Map the paths of one report to `known` files of the repository; `root` is its absolute path on this machine.

    Absolute paths, paths of containers, of other machines and of Windows are read off their ends.
    """
    written = {path: parts_of(path, root) for path in dict.fromkeys(paths)}
    meant = match_suffixes(written.values(), (tuple(path.split("/")) for path in known))
    files = {path: "/".join(meant.found[parts]) for path, parts in written.items() if parts in meant.found}
    ambiguous = sorted(path for path, parts in written.items() if parts in meant.ambiguous)
    return Placed(files, tuple(ambiguous), tuple(sorted(set(written) - set(files) - set(ambiguous))))


def parts_of(path: str, root: str) -> Parts:
    """The parts of a path as a tool wrote it, below `root` where it lies there."""
    plain = path.removeprefix("file://")
    if _DRIVE.match(plain) or ("\\" in plain and "/" not in plain):
        plain = plain.replace("\\", "/")
    inside = normpath(plain).removeprefix(f"{root.rstrip('/')}/")
    return tuple(part for part in inside.split("/") if part not in {"", ".", ".."})
