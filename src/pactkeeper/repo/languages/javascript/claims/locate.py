"""Locate discovered tests in the syntax tree: their callbacks, and the tables they and their suites run over."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Collection, Expression, Value
from pactkeeper.intent.strength.folding import is_spread
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    arguments_of,
    bare,
    chain,
    descend,
    is_function,
    parameters_of,
    squeezed,
    string_value,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_TABLES = frozenset({"each", "for"})
_LOOPS = frozenset({"forEach", "map"})
_Key = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class Located:
    """A test's declaration in the tree; `function` is what it runs, or None if that isn't in the file."""

    node: Node
    function: Node | None
    title: str


def candidates(root: Node) -> list[Located]:
    """Return every call or property that may declare a test, outermost first."""
    found = []
    for node in descend(root):
        kind = node.type
        if kind == "call_expression":
            given = arguments_of(node)
            if given and (len(given) > 1 or is_function(bare(given[0]))):
                found.append(Located(node, callback_of(given), _title(given[0])))
        elif kind == "pair":
            key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
            if key is not None and value is not None and is_function(bare(value)):
                found.append(Located(node, bare(value), string_value(key) or text(key)))
        elif kind == "method_definition":
            found.append(Located(node, node, text(node.child_by_field_name("name")).strip("\"'")))
    return found


def callback_of(given: Iterable[Node]) -> Node | None:
    """Return the function among a test call's arguments, even inside a wrapper such as `withApp(() => …)`."""
    for each in reversed(list(given)):
        node = bare(each)
        if is_function(node):
            return node
        if node.type == "call_expression":
            inner = callback_of(arguments_of(node))
            if inner is not None:
                return inner
    return None


def _title(node: Node) -> str:
    written = string_value(bare(node))
    return written if written is not None else squeezed(node)


def locate(module: Module, tests: Iterable[Test]) -> dict[str, Located]:
    """Find the declaration of each test by its lines and title; duplicates on one line match in source order."""
    kept: defaultdict[_Key, OrderedDict[int, Located]] = defaultdict(OrderedDict)
    for each in candidates(module.root):
        for key in _keys(each.node.end_point[0] + 1, each.title, runs=each.function is not None):
            kept[key][each.node.id] = each
    found: dict[str, Located] = {}
    for test in tests:
        alike = (each for key in _keys(test.end_line, test.name) for each in kept[key].values() if _fits(each, test))
        chosen = next(alike, None)
        if chosen is not None:
            found[test.id] = replace(chosen, function=_named(module, chosen.node) or chosen.function)
            for key in _keys(test.end_line, chosen.title):
                kept[key].pop(chosen.node.id, None)
    return found


def _keys(line: int, title: str, *, runs: bool = True) -> Iterator[_Key]:
    """Yield the lookup keys of a declaration, most reliable first: title, title without quotes, having a callback."""
    yield line, "titled", title
    yield line, "plain", title.strip("`'\"")
    if runs:
        yield line, "runs", ""
    yield line, "any", ""


def _named(module: Module, call: Node) -> Node | None:
    """Return the function in this file that a test call receives by name, which may get others: AVA's macros."""
    given = arguments_of(call) if call.type == "call_expression" else ()
    for each in given:
        found = module.function(text(each), call.start_byte) if each.type == "identifier" else None
        if found is not None:
            return found
    return None


def _fits(candidate: Located, test: Test) -> bool:
    return test.line <= candidate.node.start_point[0] + 1 <= test.name_line


def written_suites(test: Node, suites: tuple[str, ...]) -> tuple[str, ...]:
    """Return the suites of a test, except those titled by a variable of an enclosing loop or function."""
    titles: list[str] = []
    given: list[Node] = []
    node = test.parent
    while node is not None:
        if node.type == "call_expression" and (arguments := arguments_of(node)):
            titles.append(squeezed(bare(arguments[0])))
        elif node.type == "for_in_statement" and (left := node.child_by_field_name("left")) is not None:
            given += names_in(left)
        elif is_function(node):
            given += [name for one in parameters_of(node) for name in names_in(one)]
        node = node.parent
    handed = {text(one) for one in given}
    computed = {one.strip("`") for one in titles if one in handed or "${" in one}
    return tuple(one for one in suites if one.strip("`") not in computed)


@dataclass(frozen=True, slots=True)
class Table:
    """The parameters a test runs with, and its literal rows."""

    parameters: tuple[str, ...] = ()
    rows: tuple[tuple[Expression, ...], ...] = ()


def table(module: Module, located: Located) -> Table:
    """Return the parameters of the test's own table, its suites' tables and the loops around it."""
    found: list[Table] = []
    node: Node | None = located.node
    while node is not None:
        if node.type == "call_expression":
            function = callback_of(arguments_of(node))
            if function is not None and (node == located.node or _contains(function, located.node)):
                found.append(_table_of(module, chain(node), function))
        elif node.type == "for_in_statement":
            found.append(_loop(module, node))
        node = node.parent
    found = [each for each in reversed(found) if each.parameters]
    rows = found[0].rows if len(found) == 1 else ()
    return Table(tuple(name for each in found for name in each.parameters), rows)


