"""Follow a name through members and calls to the declaring call: `it.skip.each(table)("name", callback)`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pactkeeper.repo.languages.javascript.runners import APPLIED, SUITES, TABLES, TESTS
from pactkeeper.repo.languages.javascript.syntax import WRAPPERS, arguments_of, literal, text

if TYPE_CHECKING:
    from tree_sitter import Node

_CHOICES = frozenset({"ternary_expression", "binary_expression"})
_ROLES = TESTS | SUITES


@dataclass(slots=True)
class Chain:
    """A name and what follows it; `call` is the declaring call, or None if the whole chain is the value `value`."""

    root: str
    members: tuple[str, ...]
    value: Node
    call: Node | None = None
    tables: tuple[Node, ...] = ()


@dataclass(slots=True)
class _Walk:
    node: Node
    members: list[str] = field(default_factory=list)
    tables: list[Node] = field(default_factory=list)
    applied: bool = False


def follow(root: Node) -> Chain:
    """Climb from the identifier `root` for as long as the expression still refers to it."""
    walk = _Walk(root)
    while (parent := walk.node.parent) is not None:
        if parent.type == "call_expression" and _is(parent.child_by_field_name("function"), walk.node):
            if not _applied(walk, parent):
                return _chain(root, walk, parent)
            _note_table(walk, parent)
            walk.applied = True
        elif (member := _member(parent, walk.node)) is not None:
            walk.members.append(member)
            walk.applied = False
        elif (call := _typed_table(walk, parent)) is not None:
            return _chain(root, walk, call)
        elif parent.type not in WRAPPERS and not (parent.type in _CHOICES and _chooses(parent, walk.node)):
            break
        walk.node = parent
    return _chain(root, walk, None)


def _chain(root: Node, walk: _Walk, call: Node | None) -> Chain:
    return Chain(text(root), tuple(walk.members), walk.node, call, tuple(walk.tables))


def _is(node: Node | None, other: Node) -> bool:
    return node is not None and node.id == other.id


def _member(parent: Node, node: Node) -> str | None:
    """Return the name of the member that `parent` accesses on `node`; `*` if it is computed."""
    if not _is(parent.child_by_field_name("object"), node):
        return None
    if parent.type == "member_expression":
        name = parent.child_by_field_name("property")
        return text(name) if name is not None else None
    if parent.type == "subscript_expression":
        index = parent.child_by_field_name("index")
        return (literal(index) or "*") if index is not None else None
    return None


def _chooses(parent: Node, node: Node) -> bool:
    """Whether `cond ? a : b` or `a || b` may evaluate to `node`."""
    if parent.type == "ternary_expression":
        return not _is(parent.child_by_field_name("condition"), node)
    operator = parent.child_by_field_name("operator")
    return operator is not None and operator.type in {"||", "??", "&&"}


def _applied(walk: _Walk, call: Node) -> bool:
    """Whether `call` only applies a modifier or maker, so that the declaring call comes later."""
    above = call.parent
    while above is not None and above.type in WRAPPERS:
        call, above = above, above.parent
    called_again = (
        above is not None and above.type == "call_expression" and _is(above.child_by_field_name("function"), call)
    )
    if called_again:
        return True
    if walk.members and walk.members[-1] in APPLIED and not walk.applied:
        return not (walk.members[-1] in TABLES and _names_itself(call))
    return above is not None and (_member(above, call) or "") in _ROLES


def _names_itself(call: Node) -> bool:
    """Whether this is QUnit's form, `test.each("name", table, callback)`."""
    arguments = arguments_of(call)
    return len(arguments) > 2 and arguments[0].type in {"string", "template_string"}  # noqa: PLR2004 - name, table, callback


def _note_table(walk: _Walk, call: Node) -> None:
    if walk.members and walk.members[-1] in TABLES and not walk.applied:
        arguments = call.child_by_field_name("arguments")
        if arguments is not None:
            walk.tables.append(arguments)


def _typed_table(walk: _Walk, parent: Node) -> Node | None:
    """Recognize a typed table of cases, which the grammar parses as comparisons: `it.each < Row > (table("…"))`."""
    if parent.type != "binary_expression" or not walk.members or walk.members[-1] not in TABLES:
        return None
    above = parent.parent
    if above is None or above.type != "binary_expression" or not _is(above.child_by_field_name("left"), parent):
        return None
    call = above.child_by_field_name("right")
    table = call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
    if table is None or table.type != "template_string":
        return None
    walk.tables.append(table)
    return call
