"""Collect the tests of a snapshot: those of every test file, then of the files whose functions these call."""

from __future__ import annotations

from collections import deque

from pactkeeper.intent.tests import Gap, Test
from pactkeeper.repo.languages.adapter import FactSource
from pactkeeper.repo.languages.javascript.linking import Linker
from pactkeeper.repo.languages.javascript.projects.resolution import Resolution
from pactkeeper.repo.languages.javascript.resolve import TOP, FileTests
from pactkeeper.repo.languages.javascript.settings.configure import Settings


def collect(settings: Settings, source: FactSource) -> tuple[list[Test], list[Gap]]:
    """All tests, and what could not be read."""
    linker = Linker(source, Resolution(frozenset(source.paths), settings.projects))
    tests: list[Test] = []
    gaps: list[Gap] = []
    waiting: deque[tuple[str, int, str]] = deque()
    own = frozenset(source.candidates)
    for path in source.candidates:
        facts = linker.facts(path)
        if facts is None:
            continue
        runner = settings.owner(path)
        framework = (runner.framework if runner is not None else "") or settings.framework(path)
        file = FileTests(path, framework, linker, facts)
        tests += file.tests()
        gaps += file.gaps()
        waiting.extend((other, function, framework) for other, function in file.elsewhere if other not in own)
    shared, more = _shared(linker, waiting, own)
    return tests + shared, gaps + more


def _shared(linker: Linker, waiting: deque[tuple[str, int, str]], own: frozenset[str]) -> tuple[list[Test], list[Gap]]:
    """The tests of files that are no test files themselves, as far as test files register them."""
    reached: dict[str, tuple[set[int], str]] = {}
    while waiting:
        path, function, framework = waiting.popleft()
        functions, _ = reached.setdefault(path, (set(), framework))
        facts = linker.facts(path) if function not in functions else None
        if facts is None:
            functions.add(function)
            continue
        functions |= {function, TOP} if function == TOP else {function}
        file = FileTests(path, framework, linker, facts, frozenset({function}))
        file.tests()
        waiting.extend((other, inner, framework) for other, inner in file.elsewhere if other not in own)
    tests: list[Test] = []
    gaps: list[Gap] = []
    for path, (functions, framework) in sorted(reached.items()):
        facts = linker.facts(path)
        if facts is not None:
            file = FileTests(path, framework, linker, facts, frozenset(functions))
            found = file.tests()
            tests += found
            gaps += file.gaps() if found else []
    return tests, gaps
