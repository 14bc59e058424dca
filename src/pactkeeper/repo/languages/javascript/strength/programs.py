"""The programs of one file's tests, and of the functions in a file that supports tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.claims import Attribute, Collection, Expression, Name
from pactkeeper.intent.strength.conditions import left_by, settled_by_rows
from pactkeeper.intent.strength.program import MOST_ROWS, Bind, Block, Parameter, Program, Routine, Skip, rows_of
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages.javascript.claims.imports import resolve
from pactkeeper.repo.languages.javascript.claims.locate import (
    Located,
    locate,
)
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in
from pactkeeper.repo.languages.javascript.claims.project import Project
from pactkeeper.repo.languages.javascript.claims.relations import holds
from pactkeeper.repo.languages.javascript.claims.syntax import (
    body_of,
    chain,
    children,
    descend,
    is_function,
    parameters_of,
    text,
)
from pactkeeper.repo.languages.javascript.strength.judges import Declarers, inner_judge, judge_of, own_names
from pactkeeper.repo.languages.javascript.strength.marks import (
    body_statements,
    is_only,
    leaving_statements,
    only_nodes,
    owners_of,
    renamed_skips,
    skips_of,
    stated_skips,
)
from pactkeeper.repo.languages.javascript.strength.mocks import mocked_modules, replaced_at_once
from pactkeeper.repo.languages.javascript.strength.routines import Side, functions_of
from pactkeeper.repo.languages.javascript.strength.tables import Tables
from pactkeeper.repo.languages.javascript.strength.types import typed_in
from pactkeeper.repo.languages.javascript.strength.values import (
    called_arguments,
    scope_of_module,
)

if TYPE_CHECKING:
    from tree_sitter import Node

Read = Callable[[str], bytes | None]
_BEFORE: Final = frozenset({"beforeAll", "beforeEach", "before", "setup", "suiteSetup"})
_AFTER: Final = frozenset({"afterEach", "afterAll", "after", "teardown", "suiteTeardown"})
_TABLES: Final = frozenset({"array", "object"})
_TOO_DEEP: Final = "its source is nested too deeply"
_HOOK_PARTS: Final = 2
_OWN_MOCKS: Final = Bind(Attribute(Name("t"), "mock"), Name("mock"))  # in node:test, both names reach mocks


def programs(path: str, source: bytes, *, tests: Sequence[Test], read: Read) -> Mapping[str, Program]:
    """Return the programs of the given tests of one file, by test id; one whose function isn't found is unread."""
    project = Project(read)
    module = project.open(path, source)
    located = locate(module, tests)
    file = _File(Side(project, any(test.framework == "playwright" for test in tests), path), module, located)
    return {test.id: file.program(test) for test in tests}


def support(path: str, source: bytes, *, read: Read) -> Mapping[str, Program]:
    """Return the programs of all functions in a file by name; methods are qualified by their class."""
    project = Project(read)
    module = project.open(path, source)
    side = Side(project)
    found: dict[str, Program] = {}
    for name, node in functions_of(module.root):
        line = node.start_point[0] + 1
        try:
            constants = side.block(module, "module", children(module.root), frozenset())
            found[name] = Program(name, side.routine(module, node, name), setups=(constants,), script=True, line=line)
        except RecursionError:
            found[name] = Program(name, Routine(name), line=line, unread=(_TOO_DEEP,))
    return found


def hooks(path: str, source: bytes, *, read: Read) -> Program:
    """Return what a setup file does around every test, as the program of a test that does nothing itself."""
    project = Project(read)
    file = _File(Side(project, tests=path), project.open(path, source), {})
    try:
        return Program(path, Routine("setup"), setups=file.around(()), script=True)
    except RecursionError:
        return Program(path, Routine("setup"), unread=(_TOO_DEEP,))


