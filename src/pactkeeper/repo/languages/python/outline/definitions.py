"""The functions, classes, members and named values of a module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.outline import LONGEST_SIGNATURE, Definition, Kind, shortened
from pactkeeper.repo.languages.python.outline.chains import plain_chain
from pactkeeper.repo.languages.python.outline.prose import documentation
from pactkeeper.repo.languages.python.outline.signatures import (
    class_signature,
    function_signature,
    squeezed,
    type_chain,
)
from pactkeeper.repo.languages.python.syntax import callee, dotted, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_OPEN: Final = frozenset(
    {"if_statement", "try_statement", "with_statement", "else_clause", "elif_clause", "except_clause", "block"}
)
_PROPERTIES: Final = frozenset({"property", "cached_property", "functools.cached_property", "abstractproperty"})
_OVERLOADS: Final = frozenset({"overload", "typing.overload"})
_DEEPEST: Final = 40


def definitions_of(root: Node, source: bytes) -> tuple[Definition, ...]:
    """Everything a module defines, in source order; of several definitions of a name all are listed."""
    return tuple(_block(root, source, owner="", depth=0))


def _block(block: Node, source: bytes, *, owner: str, depth: int) -> Iterator[Definition]:
    if depth > _DEEPEST:
        return
    for child in block.named_children:
        if child.type in {"function_definition", "class_definition", "decorated_definition"}:
            yield from _declared(child, source, owner=owner, depth=depth)
        elif child.type in _OPEN:
            yield from _block(child, source, owner=owner, depth=depth + 1)
        elif child.type == "expression_statement" and child.named_children:
            yield from _value(child.named_children[0], source, owner)


def _declared(node: Node, source: bytes, *, owner: str, depth: int) -> Iterator[Definition]:
    marks = [child.named_children[0] for child in node.named_children if child.type == "decorator"]
    names = {callee(mark, source) for mark in marks if mark.type != "comment"}
    inner = node.child_by_field_name("definition") or node
    name = inner.child_by_field_name("name")
    if name is None or names & _OVERLOADS:
        return
    full = f"{owner}.{text_of(name, source)}" if owner else text_of(name, source)
    if inner.type == "function_definition":
        yield _function(inner, source, full, is_property=bool(names & _PROPERTIES))
    elif inner.type == "class_definition":
        yield _class(inner, source, full)
        body = inner.child_by_field_name("body")
        if body is not None:
            yield from _block(body, source, owner=full, depth=depth + 1)


def _function(node: Node, source: bytes, name: str, *, is_property: bool) -> Definition:
    kind: Kind = "property" if is_property else "method" if "." in name else "function"
    doc, doc_line = documentation(node.child_by_field_name("body"), source)
    return Definition(
        name,
        kind,
        node.start_point.row + 1,
        node.end_point.row + 1,
        function_signature(node, source, name),
        doc,
        doc_line,
        type_chain(node.child_by_field_name("return_type"), source),
    )


def _class(node: Node, source: bytes, name: str) -> Definition:
    bases = node.child_by_field_name("superclasses")
    inherited = bases.named_children if bases is not None else []
    plain = (child.child_by_field_name("value") if child.type == "subscript" else child for child in inherited)
    doc, doc_line = documentation(node.child_by_field_name("body"), source)
    return Definition(
        name,
        "class",
        node.start_point.row + 1,
        node.end_point.row + 1,
        class_signature(node, source, name),
        doc,
        doc_line,
        "",
        tuple(filter(None, (dotted(base, source) for base in plain))),
    )


def _value(node: Node, source: bytes, owner: str) -> Iterator[Definition]:
    """A named value of the module, or a field of a class."""
    left = node.child_by_field_name("left") if node.type == "assignment" else None
    if left is None or left.type != "identifier":
        return
    name = text_of(left, source)
    written, right = node.child_by_field_name("type"), node.child_by_field_name("right")
    gives = type_chain(written, source) or (plain_chain(right, source) if right is not None else "")
    yield Definition(
        f"{owner}.{name}" if owner else name,
        "value",
        node.start_point.row + 1,
        node.end_point.row + 1,
        shortened(squeezed(node, source), LONGEST_SIGNATURE),
        gives=gives,
    )
