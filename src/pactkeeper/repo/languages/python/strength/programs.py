"""The programs of Python tests, and of the functions that support them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from tree_sitter import Node

from pactkeeper.intent.claims import Call, Name, Operation
from pactkeeper.intent.strength.decorating import skips_by
from pactkeeper.intent.strength.faking import replaced_by
from pactkeeper.intent.strength.program import (
    AFTER_YIELD,
    ANSWER,
    Bind,
    Check,
    Program,
    Routine,
    Skip,
    Table,
    after_yield,
    param_of,
)
from pactkeeper.intent.strength.terms import dotted, last_name
from pactkeeper.intent.tests import Test, escape_part
from pactkeeper.repo.languages.python.claims import function_at, owners_of
from pactkeeper.repo.languages.python.claims.comparisons import claims_of
from pactkeeper.repo.languages.python.claims.decorators import called_decorators, decorators
from pactkeeper.repo.languages.python.claims.expressions import Scope, children_of, expression, text_of
from pactkeeper.repo.languages.python.claims.helpers import Module, Opened, Read, methods_of
from pactkeeper.repo.languages.python.strength.deciding import decides
from pactkeeper.repo.languages.python.strength.marks import (
    declared_under,
    fixture_mark,
    quiet_marks,
    rows_of_fixture,
    skips_of,
    stated_skips,
    switch_of,
    tables_of,
    tries_of,
)
from pactkeeper.repo.languages.python.strength.side import (
    CLASS_SETUPS,
    CLASS_TEARDOWNS,
    Side,
)
from pactkeeper.repo.languages.python.strength.unrun import unrun
from pactkeeper.repo.languages.python.strength.values import class_values, module_values, sources

_MODULE_SETUPS = ("setUpModule", "setup_module", "setup_function")
_CONDITIONS = frozenset({"comparison_operator", "boolean_operator", "not_operator", "true"})
_QUOTE = 160
_TOO_DEEP = "its source is nested too deeply"


def programs(path: str, source: bytes, *, tests: Sequence[Test], read: Read) -> Mapping[str, Program]:
    """Return the programs of the given tests of one file by test id; one whose function isn't found is unread."""
    module = Module.of(path, source)
    side = Side(read)
    side.put(module)
    shared, lines = _Shared(side, module), source.split(b"\n")
    return {test.id: shared.program(test, function_at(module.root, lines, test.name_line)) for test in tests}


def support(path: str, source: bytes, *, read: Read) -> Mapping[str, Program]:
    """Return the programs of all functions of a file by name; methods are prefixed with their class.

    What a fixture asserts after its `yield`, and what a predicate says, are listed under names of their own, too.
    What the file replaces when it is imported is listed under the names of that.
    """
    module = Module.of(path, source)
    side = Side(read)
    side.put(module)
    found: dict[str, Program] = {}
    for name, node in module.functions.items():
        rows = tuple(_params(node, module, param_of(name)))
        made = Program(name, side.routine(node, module), tables=rows, line=node.start_point.row + 1)
        found[name] = made
        late = after_yield(made.routine.body) if fixture_mark(node) is not None else ()
        if late:
            found[f"{name}{AFTER_YIELD}"] = replace(made, routine=replace(made.routine, body=late))
        answer = _answer(node, module)
        if answer is not None:
            asserted = (*made.routine.body[:-1], answer)
            found[f"{name}{ANSWER}"] = replace(made, routine=replace(made.routine, body=asserted))
    for owner, body in module.classes.items():
        for name, node in methods_of(body).items():
            key = f"{owner}.{name}"
            found[key] = Program(key, side.routine(node, module, body), line=node.start_point.row + 1)
    for call in side.replaced_by(module):
        found.update((target, Program(target, Routine(target), replaced=(call,))) for target in replaced_by(call))
    return found


