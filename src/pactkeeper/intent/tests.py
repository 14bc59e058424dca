"""Tests as values: what discovery sees of a test, independent of language and framework.

Choosing, ordering and searching atoms of a pact; the same pact and the same wish give the same list.

Whose record is whose among tests of one name: `#2` counts positions, so an insertion above shifts every id below.

A record says which body was reviewed. Where that body stands under another number of the same name now, the record
belongs there, and the test that took over its number has none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import ceil
from typing import ClassVar, Final, Literal, get_args

from pactkeeper.intent.atoms import Atom, Category, Source, Status
from pactkeeper.intent.pact import LinkRecord, Pact

Carrier = Literal["comment", "docstring", "marker", "tag", "sidecar"]
CARRIERS: tuple[str, ...] = get_args(Carrier)
Scope = Literal["test", "suite", "file"]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One `@atom` annotation in code; `line` is where it stands, counted from 1.

    `malformed` holds the words that stand where an atom id is expected but are none.
    """

    atoms: tuple[str, ...]
    carrier: Carrier
    scope: Scope
    line: int
    malformed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Test:
    """One declared test: a function, method or call, whatever number of cases it runs.

    `line` is the first line of the declaration (decorators included), `name_line` the line of its name, `end_line`
    its last line, all counted from 1. `cases` is 1 for an ordinary test, the number of parameter sets for a
    parametrised one, None where that cannot be read from the source. `dynamic` means the name is source text that is
    computed at run time. `annotations` are the test's own, then its suites' from inner to outer, then the file's.
    `helpers` is the digest of the functions of its file that assert for it, empty where there are none.
    """

    __test__: ClassVar[bool] = False  # keeps pytest from taking this class for a suite where a test imports it

    id: str
    file: str
    suite: tuple[str, ...]
    name: str
    line: int
    name_line: int
    end_line: int
    language: str
    framework: str
    body_hash: str
    cases: int | None = 1
    dynamic: bool = False
    annotations: tuple[Annotation, ...] = ()
    helpers: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Gap:
    """A place where discovery knows that it cannot see everything; never evidence of absence.

    `broken` means that the source at its line does not parse.
    """

    file: str
    reason: str
    line: int = 0
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Scan:
    """All tests of one snapshot in the order (file, line, id), and what could not be seen."""

    tests: tuple[Test, ...]
    gaps: tuple[Gap, ...]
    files: int


_LETTERS: Final = {"\n": "n", "\r": "r", "\0": "0"}  # what stands behind a backslash for them


def test_id(file: str, suite: tuple[str, ...], name: str) -> str:
    r"""Join a POSIX path and NFC names with `::`; what `escape_part` names inside a part is escaped."""
    return "::".join(escape_part(part) for part in (file, *suite, name))


def escape_part(part: str) -> str:
    r"""Escape one part of a test id: backslash, line ends, NUL, `::`, and a colon at either end; names become NFC.

    A colon at an end would run together with the separator, so that the parts could not be told apart again.
    """
    plain = part.isascii() and part.isprintable() and "\\" not in part
    if plain and "::" not in part and part.strip(":") == part:
        return part
    import unicodedata  # noqa: PLC0415 - likewise

    return escape_path(unicodedata.normalize("NFC", part))


def escape_path(path: str) -> str:
    """A path on a line of its own, as in a test id but with its letters as they are; `file_of` reads it back."""
    special = r"\\|\n|\r|\0|\A:|:(?=:|\Z)|(?<=:):"
    return re.sub(special, lambda found: "\\" + _LETTERS.get(found[0], found[0]), path)


def file_of(test: str) -> str:
    """The POSIX path in a test id, unescaped."""
    if "\\" not in test:
        return test.split("::", 1)[0]

    part = re.match(r"(?:\\.|:(?!:)|[^\\:])*", test)
    escaped = part.group() if part else test
    meant = {letter: character for character, letter in _LETTERS.items()}
    return re.sub(r"\\(.)", lambda found: meant.get(found[1], found[1]), escaped)


test_id.__test__ = False  # type: ignore[attr-defined]  # keeps pytest from collecting it where a test imports it


_WORD: Final = re.compile(r"\w+")
_NUMBERED: Final = re.compile(r"(.*-)([0-9]{1,6})\Z")
_ID, _INTENT, _TAG, _DETAIL = 8, 4, 4, 1  # how much a word counts by where it was found


