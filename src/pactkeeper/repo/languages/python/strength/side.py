"""The test-side files that a test rests on: its own, those it imports helpers from, and each conftest.py."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from pactkeeper.intent.claims import Attribute, Call, Collection, Expression, Name, Operation
from pactkeeper.intent.strength.decorating import keeps_quiet, muted_by
from pactkeeper.intent.strength.faking import of_the_language
from pactkeeper.intent.strength.frames import SELF
from pactkeeper.intent.strength.joining import place_of
from pactkeeper.intent.strength.program import YIELDED, Attempt, Bind, Block, Catch, Routine
from pactkeeper.intent.strength.substitution import substitute
from pactkeeper.intent.strength.terms import TEST_SIDE, last_name
from pactkeeper.repo.languages.adapter import upwards
from pactkeeper.repo.languages.python.claims.contexts import WATCHERS
from pactkeeper.repo.languages.python.claims.decorators import decorators
from pactkeeper.repo.languages.python.claims.expressions import Scope, expression, text_of
from pactkeeper.repo.languages.python.claims.helpers import (
    MAX_BASES,
    Definitions,
    Module,
    Opened,
    methods_of,
    module_candidates,
)
from pactkeeper.repo.languages.python.strength.lowering import routine
from pactkeeper.repo.languages.python.strength.marks import fixture_mark, fixtures_of, is_autouse
from pactkeeper.repo.languages.python.strength.values import (
    FRAMEWORK,
    module_values,
    plugins_of,
    record_of,
    replacements,
    shortened,
    stands_for,
)
from pactkeeper.repo.test_side import is_test_side

CLASS_SETUPS = ("setUpModule", "setUpClass", "setup_class", "asyncSetUp", "setUp", "setup_method", "setup")
CLASS_TEARDOWNS = ("tearDown", "teardown_method", "asyncTearDown", "teardown", "tearDownClass", "teardown_class")
_AROUND_TESTS = frozenset((*CLASS_SETUPS, *CLASS_TEARDOWNS))  # those of a test's bases are run one after the other
_WORD = re.compile(r"\w++")


@dataclass(slots=True)
class Side(Definitions):
    """Opens test-side files once and turns their functions into routines when they are called."""

    start: str = ""
    _routines: dict[tuple[str, int, int], Routine] = field(default_factory=dict)
    _lookups: dict[tuple[str, int], Callable[[Expression], Routine | None]] = field(default_factory=dict)
    _values: dict[str, dict[Expression, Expression]] = field(default_factory=dict)
    _fixtures: dict[str, dict[str, Node]] = field(default_factory=dict)
    _autouse: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _plugged: dict[str, tuple[Module, ...]] = field(default_factory=dict)
    _doubled: dict[str, frozenset[str]] = field(default_factory=dict)
    _replaced: dict[str, tuple[Call, ...]] = field(default_factory=dict)

    def opens(self, path: str, importer: str) -> bool:
        """Whether a file belongs to the test side, or stands beside the one that imports it."""
        return is_test_side(path) or path.rpartition("/")[0] == importer.rpartition("/")[0] != ""

    def sources(self, module: Module, name: str) -> list[tuple[str, str]]:
        """Return the modules that a name may come from, also those whose names are dropped in front of it."""
        plain = [(one, name) for one in sorted(module.modules)]
        return [module.imports[name]] if name in module.imports else plain

    def put(self, module: Module) -> None:
        """Add a file that is already parsed."""
        self._modules[module.path] = module
        self.start = self.start or module.path

    def routine(self, node: Node, module: Module, owner: Node | None = None) -> Routine:
        """Return the routine of a function, as an instance of a class sees it; each is created once.

        Its constants are the top-level values of its file that it mentions.
        """
        place = module.path, owner.start_byte if owner is not None else -1
        key = *place, node.start_byte
        if key not in self._routines:
            scope = Scope(module.modules, doubled=self.doubled(module))
            if place not in self._lookups:
                self._lookups[place] = self.lookup(module, owner)
            made = routine(node, scope, self._lookups[place])
            path = module.path if module.path != self.start else ""
            self._routines[key] = replace(made, constants=self._mentioned(node, module), path=path)
        return self._routines[key]

    def doubled(self, module: Module) -> frozenset[str]:
        """Return the names of the test framework that hold something of the test side's own that never fails."""
        if module.path not in self._doubled:
            own = {name for name in FRAMEWORK if self._is_double(name, module)}
            opened = ((place, one) for place in module.modules for one in self.imported(module, place))
            of_files = {f"{place}.{name}" for place, one in opened for name in WATCHERS if self._is_double(name, one)}
            self._doubled[module.path] = frozenset(own | of_files)
        return self._doubled[module.path]

    def _is_double(self, name: str, module: Module, hops: int = MAX_BASES) -> bool:
        if name not in module.imports:
            return stands_for(name, module)
        source, original = module.imports[name]
        if of_the_language(source):
            return original not in FRAMEWORK
        return hops > 0 and any(self._is_double(original, opened, hops - 1) for opened in self.imported(module, source))

    def _mentioned(self, node: Node, module: Module) -> Block:
        words = set(_WORD.findall(text_of(node)))
        values = self.values(module).items()
        return tuple(Bind(key, held) for key, held in values if isinstance(key, Name) and key.name in words)

    def values(self, module: Module) -> Mapping[Expression, Expression]:
        """Return what the top-level names of a file hold, computed once; files may import each other."""
        known = self._values.get(module.path)
        if known is None:
            known = self._values[module.path] = dict(self.imported_names(module))
            known[Name("__file__")] = place_of(module.path)
            for one in (*self._imported_values(module), *module_values(module)):
                if isinstance(one, Bind) and one.value is not None:
                    known[one.target] = substitute(one.value, known)
            for name, left in self._shortened(module):
                table = known.get(Name(name))
                if isinstance(table, Collection):
                    known[Name(name)] = Operation("changed", (table,)) if left else replace(table, items=())
        return known

    def _shortened(self, module: Module) -> Iterator[tuple[str, bool]]:
        """Yield the tables of a file that it or a conftest.py shortens, with whether rows may be left."""
        yield from shortened(module.root)
        for place in self.conftests(module.path):
            for name, left in shortened(place.root) if place is not module else ():
                source, original = place.imports.get(name, ("", ""))
                if source and module in self.imported(place, source):
                    yield original, left

    def lookup(self, module: Module, owner: Node | None) -> Callable[[Expression], Routine | None]:
        """Return a function that finds called helpers, as seen from a function of this file and class."""
        known: dict[Expression, Routine | None] = {}

        def find(function: Expression) -> Routine | None:
            holder = function.value if isinstance(function, Attribute) else function
            if not isinstance(holder, Name) and not _is_super(holder):
                return None
            if function not in known:
                known[function] = None  # while it is read, it may enter itself
                found = self._definition(function, module, owner)
                made = self._helper(*found) if found is not None else None
                known[function] = made or record_of(module, function) or self._quieting(module, function)
            return known[function]

        return find

    def _helper(self, node: Node, module: Module) -> Routine:
        made = self.routine(node, module, _owner(node))
        quiet = (Attempt(made.body, (Catch((), ()),)),)
        return replace(made, body=quiet) if self.muted(node, module) else made

    def muted(self, node: Node, module: Module) -> str:
        """Return why a decorator of the test side keeps a function from failing; "" if none does."""
        whys = (muted_by(one, makes_one=makes_one) for one, makes_one in self.decorating(node, module))
        return next(filter(None, whys), "")

    def decorating(self, node: Node, module: Module) -> Iterator[tuple[Routine, bool]]:
        """Yield a function's decorators of the test side, with whether a call makes them."""
        for mark in decorators(node):
            written = expression(mark, Scope(module.modules))
            made = self.values(module).get(written, written)
            source, _ = module.imports.get(last_name(written), ("", ""))
            places = (module, *(self.imported(module, source) if source and made is not written else ()))
            looked = (self.lookup(one, None)(made.function if isinstance(made, Call) else made) for one in places)
            found = next(filter(None, looked), None)
            yield from [(found, isinstance(made, Call))] if found is not None else []

    def _quieting(self, module: Module, function: Expression) -> Routine | None:
        """Return a class of the test side whose `__exit__` swallows a failure, as a generator that does so."""
        found = self.class_named(module, function.name) if isinstance(function, Name) else None
        leave = self.method(found[1], found[0], "__exit__") if found is not None else None
        if leave is None or not keeps_quiet(self.routine(*leave)):
            return None
        return Routine(last_name(function), (), (Attempt((Bind(YIELDED, SELF),), (Catch((), ()),)),))

    def _definition(self, function: Expression, module: Module, owner: Node | None) -> Opened | None:
        if isinstance(function, Name):
            return self.function(module, function.name)
        if not isinstance(function, Attribute):
            return None
        if owner is not None and _is_super(function.value):
            inherited = (self.method(place, base, function.name) for base, place in self.bases(module, owner))
            return None if function.name in _AROUND_TESTS else next(filter(None, inherited), None)
        if function.value in {Name("self"), Name("cls")}:
            return self.method(module, owner, function.name) if owner is not None else None
        if not isinstance(function.value, Name):
            return None
        return self._of_module(module, function) or self._of_class(module, function.value.name, function.name)

    def _of_class(self, module: Module, name: str, method: str) -> Opened | None:
        """Resolve the method of a class that a file knows, or a conftest.py that gives its tests an object of it."""
        found = (self.class_named(place, name) for place in (module, *self.conftests(module.path)))
        one = next(filter(None, found), None)
        return self.method(one[1], one[0], method) if one is not None else None

    def _of_module(self, module: Module, function: Attribute) -> Opened | None:
        """Resolve `helpers.check(...)`, with `helpers` an imported test-side module."""
        name = function.value.name if isinstance(function.value, Name) else ""
        if name not in module.imports:
            return None
        source, original = module.imports[name]
        joined = f"{source}{original}" if source.endswith(".") else f"{source}.{original}"
        for opened in self.imported(module, joined):
            if function.name in opened.functions:
                return opened.functions[function.name], opened
        return None

    def replacements(self, module: Module) -> tuple[Call, ...]:
        """Return what a file, and each conftest.py that pytest reads for it, replace of the product when imported."""
        places = (module, *self.conftests(module.path))
        return tuple(call for place in places for call in self.replaced_by(place))

    def replaced_by(self, module: Module) -> tuple[Call, ...]:
        """Return what one file replaces of the product when it is imported."""
        if module.path not in self._replaced:
            found = replacements(module, lambda source: any(self.imported(module, source)))
            self._replaced[module.path] = tuple(found)
        return self._replaced[module.path]

    def ancestors(self, module: Module, owner: Node) -> Iterator[Opened]:
        """Yield the classes of the test side that a class inherits from, each once, those of its first base first."""
        waiting, seen = list(self.bases(module, owner)), {owner.id}
        while waiting and len(seen) <= MAX_BASES:
            one, place = waiting.pop(0)
            if one.id not in seen:
                seen.add(one.id)
                yield one, place
                waiting[:0] = self.bases(place, one)

    def own_classes(self, module: Module) -> Iterator[str]:
        """Yield the names in a file that hold classes of the test side."""
        yield from module.classes
        for name, (source, original) in module.imports.items():
            if any(original in opened.classes for opened in self.imported(module, source)):
                yield name

    def conftests(self, path: str) -> Iterator[Module]:
        """Yield every conftest.py that pytest reads for a file, nearest first, each with the plugins it names."""
        for folder in upwards(path.rpartition("/")[0]):
            module = self.module(f"{folder}/conftest.py" if folder else "conftest.py")
            if module is not None:
                yield module
                yield from self._plugins(module)

    def _plugins(self, module: Module) -> tuple[Module, ...]:
        if module.path not in self._plugged:
            found = (next(self.imported(module, name), None) for name in plugins_of(module))
            self._plugged[module.path] = tuple(filter(None, found))
        return self._plugged[module.path]

    def fixture(self, module: Module, owner: Node | None, name: str) -> Routine | None:
        """Return the fixture that a test of this class and file gets by that name."""
        found = self.fixture_of(module, owner, name)
        if found is None:
            return None
        return self.routine(*found, owner if _owner(found[0]) is not None else None)

    def fixture_of(self, module: Module, owner: Node | None, name: str) -> Opened | None:
        """Return the function of that fixture and its file."""
        if owner is not None:
            found = self.method(module, owner, name)
            if found is not None and fixture_mark(found[0]) is not None:
                return found
        for place in (module, *self.conftests(module.path)):
            node = self._fixture_in(place, name)
            if node is not None:
                return node, place
            if name in place.imports:
                source, original = place.imports[name]
                for opened in self.imported(place, source):
                    found_node = self._fixture_in(opened, original)
                    if found_node is not None:
                        return found_node, opened
        return None

    def imported_names(self, module: Module) -> Iterator[tuple[Expression, Expression]]:
        """Yield the original names of imported names, marking those from the test side."""
        for name, (source, original) in module.imports.items():
            paths = module_candidates(module.path, source)
            if source.partition(".")[0] in {"tests", "test"} and any(is_test_side(path) for path in paths):
                yield Name(name), Attribute(TEST_SIDE, original)
            elif name != original:
                yield Name(name), Name(original)

    def _imported_values(self, module: Module) -> Iterator[Bind]:
        """Yield the values of imported names that a test-side file holds at top level."""
        for name, (source, original) in module.imports.items():
            held = (self.values(opened).get(Name(original)) for opened in self.imported(module, source))
            value = next((one for one in held if one is not None), None)
            if value is not None:
                yield Bind(Name(name), value)

    def autouse(self, module: Module, owner: Node | None) -> tuple[str, ...]:
        """Return the names of fixtures that run without being requested, farthest first."""
        found: list[str] = []
        for place in reversed([module, *self.conftests(module.path)]):
            found += self._autouse_of(place)
        if owner is not None:
            found += [name for name, node in methods_of(owner).items() if is_autouse(node)]
        return tuple(dict.fromkeys(found))

    def _autouse_of(self, module: Module) -> tuple[str, ...]:
        if module.path not in self._autouse:
            self._autouse[module.path] = tuple(name for name, node in module.functions.items() if is_autouse(node))
        return self._autouse[module.path]

    def _fixture_in(self, module: Module, name: str) -> Node | None:
        """Return the fixture that a file defines under a custom name or its function's; a file is searched once."""
        if module.path not in self._fixtures:
            self._fixtures[module.path] = fixtures_of(module)
        return self._fixtures[module.path].get(name)


def _is_super(one: Expression) -> bool:
    return isinstance(one, Call) and one.function == Name("super")


def _owner(node: Node) -> Node | None:
    parent = node.parent
    while parent is not None and parent.type != "class_definition":
        parent = parent.parent
    return parent
