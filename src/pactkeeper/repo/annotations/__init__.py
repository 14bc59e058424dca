"""Decide which test, suite or file an `@atom` annotation belongs to, from the syntax tree and never by counting lines.

A comment is attached by the first rule that applies:

1. inside a declaration's header (between decorators, among a call's arguments) or after the header's last line;
2. in a block of comment lines that ends on the line above a declaration (or just before it on the same line) and is not
   indented deeper than it, since a comment that ends the preceding body belongs to nothing;
3. before the first statement of a declaration's body;
4. before any code of the file: to the file, unless it is directly above a definition or a call with a callback, which
   is then what its author meant.

A docstring belongs to what it documents. Anything else is attached to nothing and returned as an orphan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pactkeeper.intent.tests import Annotation, Carrier, Scope
from pactkeeper.repo.annotations.grammar import parse_comment, parse_docstring
from pactkeeper.repo.annotations.layout import Extent, Layout, layout_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

MENTION = b"@atom"


@dataclass(frozen=True, slots=True)
class Collected:
    """One file's annotations: per declaration in the order given, for the file, and the unattached ones."""

    declared: tuple[tuple[Annotation, ...], ...]
    file: tuple[Annotation, ...]
    orphans: tuple[Annotation, ...]


def collect(tree: Tree, source: bytes, declared: Sequence[tuple[Node, Scope]], *, prefix: str = "IA") -> Collected:
    """Attach every annotation of a file; `declared` are the nodes of its tests and suites.

    A Python node is the definition with its decorators; a JavaScript node is the declaring call. Only worth calling if
    the source contains `MENTION`.
    """
    extents = _extents(tree, declared)
    found = _Found([[] for _ in extents])
    for mention in _mentions(tree, source, extents):
        text = source[mention.start : mention.end].decode("utf-8", "replace")
        parse = parse_comment if mention.carrier == "comment" else parse_docstring
        scope = extents[mention.owner].scope if mention.owner is not None and mention.owner != FILE else "file"
        target = found.of(mention.owner)
        for number, parsed in parse(text, prefix=prefix):
            target.append(Annotation(parsed.atoms, mention.carrier, scope, mention.row + 1 + number, parsed.malformed))
    return found.sorted()


@dataclass(frozen=True, slots=True)
class Mention:
    """A comment or docstring containing `@atom`; `owner` is the declaration's index, `FILE`, or None if unattached."""

    owner: int | None
    carrier: Carrier
    start: int
    end: int
    row: int


def mentions(tree: Tree, source: bytes, declared: Sequence[tuple[Node, Scope]]) -> list[Mention]:
    """Find every comment and docstring that contains `@atom`, with its owner."""
    return list(_mentions(tree, source, _extents(tree, declared)))


def _extents(tree: Tree, declared: Sequence[tuple[Node, Scope]]) -> list[Extent]:
    layout = layout_of(tree)
    return [layout.extent(node, scope) for node, scope in declared]


def _mentions(tree: Tree, source: bytes, extents: list[Extent]) -> Iterator[Mention]:
    layout = layout_of(tree)
    page = _Page(tree.root_node, source, layout, extents)
    for node in page.comments:
        start, end = node.byte_range
        if b"@atom" in source[start:end]:
            yield Mention(page.owner(node), "comment", start, end, node.start_point.row)
    for node, owner in layout.docstrings(tree):
        start, end = node.byte_range
        if b"@atom" in source[start:end]:
            yield Mention(page.documented(owner), "docstring", start, end, node.start_point.row)


BYTE_ORDER_MARK = b"\xef\xbb\xbf"
FILE = -1
"""The owner of what belongs to the whole file."""


@dataclass(slots=True)
class _Found:
    """Annotations collected so far, by owner."""

    declared: list[list[Annotation]]
    file: list[Annotation] = field(default_factory=list)
    orphans: list[Annotation] = field(default_factory=list)

    def of(self, owner: int | None) -> list[Annotation]:
        """Return the list that an owner's annotations go to."""
        if owner is None:
            return self.orphans
        return self.file if owner == FILE else self.declared[owner]

    def sorted(self) -> Collected:
        def by_line(annotations: list[Annotation]) -> tuple[Annotation, ...]:
            return tuple(sorted(annotations, key=lambda annotation: annotation.line))

        return Collected(tuple(map(by_line, self.declared)), by_line(self.file), by_line(self.orphans))


