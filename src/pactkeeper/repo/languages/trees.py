"""Syntax trees of bounded steps and depth.

The parser's recovery goes round for ever in some broken texts of twenty bytes, and asking it for the parent of a node
some 16,000 levels deep overflows the stack of the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Parser, Point, Tree

# How often the parser may report that it goes on. Sound code takes one report for 70 bytes or more, broken code that
# comes to an end took 2,200 at most.
_LEAST: Final = 5_000
_BYTES: Final = 4
_PIECE: Final = 1 << 16
_BROKEN: Final = b"("
_DEEP: Final = 4_000
_SPREAD: Final = 1_000  # between the nodes whose depth is looked at: what is deeper by that many is not missed


def tree_of(parser: Parser, source: bytes) -> Tree:
    """Parse a text; one without an end, or nested over 4,000 deep, gives the tree of a single broken bracket."""
    left = _LEAST + len(source) // _BYTES

    def piece(at: int, _point: Point) -> bytes:
        return source[at : at + _PIECE]

    def is_enough(_at: int, _is_broken: bool) -> bool:
        nonlocal left
        left -= 1
        return left < 0

    try:
        found = parser.parse(piece, progress_callback=is_enough)
    except ValueError:  # it was stopped
        parser.reset()
        return parser.parse(_BROKEN)
    if _is_deep(found):
        return parser.parse(_BROKEN)
    # Nodes of a text that came in pieces call for it piece by piece; a sound tree is taken over, which costs little.
    return parser.parse(source) if found.root_node.has_error else parser.parse(source, found)


def _is_deep(tree: Tree) -> bool:
    """Whether some node is 5,000 deep; between 4,000 and that, it depends on where the sample falls."""
    cursor = tree.walk()
    for number in range(0, tree.root_node.descendant_count, _SPREAD):
        cursor.goto_descendant(number)
        if cursor.depth > _DEEP:
            return True
    return False
