"""Parsing with tree-sitter within a bound: its recovery from broken syntax goes round in circles on some inputs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

# The parser reports its progress about once for each hundred bytes of code that people write, more often where syntax
# is broken.
_LEAST: Final = 5_000
_BYTES: Final = 5
_SHOWN: Final = re.compile(rb"[^\n]")


def parse(parser: Parser, source: bytes) -> Tree:
    """The tree of a source; one that is an error as a whole, of the same lines, where the parser comes to no end."""
    return ended(parser, source) or parser.parse(b"}" + _SHOWN.sub(b" ", source[1:]))


def ended(parser: Parser, source: bytes) -> Tree | None:
    """The tree of a source; None where the parser comes to no end."""
    left = _LEAST + len(source) // _BYTES

    def exhausted(_offset: int, _broken: bool) -> bool:
        nonlocal left
        left -= 1
        return left < 0

    try:
        return parser.parse(lambda at, _: source[at:], progress_callback=exhausted)
    except ValueError:  # so it says that it was told to stop
        parser.reset()
        return None
