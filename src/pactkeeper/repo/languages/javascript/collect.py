"""Collect the tests of a snapshot: those in test files, then those in the files whose functions these call."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator

from pactkeeper.intent.tests import Gap, Test
from pactkeeper.repo.languages.adapter import FactSource
from pactkeeper.repo.languages.javascript.linking import Linker
from pactkeeper.repo.languages.javascript.projects.resolution import Resolution
from pactkeeper.repo.languages.javascript.resolve import TOP, FileTests
from pactkeeper.repo.languages.javascript.settings.configure import Settings
from pactkeeper.repo.languages.javascript.settings.runner import COMMON, globbed


def collect(settings: Settings, source: FactSource) -> tuple[list[Test], list[Gap]]:
    """Return all tests, and what could not be read."""
    linker = Linker(source, Resolution(frozenset(source.paths), settings.projects), settings.declaring)
    tests: list[Test] = []
    gaps: list[Gap] = []
    waiting: deque[tuple[str, int, str]] = deque()
    own = frozenset(source.candidates)
    for file in _files(settings, linker, source.candidates):
        tests += file.tests()
        gaps += file.gaps()
        waiting.extend((other, inner, file.framework) for other, inner in file.elsewhere if other not in own)
    shared, more = _shared(linker, waiting, own)
    tests, gaps = tests + shared, gaps + more
    for file in _files(settings, linker, _unnamed(settings, source, {test.file for test in tests})):
        tests += file.tests()
        gaps += file.gaps()
    return tests, gaps


def _files(settings: Settings, linker: Linker, paths: Iterable[str]) -> Iterator[FileTests]:
    for path in paths:
        facts = linker.facts(path)
        if facts is not None:
            runner = settings.owner(path)
            framework = (runner.framework if runner is not None else "") or settings.framework(path)
            yield FileTests(path, framework, linker, facts)


def _unnamed(settings: Settings, source: FactSource, declaring: Collection[str]) -> list[str]:
    """Return conventional test files below the folders of runners that yield no tests.

    Such a runner selects its files in a way that can't be read: a task runner or a custom script.
    """
    folders = {runner.folder for runner in settings.runners}
    bare = [folder for folder in folders if not any(_below(path, folder) for path in declaring)]
    usual = [globbed("", folder, COMMON) for folder in bare]
    known = {*source.candidates, *declaring}
    return [path for path in source.glimpses if path not in known and any(one.collects(path) for one in usual)]


def _below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _shared(linker: Linker, waiting: deque[tuple[str, int, str]], own: frozenset[str]) -> tuple[list[Test], list[Gap]]:
    """Return the tests of non-test files, as far as test files register them."""
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