@dataclass(slots=True)
class _File:
    """What all tests of a file share."""

    side: Side
    module: Module
    located: Mapping[str, Located]
    fixtures: dict[str, tuple[Module, Node]] = field(default_factory=dict)
    tables: Tables = field(init=False)
    only: bool = False
    judge: str = ""
    doubles: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    declarers: Declarers = field(init=False)
    hooks: dict[int, tuple[tuple[Routine, ...], tuple[Routine, ...]]] = field(default_factory=dict)
    declared: frozenset[int] = frozenset()
    _skips: dict[int, tuple[Skip, ...]] = field(default_factory=dict)
    _left: dict[int, list[Node]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.declared = frozenset(each.node.id for each in self.located.values())
        self.fixtures = dict(self._fixtures(self.module, 0))
        self.tables = Tables(self.module, scope_of_module(self.module).with_bindings(self._rows_of_imports()))
        self.declarers = Declarers(self.side.project, self.module)
        self.only = any(map(self._runs, only_nodes(self.module.root)))
        self.judge = judge_of(self.side.project, self.module)
        self.doubles = tuple(sorted({*own_names(self.side.project, self.module)}))
        imports = self.module.imports.items()
        self.sources = tuple(
            sorted({f"{source}.{name}" for local, (source, there) in imports for name in (local, there)})
        )

    def _rows_of_imports(self) -> dict[str, Expression]:
        """Return the tables that the file imports from the test side, unless they have more rows than are compared."""
        held: dict[str, Expression] = {}
        for name in self.module.imports:
            found = self.side.project.value_named(self.module, name)
            value = scope_of_module(found[0]).read(found[1]) if found is not None and found[1].type in _TABLES else None
            if isinstance(value, Collection) and len(value.items) <= MOST_ROWS:
                held[name] = value
        return held

    def _runs(self, declaration: Node) -> bool:
        """Whether what surrounds a declaration lets some row of its tables reach it."""
        owners = owners_of(declaration)
        skips = skips_of(owners, self.module, scope_of_module(self.module), only=False, leaving=self._leaving)
        rows = list(rows_of(tuple(self.tables.of(owners))))
        return bool(left_by(settled_by_rows(skips, rows), rows))

    def program(self, test: Test) -> Program:
        """Return the program of one test; source nested too deeply for the interpreter is unread."""
        found = self.located.get(test.id)
        if found is None:
            todo = _is_todo(self.module, test)
            skips = (Skip("todo", line=test.line),) if todo else ()
            unread = () if todo else ("its declaration was not found",)
            return Program(test.id, Routine(test.name), skips=skips, unread=unread, line=test.line)
        try:
            return self._program(test, found)
        except RecursionError:
            return Program(test.id, Routine(test.name), unread=(_TOO_DEEP,), line=test.line)

    def _program(self, test: Test, found: Located) -> Program:
        scope = scope_of_module(self.module)
        owners = owners_of(found.node)
        suites = [node for node in owners[1:] if node.type == "call_expression" or is_function(node)]
        skips = [
            *skips_of(owners, self.module, scope, only=self.only, leaving=self._leaving),
            *self._stated([found.node, *suites]),
            *self.tables.skips(owners),
            *renamed_skips(owners, self.module.root),
        ]
        tables = tuple(self.tables.of(owners))
        if is_only(found.node):  # rows that don't ask for it run elsewhere
            skips = [skip for skip in skips if skip not in settled_by_rows(skips, list(rows_of(tables)))]
        todo = found.function is None and any(skip.kind == "todo" for skip in skips)
        unread = [] if found.function is not None or todo or skips else ["its function is not in sight"]
        if found.node.has_error:
            unread.append("its source does not parse")
        filled = {name for table in tables for name in table.names}
        runner, relay = self.declarers.of(owners)
        return Program(
            test.id,
            self._routine(found, test.name),
            setups=self.around(suites, found.node),
            fixture=lambda name: None if name in filled else self._fixture(name),
            tables=tables,
            functions={key: self.side.routine(self.module, node, "") for key, node in self.tables.functions.items()},
            skips=tuple(skips),
            script=True,
            states=holds,
            line=test.line,
            unread=unread,
            judge=self.judge or inner_judge(self.side.project, self.module, found.node),
            runner=runner,
            relay=relay,
            doubles=self.doubles,
            sources=self.sources,
            typed=() if found.function is None else typed_in(self.module, found.function, self.declared),
        )

    def _leaving(self, owner: Node) -> list[Node]:
        if owner.id not in self._left:
            self._left[owner.id] = leaving_statements(owner)
        return self._left[owner.id]

    def _stated(self, suites: Sequence[Node]) -> Iterator[Skip]:
        for owner in (*suites, self.module.root):
            if owner.id not in self._skips:
                self._skips[owner.id] = tuple(self._stated_in(owner))
            yield from self._skips[owner.id]

    def _stated_in(self, owner: Node) -> Iterator[Skip]:
        scope = scope_of_module(self.module)
        if owner.id == self.module.root.id:
            return stated_skips(children(owner), scope, "file")
        return stated_skips(body_statements(owner), scope, "suite")

    def _routine(self, found: Located, name: str) -> Routine:
        function = found.function
        if function is None:
            return Routine(name)
        routine = self.side.routine(self.module, function, name, self.declared)
        return _filled(routine, function, parameters_of(function))

    def around(self, suites: Sequence[Node], test: Node | None = None) -> tuple[Routine, ...]:
        """Return what runs before and after the test: constants and hooks of its file and suites, outermost first.

        Parameters of functions between two suites, or a suite and the test, hide constants of the outer ones.
        """
        before: list[Routine] = []
        after: list[Routine] = []
        for owner in (None, *reversed(suites)):
            before += _hiding(owner)
            first, last = self._hooks(owner)
            before += first
            after += last
        return (*before, *_hiding(test), *after)

    def _hooks(self, owner: Node | None) -> tuple[tuple[Routine, ...], tuple[Routine, ...]]:
        key = owner.start_byte if owner is not None else -1
        found = self.hooks.get(key)
        if found is None:
            found = self.hooks[key] = self._read_hooks(owner)
        return found

    def _read_hooks(self, owner: Node | None) -> tuple[tuple[Routine, ...], tuple[Routine, ...]]:
        statements = children(self.module.root) if owner is None else body_statements(owner)
        constants = self.side.block(self.module, "module" if owner is None else "suite", statements, frozenset())
        opening: Block = tuple(replaced_at_once(statements, scope_of_module(self.module)))
        if owner is None:
            mocked = mocked_modules(self.module, self.side.project)
            opening = (_OWN_MOCKS, *self.side.imported(self.module), *mocked, *opening)
        constants = Routine(constants.name, (), (*opening, *constants.body), lookup=constants.lookup)
        before, after = [constants], list[Routine]()
        for statement in statements:
            name, function = self._hook(statement)
            if function is not None:
                routine = _filled(self.side.routine(self.module, function, name), function, parameters_of(function))
                (before if name in _BEFORE else after).append(routine)
        return tuple(before), tuple(after)

    def _hook(self, statement: Node) -> tuple[str, Node | None]:
        links = chain(statement) if statement.type == "expression_statement" else ()
        name = links[-1].name if 0 < len(links) <= _HOOK_PARTS else ""
        if name not in _BEFORE | _AFTER:
            return name, None
        for each in called_arguments(links[-1].node):
            if is_function(each):
                return name, each
            if each.type == "identifier":
                return name, self.module.function(text(each), each.start_byte)
        return name, None

    def _fixture(self, name: str) -> Routine | None:
        found = self.fixtures.get(name)
        if found is None:
            return None
        module, function = found
        return _filled(self.side.routine(module, function, name), function, parameters_of(function)[:1])

    def _fixtures(self, module: Module, depth: int) -> Iterator[tuple[str, tuple[Module, Node]]]:
        """Yield the fixtures of `test.extend({…})` in a file and in the file its `test` is imported from."""
        for local in ("test", "it", "base"):
            source = module.imports.get(local, ("", ""))[0]
            found = resolve(module.path, source, self.side.project.read) if source and not depth else None
            if found is not None:
                yield from self._fixtures(self.side.project.open(*found), depth + 1)
        for node in descend(module.root) if b"extend" in (module.root.text or b"") else ():
            links = chain(node) if node.type == "call_expression" else ()
            if links and links[-1].name == "extend" and links[0].name != "expect":
                yield from _written_fixtures(module, node)


def _hiding(owner: Node | None) -> list[Routine]:
    """Return what the parameters of the function that a suite or test stands in hide."""
    above = owner.parent if owner is not None else None
    while above is not None and not is_function(above):
        above = above.parent
    names = [text(name) for one in (parameters_of(above) if above is not None else ()) for name in names_in(one)]
    return [Routine("suite", (), tuple(Bind(Name(name), Name(name)) for name in names))] if names else []


def _is_todo(module: Module, test: Test) -> bool:
    """Whether a test is only announced (`todo`), without a function."""
    for node in descend(module.root):
        if node.type == "call_expression" and test.line <= node.start_point[0] + 1 <= test.end_line:
            return chain(node)[-1].name == "todo"
    return False


def _written_fixtures(module: Module, call: Node) -> Iterator[tuple[str, tuple[Module, Node]]]:
    for given in called_arguments(call):
        for pair in children(given) if given.type == "object" else ():
            value = pair if pair.type == "method_definition" else pair.child_by_field_name("value")
            function = next((each for each in descend(value) if is_function(each)), None) if value is not None else None
            name = pair.child_by_field_name("name") or pair.child_by_field_name("key")
            if function is not None and name is not None and body_of(function) is not None:
                yield text(name).strip("\"'"), (module, function)


def _filled(routine: Routine, function: Node, parameters: Sequence[Node]) -> Routine:
    """Convert a function called by a runner: its parameters are fixtures, by name."""
    names = [text(each) for parameter in parameters for each in names_in(parameter)]
    body = routine.body[_openings(function) :]
    return replace(routine, parameters=tuple(Parameter(each) for each in names), body=body)


def _openings(function: Node) -> int:
    """Count the statements that destructure a routine's parameters; a runner fills the names directly."""
    taken = [each for each in parameters_of(function) if each.type.endswith("_pattern") and each.type != "rest_pattern"]
    return sum(len(names_in(each)) for each in taken if each.type != "assignment_pattern" or "_pattern" in _left(each))


def _left(node: Node) -> str:
    left = node.child_by_field_name("left")
    return left.type if left is not None else ""
