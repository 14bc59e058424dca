"""Contexts of tests: what each test asserts, is about, reaches and is documented by."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.context import (
    BUDGET,
    Assertion,
    Passage,
    Reached,
    RelatedFile,
    TestContext,
    concepts_of,
    fitted,
    words_of,
)
from pactkeeper.intent.structure import RepoStructure
from pactkeeper.intent.tests import Test
from pactkeeper.intent.wording import singular, split_identifier
from pactkeeper.repo.context.names import DefinitionPlace, Names
from pactkeeper.repo.docs import Documents
from pactkeeper.repo.docs.index import Hit
from pactkeeper.repo.facts import gather
from pactkeeper.repo.languages.outline import shortened
from pactkeeper.repo.outlines import Outlines

_MOST_DOCUMENTS: Final = 5
_MOST_WORDS: Final = 8
_LONGEST_QUOTE: Final = 200  # characters
_MOST_NAMES: Final = 4
_NEWS: Final = re.compile(
    r"(?:^|/)(?:changelog|changes|news|history|releases?|release[-_]?notes|whatsnew)(?:[./]|\Z)", re.IGNORECASE
)
_TONGUES: Final = r"(?:ar|cs|de|es|fa|fr|it|ja|ko|nl|pl|pt|ru|tr|uk|vi|zh)(?:[-_][a-z]{2,4})?"
_TRANSLATED: Final = re.compile(
    rf"(?:^|/)readme[._-]{_TONGUES}\.|(?:^|/)(?:docs?|i18n|locales?|translations?)/{_TONGUES}/", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sources:
    """What contexts are built from; without `documents` none are searched.

    `test_files` are all files that contain tests. `structure` says what each file imports; without it, outlines do.
    """

    outlines: Outlines
    test_files: frozenset[str] = frozenset()
    documents: Documents | None = None
    structure: RepoStructure | None = None


def contexts(
    sources: Sources, tests: Sequence[Test], *, evidence: Mapping[str, TestEvidence] | None = None, budget: int = BUDGET
) -> Iterator[TestContext]:
    """Yield the context of every test, in order; `evidence` is what they state, gathered here if not given.

    Per-file work is done once, so handling many tests in one call is cheap.
    """
    stated = evidence if evidence is not None else gather(sources.outlines.snapshot, tests)
    reading = _Reading(sources, tests)
    for test in tests:
        yield fitted(reading.whole(test, stated[test.id]), budget)
    sources.outlines.save()


class _Reading:
    """What is read once for all tests of a snapshot."""

    def __init__(self, sources: Sources, tests: Sequence[Test]) -> None:
        outlines, structure = sources.outlines, sources.structure
        files = sorted({test.file for test in tests})
        outlines.prepare(files)
        outlines.prepare(files, uses=True)
        self._support = Support(sources.test_files.union(files))
        self._reach = Reach(outlines, self._support)
        self._related = Related(outlines, self._support, _imports(structure))
        self._documents = sources.documents
        self._telling: dict[str, bool] = {}

    def whole(self, test: Test, evidence: TestEvidence) -> TestContext:
        """Build the full context of one test."""
        assertions = _assertions(evidence)
        own = concepts_of(evidence, test.file)
        words = (*own.domain, *own.technical)[:_MOST_WORDS]
        subject = Subject(own.domain, self._related.named_alike(test.file))
        code = self._reach.reached(test, subject, [one.line for one in assertions])
        return TestContext(
            test=test.id,
            assertions=assertions,
            concepts=own.naming(_names(code)),
            code=code,
            documents=self._passages(words, code),
            related=self._related.files(test.file, code),
            searched=self._documents is not None,
        )

    def _passages(self, words: Sequence[str], code: Sequence[Reached]) -> tuple[Passage, ...]:
        """Find the documents that a test's words, and the names it uses directly, lead to."""
        if self._documents is None:
            return ()
        names = dict.fromkeys(one.name.rpartition(".")[2] for one in code if not one.support and not one.steps)
        summed_up = {(one.path, one.name) for one in code if one.summary}

        def explains(hit: Hit) -> bool:
            shown = hit.code and hit.line == hit.last and (hit.path, ".".join(hit.trail)) in summed_up
            return not shown and self._explains(hit.path)

        return self._documents.best(words, list(names)[:_MOST_NAMES], most=_MOST_DOCUMENTS, accept=explains)

    def _explains(self, path: str) -> bool:
        """Whether a document explains the code: no release notes, no translations, nothing from the tests."""
        known = self._telling.get(path)
        if known is None:
            known = not self._support(path) and _NEWS.search(path) is None and _TRANSLATED.search(path) is None
            self._telling[path] = known
        return known


def _imports(structure: RepoStructure | None) -> Mapping[str, Sequence[str]] | None:
    if structure is None:
        return None
    found: dict[str, list[str]] = {}
    for edge in structure.edges:
        found.setdefault(edge.importer, []).append(edge.imported)
    return found


