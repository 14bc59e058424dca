"""Turn the facts of all files into tests: roles, suites, names, counts, ids."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from pactkeeper.intent.tests import Annotation, Gap, Test, test_id
from pactkeeper.repo.languages.adapter import NONE_READ, WHOLE, FactSource, upwards
from pactkeeper.repo.languages.javascript.facts import Call, Facts, as_runners, unread_calls, unread_rows
from pactkeeper.repo.languages.javascript.grammar import language_of
from pactkeeper.repo.languages.javascript.linking import Linker, Ref, Wrapper, inside
from pactkeeper.repo.languages.javascript.projects.resolution import Resolution
from pactkeeper.repo.languages.javascript.runners import GLOBALS, STATEMENTS, Meaning
from pactkeeper.repo.languages.javascript.settings.configure import Settings
from pactkeeper.repo.languages.javascript.settings.runner import COMMON, collected, globbed

WHOLE_FILE: Final = -2
TOP: Final = -1
_SUBTESTS: Final = frozenset({"node:test"})
_UNNAMED: Final = frozenset({"node:test", "deno", "bun"})
_HOOKS: Final = frozenset(
    {"before", "after", "beforeEach", "afterEach", "beforeAll", "afterAll"}
    | {"setup", "teardown", "suiteSetup", "suiteTeardown"}
)
_NAMED: Final = re.compile(r"[._-](?:test|spec)(?:-d)?\.\w+\Z", re.IGNORECASE)
_SUPPORT: Final = re.compile(r"(?:^|/)_*(?:fixtures?|helpers?|support|mocks?|setup)(?:_*/|\.\w+\Z)")
_EXPORTS: Final = re.compile(rb"\bexports?\b")
_TYPED: Final = ".test-d."
_FLAT: Final = frozenset({"mocha", "qunit"})


@dataclass(frozen=True, slots=True)
class Declared:
    """What a call declares; `counted` is False if a project function may declare, or run, any number of tests."""

    role: str
    framework: str
    name: str
    dynamic: bool
    counted: bool = True


@dataclass(slots=True)
class FileTests:
    """The tests of one file: all of them, or those registered by the files that call its functions (`reached`)."""

    path: str
    framework: str
    linker: Linker
    facts: Facts
    reached: frozenset[int] = frozenset({WHOLE_FILE})
    elsewhere: list[tuple[str, int]] = field(default_factory=list)
    _declared: dict[int, Declared | None] = field(default_factory=dict)
    _hosts: dict[str, int] = field(default_factory=dict)
    _flat: dict[tuple[int, int], list[int]] = field(default_factory=dict)

    def tests(self) -> list[Test]:
        """Return the tests in source order; `elsewhere` then holds what is registered in other files.

        A test whose suites or own source are obscured by broken syntax is omitted: its id would be a guess.
        """
        self._elsewhere()
        if self.facts.unplaced:
            return []
        self._note_suites()
        found = []
        for number, call in enumerate(self.facts.calls):
            declared = self._declares(number)
            if declared is not None and declared.role == "test" and self._is_reached(number):
                found.append(self._test(number, call, declared) if self._is_placed_here(call, declared) else None)
        return [test for test in numbered(filter(None, found)) if not self._is_damaged(test)]

    def _is_damaged(self, test: Test) -> bool:
        return any(test.line <= last and first <= test.end_line for first, last in self.facts.damaged)

    def _is_placed_here(self, call: Call, declared: Declared) -> bool:
        """Whether a declaration is reported at its own position.

        In a test file all are, except those in functions that nothing calls. In a file that test files call, those with
        a literal name are; one with a computed name is reported where the test file makes the call.
        """
        if WHOLE_FILE not in self.reached:
            return not declared.dynamic or TOP in self.reached or not self._is_shown_at_calls()
        return self._is_used(call)

    def _is_used(self, call: Call) -> bool:
        while call.function < 0 and call.parent >= 0:
            call = self.facts.calls[call.parent]
        return call.function < 0 or self.facts.functions[call.function].used

    def _elsewhere(self) -> None:
        resolution = self.linker.resolution
        if TOP in self.reached or WHOLE_FILE in self.reached:
            paths = (resolution.resolve(self.path, module) for module in self.facts.effects if module.startswith("."))
            self.elsewhere += [(path, TOP) for path in paths if path is not None]
        for number, call in enumerate(self.facts.calls):
            for target in (call.target, call.handed):
                if target is None or target.binding < 0 or not self._is_reached(number):
                    continue
                if target is call.target and call.callback and self._role(number) == "test":
                    continue  # a test of its own, whose callback it passes to a project function
                found = self.linker.target(self.path, target)
                if isinstance(found, Ref) and (found.path != self.path or WHOLE_FILE not in self.reached):
                    self.elsewhere.append((found.path, found.function))

    def _is_reached(self, number: int) -> bool:
        if WHOLE_FILE in self.reached:
            return True
        call = self.facts.calls[number]
        if any(inside(self.facts, call, function) for function in self.reached if function >= 0):
            return True
        while call.function < 0 and call.parent >= 0:
            call = self.facts.calls[call.parent]
        return call.function < 0 and TOP in self.reached

    def _note_suites(self) -> None:
        """Record suites whose callback is a named function, and those without a callback that own what follows."""
        named: dict[str, list[int]] = {}
        for number, call in enumerate(self.facts.calls):
            declared = self._declares(number)
            if declared is None or declared.role != "suite":
                continue
            if call.callback_name:
                named.setdefault(call.callback_name, []).append(number)
            if not call.callback and declared.framework in _FLAT:
                self._flat.setdefault((call.parent, call.function), []).append(number)
        self._hosts = {name: numbers[0] for name, numbers in named.items() if len(numbers) == 1}

    def _declares(self, number: int) -> Declared | None:
        if number not in self._declared:
            self._declared[number] = self._read(self.facts.calls[number])
        return self._declared[number]

    def _role(self, number: int) -> str:
        """Return what a call declares; empty if it declares nothing."""
        declared = self._declares(number)
        return "" if declared is None else declared.role

    def _read(self, call: Call) -> Declared | None:
        found = self.linker.target(self.path, call.target)
        if isinstance(found, Ref):
            return self._through(call, found)
        if found is None or found.role == "namespace":
            return None
        framework = found.framework or self.framework
        is_declared = _is_declaration(call, found, framework) and not self._is_something_else(call)
        if not is_declared or (found.assumed and not call.inline):
            return None
        counted = not (found.assumed and self._kind(call) == "parameter")
        return Declared(found.role, framework, call.title, call.title_kind == "computed", counted)

    def _through(self, call: Call, function: Ref) -> Declared | None:
        """What a call of one of the project's own functions declares."""
        wrapper = self.linker.wrapper(function)
        if function.path == self.path and (wrapper is None or wrapper.meaning.role == "test"):
            return None  # in the same file, runners report the wrapper's own call as the declaration
        if wrapper is not None and call.callback:
            return self._wrapped(call, wrapper)
        if self._is_shown_at_calls() and WHOLE_FILE in self.reached and self.linker.registers(function):
            name = call.title if call.title_kind == "text" else call.text or call.title
            return Declared("test", self.framework, name, dynamic=True, counted=False)
        return None

    def _is_shown_at_calls(self) -> bool:
        """Whether the runner locates tests that another file's function generates at the call in the test file."""
        return self.framework == "vitest"

    def _is_something_else(self, call: Call) -> bool:
        """Whether this is `pattern.test(text)` on a parameter rather than `t.test("…", () => {})`."""
        is_given = not call.inline and self._kind(call) == "parameter"
        return is_given and self.facts.bindings[call.target.binding].owner < 0

    def _kind(self, call: Call) -> str:
        """Return what kind of binding is called; empty for a global."""
        return self.facts.bindings[call.target.binding].kind if call.target.binding >= 0 else ""

    def _wrapped(self, call: Call, wrapper: Wrapper) -> Declared | None:
        if call.title_kind not in {"text", "computed"}:
            return None
        framework = wrapper.meaning.framework or self.framework
        dynamic = call.title_kind == "computed" or not wrapper.verbatim or wrapper.parameter != 0
        return Declared(wrapper.meaning.role, framework, call.title, dynamic, counted=wrapper.verbatim)

    def _above(self, number: int) -> int:
        """Return the number of the call that encloses another: by callback, by function, or by preceding it."""
        call = self.facts.calls[number]
        before = [flat for flat in self._flat.get((call.parent, call.function), ()) if flat < number]
        if before and self._role(number) != "suite":
            return before[-1]
        around = self.facts.functions[call.function].name if call.function >= 0 else ""
        host = self._hosts.get(around, number)
        return call.parent if host == number else host

    def _test(self, number: int, call: Call, declared: Declared) -> Test | None:
        suite: list[str] = []
        noted: list[Annotation] = list(call.annotations)
        count, looped = call.cases * call.rounds, call.looped
        visited = {number}
        above = self._above(number)
        while above >= 0 and above not in visited:
            visited.add(above)
            outer, around = self._declares(above), self.facts.calls[above]
            if outer is not None:
                if outer.role == "test" and outer.framework not in _SUBTESTS and not self._is_suite_too(around):
                    return None
                suite.insert(0, outer.name)
                noted += around.annotations
                count *= around.cases if outer.role == "suite" else 1
            count *= around.rounds
            looped = looped or around.looped
            above = self._above(above)
        counted = count > 0 and call.parameter < 0 and declared.counted
        return Test(
            id=test_id(self.path, tuple(suite), declared.name),
            file=self.path,
            suite=tuple(suite),
            name=declared.name,
            line=call.line,
            name_line=call.name_line,
            end_line=call.end_line,
            language=language_of(self.path),
            framework=declared.framework,
            body_hash=call.body_hash,
            cases=count if counted else None,
            dynamic=declared.dynamic or looped,
            annotations=(*noted, *self.facts.annotations),
            helpers=call.helpers,
        )

    def _is_suite_too(self, call: Call) -> bool:
        """Whether a name is chosen at run time and a suite's is one of the choices: `flat ? it : describe`."""
        binding = self.facts.bindings[call.target.binding] if call.target.binding >= 0 else None
        given = [self.linker.target(self.path, one) for one in (binding.targets if binding is not None else ())]
        return any(isinstance(one, Meaning) and one.role == "suite" for one in given)

    def all_are_called(self) -> bool:
        """Whether every test of the file is declared by calls of its functions."""
        tests = [number for number in range(len(self.facts.calls)) if self._role(number) == "test"]
        return bool(tests) and all(map(self._is_reached, tests))

    def gaps(self) -> list[Gap]:
        """Return what could not be read in the file."""
        unread = [call for number, call in enumerate(self.facts.calls) if self._is_unread(number, call)]
        names = dict.fromkeys(call.target.root for call in unread)
        reason = unread_calls(len(unread), ", ".join(names)) + as_runners(names)
        above = (rows for call in unread for rows in call.rows if rows[1] < call.line)
        spans = tuple(dict.fromkeys((*((call.line, call.end_line) for call in unread), *above)))
        found = [Gap(self.path, reason, unread[0].name_line, spans=spans)] if unread else self._unread_rows()
        return found + [Gap(self.path, reason, line) for line, reason in self.facts.problems]

    def _unread_rows(self) -> list[Gap]:
        """Return the rows of calls that only the pact says declare tests; the tests themselves are all listed."""
        given = [call for call in self.facts.calls if call.rows and call.target.root in self.linker.declaring]
        reason = unread_rows(len(given), ", ".join(dict.fromkeys(call.target.root for call in given)))
        spans = tuple(span for call in given for span in call.rows)
        return [Gap(self.path, reason, given[0].name_line, bare=True, spans=spans)] if given else []

    def _is_unread(self, number: int, call: Call) -> bool:
        """Whether a call has a title and a function, but the called name can't be resolved."""
        if not (call.inline and call.arguments > 1 and call.title_kind in {"text", "computed"}):
            return False
        if not self._is_reached(number) or self.linker.target(self.path, call.target) is not None:
            return False
        kind = self._kind(call)
        if kind == "parameter":
            return _is_worded(call) and self._is_used(call) and not self._is_in_test(call)
        is_own = kind in {"local", "function"}
        return not is_own and self._is_among(call) and (not call.target.members or _is_worded(call))

    def _is_among(self, call: Call) -> bool:
        """Whether a call of something imported is a statement in a position where declarations occur."""
        if not call.alone or call.title_kind != "text" or call.target.root in _HOOKS or call.function >= 0:
            return False
        return call.parent < 0 or self._role(call.parent) == "suite"

    def _is_in_test(self, call: Call) -> bool:
        while call.parent >= 0:
            if self._role(call.parent) == "test":
                return True
            call = self.facts.calls[call.parent]
        return False


