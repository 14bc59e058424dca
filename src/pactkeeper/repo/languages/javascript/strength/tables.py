"""The rows a test runs with: its tables, the loops around it, and the calls of the function that declares it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.claims import Collection, Expression, Name, Opaque, Operation, Value
from pactkeeper.intent.strength.conditions import as_skipped, is_missing
from pactkeeper.intent.strength.program import Skip, Table, rows_of
from pactkeeper.intent.strength.substitution import substitute
from pactkeeper.repo.languages.javascript.claims.branches import with_default
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.locate import callback_of, constant_of, resolved_table, template_rows
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in
from pactkeeper.repo.languages.javascript.claims.syntax import (
    arguments_of,
    chain,
    descend,
    is_function,
    parameters_of,
    squeezed,
    text,
)
from pactkeeper.repo.languages.javascript.strength.marks import declared_name, leaving_statements, owners_of, skips_of
from pactkeeper.repo.languages.javascript.strength.values import bindings_of, called_arguments, receiver_of

if TYPE_CHECKING:
    from tree_sitter import Node

_TABLES = frozenset({"each", "for"})
_LOOPS = frozenset({"forEach", "map", "flatMap"})
_UNKNOWN: Final = Table((), ((),)), tuple[Skip, ...]()  # one call with unknown arguments


@dataclass(slots=True)
class Tables:
    """The tables of one file's tests; every function that declares tests is looked up once.

    `functions` are those written in the rows and calls read so far, by the expression that a row holds.
    """

    module: Module
    scope: Scope
    _mentions: dict[str, list[Node]] = field(default_factory=dict)
    _called: dict[int, tuple[Table, tuple[Skip, ...]]] = field(default_factory=dict)
    functions: dict[Expression, Node] = field(default_factory=dict)

    def of(self, owners: Sequence[Node]) -> Iterator[Table]:
        """Yield the tables of a test's declaration and of what surrounds it, innermost first."""
        for node in owners:
            if node.type == "for_in_statement":
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                if left is not None and right is not None:
                    keys = text(node.child_by_field_name("operator")) == "in"
                    yield _table([left], right, self.module, self.scope, keys=keys)
            elif node.type == "call_expression":
                for link in chain(node)[:-1]:
                    self._keep(link.arguments or () if link.name in _TABLES else ())
                yield from _of_call(node, self.module, self.scope)
            elif is_function(node):
                yield self._declaring(node)[0]

    def skips(self, owners: Sequence[Node]) -> Iterator[Skip]:
        """Yield the conditions under which calls of the functions that declare a test are made."""
        for node in owners:
            if is_function(node):
                yield from self._declaring(node)[1]

    def _declaring(self, function: Node) -> tuple[Table, tuple[Skip, ...]]:
        """Return the rows that a named function gets from its calls, and the conditions of these calls."""
        if function.id not in self._called:
            self._called[function.id] = _UNKNOWN  # while it is read: a function that calls itself
            self._called[function.id] = self._read(function)
        return self._called[function.id]

    def _keep(self, given: Iterable[Node]) -> None:
        """Keep the functions among the values of rows."""
        for value in given:
            table = constant_of(self.module, value) or value
            within = descend(table) if table.type in {"array", "object"} else (table,)
            self.functions.update({self.scope.read(node): node for node in within if is_function(node)})

    def _read(self, function: Node) -> tuple[Table, tuple[Skip, ...]]:
        names = [text(name) for parameter in parameters_of(function) for name in names_in(parameter)]
        mentions = self._of_function(function)
        if not mentions and _is_exported(function):
            return _UNKNOWN
        rows: list[tuple[Expression, ...]] = []
        skips: list[Skip] = []
        for mention in mentions:
            owners = owners_of(mention)
            found = list(skips_of(owners, self.module, self.scope, only=False, leaving=leaving_statements))
            found += self.skips(owners)
            made = [as_skipped(skip) for skip in found]
            if any(skip is not None and skip.always for skip in made):
                continue
            skips += [skip for skip, kept in zip(found, made, strict=True) if kept is not None]
            surrounding = list(rows_of(tuple(self.of(owners))))
            for held in self._handed(function, mention):
                given = [held.get(name, Name(name)) for name in names]
                rows += [tuple(substitute(value, around) for value in given) for around in surrounding]
        return Table(tuple(names), tuple(rows)), tuple(skips)

    def _of_function(self, function: Node) -> list[Node]:
        """Return the places outside of a function that name it."""
        if not self._mentions:
            found: defaultdict[str, list[Node]] = defaultdict(list)
            for node in descend(self.module.root):
                if node.type in {"identifier", "shorthand_property_identifier"}:
                    found[text(node)].append(node)
            self._mentions = found
        name = declared_name(function)
        return [
            node
            for node in self._mentions.get(name, ())
            if not function.start_byte <= node.start_byte < function.end_byte
            and not _is_declared(node)
            and self.module.function(name, node.start_byte) == function
        ]

    def _handed(self, function: Node, mention: Node) -> Iterator[dict[str, Expression]]:
        """Yield what the parameters of a function hold for each call at one of its mentions."""
        call = mention.parent
        if call is not None and call.type == "call_expression" and call.child_by_field_name("function") == mention:
            yield self._bound(function, call)
            return
        call = call.parent if call is not None and call.type == "arguments" else None
        receiver = receiver_of(call) if call is not None else None
        if call is None or receiver is None or chain(call)[-1].name not in _LOOPS:
            yield {}
            return
        for row in rows_of((_table(parameters_of(function)[:1], receiver, self.module, self.scope),)):
            yield {key.name: value for key, value in row.items() if isinstance(key, Name)}

    def _bound(self, function: Node, call: Node) -> dict[str, Expression]:
        given = called_arguments(call)
        if any(each.type == "spread_element" for each in given):
            names = [text(name) for parameter in parameters_of(function) for name in names_in(parameter)]
            whole = Opaque(squeezed(call))
            return {name: Operation("row", (whole, Name(str(at)))) for at, name in enumerate(names)}
        self._keep(given)
        held: dict[str, Expression] = {}
        for at, parameter in enumerate(parameters_of(function)):
            pattern, default = with_default(parameter)
            if pattern.type == "rest_pattern":
                value: Expression = Collection("list", tuple(map(self.scope.read, given[at:])))
                pattern = next(iter(names_in(pattern)), pattern)
            elif at < len(given):
                value = self.scope.read(given[at])
            else:
                value = self.scope.read(default) if default is not None else Value("undefined", "undefined")
            bound = ((one.target, one.value) for one in bindings_of(pattern, value))
            held.update({one.name: kept for one, kept in bound if isinstance(one, Name) and kept is not None})
        return held


