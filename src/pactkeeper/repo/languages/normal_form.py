"""The normal form of code, with everything removed that a formatter may change, and its hash.

A language's `normal` module turns a file's syntax tree into *edits*: a byte range to drop (a comment, redundant
parentheses), one to replace with its canonical text (a string), or a mark where something begins that only layout
expressed (a block, an operator's operands). Applying the edits within a test's range and reducing the rest to tokens
yields its normal form. One query, which runs in C, finds what to edit; the rest is a few passes over the test's bytes.
"""

from __future__ import annotations

import re
from binascii import hexlify
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

VERSION = b"b1"
DIGITS = 20

OPEN_STRING, CLOSE_STRING = b"\x01", b"\x02"
OPEN_CODE, CLOSE_CODE = b"\x03", b"\x04"
OPEN_OPERATION, CLOSE_OPERATION = b" \x05 ", b" \x06 "
OPEN_TUPLE, CLOSE_TUPLE = b" \x0e ", b" \x0f "
OPEN_BLOCK, CLOSE_BLOCK = b" \x10 ", b" \x11 "
STATEMENT = b" \x12 "
KEPT_COMMA = b" \x13 "
PART = b" \x14 "
SPACE = b" \x15 "
CLOSED = b" \x16 "

# Position, rank, tie-break, replacement, width. Rank 0 ends something, 1 begins something, 2 replaces bytes; among
# equals the tie-break orders inner ends first and outer beginnings first. A statement begins before whatever it starts
# with (FIRST), because where it ends depends on a semicolon.
FIRST = -(1 << 62)
Edit = tuple[int, int, int, bytes, int]
Captures = Mapping[str, "list[Node]"]

# The byte range of a declaration, and that of the name it declares.
Declared = tuple[int, int, tuple[int, int] | None]

_WHOLE = 1 << 20  # bytes; one query over more of a file would hold too many nodes at once

# Semicolons and backslashes add nothing to the marks; spaces only matter between two words.
_TO_SPACE = bytes(32 if byte in b";\\" else byte for byte in range(256))
_WORD = rb"[A-Za-z0-9_$\x01-\x04\x80-\xff]"
_NEEDLESS_SPACE = re.compile(rb" (?:(?!" + _WORD + rb")|(?<!" + _WORD + rb" ))")
_SEAM = re.compile(rb"\x02 (?:[bt] )?\x01")
_SPACES = re.compile(rb"\x15\x15+")
_TRAILING_COMMA = re.compile(rb",(?<![\[,],)(?=[\])}>\x0f\x16])")


def begin(start: int, end: int, mark: bytes) -> Edit:
    """Mark the beginning of something that spans `start` to `end`."""
    return (start, 1, -end, mark, 0)


def finish(start: int, end: int, mark: bytes) -> Edit:
    """Mark the end of something that spans `start` to `end`."""
    return (end, 0, -start, mark, 0)


def replace(start: int, end: int, text: bytes) -> Edit:
    """Replace the bytes from `start` to `end` with `text`; edits inside that range are void."""
    return (start, 2, 0, text, end - start)


def string_token(content: bytes) -> bytes:
    """Encode a string's canonical content so that later steps can't touch or mistake it."""
    return b" \x01" + hexlify(content) + b"\x02 "


def spans(captures: Captures, kind: str) -> Iterator[tuple[int, int]]:
    """Yield the byte range of each node that a query captured under this name."""
    return (node.byte_range for node in captures.get(kind, ()))


def statements(captures: Captures, *, silent: Sequence[str]) -> Iterator[Edit]:
    """Mark where statements begin, but for these kinds of nodes."""
    unmarked = {start for kind in silent for start, _ in spans(captures, kind)}
    starts = (start for start, _ in spans(captures, "statement"))
    return ((start, 1, FIRST, STATEMENT, 0) for start in starts if start not in unmarked)