def _loop(module: Module, node: Node) -> Table:
    """Return the rows of `for (const row of rows)` or the keys of `for (const key in rows)`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    names = tuple(text(each) for each in names_in(left)) if left is not None else ()
    if left is None or right is None:
        return Table(names)
    over = resolved_table(module, right)
    if text(node.child_by_field_name("operator")) != "in":
        return Table(names, _rows(over, names, whole=_is_name(left)))
    keys = over.items[::2] if isinstance(over, Collection) and over.kind == "mapping" else ()
    return Table(names, tuple((key,) for key in keys) if all(isinstance(key, Value) for key in keys) else ())


def _contains(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def _table_of(module: Module, links: tuple[Link, ...], function: Node) -> Table:
    parameters = [name for each in parameters_of(function) for name in names_in(each)]
    names = tuple(text(name) for name in parameters)
    for index, link in enumerate(links):
        if link.name in _TABLES and link.arguments and link is not links[-1]:
            return _each(module, link, names)
        if link.name in _LOOPS and link is links[-1] and index:
            over = resolved_table(module, links[index - 1].node)
            whole = any(map(_is_name, parameters_of(function)))
            return Table(names[:1], _rows(over, names[:1], whole=whole) if len(names) == 1 else ())
    return Table()


def _each(module: Module, link: Link, names: tuple[str, ...]) -> Table:
    given = (link.arguments or ())[0]
    if given.type == "template_string":
        header, rows = template_rows(given)
        order = [header.index(name) for name in names if name in header]
        kept = tuple(header[index] for index in order)
        return Table(kept, tuple(tuple(row[index] for index in order) for row in rows))
    return Table(names, _rows(resolved_table(module, given), names))


def resolved_table(module: Module, node: Node, scope: Scope | None = None) -> Expression:
    """Read an inline table or the constant that names it; `Object.entries` of a mapping becomes its pairs."""
    node = bare(node)
    links = chain(node)
    given = links[-1].arguments
    if [link.name for link in links] == ["Object", "entries"] and given is not None and len(given) == 1:
        held = resolved_table(module, given[0], scope)
        if isinstance(held, Collection) and held.kind == "mapping":
            pairs = zip(held.items[::2], held.items[1::2], strict=True)
            return Collection("list", tuple(Collection("list", pair) for pair in pairs))
    constant = constant_of(module, node)
    return (scope or Scope()).read(constant if constant is not None else node)


def constant_of(module: Module, name: Node) -> Node | None:
    """Return the value of the constant that a name refers to at its position; None if the name may be reassigned."""
    if name.type != "identifier":
        return None
    seen = [each for each in module.bindings.get(text(name), ()) if each.within[0] <= name.start_byte < each.within[1]]
    inner = min(seen, key=lambda each: each.within[1] - each.within[0], default=None)
    own = [each for each in seen if inner is not None and each.within == inner.within]
    if inner is None or len(own) != 1 or inner.kind == "given" or inner.path:
        return None
    rest = seen if inner.kind == "const" else module.bindings[text(name)]
    return inner.value if all(each.kind in {"const", "let", "given"} for each in rest) else None


def _is_name(node: Node) -> bool:
    """Whether a value is bound to a single name rather than destructured by a pattern."""
    return (node.child_by_field_name("pattern") or node).type == "identifier"


def _rows(over: Expression, names: tuple[str, ...], *, whole: bool = False) -> tuple[tuple[Expression, ...], ...]:
    """Return a table's rows for these names; with `whole`, one name holds the entire row."""
    if not isinstance(over, Collection) or over.kind != "list" or not names or any(map(is_spread, over.items)):
        return ()
    if whole:
        return tuple((item,) for item in over.items)
    rows = [_row(item, names) for item in over.items]
    return tuple(row for row in rows if row is not None) if all(row is not None for row in rows) else ()


def _row(item: Expression, names: tuple[str, ...]) -> tuple[Expression, ...] | None:
    if not isinstance(item, Collection):
        return (item,) if len(names) == 1 else None
    if item.kind == "list":
        return item.items[: len(names)] if len(item.items) >= len(names) else None
    entries: Mapping[str, Expression] = {
        getattr(key, "text", ""): value for key, value in zip(item.items[::2], item.items[1::2], strict=True)
    }
    if all(name in entries for name in names):
        return tuple(entries[name] for name in names)
    return (item,) if len(names) == 1 else None


def template_rows(node: Node) -> tuple[list[str], list[tuple[Expression, ...]]]:
    """Read a table written as a tagged template: names on the first line, values as substitutions."""
    fragments = [text(child) for child in node.named_children if child.type == "string_fragment"]
    first = next(iter(fragments[0].strip().splitlines()), "") if fragments else ""
    header = [name.strip() for name in first.split("|")] if first else []
    values = [
        Scope().read(child.named_children[0])
        for child in node.named_children
        if child.type == "template_substitution" and child.named_children
    ]
    width = len(header)
    if not width or len(values) % width:
        return header, []
    return header, [tuple(values[start : start + width]) for start in range(0, len(values), width)]
