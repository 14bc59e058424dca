"""Matching a name from elsewhere to one known here: by their longest common suffix, or as a title built at run time.

Paths in reports start wherever a tool ran: at a checkout on another machine, in a container, in a subfolder; and so do
dotted module names. A name is matched by its suffix, and if that fits several known names, by what the prefixes of
other names in the same report turned out to mean. Nothing is chosen at random.

It also matches the paths of a report to files of the repository.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from posixpath import normpath
from typing import Final

from pactkeeper.intent.tests import Test

Parts = tuple[str, ...]
Step = tuple[Parts, Parts]  # a prefix in the report, and the prefix it stands for here
AGREEING: Final = 2  # names that must agree on a prefix if both sides keep some of it
_AFTER_ALL: Final = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Suffixes:
    """Matches: `found` maps names to known ones, `ambiguous` to the number of candidates; the rest is unknown."""

    found: Mapping[Parts, Parts]
    ambiguous: Mapping[Parts, int]
    unknown: frozenset[Parts]


@dataclass(frozen=True, slots=True)
class _Hit:
    """The number of known names sharing the longest suffix, of `depth` parts, with a name; `known` is the first."""

    depth: int
    count: int
    known: Parts

    def step(self, name: Parts) -> Step:
        return name[: -self.depth], self.known[: -self.depth]


def match_suffixes(names: Iterable[Parts], known: Iterable[Parts], *, least: int = 1) -> Suffixes:
    """Find the known name that each name means; they have at least `least` parts in common.

    A name whose suffix fits one known name means it if nothing of the name is left over; if nothing of the known name
    is left over and no other prefix stands for the root of more names; or if `AGREEING` names agree on their prefix. A
    name that fits several means the one reached through a prefix established this way, else the one that it equals.
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
    """Look a name up among known ones, reversed and sorted: its neighbours there share the most with it."""
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
    """Return the prefixes that enough names agree on."""
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
    """The file that each path means, and the paths that could mean several files or none, sorted."""

    files: Mapping[str, str]
    ambiguous: tuple[str, ...]
    unknown: tuple[str, ...]


def place(paths: Iterable[str], known: Iterable[str], *, root: str) -> Placed:
    """Map the paths of one report to `known` files of the repository; `root` is its absolute path on this machine.

    Absolute paths and paths from containers, other machines and Windows are matched by their suffix.
    """
    written = {path: parts_of(path, root) for path in dict.fromkeys(paths)}
    meant = match_suffixes(written.values(), (tuple(path.split("/")) for path in known))
    files = {path: "/".join(meant.found[parts]) for path, parts in written.items() if parts in meant.found}
    ambiguous = sorted(path for path, parts in written.items() if parts in meant.ambiguous)
    return Placed(files, tuple(ambiguous), tuple(sorted(set(written) - set(files) - set(ambiguous))))


def parts_of(path: str, root: str) -> Parts:
    """Split a path as a tool wrote it into parts, relative to `root` if it is below it."""
    plain = path.removeprefix("file://")
    if _DRIVE.match(plain) or ("\\" in plain and "/" not in plain):
        plain = plain.replace("\\", "/")
    inside = normpath(plain).removeprefix(f"{root.rstrip('/')}/")
    return tuple(part for part in inside.split("/") if part not in {"", ".", ".."})


# `${…}` in template strings, `%s` and the like in printf titles, `$name.key` and `$#` in tables of cases.
_TOKEN: Final = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}|%[psdifjoOc#$]|\$[A-Za-z_][\w.]*|\$#")
_LITERAL: Final = re.compile(r"""'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`""")
_EXPRESSION: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\.[\w$]+|\?\.|\[.*\]|\(.*\))*+")
_ANYTHING: Final = "${…}"
_OPENING, _CLOSING = "([{", ")]}"
_WORD: Final = re.compile(r"\w+(?=\W)")
SEPARATORS: Final = (" ", " > ", " › ", ".")