@dataclass(frozen=True, slots=True)
class Prepared:
    """One file, ready to hash any of its tests; offsets are bytes of the parsed source.

    `edits_of` returns the sorted edits of one node.
    """

    source: bytes
    root: Node
    edits_of: Callable[[Node, bytes], list[Edit]]

    def body_hash(self, start: int, end: int, *, name: tuple[int, int] | None = None) -> str:
        """Hash the declaration from `start` to `end`, decorators included, without the `name` it declares."""
        return hash_of(self.normal_form(start, end, name=name))

    def body_hashes(self, declarations: Sequence[Declared]) -> list[str]:
        """Hash declarations like `body_hash`; if they make up most of the file, one query serves them all."""
        covered = sum(end - start for start, end, _ in declarations)
        if len(self.source) > _WHOLE or 2 * covered < len(self.source):
            return [self.body_hash(start, end, name=name) for start, end, name in declarations]
        edits = self.edits_of(self.root, self.source)
        return [hash_of(self._reduced(edits, (start, end), name)) for start, end, name in declarations]

    def normal_form(self, start: int, end: int, *, name: tuple[int, int] | None = None) -> bytes:
        """Reduce a declaration to its canonical tokens."""
        node = self.root.descendant_for_byte_range(start, end) or self.root
        return self._reduced(self.edits_of(node, self.source), (start, end), name)

    def _reduced(self, edits: list[Edit], whole: tuple[int, int], name: tuple[int, int] | None) -> bytes:
        pieces: list[bytes] = []
        if name is None:
            self._apply(edits, whole, whole, pieces)
        else:
            self._apply(edits, (whole[0], name[0]), whole, pieces)
            pieces.append(b" ")
            self._apply(edits, (name[1], whole[1]), whole, pieces, void_from=name[0])
        return canonical(b"".join(pieces))

    def _apply(
        self,
        edits: list[Edit],
        part: tuple[int, int],
        whole: tuple[int, int],
        pieces: list[bytes],
        *,
        void_from: int | None = None,
    ) -> None:
        """Append one part of a declaration with its edits applied.

        Marks of what encloses the whole declaration don't belong to it; an end at the part's first byte that began at
        or after `void_from` belongs to the name that was left out. Since nodes nest, only edits at the edges can be
        like that.
        """
        source, add = self.source, pieces.append
        first, end = part
        at = first
        for position, rank, tie, text, width in edits[bisect_left(edits, (first,)) : bisect_left(edits, (end, 1))]:
            at_edge = position == end or position == first  # noqa: PLR1714 - building a tuple for every edit takes time
            if position < at or (at_edge and _foreign((position, rank, -tie), first, whole, void_from)):
                continue
            add(source[at:position])
            add(text)
            at = position + width
        add(source[at:end])


def _foreign(edge: tuple[int, int, int], first: int, whole: tuple[int, int], void_from: int | None) -> bool:
    """Whether an edit at the edge of a part (its position, rank and other end) marks something outside."""
    position, rank, other = edge
    if rank == 1:
        return position == whole[0] and other >= whole[1]
    if rank:
        return False
    if position == first and void_from is not None and other >= void_from:
        return True
    return other < whole[0] or (position == whole[1] and other == whole[0])


def canonical(edited: bytes) -> bytes:
    """Keep one space between words and none elsewhere; drop seams between joined strings and trailing commas."""
    tokens = _spaced(edited.translate(_TO_SPACE))
    if b"\x02 \x01" in tokens or b"\x02 b \x01" in tokens or b"\x02 t \x01" in tokens:
        tokens = _SEAM.sub(b"", tokens)
    if b"\x15\x15" in tokens:
        tokens = _SPACES.sub(b"\x15", tokens)
    tokens = _TRAILING_COMMA.sub(b"", tokens)
    return _spaced(tokens.replace(b"\x16", b" ")) if b"\x16" in tokens else tokens


def _spaced(text: bytes) -> bytes:
    return _NEEDLESS_SPACE.sub(b"", b" ".join(text.split()))


def hash_of(normal_form: bytes) -> str:
    """Return a hash of a normal form: the version of its rules and the first digits of its SHA-256."""
    return f"{VERSION.decode()}:{sha256(normal_form).hexdigest()[:DIGITS]}"
