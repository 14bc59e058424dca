"""The rows that a test runs for: its own table, its suites' tables, and the loops around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Collection, Expression, Name, Operation, Value
from pactkeeper.intent.strength.program import Table
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.locate import callback_of, resolved_table, template_rows
from pactkeeper.repo.languages.javascript.claims.module import Module
from pactkeeper.repo.languages.javascript.claims.syntax import arguments_of, chain, parameters_of, squeezed, text
from pactkeeper.repo.languages.javascript.strength.values import bindings_of, receiver_of

if TYPE_CHECKING:
    from tree_sitter import Node

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
            yield _filled(parameters_of(function)[1 : len(rest) + 1], [rest])
            return


def _each(parameters: list[Node], over: Node, module: Module, scope: Scope, *, spread: bool) -> Table:
    """Spread rows that are lists over the parameters; `for` passes a row as a whole."""
    rows = _written(resolved_table(module, over, scope))
    listed = rows is not None and all(isinstance(row, Collection) and row.kind == "list" for row in rows)
    if not spread or not listed or rows is None:
        return _table(parameters[:1], over, module, scope)
    items = [row.items for row in rows if isinstance(row, Collection)]
    return _filled(parameters, items)


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
    return _filled(patterns, [(row,) for row in rows])


def _written(held: Expression) -> tuple[Expression, ...] | None:
    """Return the rows if all of them are literal, else None."""
    if not isinstance(held, Collection) or held.kind != "list":
        return None
    spread = any(isinstance(row, Operation) and row.operator.startswith("spread") for row in held.items)
    return None if spread else held.items


def _filled(patterns: Sequence[Node], rows: Sequence[tuple[Expression, ...]]) -> Table:
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
    return _filled(parameters[:1], [(row,) for row in mapped])