def _is_worded(call: Call) -> bool:
    """Whether the callee is named as runners name it: `it`, `it.skip`, `t.test`."""
    return not GLOBALS.isdisjoint((call.target.root, *call.target.members))


def _is_declaration(call: Call, meaning: Meaning, framework: str) -> bool:
    """Whether the arguments are those of a declaration rather than of a statement about the running test."""
    if call.arguments == 0:
        return False
    if meaning.role == "suite":
        return call.callback or framework in _FLAT or call.title_kind == "text"
    if call.title_kind == "function":
        return framework in _UNNAMED
    if framework == "playwright":
        return call.callback and call.title_kind != "none" and not _is_condition(call)
    return call.callback or call.title_kind == "text" or framework == "ava"  # a macro may title the test


def _is_condition(call: Call) -> bool:
    """Detect `test.skip(browserName === "webkit", reason())`, which is about the running test."""
    return not STATEMENTS.isdisjoint(call.target.members[-1:]) and call.title_kind == "computed" and not call.inline


def numbered(tests: Iterable[Test]) -> list[Test]:
    """Number same-named siblings `#2`, `#3` in source order, skipping names already taken."""
    tests = list(tests)
    taken = {test.id for test in tests}
    seen: set[str] = set()
    numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(2))
    result = []
    for test in tests:
        unique = test.id
        if unique in seen:
            candidates = (f"{test.id}#{number}" for number in numbers[test.id])
            unique = next(one for one in candidates if one not in taken)
        seen.add(unique)
        taken.add(unique)
        result.append(test if unique == test.id else replace(test, id=unique))
    return result


