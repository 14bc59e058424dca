"""Functions of the test side as routines: found by the expression that calls them, lowered once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Attribute, Call, Expression, Name
from pactkeeper.intent.strength.folding import is_constant
from pactkeeper.intent.strength.program import Bind, Block, Check, Define, Parameter, Routine, Statement
from pactkeeper.repo.languages.javascript.claims.branches import with_default
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in
from pactkeeper.repo.languages.javascript.claims.project import Helper, Project, asserts
from pactkeeper.repo.languages.javascript.claims.relations import UNDEFINED
from pactkeeper.repo.languages.javascript.claims.syntax import (
    body_of,
    chain,
    children,
    descend,
    is_function,
    parameters_of,
    text,
)
from pactkeeper.repo.languages.javascript.runners import runner_of
from pactkeeper.repo.languages.javascript.strength.lowering import Lowering
from pactkeeper.repo.languages.javascript.strength.values import (
    Made,
    Place,
    bindings_of,
    is_space,
    made,
    scope_of_module,
)

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(slots=True)
class Side:
    """The test side of a repository while one file is lowered; `tests` is that file's path if it holds tests."""

    project: Project
    page: bool = False
    tests: str = ""
    routines: dict[tuple[str, int], Routine] = field(default_factory=dict)
    constants: dict[str, Block] = field(default_factory=dict)
    asserting: dict[str, bool] = field(default_factory=dict)
    objects: dict[tuple[str, int], Made | None] = field(default_factory=dict)

    def routine(self, module: Module, function: Node, name: str, others: frozenset[int] = frozenset()) -> Routine:
        """Return a function as a routine, lowered once; `_found` adds the constants of a helper's file."""
        key = (module.path, function.start_byte)
        found = self.routines.get(key)
        if found is None:
            found = self.routines[key] = self._read(module, function, name, others)
        return found

    def _read(self, module: Module, function: Node, name: str, others: frozenset[int]) -> Routine:
        try:
            return self._made(module, function, name, others)
        except RecursionError:
            quote = f"{name} is nested too deeply"
            return Routine(name, body=(Check((), function.start_point[0] + 1, quote, understood=False),))

    def _made(self, module: Module, function: Node, name: str, others: frozenset[int]) -> Routine:
        parameters, opening = _parameters(module, function)
        body = self.lowering(module, others).function(function)
        waits = any(child.type == "async" for child in function.children) or function.type.startswith("generator")
        return Routine(name, parameters, (*opening, *body), waits, self._lookup(module, function))

    def lowering(self, module: Module, others: frozenset[int] = frozenset()) -> Lowering:
        """Return a `Lowering` for the code of a file."""
        page = self.page or any(runner_of(source) == "playwright" for source, _ in module.imports.values())

        def fields(node: Node, owner: Expression) -> list[Bind]:
            found = self._object(module, node)
            return [Bind(key, value) for key, value in found.held(owner).items()] if found is not None else []

        throws = self._asserts(module)
        return Lowering(module, scope_of_module(module), others, page, self.routine, fields, throws, self._follow)

    def _follow(self, module: Module, call: Node) -> Node | None:
        """Return the function of the test side that a call runs."""
        found = self.project.helper(module, chain(call))
        return None if found is None else found.function

    def _asserts(self, module: Module) -> bool:
        known = self.asserting.get(module.path)
        if known is None:
            known = self.asserting[module.path] = module.path == self.tests or asserts(module.root)
        return known

    def _object(self, module: Module, node: Node) -> Made | None:
        """Return the object that a `new` expression creates, cached for calls of its methods."""
        key = (module.path, node.start_byte)
        if key not in self.objects:
            self.objects[key] = self._new(module, node)
        return self.objects[key]

    def _new(self, module: Module, node: Node) -> Made | None:
        made_by = scope_of_module(module).read(node)
        if not isinstance(made_by, Call) or not isinstance(made_by.function, Name):
            return None
        return made(self.project, module, made_by.function.name, tuple(each.value for each in made_by.arguments))

    def imported(self, module: Module) -> Iterator[Bind]:
        """Yield the constants that a file imports from the test side."""
        for name in module.imports:
            found = self.project.value_named(module, name)
            value = scope_of_module(found[0]).read(found[1]) if found is not None else None
            if value is not None and is_constant(value):
                yield Bind(Name(name), value)

    def _method(self, module: Module, owner: str, name: str, caller: Node) -> Routine | None:
        """Return a method of the object that a name holds where a function calls it."""
        at = caller.end_byte - 1
        seen = (one for one in module.bindings.get(owner, ()) if one.within[0] <= at <= one.within[1])
        for binding in sorted(seen, key=lambda one: one.within[1] - one.within[0]):
            value = binding.value
            found = self._object(module, value) if value is not None and value.type == "new_expression" else None
            method = found.methods.get(name) if found is not None else None
            if found is not None and method is not None:
                routine = self.routine(found.module, method, name)
                fields = tuple(Bind(key, held) for key, held in found.held(Name("this")).items())
                return replace(routine, name=name, body=(*fields, *routine.body))
        return None

    def block(self, module: Module, name: str, statements: Sequence[Node], others: frozenset[int]) -> Routine:
        """Lower statements outside functions: those of a file or suite."""
        lowering = self.lowering(module, others)
        made = [one for each in statements if each.type in _KEPT for one in lowering.statement(each, Place())]
        body = tuple(one for one in made if not isinstance(one, Define))
        return Routine(name, (), body, lookup=self._lookup(module, module.root))

    def _lookup(self, module: Module, caller: Node) -> Callable[[Expression], Routine | None]:
        known: dict[tuple[str, ...], Routine | None] = {(): None}

        def lookup(called: Expression) -> Routine | None:
            path = _path(called)
            if path not in known:
                known[path] = self._found(module, path, caller)
            return known[path]

        return lookup

    def _found(self, module: Module, path: tuple[str, ...], caller: Node) -> Routine | None:
        found = self._named(module, path, caller)
        if found is None and len(path) > 1:
            return self._method(module, path[0], path[1], caller)
        if found is None or found.function == caller:
            return None
        made = self.routine(found.module, found.function, found.name)
        return self._with_constants(found.module, made)

    def _named(self, module: Module, path: tuple[str, ...], caller: Node) -> Helper | None:
        found = self.project.named(module, path, caller.end_byte - 1)
        spaces = [local for local, (source, name) in module.imports.items() if is_space(source, local, name)]
        others = (self.project.named(module, (local, *path), 0) for local in spaces if len(path) == 1)
        return found or next((each for each in others if each is not None), None)

    def _with_constants(self, module: Module, routine: Routine) -> Routine:
        constants = self.constants.get(module.path)
        if constants is None:
            kept = [each for each in children(module.root) if each.type in _KEPT]
            constants = self.block(module, "module", kept, frozenset()).body
            self.constants[module.path] = constants
        return replace(routine, constants=constants)


