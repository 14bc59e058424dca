"""Filtering, sorting and searching the atoms of a pact; equal pacts and queries yield equal lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import ceil
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.atoms import Atom, Category, Source, Status
from pactkeeper.intent.tests import file_of, under
from pactkeeper.ledger.canonical import tally

if TYPE_CHECKING:  # everyday commands count words and need no pact
    from pactkeeper.intent.pact import Pact

_WORD: Final = re.compile(r"\w+")
_NUMBERED: Final = re.compile(r"(.*-)([0-9]{1,6})\Z")
_ID, _INTENT, _TAG, _DETAIL = 8, 4, 4, 1  # how much a word counts by where it was found


@dataclass(frozen=True, slots=True)
class AtomFilter:
    """Which atoms to select; every given condition must hold, and one matching value is enough for each.

    `paths` are files and folders, or patterns with `*`; they match the file an atom came from or that of a test whose
    reviewed link names it. All words of `text` must occur in the atom.
    """

    status: Collection[Status] = ()
    category: Collection[Category] = ()
    source: Collection[Source] = ()
    tags: Collection[str] = ()
    paths: Sequence[str] = ()
    text: str = ""


def matching(pact: Pact, wanted: AtomFilter) -> list[Atom]:
    """Return the atoms that pass the filter, in the pact's order."""
    words = words_of(wanted.text)
    return [
        atom
        for atom in pact.atoms.values()
        if (not wanted.status or pact.status_of(atom.id) in wanted.status)
        and (not wanted.category or atom.category in wanted.category)
        and (not wanted.source or atom.source in wanted.source)
        and (not wanted.tags or not set(wanted.tags).isdisjoint(atom.tags))
        and (not wanted.paths or any(_lies(file, wanted.paths) for file in files_of(atom, pact)))
        and (not words or len(_found(atom, words)) == len(words))
    ]


def files_of(atom: Atom, pact: Pact) -> frozenset[str]:
    """The files of the test an atom came from and of the tests whose reviewed links name it."""
    tests = (*pact.tests_of(atom.id), *([atom.origin] if atom.origin else ()))
    return frozenset(file_of(test) for test in tests)


def _lies(file: str, paths: Sequence[str]) -> bool:
    return under(file, paths) or any(fnmatchcase(file, path) for path in paths if "*" in path)


def _by_number(name: str) -> tuple[str, int]:
    """Sort key by number, so that IA-1000 follows IA-999; a hashed id has more characters than a number here."""
    found = _NUMBERED.match(name)
    return (found[1], int(found[2])) if found else (name, 0)


SORTS: Final[Mapping[str, Callable[[Atom, Pact], tuple[object, ...]]]] = {
    "place": lambda atom, _: (atom.path, atom.line),
    "id": lambda atom, _: _by_number(atom.id),
    "intent": lambda atom, _: (atom.intent.casefold(),),
    "status": lambda atom, pact: (str(pact.status_of(atom.id)),),
    "category": lambda atom, _: (atom.category,),
    "source": lambda atom, _: (atom.source,),
    "tests": lambda atom, pact: (len(pact.tests_of(atom.id)),),
}


def ordered(atoms: Iterable[Atom], pact: Pact, *, sort: str, descending: bool = False) -> list[Atom]:
    """Sort by one of `SORTS`; equal atoms are ordered by place."""
    found = sorted(atoms, key=lambda atom: (atom.path, atom.line, atom.id))
    return sorted(found, key=lambda atom: SORTS[sort](atom, pact), reverse=descending)


@dataclass(frozen=True, slots=True)
class Hit:
    """An atom that a search found, with the words of the query that occur in it."""

    atom: Atom
    matched: tuple[str, ...]
    score: int


def search(atoms: Iterable[Atom], query: str) -> list[Hit]:
    """Find atoms in which at least half of the query's words begin a word, those with most matches first.

    A word in the sentence or a tag counts more than one in an outcome; ties are ordered by id.
    """
    words = words_of(query)
    hits: list[Hit] = []
    for atom in atoms:
        found = _found(atom, words)
        if words and len(found) >= ceil(len(words) / 2):
            hits.append(Hit(atom, tuple(found), sum(found.values())))
    return sorted(hits, key=lambda hit: (-len(hit.matched), -hit.score, hit.atom.id))


def words_of(text: str) -> tuple[str, ...]:
    """Split a query into words: letters and digits, case-folded, each once."""
    return tuple(dict.fromkeys(_WORD.findall(text.casefold())))


def _found(atom: Atom, words: Sequence[str]) -> dict[str, int]:
    """Return the words that begin a word of the atom, each with the points of its best place."""
    found: dict[str, int] = {}
    places = (
        (_ID, atom.id),
        (_INTENT, atom.intent),
        (_TAG, " ".join(atom.tags)),
        (_DETAIL, " ".join((atom.category, *atom.outcomes, *atom.falsified_by, atom.origin or ""))),
    )
    for points, text in places:
        folded = f" {' '.join(_WORD.findall(text.casefold()))}"
        for word in words:
            if word not in found and f" {word}" in folded:
                found[word] = points
    return found


@dataclass(frozen=True, slots=True)
class AtomCounts:
    """The number of atoms by status, category and source, and by what they lack."""

    total: int
    status: Mapping[str, int]
    category: Mapping[str, int]
    source: Mapping[str, int]
    without_outcomes: int
    without_falsifiers: int
    without_reviewed_test: int


def count(atoms: Sequence[Atom], pact: Pact) -> AtomCounts:
    """Count atoms."""
    return AtomCounts(
        len(atoms),
        tally(str(pact.status_of(atom.id)) for atom in atoms),
        tally(atom.category for atom in atoms),
        tally(atom.source for atom in atoms),
        sum(not atom.outcomes for atom in atoms),
        sum(not atom.falsified_by for atom in atoms),
        sum(not pact.tests_of(atom.id) for atom in atoms),
    )


def popular_tags(atoms: Iterable[Atom]) -> list[tuple[str, int]]:
    """Return every tag with its number of atoms, the most frequent first."""
    counts = Counter(tag for atom in atoms for tag in dict.fromkeys(atom.tags))
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
