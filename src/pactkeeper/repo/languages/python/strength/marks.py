"""What decorators and module marks say of a test: whether it runs, whether its failure counts, and with which rows."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from pactkeeper.intent.claims import Argument, Call, Collection, Expression, Name, Opaque, Operation, Value
from pactkeeper.intent.strength.program import Skip, Table
from pactkeeper.repo.languages.python.claims.decorators import decorators
from pactkeeper.repo.languages.python.claims.expressions import Scope, arguments_of, expression, text_of
from pactkeeper.repo.languages.python.claims.helpers import Module, parse

_MARKS = frozenset({"skip", "skipif", "xfail", "skipIf", "skipUnless", "expectedFailure"})
_SKIPPED_ROWS = frozenset({"skip", "xfail"})


def skips_of(node: Node, origin: str, module: Module) -> Iterator[Skip]:
    """The skips among the decorators of a test or a class."""
    for mark in decorators(node):
        found = skip_of(mark, origin, module)
        if found is not None:
            yield found


def module_skips(module: Module) -> Iterator[Skip]:
    """What `pytestmark` and a skip at the top of the file say."""
    for child in module.root.named_children:
        if child.type != "expression_statement" or not child.named_children:
            continue
        inner = child.named_children[0]
        if inner.type == "assignment" and text_of(inner.child_by_field_name("left")) == "pytestmark":
            yield from _marks(inner.child_by_field_name("right"), "file", module)
        elif inner.type == "call" and text_of(inner.child_by_field_name("function")) in {"pytest.skip", "skip"}:
            yield Skip("skip", None, "file", inner.start_point.row + 1)
        else:
            yield from _import_skip(inner)


def _import_skip(node: Node) -> Iterator[Skip]:
    """`pytest.importorskip("package")` at the top of a file skips all of it where the package is missing."""
    call = node.child_by_field_name("right") if node.type == "assignment" else node
    if (
        call is None
        or call.type != "call"
        or not text_of(call.child_by_field_name("function")).endswith("importorskip")
    ):
        return
    given = text_of(call.child_by_field_name("arguments"))
    yield Skip("skip", Opaque(f"import of {given} fails"), "file", node.start_point.row + 1)


def _marks(value: Node | None, origin: str, module: Module) -> Iterator[Skip]:
    if value is None:
        return
    listed = value.named_children if value.type in {"list", "tuple"} else [value]
    for mark in listed:
        found = skip_of(mark, origin, module)
        if found is not None:
            yield found


def skip_of(mark: Node, origin: str, module: Module) -> Skip | None:
    """One mark as a skip; None for any other mark."""
    callee = mark.child_by_field_name("function") if mark.type == "call" else mark
    dotted = text_of(callee)
    name, line = dotted.rpartition(".")[2], mark.start_point.row + 1
    if name not in _MARKS:
        return _named_mark(dotted, module, origin)
    scope = Scope(module.modules)
    given = arguments_of(mark.child_by_field_name("arguments"), scope) if mark.type == "call" else ()
    named = {one.name: one.value for one in given if one.name}
    condition = next((one.value for one in given if one.name is None), named.get("condition"))
    if name == "skip":
        return Skip("skip", None, origin, line)
    if name in {"skipif", "skipIf"}:
        return Skip("skip", _condition(condition, scope), origin, line)
    if name == "skipUnless":
        return Skip("skip", None if condition is None else _negated(_condition(condition, scope)), origin, line)
    strict = named.get("strict") == Value("boolean", "True")
    return Skip("xfail", _condition(condition, scope) if name == "xfail" else None, origin, line, strict=strict)


def _named_mark(dotted: str, module: Module, origin: str) -> Skip | None:
    """A mark kept in a name of the file: `needs_x = pytest.mark.skipif(...)`."""
    if not dotted.isidentifier():
        return None
    for child in module.root.named_children:
        inner = child.named_children[0] if child.type == "expression_statement" and child.named_children else None
        if inner is not None and inner.type == "assignment" and text_of(inner.child_by_field_name("left")) == dotted:
            right = inner.child_by_field_name("right")
            if right is not None and right.type == "call":
                return skip_of(right, origin, module)
    return None


def _negated(one: Expression | None) -> Expression | None:
    from pactkeeper.intent.strength.terms import negated_term  # noqa: PLC0415 - two modules of one idea

    return None if one is None else negated_term(one)


def _condition(one: Expression | None, scope: Scope) -> Expression | None:
    """A condition; pytest also takes one as text."""
    if not isinstance(one, Value) or one.kind != "string":
        return one
    try:
        ast.parse(one.text, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return Opaque(one.text)
    root = parse(one.text.encode()).root_node
    inner = root.named_children[0].named_children if root.named_children else []
    return expression(inner[0], scope) if inner else Opaque(one.text)


def tables_of(node: Node, module: Module, values: Mapping[Expression, Expression]) -> Iterator[Table]:
    """The parametrisations of a test or a class."""
    scope = Scope(module.modules)
    for mark in decorators(node):
        if mark.type == "call":
            name = text_of(mark.child_by_field_name("function"))
            given = arguments_of(mark.child_by_field_name("arguments"), scope)
            if name.rpartition(".")[2] == "given":
                yield _drawn(given, node)
            elif name.endswith("parametrize"):
                yield _parametrize(given, values, text_of(mark))
            elif name.endswith("parameterized.expand") and given:
                yield _expanded(given[0].value, values, node)


def _drawn(given: tuple[Argument, ...], node: Node) -> Table:
    """What hypothesis draws: positional strategies fill the last parameters."""
    found = node.child_by_field_name("parameters")
    names = [text_of(child).partition(":")[0] for child in (found.named_children if found is not None else ())]
    positional = [one.value for one in given if one.name is None]
    drawn = dict(zip(names[len(names) - len(positional) :], positional, strict=False))
    drawn.update({one.name: one.value for one in given if one.name})
    values = tuple(Operation("drawn", (value,)) for value in drawn.values())
    return Table(tuple(drawn), (values,))


def tries_of(node: Node) -> int | None:
    """How many examples `@settings(max_examples=...)` asks for."""
    for mark in decorators(node):
        if mark.type == "call" and text_of(mark.child_by_field_name("function")).rpartition(".")[2] == "settings":
            for argument in arguments_of(mark.child_by_field_name("arguments"), Scope()):
                if (
                    argument.name == "max_examples"
                    and isinstance(argument.value, Value)
                    and argument.value.text.isdigit()
                ):
                    return int(argument.value.text)
    return None


def _parametrize(given: tuple[Argument, ...], values: Mapping[Expression, Expression], text: str) -> Table:
    named = {one.name: one.value for one in given if one.name}
    positional = [one.value for one in given if one.name is None]
    names = _names(positional[0] if positional else named.get("argnames"))
    written = positional[1] if len(positional) > 1 else named.get("argvalues")
    written = values.get(written, written) if written is not None else None
    if not isinstance(written, Collection):
        return Table(names, None, names[0] if names else text)
    rows = [_row(row, len(names)) for row in written.items]
    return Table(names, tuple(row for row in rows if row is not None))


def _expanded(written: Expression, values: Mapping[Expression, Expression], node: Node) -> Table:
    written = values.get(written, written)
    found = node.child_by_field_name("parameters")
    names = tuple(
        text_of(child) for child in (found.named_children if found is not None else ()) if child.type == "identifier"
    )
    own = tuple(name for name in names if name != "self")
    if not isinstance(written, Collection):
        return Table(own, None, own[0] if own else "")
    return Table(own, tuple(row.items if isinstance(row, Collection) else (row,) for row in written.items))


def _names(one: Expression | None) -> tuple[str, ...]:
    if isinstance(one, Value):
        return tuple(name.strip() for name in one.text.split(",") if name.strip())
    if isinstance(one, Collection):
        return tuple(item.text for item in one.items if isinstance(item, Value))
    return ()


def _row(row: Expression, width: int) -> tuple[Expression, ...] | None:
    """One row; None where a mark of its own keeps it from running."""
    if isinstance(row, Call) and getattr(row.function, "name", "") == "param":
        marks = next((argument.value for argument in row.arguments if argument.name == "marks"), None)
        if marks is not None and _skips_row(marks):
            return None
        return tuple(argument.value for argument in row.arguments if argument.name is None)
    if width == 1:
        return (row,)
    return row.items if isinstance(row, Collection) and row.kind in {"tuple", "list"} else (row,)


def _skips_row(marks: Expression) -> bool:
    listed = marks.items if isinstance(marks, Collection) else (marks,)
    for mark in listed:
        function = mark.function if isinstance(mark, Call) else mark
        name = function.name if isinstance(function, Name) else getattr(function, "name", "")
        if name in _SKIPPED_ROWS:
            return True
    return False
