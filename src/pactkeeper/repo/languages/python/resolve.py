"""Turn facts into tests: collection decides which functions are tests; this names them and reports what is unseen."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection as Some
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final

from pactkeeper.intent.tests import Annotation, Gap, Test, escape_part
from pactkeeper.repo.languages.adapter import ALL, NONE_READ, FactSource
from pactkeeper.repo.languages.python.classes import Classes
from pactkeeper.repo.languages.python.collection import Collection
from pactkeeper.repo.languages.python.facts import Factor, File, decode
from pactkeeper.repo.languages.python.modules import Modules
from pactkeeper.repo.languages.python.namespace import Defined, Namespace, Space, Value
from pactkeeper.repo.languages.python.settings import Candidates, Settings
from pactkeeper.repo.languages.python.shape import asserting, may_test, shaped
from pactkeeper.repo.languages.python.syntax import read_text

_HOOK: Final = re.compile(rb"\bpytest_(?:collect|pycollect|ignore|generate)_")
_GENERATOR: Final = "pytest_generate_tests"
_MAKE_ITEM: Final = "pytest_pycollect_makeitem"
_HOOKS: Final = {
    "pytest_collect_file": "collects files by its own rules",
    "pytest_collect_directory": "collects folders by its own rules",
    "pytest_pycollect_makemodule": "collects modules by its own rules",
    _MAKE_ITEM: "makes tests of names by its own rules",
    "pytest_ignore_collect": "ignores files by its own rules",
    "pytest_generate_tests": "parametrises tests, so numbers of cases are unknown",
}


def resolve(settings: Settings, source: FactSource) -> tuple[list[Test], list[Gap]]:
    """Return all tests of a snapshot, ordered by file, line and id, and what could not be seen."""
    project = _Project(settings, source)
    collection = project.collect()
    tests = _Tests(project, source, collection).make()
    declaring = {test.file for test in tests}
    attached = {(test.file, note.line) for test in tests for note in test.annotations}
    gaps = {*collection.gaps, *collection.uncollected(), *project.gaps(attached, declaring)}
    explained = declaring | {gap.file for gap in gaps}
    imports = list(project.imports())
    source.rests = project.rests(imports, declaring)
    imported = {module for _, module in imports}
    return tests, sorted({*gaps, *project.empty(explained, collection.barren, imported)})


class _Project:
    """The files of a snapshot whose facts have been requested."""

    def __init__(self, settings: Settings, source: FactSource) -> None:
        self._source = source
        self._candidates = Candidates(settings)
        self._files: dict[str, File] = {}
        self._generates: dict[str, bool] = {}
        self._modules = Modules(source.paths, settings.pythonpath)
        self.namespace = Namespace(self._modules, self._facts)
        self._plugins = dict(self._hooked())

    def _facts(self, path: str) -> File | None:
        data = self._source.facts(path)
        if data is None:
            return None
        self._files[path] = decode(data)
        return self._files[path]

    def collect(self) -> Collection:
        """Collect from every candidate."""
        collection = Collection(
            self.namespace, Classes(self.namespace), self._source.read, by_shape=self._is_by_shape()
        )
        for path in self._source.candidates:
            space = self.namespace.space(path)
            runner = self._candidates.runner(path)
            if space is not None and runner is not None:
                collection.module(space, self._candidates.scope(path), runner)
        return collection

    def _is_by_shape(self) -> bool:
        """Whether code in the repository decides which classes are tests."""
        return any(binding.name == _MAKE_ITEM for file in self._plugins.values() for binding in file.bindings)

    def empty(self, explained: Container[str], barren: Container[str], imported: Container[str]) -> Iterator[Gap]:
        """Report collected files without a test: functions look like tests, or nothing imports the file."""
        for path in self._source.candidates:
            file = self._files.get(path)
            if file is None or path in explained:
                continue
            lines = sorted(shaped(file))
            said = "1 function looks like a test" if len(lines) == 1 else f"{len(lines)} functions look like tests"
            own = path not in imported and path.rpartition("/")[2] not in {"conftest.py", "__init__.py"}
            if not lines and own:
                lines = sorted(asserting(file, read_text(self._source.read(path) or b"").source))
                said = "1 function asserts" if len(lines) == 1 else f"{len(lines)} functions assert"
            if lines:
                yield Gap(path, f"{said}, and no runner collects any here", lines[0])
            elif own and path in barren and may_test(file):
                yield Gap(path, NONE_READ, 1, bare=True)

    def imports(self) -> Iterator[tuple[str, str]]:
        """Yield each file with the modules that it imports at its top level."""
        for path, file in self._files.items():
            for binding in file.bindings:
                if (
                    binding.kind in {"import", "star"}
                    and (module := self._modules.find(path, binding.target)) is not None
                ):
                    yield path, module
                    if inner := self._modules.inside(module, binding.attribute):
                        yield path, inner

    def rests(self, imports: Iterable[tuple[str, str]], declaring: Container[str]) -> Mapping[str, Some[str]] | None:
        """Return what each file's tests rest on: what was looked up for them, and other candidates that it imports.

        Whether a candidate without tests is reported depends on who imports it, so it rests on all files.
        """
        if any(seen.hooks for seen in self._source.glimpses.values()):
            return None
        rests = self.namespace.rests
        for path, module in imports:
            if module.endswith(".py") and self._candidates.runner(module) is not None:
                rests[path].add(module)
        for path in self._source.candidates:
            if path not in declaring:
                rests[path].add(ALL)
        named = (path for path in self._source.paths if path.rpartition("/")[2] == "conftest.py")
        return {ALL: sorted(named), **{path: sorted(others - {path}) for path, others in rests.items()}}

    def gaps(self, attached: Container[tuple[str, int]], declaring: Iterable[str]) -> Iterator[Gap]:
        """Report what the files themselves keep from being seen, including files with hooks.

        `attached` are the annotations that tests have, by file and line; `declaring` are the files with tests.
        """
        collected = {*self._source.candidates, *declaring}
        for path, file in self._files.items():
            yield from (Gap(path, note.reason, note.line, broken=True) for note in file.broken)
            loose = [line for line in file.loose if (path, line) not in attached]
            yield from (Gap(path, "an annotation is attached to no test, suite or file", line) for line in loose)
            if path in collected:
                yield from (Gap(path, note.reason, note.line) for note in file.made if note.reason)
                yield from _named(path, file, {"load_tests": "decides at run time which tests are loaded", **_HOOKS})
        for path, file in self._plugins.items():
            yield from _named(path, file, _HOOKS)

    def generates(self, path: str) -> bool:
        """Whether a hook may parametrize the tests of a file."""
        if path not in self._generates:
            folder = path.rpartition("/")[0]
            hooks = [file for place, file in self._plugins.items() if _above(place, folder)]
            files = [*hooks, *([self._files[path]] if path in self._files else [])]
            self._generates[path] = any(binding.name == _GENERATOR for file in files for binding in file.bindings)
        return self._generates[path]

    def _hooked(self) -> Iterator[tuple[str, File]]:
        """Yield the conftest.py files that may define a pytest hook, and other files that decide what is collected."""
        named = (path for path in self._source.paths if path.rpartition("/")[2] == "conftest.py")
        hooked = (path for path in named if _HOOK.search(self._source.read(path) or b""))
        for path in (*hooked, *(path for path, seen in self._source.glimpses.items() if seen.hooks)):
            space = self.namespace.space(path)
            if space is not None and isinstance(space.fact, File):
                yield path, space.fact


def _above(conftest: str, folder: str) -> bool:
    place = conftest.rpartition("/")[0]
    return not place or folder == place or folder.startswith(f"{place}/")


def _named(path: str, file: File, reasons: dict[str, str]) -> Iterator[Gap]:
    for binding in file.bindings:
        if binding.name in reasons and binding.kind != "import":
            yield Gap(path, f"{binding.name} {reasons[binding.name]}", binding.line)


@dataclass(frozen=True, slots=True)
class _Tests:
    """Turns collected functions into tests."""

    project: _Project
    source: FactSource
    collection: Collection
    _shared: dict[Space, _Shared] = field(default_factory=dict)

    def make(self) -> list[Test]:
        """Return all tests, sorted."""
        found = [entry for entry, *_ in self.collection.found.values()]
        numbered = _Ordinals(found)
        tests = [
            self._test(found, "pytest" if "pytest" in frameworks else "unittest", numbered, tuple(places))
            for found, frameworks, places in self.collection.found.values()
        ]
        return sorted(tests, key=attrgetter("file", "line", "id"))

    def _test(self, found: Defined, framework: str, numbered: _Ordinals, places: tuple[str, ...]) -> Test:
        space, function = found.space, found.function
        shared = self._shared.get(space) or self._shared.setdefault(space, _shared_by(space, numbered))
        return Test(
            f"{shared.prefix}::{escape_part(numbered.name(found))}",
            space.path,
            space.suite,
            found.binding.name,
            function.line,
            function.name_line,
            function.end_line,
            "python",
            framework,
            function.body_hash or self._late_hash(found),
            self._cases(found, shared),
            annotations=(*function.annotations, *shared.annotations),
            helpers=function.helpers,
            words=function.words,
            runs_in=places,
        )

    def _late_hash(self, found: Defined) -> str:
        """Return the hash of a function whose name alone didn't look like a test."""
        from pactkeeper.repo.languages.python import normal  # noqa: PLC0415 - rarely needed
        from pactkeeper.repo.languages.python.syntax import parse, read_text  # noqa: PLC0415 - likewise

        source = read_text(self.source.read(found.space.path) or b"").source
        tree, (start, end) = parse(source), (found.function.start, found.function.end)
        node = tree.root_node.descendant_for_byte_range(start, end)
        name = normal.declared_name(node) if node is not None else None
        return normal.prepare(tree, source).body_hash(start, end, name=name)

    def _cases(self, found: Defined, shared: _Shared) -> int | None:
        """Return the product of the parameter sets of the function, its classes and its module; None if unknown."""
        if found.function.takes and self.project.generates(found.space.path):
            return None
        total = 1
        for place, factor in (*((found.space, factor) for factor in found.function.factors), *shared.factors):
            number = factor if not isinstance(factor, str) else self._count(place, factor)
            if number is None:
                return None
            total *= max(number, 1)  # pytest runs a test with an empty set once, as skipped
        return total

    def _count(self, space: Space, dotted: str) -> int | None:
        for _ in range(5):
            meaning = self.project.namespace.lookup(space, dotted)
            if not isinstance(meaning, Value):
                return None
            if not isinstance(meaning.binding.count, str):
                return meaning.binding.count
            space, dotted = meaning.space, meaning.binding.count
        return None


