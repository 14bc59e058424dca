"""Which functions of a JavaScript or TypeScript file may assert for its tests, and where they are called.

A byte search finds the few candidate positions and the syntax tree classifies them: a query over the whole tree
would take longer than everything else done with a file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.helpers import Span, search_names

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_DECLARING: Final = re.compile(
    rb"\bfunction\b\s*+(?:\*\s*+)?([\w$]++)"
    rb"|\b(?:const|let|var)\s++([\w$]++)\s*+(?::[^=;\n]{0,80})?=\s*+(?:async\b|function\b|<|\(|[\w$]++\s*+=>)"
)
_FUNCTIONS: Final = frozenset(("function_declaration", "generator_function_declaration"))
_VALUES: Final = frozenset(("arrow_function", "function_expression"))
_ASSERTING: Final = re.compile(rb"(?<![\w$.])(?:expect|assert)\w*|(?<![\w$.])(?:chai|t|sinon)(?=\s*\.)|(?<=\.)should\b")


def functions(tree: Tree, source: bytes, tests: Sequence[Span]) -> dict[Span, Span]:
    """Return the named functions that contain no test, each with the byte range of its name."""
    found: dict[Span, Span] = {}
    for hit in (one for span in _between(tests, len(source)) for one in _DECLARING.finditer(source, *span)):
        name = hit.span(1) if hit[1] is not None else hit.span(2)
        node = tree.root_node.descendant_for_byte_range(*name)
        declared = _declared(node) if node is not None else None
        if declared is not None and not any(declared[0] <= test[0] and test[1] <= declared[1] for test in tests):
            found[declared] = name
    return found


def _between(tests: Sequence[Span], end: int) -> Iterator[Span]:
    """Yield the byte ranges outside every test."""
    at = 0
    for start, stop in sorted(tests):
        if start > at:
            yield at, start
        at = max(at, stop)
    yield at, end


def _declared(name: Node) -> Span | None:
    """Return the byte range of the function that a name is declared for."""
    node = name.parent
    if node is None or node.child_by_field_name("name") != name:
        return None
    value = node.child_by_field_name("value")
    fits = node.type in _FUNCTIONS or (value is not None and value.type in _VALUES)
    return node.byte_range if fits else None


def assertions(tree: Tree, source: bytes, spans: Sequence[Span]) -> list[int]:
    """Return the offsets of assertions within these spans, in ascending order."""
    found = {hit.start() for span in spans for hit in _ASSERTING.finditer(source, *span)}
    return sorted(at for at in found if _asserts(tree.root_node.descendant_for_byte_range(at, at + 1)))


def _asserts(node: Node | None) -> bool:
    """Whether the node is a called name, the object of a member access, or the member itself."""
    if node is None or node.parent is None or node.type not in {"identifier", "property_identifier"}:
        return False
    return node.type == "property_identifier" or node.parent.type in {"call_expression", "member_expression"}


def calls(tree: Tree, source: bytes, names: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield every call of these names."""
    for at, name in search_names(source, names):
        node = tree.root_node.descendant_for_byte_range(at, at + 1)
        call = node.parent if node is not None and node.type == "identifier" else None
        if call is not None and call.type == "call_expression" and call.child_by_field_name("function") == node:
            yield at, name
