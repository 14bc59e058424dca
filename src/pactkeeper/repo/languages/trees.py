"""Syntax trees with bounded parsing steps and depth, and what queries find in them.

The parser's error recovery loops forever on some broken texts of twenty bytes, and asking it for the parent of a node
some 16,000 levels deep overflows the process's stack.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Point, Query, Tree

# How often the parser may report progress, and how much it may read. Valid code takes one report per 70 bytes or more
# and is read twice; broken code of at most 20 kB that terminated took 2,200 reports and 600 kB of reading. A token that
# is tried and abandoned at the end of the text, such as `\N{` without a bracket, is read up to there.
_REPORTS: Final = 2_500
_BYTES: Final = 8
_READ: Final = 8 << 20
_TIMES: Final = 32
_PIECE: Final = 1 << 12
_DEEP: Final = 4_000
# Broken texts whose trees stand in for refused ones.
_ENDLESS: Final = b"(endless"
_NESTED: Final = b"(nested"
_REFUSALS: Final = {
    _ENDLESS: f"the parser takes more than {_REPORTS:,} steps and one for {_BYTES} bytes with it",
    _NESTED: f"its syntax tree is over {_DEEP:,} levels deep",
}
_SPREAD: Final = 1_000  # nodes between depth samples: anything deeper by that many is not missed


def tree_of(parser: Parser, source: bytes) -> Tree:
    """Parse a text; one that doesn't terminate or nests over 4,000 deep yields the tree of another broken text."""
    reports, unread = _REPORTS + len(source) // _BYTES, _READ + _TIMES * len(source)

    def piece(at: int, _point: Point) -> bytes:
        nonlocal unread
        unread -= _PIECE
        return source[at : at + _PIECE]

    def is_enough(_at: int, _is_broken: bool) -> bool:
        nonlocal reports
        reports -= 1
        return reports < 0 or unread < 0

    try:
        found = parser.parse(piece, progress_callback=is_enough)
    except ValueError:  # it was stopped
        parser.reset()
        return parser.parse(_ENDLESS)
    if _is_deep(found):
        return parser.parse(_NESTED)
    # Nodes of a text read in pieces call back for it; a valid tree is reused, which costs little.
    return parser.parse(source) if found.root_node.has_error else parser.parse(source, found)


def refusal(tree: Tree) -> str:
    """Return why a tree doesn't represent the parsed text, "" if it does."""
    return _REFUSALS.get(tree.root_node.text or b"", "")


def _is_deep(tree: Tree) -> bool:
    """Whether some node is 5,000 deep; between 4,000 and that, it depends on where the samples fall."""
    cursor = tree.walk()
    for number in range(_SPREAD, tree.root_node.descendant_count, _SPREAD):
        cursor.goto_descendant(number)
        if cursor.depth > _DEEP:
            return True
    return False


def captures(patterns: str, language: Language, node: Node) -> dict[str, list[Node]]:
    """Return what a query captures at or below a node, by the names in its patterns."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - slow to import: deferred until the first file is parsed

    return QueryCursor(_query(patterns, language)).captures(node)


@cache
def _query(patterns: str, language: Language) -> Query:
    from tree_sitter import Query as Compiled  # noqa: PLC0415 - likewise

    return Compiled(language, patterns)