def _assertions(evidence: TestEvidence) -> tuple[Assertion, ...]:
    """Return a test's claims, deduplicated by line, relation and quote."""
    found = (Assertion(one.line, one.relation, _one_line(one.quote), one.via) for one in evidence.claims)
    return tuple(dict.fromkeys(found))


def _one_line(quote: str) -> str:
    return shortened(" ".join(quote.split()), _LONGEST_QUOTE)


def _names(code: Sequence[Reached]) -> tuple[str, ...]:
    """Return the names that are reached, without test helpers."""
    return tuple(dict.fromkeys(one.name for one in code if not one.support))


_STEPS: Final = 3  # a helper's helper's helper; anything further away says little about the test
_FOLLOWED: Final = frozenset({"function", "method", "property"})


@dataclass(slots=True)
class _Sight:
    """How a definition was reached: `order` is its rank among what the test reaches, `asserted` counts assertions."""

    place: DefinitionPlace
    steps: int
    order: int
    uses: int = 0
    asserted: int = 0

    def rank(self, support: Support, subject: Subject) -> tuple[bool, int, int, bool, int, int]:
        """Sort tested code first, then what the test's own words name, then the nearest, asserted and most used."""
        foreign = support(self.place.path)
        return foreign, subject.distance(self.place), self.steps, not self.asserted, -self.uses, self.order


@dataclass(frozen=True, slots=True)
class Subject:
    """What a test says it is about: `words`, most specific first, and the `files` that its own file is named after."""

    words: tuple[str, ...]
    files: tuple[str, ...]

    def distance(self, place: DefinitionPlace) -> int:
        """Return the rank of a definition: its first subject word's position; the named files come after all words."""
        named = words_of(place.definition.name)
        found = next((at for at, word in enumerate(self.words) if word in named), None)
        if found is not None:
            return found
        return len(self.words) + (place.path not in self.files)


class Reach:
    """Finds what tests of one snapshot reach; each helper is read once."""

    def __init__(self, outlines: Outlines, support: Support) -> None:
        self._outlines = outlines
        self._support = support
        self._names = Names(outlines, support)
        self._lines: dict[str, list[int]] = {}
        self._beyond: dict[tuple[str, int, str], tuple[DefinitionPlace, ...]] = {}

    def reached(self, test: Test, subject: Subject, asserted: Iterable[int]) -> tuple[Reached, ...]:
        """Return every definition a test reaches, most relevant first; `asserted` are the lines of its assertions."""
        lines = frozenset(asserted)
        sights: dict[tuple[str, int, str], _Sight] = {}
        for line, place in self._named(test.file, test.line, test.end_line):
            sight = self._note(sights, place, 0)
            sight.uses += 1
            sight.asserted += line in lines
        for place in self._before(test):
            self._note(sights, place, 1)
        for steps in range(1, _STEPS + 1):
            near = [one.place for one in sights.values() if one.steps == steps - 1 and self._is_followed(one.place)]
            for place in [further for helper in near for further in self._behind(helper)]:
                self._note(sights, place, steps)
        ranked = sorted(sights.values(), key=lambda sight: sight.rank(self._support, subject))
        return tuple(self._shown(one) for one in ranked if self._is_shown(one.place, test))

    def _note(self, sights: dict[tuple[str, int, str], _Sight], place: DefinitionPlace, steps: int) -> _Sight:
        return sights.setdefault(place.key, _Sight(place, steps, len(sights)))

    def _named(self, path: str, first: int, last: int) -> Iterator[tuple[int, DefinitionPlace]]:
        """Yield the definitions that the lines of a file name, with the line."""
        chains = self._outlines.uses(path).chains
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = [line for line, _ in chains]
        for line, chain in chains[bisect_left(lines, first) : bisect_right(lines, last)]:
            for place in self._names.follow(path, chain):
                yield line, place

    def _before(self, test: Test) -> Iterator[DefinitionPlace]:
        """Yield what is named by code that runs before the test."""
        for chain in self._outlines.setups(test.file, test.suite):
            for place in self._names.follow(test.file, chain):
                if place.definition.kind in _FOLLOWED:
                    yield from self._behind(place)
        for first, last, start, end in self._outlines.uses(test.file).before:
            if start <= test.line and test.end_line <= end:
                yield from (place for _, place in self._named(test.file, first, last))

    def _behind(self, helper: DefinitionPlace) -> tuple[DefinitionPlace, ...]:
        """Return what a helper's code names, without duplicates."""
        found = self._beyond.get(helper.key)
        if found is None:
            definition = helper.definition
            named = self._named(helper.path, definition.line, definition.last)
            found = tuple({place.key: place for _, place in named if place.key != helper.key}.values())
            self._beyond[helper.key] = found
        return found

    def _is_followed(self, place: DefinitionPlace) -> bool:
        return place.definition.kind in _FOLLOWED and self._support(place.path)

    def _is_shown(self, place: DefinitionPlace, test: Test) -> bool:
        """Leave out the test, what encloses it, and values in test files, whose uses were already followed."""
        definition = place.definition
        if not self._support(place.path):
            return True
        around = definition.line <= test.name_line <= definition.last
        return definition.kind != "value" and not (place.path == test.file and around)

    def _shown(self, sight: _Sight) -> Reached:
        place, definition = sight.place, sight.place.definition
        return Reached(
            name=definition.name,
            kind=definition.kind,
            path=place.path,
            line=definition.line,
            signature=definition.signature,
            summary=summary_of(definition.doc),
            support=self._support(place.path),
            steps=sight.steps,
        )