@dataclass(slots=True)
class _Page:
    """One file's comments and declarations; it answers which declaration owns a comment."""

    root: Node
    source: bytes
    layout: Layout
    extents: list[Extent]
    comments: list[Node] = field(init=False)
    by_row: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.comments = sorted(self.layout.comments(self.root), key=lambda node: node.start_byte)
        self.by_row = {}
        for index in sorted(range(len(self.extents)), key=lambda index: -self.extents[index].start):
            if self._is_first(self.extents[index].start):
                self.by_row[self.extents[index].row] = index

    def owner(self, comment: Node) -> int | None:
        """Return what a comment belongs to."""
        index = self._header(comment)
        if index is None and not self._is_first(comment.start_byte):
            index = self._behind_header(comment)
            return index if index is not None else self._leading(comment, below=None)
        if index is None:
            last = self._last_of_block(comment)
            index = self._below(comment, last)
            if index is None:
                index = self._leading(comment, below=self.layout.statement_below(last))
        return index

    def documented(self, owner: Node | None) -> int | None:
        """Return the index of the declaration whose docstring has this owner; an owner of None is the module."""
        if owner is None:
            return FILE
        for index, extent in enumerate(self.extents):
            if extent.body == (owner.start_byte, owner.end_byte):
                return index
        return None

    def _is_first(self, start: int) -> bool:
        """Whether only whitespace and complete comments precede a byte on its line."""
        line = self.source.rfind(b"\n", 0, start) + 1
        text = self.source[line:start].removeprefix(BYTE_ORDER_MARK).strip()
        return not text or (text.startswith(b"/*") and text.endswith(b"*/"))

    def _header(self, comment: Node) -> int | None:
        within = [
            index for index, extent in enumerate(self.extents) if extent.start <= comment.start_byte < extent.header_end
        ]
        return max(within, key=lambda index: self.extents[index].start, default=None)

    def _behind_header(self, comment: Node) -> int | None:
        row = comment.start_point.row
        before = [
            index
            for index, extent in enumerate(self.extents)
            if extent.header_end <= comment.start_byte and extent.header_row == row
        ]
        return max(before, key=lambda index: self.extents[index].header_end, default=None)

    def _last_of_block(self, comment: Node) -> Node:
        """Return the last of the whole-line comments that follow without a gap."""
        last = comment
        for node in self.comments:
            if node.start_byte <= last.start_byte:
                continue
            if node.start_point.row > last.end_point.row + 1 or not self._is_first(node.start_byte):
                break
            last = node
        return last

    def _below(self, comment: Node, last: Node) -> int | None:
        for row in (last.end_point.row, last.end_point.row + 1):
            index = self.by_row.get(row)
            if index is None or self.extents[index].start < last.end_byte:
                continue
            deeper = self._column(comment) > self.extents[index].column and row != comment.start_point.row
            return None if deeper and self.layout.indented else index
        return None

    def _column(self, comment: Node) -> int:
        marked = comment.start_point.row == 0 and self.source.startswith(BYTE_ORDER_MARK)
        return comment.start_point.column - (len(BYTE_ORDER_MARK) if marked else 0)

    def _leading(self, comment: Node, *, below: Node | None) -> int | None:
        """Return the body or file that a comment opens; never past a definition directly below the comment."""
        within = [
            index
            for index, extent in enumerate(self.extents)
            if extent.header_end <= comment.start_byte < extent.first and extent.encloses(comment)
        ]
        index = max(within, key=lambda index: self.extents[index].start, default=None)
        if index is not None and self.extents[index].scope == "test":
            return index
        if below is not None and self.layout.defines(below):
            return None
        if index is None and comment.start_byte < self.layout.first_code(self.root):
            return FILE
        return index