def collect(settings: Settings, source: FactSource) -> tuple[list[Test], list[Gap]]:
    """Return all tests, and what could not be read."""
    linker = Linker(source, Resolution(frozenset(source.paths), settings.projects), settings.declaring)
    tests: list[Test] = []
    gaps: list[Gap] = []
    waiting: deque[tuple[str, int, str]] = deque()
    alone: list[str] = []
    own = frozenset(source.candidates)
    for file in _files(settings, linker, source.candidates):
        tests += file.tests()
        gaps += file.gaps()
        waiting.extend((other, inner, file.framework) for other, inner in file.elsewhere if other not in own)
        if not file.elsewhere and not file.facts.effects:
            alone.append(file.path)
    shared, more = _shared(linker, waiting, own)
    tests, gaps = tests + shared, gaps + more
    for file in _files(settings, linker, _unnamed(settings, source, {test.file for test in tests})):
        tests += file.tests()
        gaps += file.gaps()
    return tests, gaps + _empty(settings, source, alone, {*(test.file for test in tests), *(gap.file for gap in gaps)})


def _empty(settings: Settings, source: FactSource, alone: Iterable[str], explained: Collection[str]) -> list[Gap]:
    """Report collected files without a test that hand nothing to another file; type tests are one gap together."""
    empty = [path for path in alone if path not in explained and not _is_support(path, source.read(path) or b"")]
    typed = [path for path in empty if _TYPED in path]
    found = [_none_read(settings, path) for path in empty if _TYPED not in path]
    if typed:
        found.append(Gap(typed[0], f"type tests are not read: {len(typed)} files like this one", 1, bare=True))
    return found