def _is_declared(name: Node) -> bool:
    """Whether a name is being declared where it stands, as an overload is, too."""
    owner = name.parent
    declares = owner is not None and owner.type.endswith(("_declaration", "_declarator", "_signature"))
    return owner is not None and declares and owner.child_by_field_name("name") == name


def _is_exported(function: Node) -> bool:
    node: Node | None = function
    while node is not None and node.type not in {"statement_block", "program"}:
        if node.type == "export_statement":
            return True
        node = node.parent
    return False


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
        whole = _taken_from(over)
        return Table(names, None, squeezed(whole), None if whole is over else Opaque(squeezed(over)))
    return _filled_table(patterns, [(row,) for row in rows])


def _taken_from(over: Node) -> Node:
    """Return what `.slice(…)` and `.filter(…)` take some rows from."""
    receiver = receiver_of(over) if over.type == "call_expression" else None
    some = receiver is not None and chain(over)[-1].name in {"slice", "filter"}
    return _taken_from(receiver) if receiver is not None and some else over


def _written(held: Expression) -> tuple[Expression, ...] | None:
    """Return the rows if all of them are literal, else None."""
    if not isinstance(held, Collection) or held.kind != "list":
        return None
    spread = any(isinstance(row, Operation) and row.operator.startswith("spread") for row in held.items)
    return None if spread else held.items


def _filled_table(patterns: Sequence[Node], rows: Sequence[tuple[Expression, ...]]) -> Table:
    names: tuple[str, ...] = ()
    filled: list[tuple[Expression, ...]] = []
    defaults = _defaults(patterns)
    for row in rows:
        pairs = [
            (one.target.name, defaults.get(one.target.name, one.value) if is_missing(one.value) else one.value)
            for pattern, value in zip(patterns, row, strict=False)
            for one in bindings_of(_pattern(pattern), value)
            if isinstance(one.target, Name) and one.value is not None
        ]
        names = tuple(name for name, _ in pairs) if len(pairs) > len(names) else names
        filled.append(tuple(value for _, value in pairs))
    return Table(names, tuple(filled))


def _defaults(patterns: Sequence[Node]) -> dict[str, Expression]:
    """Return what names hold where the rows that fill them don't have their keys: `{ skip = false }`."""
    inside = (node for pattern in patterns for node in descend(pattern) if node.type.endswith("assignment_pattern"))
    pairs = ((node.child_by_field_name("left"), node.child_by_field_name("right")) for node in inside)
    return {text(left): Scope().read(right) for left, right in pairs if left is not None and right is not None}


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
