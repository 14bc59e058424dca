"""Where a Python file calls functions by name and where it asserts, for what tests assert through helpers.

A search of the bytes finds the few places that may matter, and the tree says what they are: a query over the whole tree
would take longer than all else that is read of a file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.helpers import Mentions, Span, search_names

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_OWN: Final = frozenset((b"self", b"cls"))
_ASSERTING: Final = re.compile(rb"\b(?:assert\w*|expect\w*|raises|warns|fail)\b")


def assertions(tree: Tree, source: bytes, spans: Sequence[Span]) -> list[int]:
    """Where anything is asserted within these spans, in the order of the bytes."""
    found = {hit.start() for span in spans for hit in _ASSERTING.finditer(source, *span)}
    return sorted(at for at in found if _asserts(tree, at))


def _asserts(tree: Tree, at: int) -> bool:
    node = tree.root_node.descendant_for_byte_range(at, at + 1)
    return node is not None and (node.type == "assert" or _called(node) is not None)


def mentions(tree: Tree, source: bytes, names: Collection[str], asserted: Sequence[int]) -> Mentions:
    """All calls of these names, be it alone or as a method of the same object, beside what is asserted."""
    return Mentions(list(_calls(tree, source, names)), asserted)


def _calls(tree: Tree, source: bytes, names: Collection[str]) -> Iterator[tuple[int, str]]:
    for at, name in search_names(source, names):
        node = tree.root_node.descendant_for_byte_range(at, at + 1)
        called = _called(node) if node is not None else None
        if called is None:
            continue
        owner = called.child_by_field_name("object")
        if owner is None or source[slice(*owner.byte_range)] in _OWN:
            yield at, name


def _called(node: Node) -> Node | None:
    """What is called by a name: the name itself, or the attribute that it ends; None where it is not called."""
    if node.type != "identifier" or node.parent is None:
        return None
    parent = node.parent
    if parent.type == "attribute" and parent.child_by_field_name("attribute") == node:
        node = parent
    call = node.parent
    is_called = call is not None and call.type == "call" and call.child_by_field_name("function") == node
    return node if is_called else None