@dataclass(frozen=True, slots=True)
class _Shared:
    """What all tests of a class or module share: how their ids begin, their suites' annotations and parameter sets."""

    prefix: str
    annotations: tuple[Annotation, ...]
    factors: tuple[tuple[Space, Factor], ...]


def _shared_by(space: Space, numbered: _Ordinals) -> _Shared:
    around = [*_upward(space), space.module]
    return _Shared(
        "::".join(map(escape_part, (space.path, *numbered.suite(space)))),
        tuple(note for each in around for note in each.fact.annotations),
        tuple((each.parent or each, factor) for each in around for factor in each.fact.factors),
    )


class _Ordinals:
    """Numbers siblings with the same name in source order: the second is `name#2`; only what has tests counts."""

    def __init__(self, found: Sequence[Defined]) -> None:
        starts: defaultdict[_Sibling, set[int]] = defaultdict(set)
        for test in found:
            starts[_sibling(test)].add(test.function.start)
        for space in {space for test in found for space in _upward(test.space)}:
            starts[space.parent, "class", space.name].add(space.position)
        repeated = ((key, sorted(one)) for key, one in starts.items() if len(one) > 1)
        self._numbers = {(key, at): number for key, one in repeated for number, at in enumerate(one, 1)}

    def name(self, test: Defined) -> str:
        """Return the last part of the test's id."""
        return self._numbered(_sibling(test), test.function.start)

    def suite(self, space: Space) -> tuple[str, ...]:
        """Return the parts of its id between file and name."""
        parts = [self._numbered((part.parent, "class", part.name), part.position) for part in _upward(space)]
        return tuple(reversed(parts))

    def _numbered(self, key: _Sibling, at: int) -> str:
        number = self._numbers.get((key, at), 1)
        return key[2] if number == 1 else f"{key[2]}#{number}"


_Sibling = tuple[Space | None, str, str]


def _sibling(test: Defined) -> _Sibling:
    return test.space, test.space.path, test.binding.name


def _upward(space: Space) -> Iterator[Space]:
    """Yield a class and its enclosing classes, innermost first; nothing for a module."""
    current = space
    while current.parent is not None:
        yield current
        current = current.parent