def _answer(node: Node, module: Module) -> Check | None:
    """Return what a predicate, a function that ends by returning a condition, would assert."""
    last = next(iter(children_of(node, "body")[-1:]), None)
    returned = last.named_children if last is not None and last.type == "return_statement" else []
    value = returned[0] if returned else None
    called = text_of(value.child_by_field_name("function")) if value is not None and value.type == "call" else ""
    if value is None or not (value.type in _CONDITIONS or called in {"any", "all"}):
        return None
    return Check(
        tuple(claims_of(expression(value, Scope(module.modules)))), value.start_point.row + 1, text_of(value)[:_QUOTE]
    )


class _Shared:
    """What all tests of a file share."""

    def __init__(self, side: Side, module: Module) -> None:
        self.side, self.module = side, module
        self.values = side.values(module)
        self.doubles = tuple(sorted(side.own_classes(module)))
        switched = switch_of([(module.root, "__test__", module)], "file")
        self.skips = (*stated_skips(module.root, "file", module), *switched)
        self.replaced = side.replacements(module)
        self.sources = sources(module)

    def program(self, test: Test, node: Node | None) -> Program:
        """Return one test's program; source nested too deeply for the interpreter is unread."""
        if node is None:
            return Program(test.id, Routine(test.name), unread=("its function was not found",), line=test.line)
        try:
            return self._program(test, node)
        except RecursionError:
            return Program(test.id, Routine(test.name), unread=(_TOO_DEEP,), line=test.line)

    def _program(self, test: Test, node: Node) -> Program:
        owners = owners_of(node)
        others = [
            replace(self._run_by(test, node, [heir, *owners]), test_id=place)
            for place in test.runs_in
            if (heir := self._heir(place)) is not None
        ]
        return replace(self._run_by(test, node, owners), others=tuple(others))

    def _heir(self, place: str) -> Node | None:
        """Return the class of this file that a place names."""
        path, _, name = place.partition("::")
        return self.module.classes.get(name) if path == escape_part(self.module.path) else None

    def _run_by(self, test: Test, node: Node, owners: Sequence[Node]) -> Program:
        """Return a test's program as the first of these classes runs it."""
        owner = owners[0] if owners else None
        module, side = self.module, self.side
        skips = [*skips_of(node, "test", module), *self._suite_skips(owners), *self.skips]
        skips += (*declared_under(node, module), *unrun(node, owners, module, side))
        for decorator, makes_one in side.decorating(node, module):
            skips += skips_by(decorator, makes_one=makes_one)
        tables = [table for one in (node, *owners) for table in tables_of(one, module, self.values)]
        tables += _patched(node, module)
        names = {name for table in tables for name in table.names}
        requested = (*side.autouse(module, owner), *_used(node, owners))

        def fixture(name: str) -> Routine | None:
            return None if name in names else side.fixture(module, owner, name)

        routine = side.routine(node, module, owner)
        own = (one.name for one in routine.parameters)
        rows = [table for name in self._reached([*requested, *own], fixture) for table in self._rows(owner, name)]
        return Program(
            test.id,
            routine,
            constants=self.values,
            setups=tuple(self._setups(owner)),
            teardowns=tuple(self._methods(owner, CLASS_TEARDOWNS)) if owner is not None else (),
            fixture=fixture,
            autouse=requested,
            tables=(*rows, *tables),
            skips=tuple(skips),
            throughout=tuple(quiet_marks(node)),
            doubles=self.doubles,
            replaced=self.replaced,
            sources=self.sources,
            muted=side.muted(node, module),
            marks=tuple(expression(mark, Scope(module.modules)) for one in (node, *owners) for mark in decorators(one)),
            tries=tries_of(node),
            states=claims_of,
            decides=lambda condition: decides(condition, module, side),
            line=test.line,
        )

    def _reached(self, pending: list[str], fixture: Callable[[str], Routine | None]) -> Iterator[str]:
        """Yield the fixtures of these names and those that they request, each once."""
        seen: set[str] = set()
        while pending:
            name = pending.pop(0)
            found = fixture(name) if name not in seen else None
            seen.add(name)
            if found is not None:
                yield name
                pending += [one.name for one in found.parameters]

    def _rows(self, owner: Node | None, name: str) -> tuple[Table, ...]:
        """Return the rows that a fixture adds to the tests that reach it."""
        found = self.side.fixture_of(self.module, owner, name)
        return tuple(_params(*found, param_of(name))) if found is not None else ()

    def _suite_skips(self, owners: Sequence[Node]) -> Iterator[Skip]:
        for owner in owners:
            yield from skips_of(owner, "suite", self.module)
            body = owner.child_by_field_name("body")
            yield from stated_skips(body, "suite", self.module) if body is not None else ()
        for owner in owners[:1]:
            own = self.module.root, f"{text_of(owner.child_by_field_name('name'))}.__test__", self.module
            yield from switch_of([own, *((one, "__test__", place) for one, place in self._bodies(owner))], "suite")

    def _setups(self, owner: Node | None) -> Iterator[Routine]:
        for name in _MODULE_SETUPS:
            if name in self.module.functions:
                yield self.side.routine(self.module.functions[name], self.module)
        if owner is None:
            return
        for base, place in reversed(self._classes(owner)):
            yield Routine("class", (), class_values(place, base))
        yield from self._methods(owner, CLASS_SETUPS)

    def _bodies(self, owner: Node) -> Iterator[Opened]:
        for one, place in self._classes(owner):
            body = one.child_by_field_name("body")
            yield from [(body, place)] if body is not None else []

    def _classes(self, owner: Node) -> list[tuple[Node, Module]]:
        return [(owner, self.module), *self.side.ancestors(self.module, owner)]

    def _methods(self, owner: Node, names: Sequence[str]) -> Iterator[Routine]:
        """Yield the methods of these names that run around a class's tests, those of its bases first."""
        classes = self._classes(owner)
        for name in names:
            for found in reversed(list(_cooperating(name, classes))):
                yield self.side.routine(*found, owner)


