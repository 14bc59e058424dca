"""The programs of one file's tests, and of the functions in a file that supports tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.claims import Attribute, Collection, Expression, Name, Operation, Value
from pactkeeper.intent.strength.program import Bind, Block, Parameter, Program, Routine, Skip, Table
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.imports import resolve
from pactkeeper.repo.languages.javascript.claims.locate import (
    Located,
    callback_of,
    locate,
    resolved_table,
    template_rows,
)
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in
from pactkeeper.repo.languages.javascript.claims.project import Project
from pactkeeper.repo.languages.javascript.claims.syntax import (
    arguments_of,
    body_of,
    chain,
    children,
    descend,
    is_function,
    parameters_of,
    squeezed,
    text,
)
from pactkeeper.repo.languages.javascript.strength.calls import mocked_modules
from pactkeeper.repo.languages.javascript.strength.marks import (
    body_statements,
    leaving_statements,
    marked_only,
    owners_of,
    skips_of,
    stated_skips,
)
from pactkeeper.repo.languages.javascript.strength.routines import Side, functions_of
from pactkeeper.repo.languages.javascript.strength.values import (
    bindings_of,
    called_arguments,
    receiver_of,
    scope_of_module,
)

if TYPE_CHECKING:
    from tree_sitter import Node


Read = Callable[[str], bytes | None]
_BEFORE: Final = frozenset({"beforeAll", "beforeEach", "before", "setup", "suiteSetup"})
_AFTER: Final = frozenset({"afterEach", "afterAll", "after", "teardown", "suiteTeardown"})
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
            found[name] = Program(name, side.routine(module, node, name), setups=(constants,), line=line)
        except RecursionError:
            found[name] = Program(name, Routine(name), line=line, unread=(_TOO_DEEP,))
    return found


@dataclass(slots=True)
class _File:
    """What all tests of a file share."""

    side: Side
    module: Module
    located: Mapping[str, Located]
    fixtures: dict[str, tuple[Module, Node]] = field(default_factory=dict)
    only: bool = False
    hooks: dict[int, tuple[tuple[Routine, ...], tuple[Routine, ...]]] = field(default_factory=dict)
    declared: frozenset[int] = frozenset()
    _skips: dict[int, tuple[Skip, ...]] = field(default_factory=dict)
    _left: dict[int, list[Node]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.declared = frozenset(each.node.id for each in self.located.values())
        self.fixtures = dict(self._fixtures(self.module, 0))
        self.only = marked_only(self.module.root)

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
        suites = [node for node in owners[1:] if node.type == "call_expression"]
        skips = [
            *skips_of(owners, self.module, scope, only=self.only, leaving=self._leaving),
            *self._stated([found.node, *suites]),
        ]
        todo = found.function is None and any(skip.kind == "todo" for skip in skips)
        unread = [] if found.function is not None or todo or skips else ["its function is not in sight"]
        if found.node.has_error:
            unread.append("its source does not parse")
        tables = tuple(tables_of(owners, self.module, scope))
        filled = {name for table in tables for name in table.names}
        return Program(
            test.id,
            self._routine(found, test.name),
            setups=self._setups(suites),
            fixture=lambda name: None if name in filled else self._fixture(name),
            tables=tables,
            skips=tuple(skips),
            line=test.line,
            unread=unread,
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

    def _setups(self, suites: Sequence[Node]) -> tuple[Routine, ...]:
        """Return what runs before and after the test: constants and hooks of its file and suites, outermost first."""
        before: list[Routine] = []
        after: list[Routine] = []
        for owner in (None, *reversed(suites)):
            first, last = self._hooks(owner)
            before += first
            after += last
        return (*before, *after)

    def _hooks(self, owner: Node | None) -> tuple[tuple[Routine, ...], tuple[Routine, ...]]:
        key = owner.start_byte if owner is not None else -1
        found = self.hooks.get(key)
        if found is None:
            found = self.hooks[key] = self._read_hooks(owner)
        return found

    def _read_hooks(self, owner: Node | None) -> tuple[tuple[Routine, ...], tuple[Routine, ...]]:
        statements = children(self.module.root) if owner is None else body_statements(owner)
        constants = self.side.block(self.module, "module" if owner is None else "suite", statements, frozenset())
        if owner is None:
            opening: Block = (_OWN_MOCKS, *mocked_modules(self.module))
            constants = Routine("module", (), (*opening, *constants.body), lookup=constants.lookup)
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


_TABLES = frozenset({"each", "for"})
_LOOPS = frozenset({"forEach", "map", "flatMap"})


def tables_of(owners: Sequence[Node], module: Module, scope: Scope) -> Iterator[Table]:
    """Yield the tables of a test's declaration and of what surrounds it, innermost first."""
    for node in owners:
        if node.type == "for_in_statement":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None:
                yield _table([left], right, module, scope, keys=text(node.child_by_field_name("operator")) == "in")
        elif node.type == "call_expression":
            yield from _of_call(node, module, scope)


