"""Contexts of tests: what each test asserts, is about, reaches and is documented by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.concepts import concepts_of
from pactkeeper.intent.context import BUDGET, Assertion, Passage, Reached, TestContext, fitted
from pactkeeper.intent.structure import RepoStructure
from pactkeeper.intent.tests import Test
from pactkeeper.repo.context.reach import Reach, Related, Subject, Support
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
    sources: Sources,
    tests: Sequence[Test],
    *,
    evidence: Mapping[str, TestEvidence] | None = None,
    budget: int = BUDGET,
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
