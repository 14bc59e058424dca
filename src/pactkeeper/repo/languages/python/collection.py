"""What pytest and unittest would collect, by their own rules, from the names that a module binds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.intent.tests import Gap, escape_part
from pactkeeper.repo.languages.python import classes
from pactkeeper.repo.languages.python.classes import Character, Classes, function_switch, switch
from pactkeeper.repo.languages.python.facts import MAKERS, Binding, File, Group
from pactkeeper.repo.languages.python.names import Names
from pactkeeper.repo.languages.python.namespace import Defined, External, Meaning, Namespace, Space, Value
from pactkeeper.repo.languages.python.settings import Runner, Scope

UNITTEST_NAMES = Names(("test",))
_NESTING = 20  # a class may contain itself

_TAKEN: Final = "is taken for a TestCase"
_CONSTRUCTED: Final = "it has a constructor; do that work in `setup_method` or a fixture"


@dataclass(slots=True)
class Collection:
    """Everything collected so far: each function with the frameworks and places that run it, by first encounter.

    With `by_shape`, every class with tests counts as a test class, because a hook in the repository decides which do.
    `barren` are the modules that gave no test, not even an imported or inherited one; `added` counts the others'.
    """

    namespace: Namespace
    classes: Classes
    read: Callable[[str], bytes | None]
    found: dict[tuple[Space, int], tuple[Defined, set[str], dict[str, None]]] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)
    mentions: dict[str, bool] = field(default_factory=dict)
    by_shape: bool = False
    added: int = 0
    barren: set[str] = field(default_factory=set)
    taken: set[tuple[str, str, str]] = field(default_factory=set)
    passed: list[tuple[Space, str]] = field(default_factory=list)

    def uncollected(self) -> Iterator[Gap]:
        """Yield a gap for each class with tests that was passed over, with the reason, unless a subclass runs them."""
        for space, reason in dict.fromkeys(self.passed):
            starts = [b.function.start for b in space.fact.bindings if b.function is not None]
            if not any((space, start) in self.found for start in starts):
                yield Gap(space.path, reason, getattr(space.fact, "line", 0))

    def module(self, space: Space, scope: Scope, runner: Runner) -> None:
        """Collect from one test module."""
        if switch(space) is False:
            return
        before = self.added
        _Module(self, space, scope, runner).collect()
        if self.added == before:
            self.barren.add(space.path)

    def mentions_testcase(self, path: str) -> bool:
        """Whether a file may define a TestCase; checked before parsing it for a name that doesn't look like a test."""
        if path not in self.mentions:
            self.mentions[path] = b"TestCase" in (self.read(path) or b"")
        return self.mentions[path]

    def add(self, test: Defined, framework: str, by: Space) -> None:
        """Record a test at the place where it is defined, with the class or module that runs it."""
        self.added += 1
        key = (test.space, test.function.start)
        _, frameworks, places = self.found.setdefault(key, (test, set(), {}))
        frameworks.add(framework)
        if by is not test.space and not classes.is_skipped(by):
            places["::".join(escape_part(part) for part in (by.path, *by.suite))] = None


