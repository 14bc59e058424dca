"""What a source file defines, documents and imports, and what its code refers to, in one form for every language.

A *chain* is how code names something, its steps joined by dots and a step that is called marked with `()`:
`Basket().add` is the method of what `Basket(...)` gives. Chains start at a name of the file they stand in.
"""

from __future__ import annotations

from functools import cache
from typing import Final, Literal

import msgspec

Kind = Literal["function", "class", "method", "property", "interface", "type", "value"]


class Definition(msgspec.Struct, frozen=True, array_like=True):
    """A function, class, member or named value; `name` is dotted within its file (`Basket.add`).

    `line` and `last` are its first line (decorators left out) and its last. `signature` is one line. `doc` is its
    documentation without the comment's marks, from line `doc_line` on. `gives` is the chain of what calling a function
    or reading a value gives, "" where that is not written; `bases` are chains of what a class inherits.
    """

    name: str
    kind: Kind
    line: int
    last: int
    signature: str
    doc: str = ""
    doc_line: int = 0
    gives: str = ""
    bases: tuple[str, ...] = ()


class Import(msgspec.Struct, frozen=True, array_like=True):
    """A name of the file that stands for something of another one: `attribute` of `module`, "*" for the module."""

    name: str
    module: str
    attribute: str


class Outline(msgspec.Struct, frozen=True, array_like=True):
    """One file. `exports` are names it offers: `attribute` of `module`, or its own name where `module` is empty.

    An export named "*" offers everything of its module, one named "=" is what the module itself stands for.
    """

    doc: str = ""
    doc_line: int = 0
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[Import, ...] = ()


class Uses(msgspec.Struct, frozen=True, array_like=True):
    """What the code of a file refers to: (line, chain), sorted by line, and what functions without a type give.

    Only chains that start at an import, a definition or a parameter of the file are listed. `before` are (first, last,
    start, end): the lines `first` to `last` run before every test that stands in the lines `start` to `end`.
    """

    chains: tuple[tuple[int, str], ...] = ()
    gives: dict[str, str] = {}
    before: tuple[tuple[int, int, int, int], ...] = ()


LONGEST_SIGNATURE: Final = 240  # characters
LONGEST_PART: Final = 90
LONGEST_CHAIN: Final = 160


def shortened(text: str, most: int) -> str:
    """The text, with `…` in place of what does not fit."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def encode(facts: Outline | Uses) -> bytes:
    """Turn an outline or uses into what the cache keeps."""
    return _encoder().encode(facts)


def decode_outline(data: bytes) -> Outline:
    """Read back an outline."""
    return _outlines().decode(data)


def decode_uses(data: bytes) -> Uses:
    """Read back uses."""
    return _uses().decode(data)


@cache
def _encoder() -> msgspec.msgpack.Encoder:
    return msgspec.msgpack.Encoder()


@cache
def _outlines() -> msgspec.msgpack.Decoder[Outline]:
    return msgspec.msgpack.Decoder(Outline)


@cache
def _uses() -> msgspec.msgpack.Decoder[Uses]:
    return msgspec.msgpack.Decoder(Uses)