def _cooperating(name: str, classes: Sequence[tuple[Node, Module]]) -> Iterator[tuple[Node, Module]]:
    """Yield a method of a class and those that it passes on to, nearest first."""
    for owner, place in classes:
        found = methods_of(owner).get(name)
        if found is not None:
            yield found, place
            if "super(" not in text_of(found):
                return


def _params(node: Node, module: Module, column: str) -> Iterator[Table]:
    """Yield the rows of a fixture; nothing for one without `params`, or for another function."""
    mark = fixture_mark(node)
    if mark is not None and "params" in text_of(mark):
        values = {one.target: one.value for one in module_values(module) if isinstance(one, Bind) and one.value}
        yield from rows_of_fixture(mark, column, module, values)


def _patched(node: Node, module: Module) -> Iterator[Table]:
    """Yield what `@mock.patch` passes to the parameters of a test, innermost first."""
    marks = [expression(mark, Scope(module.modules)) for mark in reversed(decorators(node))]
    fakes = [one for one in marks if isinstance(one, Call) and _gives_fake(one)]
    names = [text_of(one) for one in children_of(node, "parameters") if text_of(one) != "self"]
    for name, fake in zip(names, fakes, strict=False):
        yield Table((name,), ((Operation("entered", (fake,)),),))


def _gives_fake(mark: Call) -> bool:
    """Whether a decorator replaces something with a new mock and passes that on."""
    by_name = last_name(mark) == "patch" and len(mark.arguments) == 1
    of_object = dotted(mark.function).endswith("patch.object") and len(mark.arguments) == 2  # noqa: PLR2004 - target and attribute
    return (by_name or of_object) and all(each.name is None for each in mark.arguments)


def _used(node: Node, owners: Sequence[Node]) -> Iterator[str]:
    """Yield the fixtures named by `usefixtures`."""
    for one in (node, *owners):
        for name, mark in called_decorators(one):
            if name.endswith("usefixtures"):
                yield from (text_of(child).strip("'\"") for child in children_of(mark, "arguments"))


__all__ = ["Name", "programs", "support"]