@dataclass(frozen=True, slots=True)
class _Module:
    """One module while tests are collected from it."""

    all: Collection
    space: Space
    scope: Scope
    runner: Runner

    def collect(self) -> None:
        for name in self.space.names():
            if name == "*" or "." in name:
                continue
            for index in self.space.live(name):
                binding = self.space.fact.bindings[index]
                if self._interesting(binding):
                    self.item(self.all.namespace.meaning(self.space, index), name, binding)
        self._made_classes()
        if self.scope.imported:
            for name in self._starred():
                meaning = self.all.namespace.lookup(self.space, name)
                if meaning is not None:
                    self.item(meaning, name, None)

    def _made_classes(self) -> None:
        """Collect classes from which others are made at import, and report test classes that are filled there."""
        for note in self.space.fact.made if isinstance(self.space.fact, File) else ():
            for source in note.sources:
                found = self.all.namespace.lookup(self.space, source)
                if not isinstance(found, Space) or found.parent is None:
                    continue
                if note.reason:
                    self.testcase(found)
                elif self._is_filled(note.sources[0], found, source):
                    reason = f"{note.sources[0]}({source}) sets attributes by name at import; tests may be among them"
                    self.all.gaps.append(Gap(self.space.path, reason, note.line))

    def _is_filled(self, function: str, group: Space, name: str) -> bool:
        """Whether a test class is passed to a function of the repository whose file sets attributes by name."""
        called = self.all.namespace.lookup(self.space, function)
        if not isinstance(called, Defined) or b"setattr(" not in (self.all.read(called.space.path) or b""):
            return False
        return self.scope.classes.matches(name) or self.all.classes.character(group).testcase

    def _starred(self) -> Iterator[str]:
        own = set(self.space.names())
        for source in self.all.namespace.stars(self.space):
            yield from sorted(self.all.namespace.exports(source) - own)

    def _interesting(self, binding: Binding) -> bool:
        """Whether a name can be a test; imports are only followed into their files if the name looks like one."""
        if binding.kind != "import":
            return binding.kind not in {"deleted", "literal"}
        if not self.scope.imported or not binding.attribute:
            return False
        if self.scope.functions.matches(binding.name) or self.scope.classes.matches(binding.name):
            return True
        origin = self.all.namespace.origin(self.space, binding)
        if not origin:
            return False
        return "test" in f"{origin}.{binding.attribute}".lower() or (
            binding.attribute[:1].isupper() and self._mentions_testcase(origin)
        )

    def _mentions_testcase(self, origin: str) -> bool:
        self.all.namespace.rests[self.space.path].add(origin)
        return self.all.mentions_testcase(origin)

    def item(self, meaning: Meaning, name: str, binding: Binding | None) -> None:
        """Collect what a name of the module refers to."""
        if isinstance(meaning, Defined):
            if self.runner == "pytest" and self._is_test(meaning, name, self.scope.functions):
                self.all.add(meaning, "pytest", self.space)
        elif isinstance(meaning, Space) and meaning.parent is not None:
            self.group(meaning, name)
        elif isinstance(meaning, Value) and binding is not None:
            self._made(binding, self.space.path)

    def group(self, space: Space, name: str, depth: int = 0) -> None:
        """Collect a class under the name it is bound to."""
        character = self.all.classes.character(space)
        if character.switch is False or character.abstract:
            return
        if character.testcase:
            self._warn_of_making(space, name, character.metaclass)
            self.testcase(space)
            self._unseen(
                space, name, tuple(filter(classes.is_foreign_test, character.unseen)), "is taken for a TestCase"
            )
        elif self.runner == "pytest" and self._is_wanted(space, name, character):
            if not character.constructed:
                self._warn_of_making(space, name, character.metaclass)
                self.plain(space, depth)
            else:
                self._pass_over(space, f"pytest never runs the tests of class {name}: {_CONSTRUCTED}")
        elif character.unseen and space.path == self.space.path:
            self._unseen(space, name, character.unseen, "may be a test class")
        else:
            self._pass_over(space, f"nothing runs the tests of class {name}: {self._passed()}")

    def _is_wanted(self, space: Space, name: str, character: Character) -> bool:
        if self.scope.classes.matches(name) or character.switch:
            return True
        return self.all.by_shape and not name.startswith("_") and self._looks_like_tests(space)

    def _pass_over(self, space: Space, reason: str) -> None:
        if space.path == self.space.path and self._looks_like_tests(space):
            self.all.passed.append((space, reason))

    def _passed(self) -> str:
        if self.runner != "pytest":
            return "it derives from no TestCase; derive it from one, or rename methods that are no tests"
        patterns = " ".join(self.scope.classes.words)
        return (
            f"its name matches no pattern of python_classes ({patterns}); rename the class, or methods that are no "
            "tests; where your pytest collects it, add the pattern to `[tests] classes` in pact/pact.toml"
        )

    def _warn_of_making(self, space: Space, name: str, metaclass: str) -> None:
        """Report a class whose metaclass may make tests, or without tests, a function that is given the class."""
        if metaclass:
            self._gap(space, f"class {name} has the metaclass {metaclass}, which may make tests")
        elif (maker := self._maker(space)) and not self._looks_like_tests(space):
            self._gap(space, f"class {name} has no test of its own, and {maker} may make some")

    def _maker(self, space: Space) -> str:
        """Return the repository's function that is given a class once it is made, or else an empty string."""
        names = self.all.namespace
        inherited = names.member(space, "__init_subclass__")
        if isinstance(inherited, Defined) and inherited.space is not space:
            return "__init_subclass__"
        decorators = space.fact.decorators if isinstance(space.fact, Group) else ()
        return next((one for one in decorators if isinstance(names.lookup(space.module, one), Defined)), "")

    def _unseen(self, space: Space, name: str, bases: tuple[str, ...], judged: str) -> None:
        """Report a class with tests whose bases can't be seen; of those taken for a TestCase, a file's first one."""
        shown = ", ".join(sorted(base or "a computed base" for base in bases))
        if (space.path, shown, judged) in self.all.taken or not bases or not self._looks_like_tests(space):
            return
        if judged == _TAKEN:
            self.all.taken.add((space.path, shown, judged))
        self._gap(space, f"class {name} derives from {shown}, which cannot be seen; it {judged}")

    def plain(self, space: Space, depth: int) -> None:
        """Collect a class as pytest does: functions and classes by name, using the nearest definition of each."""
        for meaning, name in self._members(space, self._may_be_collected):
            if isinstance(meaning, Defined):
                if self._is_test(meaning, name, self.scope.functions):
                    self.all.add(meaning, "pytest", space)
            elif isinstance(meaning, Space) and meaning.parent is not None and depth < _NESTING:
                self.group(meaning, name, depth + 1)
            elif isinstance(meaning, Value):
                self._made(meaning.binding, meaning.space.path)

    def testcase(self, space: Space) -> None:
        """Collect a TestCase as unittest does: callables whose name starts with `test`, or else `runTest`."""
        found: list[Defined] = []
        for meaning, name in self._members(space, _is_unittest_name):
            if isinstance(meaning, Defined) and self._is_test(meaning, name, UNITTEST_NAMES):
                found.append(meaning)
            elif isinstance(meaning, Value):
                self._made(meaning.binding, meaning.space.path)
        if not found:
            run = self.all.namespace.member(space, "runTest")
            found = [run] if isinstance(run, Defined) and _in_tests(run.space.path, self.space.path) else []
        for meaning in found:
            self.all.add(meaning, "unittest", space)

    def _members(self, space: Space, wanted: Callable[[Binding], bool]) -> Iterator[tuple[Meaning, str]]:
        """Yield attributes with a wanted binding anywhere in the MRO, each from the class where Python finds it."""
        mro = [base for base in self.all.namespace.mro(space) if isinstance(base, Space)]
        chosen = dict.fromkeys(binding.name for base in mro for binding in base.fact.bindings if wanted(binding))
        for name in chosen:
            for base in mro:
                if held := self.all.namespace.held(base, name):
                    yield from ((meaning, name) for meaning in held)
                    break

    def _may_be_collected(self, binding: Binding) -> bool:
        if binding.kind == "class":
            return True
        if self.scope.functions.matches(binding.name) or self.scope.classes.matches(binding.name):
            return True
        return binding.function is not None and bool(classes.test_switch(binding.function.decorators))

    def _is_test(self, found: Defined, name: str, names: Names) -> bool:
        said = function_switch(found)
        if said is False or not (names.matches(name) or (said and names is not UNITTEST_NAMES)):
            return False
        if not found.function.decorators:
            return True
        decorators = [self._decorator(found, decorator) for decorator in found.function.decorators]
        return not any(classes.is_attribute(name) or classes.is_fixture(name) for name in decorators)

    def _decorator(self, found: Defined, decorator: str) -> str:
        """Return the name a decorator was imported by, as in `from pytest import fixture as made`."""
        space = found.space.module
        for index in space.positions(decorator) if "." not in decorator else ():
            binding = space.fact.bindings[index]
            if binding.kind == "import" and binding.attribute:
                return f"{binding.target}.{binding.attribute}"
        return decorator

    def _looks_like_tests(self, space: Space) -> bool:
        return any(
            isinstance(meaning, Defined) and self._is_test(meaning, name, self.scope.functions)
            for meaning, name in self._members(space, self._may_be_collected)
        )

    def _made(self, binding: Binding, path: str) -> None:
        """Report a name that looks like a test, or any class derived from a TestCase, that is created by a call."""
        is_class = self.scope.classes.matches(binding.name) or self._is_derived(binding)
        if binding.kind != "call" or not (is_class or self.scope.functions.matches(binding.name)):
            return
        made_by = classes.last(binding.target)
        if not made_by or (not is_class and (made_by[:1].isupper() or made_by in _DATA)) or ".mark." in binding.target:
            return
        if is_class and made_by in _CLASS_DATA:
            return
        reason = f"{binding.name} is made by calling {binding.target}; whether it is a test cannot be read"
        self.all.gaps.append(Gap(path, reason, binding.line))

    def _is_derived(self, binding: Binding) -> bool:
        """Whether `type("Name", (Base,), …)` makes a TestCase; the tests of its bases are collected."""
        found = [
            self.all.namespace.lookup(self.space, base)
            for base in binding.arguments
            if classes.last(binding.target) in MAKERS
        ]
        own = [base for base in found if isinstance(base, Space) and self.all.classes.character(base).testcase]
        for base in own:
            self.testcase(base)
        return bool(own) or any(isinstance(base, External) and classes.is_testcase(base.dotted) for base in found)

    def _gap(self, place: Space, reason: str) -> None:
        self.all.gaps.append(Gap(place.path, reason, getattr(place.fact, "line", 0)))


def _is_unittest_name(binding: Binding) -> bool:
    return binding.name.startswith("test")


def _in_tests(path: str, module: str) -> bool:
    """Whether a `runTest` is a project's own test, as opposed to a test library's default."""
    return path == module or any(part.startswith("test") for part in path.split("/"))


_DATA = frozenset(
    {"dict", "list", "tuple", "set", "frozenset", "str", "int", "bytes", "float", "open", "range", "sorted"}
    | {"join", "compile", "namedtuple", "object", "getLogger", "getenv", "dirname", "abspath", "dedent"}
    | {"encode", "decode", "format", "param", "deque", "defaultdict", "read_text", "read_bytes", "loads"}
    | {"load", "bytearray"}
)
_CLASS_DATA = frozenset(
    {"namedtuple", "NamedTuple", "TypedDict", "TypeVar", "NewType", "Enum", "IntEnum", "make_dataclass"}
)