def _none_read(settings: Settings, path: str) -> Gap:
    unsure = next((settings.unsure[up] for up in upwards(path) if up in settings.unsure), "")
    if not unsure:
        return Gap(path, NONE_READ, 1, bare=True)
    reason = NONE_READ.replace("collects this file", f"may collect this file ({unsure})")
    return Gap(path, reason, 1, bare=True, spans=WHOLE)


def _is_support(path: str, source: bytes) -> bool:
    """Whether a file serves other files' tests: it exports something, or is called so; `a.test.ts` never does."""
    return _NAMED.search(path) is None and (_SUPPORT.search(path) or _EXPORTS.search(source)) is not None


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
    heads = {runner.folder: f"{runner.folder}/" if runner.folder else "" for runner in settings.runners}
    bare = [folder for folder, head in heads.items() if not any(path.startswith(head) for path in declaring)]
    usual = [globbed("", folder, COMMON) for folder in bare]
    known = {*source.candidates, *declaring}
    return [path for path in source.glimpses if path not in known and collected(path, usual)]


def _shared(linker: Linker, waiting: deque[tuple[str, int, str]], own: frozenset[str]) -> tuple[list[Test], list[Gap]]:
    """Return the tests of non-test files, as far as test files register them."""
    reached: dict[str, tuple[set[int], str]] = {}
    while waiting:
        path, function, framework = waiting.popleft()
        functions, _ = reached.setdefault(path, (set(), framework))
        facts = linker.facts(path) if function not in functions else None
        functions.add(function)
        if facts is not None:
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
            linker.source.called.update([path] if file.all_are_called() else [])
    return tests, gaps
