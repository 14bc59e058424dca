"""The names that a module imports, wherever in it the import stands, and which of them others can import from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.outline import Import
from pactkeeper.repo.languages.python.syntax import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_IMPORTS: Final = frozenset({"import_statement", "import_from_statement"})
_LEAVES: Final = frozenset({"comment", "string", "integer", "identifier", "decorator"})


def imports_of(root: Node, source: bytes) -> tuple[tuple[Import, ...], tuple[Import, ...]]:
    """All imports of a module, its own level first, and those that its own level offers to others."""
    outer: list[Import] = []
    inner: list[Import] = []
    for node, nested in _statements(root):
        (inner if nested else outer).extend(_imported(node, source))
    return tuple(outer + inner), tuple(outer)


def _statements(root: Node) -> Iterator[tuple[Node, bool]]:
    """Import statements in source order, with whether a function stands around them."""
    pending = [(root, False)]
    while pending:
        node, nested = pending.pop()
        if node.type in _IMPORTS:
            yield node, nested
        elif b"import" in (node.text or b""):
            inside = nested or node.type == "function_definition"
            pending.extend((child, inside) for child in reversed(node.named_children) if child.type not in _LEAVES)


def _imported(node: Node, source: bytes) -> Iterator[Import]:
    if node.type == "import_statement":
        for child in node.named_children:
            yield from _module(child, source)
        return
    module_node = node.child_by_field_name("module_name")
    module = text_of(module_node, source) if module_node is not None else ""
    for child in node.children_by_field_name("name"):
        name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
        attribute = text_of(name if name is not None else child, source)
        yield Import(text_of(alias, source) if alias is not None else attribute, module, attribute)
    if any(child.type == "wildcard_import" for child in node.named_children):
        yield Import("*", module, "*")


def _module(child: Node, source: bytes) -> Iterator[Import]:
    name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
    if name is not None and alias is not None:
        yield Import(text_of(alias, source), text_of(name, source), "*")
    elif child.type == "dotted_name":
        first = text_of(child, source).partition(".")[0]
        yield Import(first, first, "*")