@dataclass(frozen=True, slots=True)
class Template:
    """A title with parts that vary by case; `pieces` are the texts around them, a single one if nothing varies."""

    pieces: tuple[str, ...]

    @property
    def telling(self) -> bool:
        """Whether any part of the title itself is fixed."""
        return any(character.isalnum() for piece in self.pieces for character in piece)

    @property
    def first_word(self) -> str:
        """The word that every such title starts with; empty if it varies."""
        found = _WORD.match(self.pieces[0])
        return found.group() if found else ""

    def fits(self, text: str) -> bool:
        """Whether a text can be one of the titles; takes time linear in the text."""
        first, last = self.pieces[0], self.pieces[-1]
        if len(self.pieces) == 1:
            return text == first
        if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
            return False
        place, end = len(first), len(text) - len(last)
        for piece in self.pieces[1:-1]:
            place = text.find(piece, place, end)
            if place < 0:
                return False
            place += len(piece)
        return True


@dataclass(frozen=True, slots=True)
class MadeTitle:
    """A test whose titles are built at run time: templates for its suites and name, separately and joined."""

    test: Test
    parts: tuple[Template, ...]
    labels: tuple[Template, ...]

    @property
    def telling(self) -> bool:
        """Whether each part that varies by case also has a fixed part."""
        return all(part.telling for part in self.parts)

    def fits(self, names: Sequence[str]) -> bool:
        """Whether suites and name, each separately, can be those of a case of this test."""
        return len(names) == len(self.parts) and all(
            part.fits(name) for part, name in zip(self.parts, names, strict=True)
        )


def made(test: Test) -> MadeTitle | None:
    """Return the templates of a test's titles; None if they are the titles in the source."""
    if not test.dynamic and test.cases == 1:
        return None
    parts = [shown_in(part) if test.dynamic else part for part in (*test.suite, test.name)]
    if test.dynamic and _EXPRESSION.fullmatch(parts[-1]) and not _TOKEN.search(parts[-1]):
        parts[-1] = _ANYTHING
    return MadeTitle(
        test, tuple(_template(squashed(part)) for part in parts), tuple(_template(label) for label in joined(parts))
    )


def computed(test: Test, suites: Sequence[str]) -> tuple[str, ...]:
    """Return the titles, its own and its suites', that are built when the test runs."""
    summed = {one for one in (*suites, test.name) if shown_in(one) != one}
    if not test.dynamic and test.cases == 1:
        return tuple(sorted(summed - {test.name}))
    made_up = {one for one in (*suites, test.name) if _TOKEN.search(one)} | (summed if test.dynamic else set())
    named = test.dynamic and not test.name.isidentifier() and _EXPRESSION.fullmatch(test.name)
    return tuple(sorted(made_up | ({test.name} if named else set())))


def _template(title: str) -> Template:
    return Template(tuple(_TOKEN.split(title)))


def shown_in(source: str) -> str:
    """Return a concatenated title, such as `'answers ' + code`, with `${…}` for what is only known at run time.

    A title that does not concatenate literal text is returned unchanged.
    """
    parts = _summands(source)
    literals = [_LITERAL.fullmatch(part) for part in parts]
    if len(parts) < 2 or not any(literals):  # noqa: PLR2004 - a sum has two parts or more
        return source
    return "".join(_text(one) if one is not None else _ANYTHING for one in literals)


def _text(literal: re.Match[str]) -> str:
    found = next(group for group in literal.groups() if group is not None)
    return re.sub(r"\\(.)", r"\1", found)


def _summands(source: str) -> list[str]:
    """Split at plus signs outside brackets and literals."""
    parts, depth, start, place = [], 0, 0, 0
    while place < len(source):
        literal = _LITERAL.match(source, place)
        if literal is not None:
            place = literal.end()
            continue
        sign = source[place]
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if sign == "+" and depth == 0:
            parts.append(source[start:place].strip())
            start = place + 1
        place += 1
    return [*parts, source[start:].strip()]


def first_word(text: str) -> str:
    """Return the first word of a text; empty if no other character ends it."""
    found = _WORD.match(text)
    return found.group() if found else ""


def squashed(text: str) -> str:
    """Normalise a title for comparison across formats: NFC, single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def labels(test: Test) -> tuple[str, ...]:
    """Return the ways in which formats join suites and name."""
    return joined((*test.suite, test.name))


def joined(parts: Sequence[str]) -> tuple[str, ...]:
    """Join suites and name with each separator."""
    return tuple(dict.fromkeys(squashed(sign.join(parts)) for sign in SEPARATORS))