@dataclass(frozen=True, slots=True)
class AtomFilter:
    """Which atoms are wanted; every condition that is given must hold, one of its values being enough.

    `paths` are files and folders, or patterns with `*`, of what an atom came from or of a test whose reviewed link
    names it. `text` holds words that all must occur in the atom.
    """

    status: Collection[Status] = ()
    category: Collection[Category] = ()
    source: Collection[Source] = ()
    tags: Collection[str] = ()
    paths: Sequence[str] = ()
    text: str = ""


def matching(pact: Pact, wanted: AtomFilter) -> list[Atom]:
    """The atoms of the pact that the filter lets through, in the pact's order."""
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
    """IA-1000 follows IA-999; an id made from a hash has more characters than a number here."""
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
    """Sort by one of `SORTS`; equal ones stay in the order of their place."""
    found = sorted(atoms, key=lambda atom: (atom.path, atom.line, atom.id))
    return sorted(found, key=lambda atom: SORTS[sort](atom, pact), reverse=descending)


@dataclass(frozen=True, slots=True)
class Hit:
    """An atom that a search found, with the words of the query that occur in it."""

    atom: Atom
    matched: tuple[str, ...]
    score: int


def search(atoms: Iterable[Atom], query: str) -> list[Hit]:
    """Atoms in which at least half of the query's words begin a word, those with most of them first.

    A word in the sentence or a tag counts more than one in an outcome; equal ones are in the order of their ids.
    """
    words = words_of(query)
    hits: list[Hit] = []
    for atom in atoms:
        found = _found(atom, words)
        if words and len(found) >= ceil(len(words) / 2):
            hits.append(Hit(atom, tuple(found), sum(found.values())))
    return sorted(hits, key=lambda hit: (-len(hit.matched), -hit.score, hit.atom.id))


def words_of(text: str) -> tuple[str, ...]:
    """The words of a query: letters and digits, case folded, each once."""
    return tuple(dict.fromkeys(_WORD.findall(text.casefold())))


def _found(atom: Atom, words: Sequence[str]) -> dict[str, int]:
    """The words that begin a word of the atom, with what the best place counts."""
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
    """How many atoms there are, by what they are, and what they lack."""

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
        _tally(str(pact.status_of(atom.id)) for atom in atoms),
        _tally(atom.category for atom in atoms),
        _tally(atom.source for atom in atoms),
        sum(not atom.outcomes for atom in atoms),
        sum(not atom.falsified_by for atom in atoms),
        sum(not pact.tests_of(atom.id) for atom in atoms),
    )


def popular_tags(atoms: Iterable[Atom]) -> list[tuple[str, int]]:
    """Every tag with the number of atoms that have it, the most frequent first."""
    counts = Counter(tag for atom in atoms for tag in dict.fromkeys(atom.tags))
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


def _tally(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def under(path: str, roots: Sequence[str]) -> bool:
    """Whether a POSIX path is one of `roots` or lies below one; an empty root is the whole repository."""
    return any(root in {"", "."} or path == root or path.startswith(f"{root}/") for root in roots)


_NUMBER = re.compile(r"#([2-9]|[1-9]\d+)\Z")


def shifted_records(tests: Iterable[Test], pact: Pact) -> Mapping[str, LinkRecord | None]:
    """By test id, the record of each test whose record is not the one under its own id; None where it has none."""
    if not any("#" in name for name in pact.links) and not any("#" in test.id for test in tests):
        return {}
    families: dict[str, list[Test]] = {}
    for test in tests:
        families.setdefault(_NUMBER.sub("", test.id), []).append(test)
    records: dict[str, list[LinkRecord]] = {}
    for name, record in pact.links.items():
        records.setdefault(_NUMBER.sub("", name), []).append(record)
    found: dict[str, LinkRecord | None] = {}
    for name, members in families.items():
        if len({test.id for test in members} | {record.test for record in records.get(name, ())}) > 1:
            found.update(_shifts(members, records.get(name, ())))
    return found


def _shifts(members: Sequence[Test], records: Sequence[LinkRecord]) -> Mapping[str, LinkRecord | None]:
    """Give every record that left its number to the one sibling with its body that has no better record."""
    bodies = {test.id: test.body_hash for test in members}
    settled = {record.test for record in records if bodies.get(record.test) == record.body}
    found: dict[str, LinkRecord] = {}
    for record in records:
        if record.test in settled or record.body is None:
            continue
        takers = [
            test.id for test in members if test.body_hash == record.body and test.id not in settled | found.keys()
        ]
        if len(takers) == 1:
            found[takers[0]] = record
    left = {record.test: None for record in found.values() if record.test in bodies}
    return {**left, **found}