def summary_of(doc: str) -> str:
    """Return the first meaningful line of a documentation comment, skipping tags."""
    lines = (line.strip() for line in doc.splitlines())
    return next((line for line in lines if line and not line.startswith("@")), "")


_FOLDERS: Final = r"tests?|testing|__tests__|__mocks__|specs?|e2e|cypress|fixtures?"
_PLACE: Final = re.compile(
    rf"(?:^|/)(?:{_FOLDERS})/|(?:^|/)(?:conftest|test_[^/]*|[^/]*_tests?)\.py\Z|[._-](?:test|spec|cy)\.[cm]?[jt]sx?\Z"
)


class Support:
    """Distinguishes tests and their helpers from the code under test."""

    def __init__(self, test_files: Iterable[str]) -> None:
        self._files = frozenset(test_files)
        self._known: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        """Whether a file contains tests or is in a folder reserved for tests and their helpers."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = path in self._files or _PLACE.search(path) is not None
        return known


_MARKS: Final = re.compile(r"(?:^|[._-])(?:tests?|spec|specs|cy|e2e)(?=$|[._-])", re.IGNORECASE)
_MOST_ALIKE: Final = 3  # more files that share a name are meaningless


class Related:
    """Finds files related to the tests of one snapshot; `imports` are the files that each file imports, if known."""

    def __init__(self, outlines: Outlines, support: Support, imports: Mapping[str, Sequence[str]] | None) -> None:
        self._outlines = outlines
        self._support = support
        self._imports = imports
        self._alike: dict[str, tuple[str, ...]] = {}
        self._imported: dict[str, tuple[str, ...]] = {}
        self._by_stem: dict[str, list[str]] = {}
        for path in outlines.owned(outlines.snapshot.paths):
            if not support(path):
                self._by_stem.setdefault(_stem(path), []).append(path)

    def files(self, path: str, code: Sequence[Reached]) -> tuple[RelatedFile, ...]:
        """Return the files related to a test in `path` that reaches `code`, closest first."""
        found: dict[str, str] = {}
        for one in code:
            if not one.support:
                found.setdefault(one.path, "defines what the test reaches")
        for alike in self.named_alike(path):
            found.setdefault(alike, "has the test file's name")
        for other in self._imports_of(path):
            found.setdefault(other, "helps the tests" if self._support(other) else "is imported by the test file")
        for one in code:
            found.setdefault(one.path, "helps the tests")
        found.pop(path, None)
        return tuple(RelatedFile(other, why) for other, why in found.items())

    def named_alike(self, path: str) -> tuple[str, ...]:
        """Return the files a test file is named after, such as `retry/policy.py` for `test_retry_policy.py`."""
        known = self._alike.get(path)
        if known is None:
            wanted = _words(_MARKS.sub(" ", _stem(path)))
            stems = set(wanted) | {_stem(path), _MARKS.sub("", _stem(path)).strip("._-")}
            near = [other for stem in sorted(stems) for other in self._by_stem.get(stem, ())]
            fitting = [other for other in near if wanted and wanted <= _words(other)] if wanted else []
            ranked = sorted(dict.fromkeys(fitting), key=lambda other: (len(_words(other)), other))
            known = self._alike[path] = tuple(ranked) if len(ranked) <= _MOST_ALIKE else ()
        return known

    def _imports_of(self, path: str) -> tuple[str, ...]:
        known = self._imported.get(path)
        if known is None:
            known = self._imported[path] = tuple(self._read_imports(path))
        return known

    def _read_imports(self, path: str) -> Iterable[str]:
        if self._imports is not None:
            return self._imports.get(path, ())
        wanted = (
            (one.module, "" if one.attribute == "*" else one.attribute) for one in self._outlines.outline(path).imports
        )
        return dict.fromkeys(file for module, name in wanted for file in self._outlines.find(path, module, name))


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower()


def _words(text: str) -> frozenset[str]:
    return frozenset(singular(word.lower()) for word in split_identifier(text.rpartition(".")[0] or text))