_KEPT = frozenset({"lexical_declaration", "variable_declaration", "export_statement"})


def _path(called: Expression) -> tuple[str, ...]:
    if isinstance(called, Name):
        return (called.name,)
    if isinstance(called, Attribute) and isinstance(called.value, Name):
        return (called.value.name, called.name)
    return ()


def _parameters(module: Module, function: Node) -> tuple[tuple[Parameter, ...], list[Statement]]:
    """Return a function's parameters; a destructured one is bound by the opening statements."""
    scope = scope_of_module(module)
    found: list[Parameter] = []
    opening: list[Statement] = []
    for at, node in enumerate(parameters_of(function)):
        pattern, default = with_default(node)
        held = scope.read(default) if default is not None else None
        if pattern.type == "rest_pattern":
            names = names_in(pattern)
            found.append(Parameter(text(names[0]) if names else "rest", rest="list"))
        elif pattern.type == "identifier":
            found.append(Parameter(text(pattern), held or UNDEFINED))
        else:
            found.append(Parameter(f"given·{at}", held))
            opening += bindings_of(pattern, Name(f"given·{at}"))
    return tuple(found), opening


def functions_of(root: Node) -> list[tuple[str, Node]]:
    """Return every top-level function of a file and every method of its classes and objects, by name."""
    found: list[tuple[str, Node]] = []
    for node in descend(root):
        if is_function(node) and body_of(node) is not None:
            name = _qualified(node)
            if name:
                found.append((name, node))
    return found


def _qualified(function: Node) -> str:
    """Return a function's name qualified by its owners; empty inside another function or without a name."""
    names: list[str] = []
    node: Node | None = function
    while node is not None:
        if node is not function and is_function(node):
            return ""
        own = node.child_by_field_name("name") or node.child_by_field_name("key")
        if own is not None:
            names.append(text(own).strip("\"'"))
        node = node.parent
    return ".".join(reversed(names))