def _of_call(node: Node, module: Module, scope: Scope) -> Iterator[Table]:
    function = callback_of(arguments_of(node))
    links = chain(node)
    parameters = parameters_of(function) if function is not None else []
    if function is None:
        yield from _given_behind(node, module, scope)
    for link in links[:-1]:
        if link.name in _TABLES and link.arguments:
            given = link.arguments[0]
            yield (
                _template(given, parameters)
                if given.type == "template_string"
                else _each(parameters, given, module, scope, spread=link.name == "each")
            )
    receiver = receiver_of(node)
    if links[-1].name in _LOOPS and receiver is not None:
        yield _table(parameters[:1], receiver, module, scope)


def _given_behind(call: Node, module: Module, scope: Scope) -> Iterator[Table]:
    """Yield the arguments that AVA passes to a macro shared by several tests: `test("title", check, 1, 2)`."""
    given = arguments_of(call)
    for at, each in enumerate(given):
        function = module.function(text(each), call.start_byte) if each.type == "identifier" else None
        if function is not None and len(given) > at + 1:
            rest = tuple(scope.read(one) for one in given[at + 1 :])
            yield _filled_table(parameters_of(function)[1 : len(rest) + 1], [rest])
            return


def _each(parameters: list[Node], over: Node, module: Module, scope: Scope, *, spread: bool) -> Table:
    """Spread rows that are lists over the parameters; `for` passes a row as a whole."""
    rows = _written(resolved_table(module, over, scope))
    listed = rows is not None and all(isinstance(row, Collection) and row.kind == "list" for row in rows)
    if not spread or not listed or rows is None:
        return _table(parameters[:1], over, module, scope)
    items = [row.items for row in rows if isinstance(row, Collection)]
    return _filled_table(parameters, items)


def _table(patterns: Sequence[Node], over: Node, module: Module, scope: Scope, *, keys: bool = False) -> Table:
    held = resolved_table(module, over, scope)
    rows = _written(held)
    if keys:
        rows = held.items[::2] if isinstance(held, Collection) and held.kind == "mapping" else None
    if rows is None:
        names = tuple(
            one.target.name
            for each in patterns
            for one in bindings_of(each, Name("row"))
            if isinstance(one.target, Name)
        )
        return Table(names, None, squeezed(over))
    return _filled_table(patterns, [(row,) for row in rows])


def _written(held: Expression) -> tuple[Expression, ...] | None:
    """Return the rows if all of them are literal, else None."""
    if not isinstance(held, Collection) or held.kind != "list":
        return None
    spread = any(isinstance(row, Operation) and row.operator.startswith("spread") for row in held.items)
    return None if spread else held.items


def _filled_table(patterns: Sequence[Node], rows: Sequence[tuple[Expression, ...]]) -> Table:
    names: tuple[str, ...] = ()
    filled: list[tuple[Expression, ...]] = []
    for row in rows:
        pairs = [
            (one.target.name, one.value)
            for pattern, value in zip(patterns, row, strict=False)
            for one in bindings_of(_pattern(pattern), value)
            if isinstance(one.target, Name) and one.value is not None
        ]
        names = tuple(name for name, _ in pairs) if len(pairs) > len(names) else names
        filled.append(tuple(value for _, value in pairs))
    return Table(names, tuple(filled))


def _pattern(node: Node) -> Node:
    left = node.child_by_field_name("left") if node.type == "assignment_pattern" else None
    if node.type in {"lexical_declaration", "variable_declaration"}:
        left = node.named_children[0] if node.named_children else None
    return left if left is not None else node


def _template(given: Node, parameters: Sequence[Node]) -> Table:
    header, rows = template_rows(given)
    if not parameters:
        return Table((), tuple(() for _ in rows))
    keys = [Value("string", name) for name in header]
    mapped = [
        Collection("mapping", tuple(part for pair in zip(keys, row, strict=True) for part in pair)) for row in rows
    ]
    return _filled_table(parameters[:1], [(row,) for row in mapped])
