"""Where the tree of broken source stands against its indentation, which is what a person reads it by."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.python.recovery import in_string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Tree

_OPENING: Final = frozenset(
    {"class_definition", "function_definition", "if_statement", "try_statement", "with_statement", "for_statement",
     "while_statement", "match_statement"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Layout:
    """The lines of a source: where each starts, its column, and the row of the line it is indented under, or -1."""

    tree: Tree
    starts: tuple[int, ...]
    columns: tuple[int, ...]
    above: tuple[int, ...]

    def is_placed(self, start: int) -> bool:
        """Whether the code at a position stands in the tree where its indentation puts it.

        Every line that it is indented under must open a statement that encloses it, and every class around it must be
        one of these: a class whose head is broken encloses nothing in the tree.
        """
        around = list(_statements_around(self.tree, start))
        opened = [self._opened(row, around) for row in self._rows_above(start)]
        classes = [one for one in around if one.type == "class_definition"]
        return None not in opened and all(one in opened for one in classes)

    def _rows_above(self, start: int) -> Iterator[int]:
        row = self.above[bisect_right(self.starts, start) - 1]
        while row >= 0:
            yield row
            row = self.above[row]

    def _opened(self, row: int, around: list[Node]) -> Node | None:
        column = self.columns[row]
        return next(
            (one for one in around if one.start_point.row <= row and one.start_point.column == column),
            None,
        )


def _statements_around(tree: Tree, position: int) -> Iterator[Node]:
    """The statements that open blocks around a position, innermost first, without what starts there."""
    node = tree.root_node.descendant_for_byte_range(position, position + 1)
    while node is not None:
        if node.start_byte < position and node.type in _OPENING:
            yield node
        node = node.parent


def lay_out(tree: Tree, source: bytes) -> Layout:
    """Find out for every line which one it is indented under; comments and lines within strings count for nothing."""
    starts: list[int] = []
    columns: list[int] = []
    above: list[int] = []
    under: list[int] = []
    position = 0
    for row, line in enumerate(source.split(b"\n")):
        code = line.lstrip()
        column = len(line) - len(code)
        reads = bool(code) and not code.startswith(b"#") and not in_string(tree, position + column)
        while under and reads and columns[under[-1]] >= column:
            under.pop()
        starts.append(position)
        columns.append(column)
        above.append(under[-1] if under else -1)
        if reads:
            under.append(row)
        position += len(line) + 1
    return Layout(tree, tuple(starts), tuple(columns), tuple(above))
