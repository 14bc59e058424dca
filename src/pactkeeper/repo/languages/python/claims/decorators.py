"""What surrounds a test's body: docstring, markers and parametrization."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from pactkeeper.intent.claims import Argument, Call, Collection, Expects, Expression, Value
from pactkeeper.repo.languages.python.claims.expressions import (
    Scope,
    arguments_of,
    children_of,
    expression,
    sorted_out,
    text_of,
)
from pactkeeper.repo.languages.python.syntax import is_whole

MAX_ROWS = 40
_UNITTEST_MARKERS = {"expectedFailure": "xfail", "skip": "skip", "skipIf": "skipif", "skipUnless": "skipif"}


@dataclass(frozen=True, slots=True)
class Table:
    """The names that a parametrization fills and, if they are literals, the rows it fills them with."""

    names: tuple[str, ...] = ()
    rows: tuple[tuple[Expression, ...], ...] = ()


def docstring(node: Node) -> str | None:
    """Return a function's docstring without indentation; None if there is none."""
    statements = [child for child in children_of(node, "body") if child.type != "comment"]
    if not statements or statements[0].type != "expression_statement" or not statements[0].named_children:
        return None
    first = statements[0].named_children[0]
    if first.type not in {"string", "concatenated_string"}:
        return None
    try:
        value = ast.literal_eval(text_of(first))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return inspect.cleandoc(value) if isinstance(value, str) and is_whole(value) else None


def decorators(node: Node) -> list[Node]:
    """Return the expressions of a definition's decorators, in source order."""
    parent = node.parent
    if parent is None or parent.type != "decorated_definition":
        return []
    return [
        child.named_children[0] for child in parent.named_children if child.type == "decorator" and child.named_children
    ]


def called_decorators(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the decorators of a definition that are calls, each with the dotted name of what is called."""
    for one in decorators(node):
        if one.type == "call":
            yield text_of(one.child_by_field_name("function")), one


def markers(node: Node) -> list[str]:
    """Return the names of pytest markers and unittest skips on a definition."""
    found = []
    for one in decorators(node):
        callee = one.child_by_field_name("function") if one.type == "call" else one
        dotted = text_of(callee)
        last = dotted.rsplit(".", 1)[-1]
        if ".mark." in f".{dotted}":
            found.append(last)
        elif last in _UNITTEST_MARKERS:
            found.append(_UNITTEST_MARKERS[last])
    return [name for name in found if name not in {"parametrize", "atom"}]


def expects(nodes: Iterable[Node], *, strict: bool) -> Expects:
    """Return the outcome expected of a test with these definitions; `strict` is the default for an xfail."""
    found = [_expected(one, strict=strict) for node in nodes for one in decorators(node)]
    return "either" if "either" in found else "fail" if "fail" in found else "pass"


def _expected(node: Node, *, strict: bool) -> Expects:
    given = children_of(node, "arguments")
    dotted = text_of(node.child_by_field_name("function") if node.type == "call" else node)
    if dotted.rpartition(".")[2] == "expectedFailure":
        return "fail"
    if not f".{dotted}".endswith(".mark.xfail"):
        return "pass"
    keywords = (one for one in given if one.type == "keyword_argument")
    named = {text_of(one.child_by_field_name("name")): one.child_by_field_name("value") for one in keywords}
    strict = text_of(named["strict"]) == "True" if "strict" in named else strict
    plain = [one for one in given if one.type not in {"keyword_argument", "comment"}]
    return "fail" if strict and not plain and "condition" not in named else "either"


def table(node: Node, scope: Scope) -> Table:
    """Return the parametrization of a definition; its rows only if there is a single one."""
    marks = (mark for name, mark in called_decorators(node) if name.endswith("mark.parametrize"))
    filled = [_parametrisation(mark, scope) for mark in marks]
    names = tuple(name for one in filled for name in one.names)
    return Table(names, filled[0].rows if len(filled) == 1 else ())


def _parametrisation(mark: Node, scope: Scope) -> Table:
    names, written = parametrized(arguments_of(mark.child_by_field_name("arguments"), scope))
    rows = written.items if isinstance(written, Collection) and len(written.items) <= MAX_ROWS else ()
    filled = [_row(row, len(names)) for row in rows]
    return Table(names, tuple(row for row in filled if len(row) == len(names)) if all(filled) else ())


def parametrized(arguments: Iterable[Argument]) -> tuple[tuple[str, ...], Expression | None]:
    """Return the parameters that `parametrize` names and what it fills them with, by position or by name."""
    values, named = sorted_out(arguments)
    names = _names(values[0] if values else named.get("argnames"))
    return names, values[1] if len(values) > 1 else named.get("argvalues")


def _names(one: Expression | None) -> tuple[str, ...]:
    """Return names in one string or in a list."""
    if isinstance(one, Value):
        return tuple(name.strip() for name in one.text.split(",") if name.strip())
    if isinstance(one, Collection):
        return tuple(item.text for item in one.items if isinstance(item, Value))
    return ()


def _row(row: Expression, width: int) -> tuple[Expression, ...]:
    if isinstance(row, Call) and getattr(row.function, "name", "") == "param":
        return tuple(argument.value for argument in row.arguments if argument.name is None)
    if width == 1:
        return (row,)
    return row.items if isinstance(row, Collection) and row.kind in {"tuple", "list"} else ()


__all__ = ["Table", "decorators", "docstring", "expects", "expression", "markers", "table"]
