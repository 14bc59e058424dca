"""What a source file defines, documents and imports, and what its code refers to, in a language-neutral form.

A *chain* is how code names something: steps joined by dots, with `()` after a step that is called. `Basket().add` is
the method of what `Basket(...)` returns. A chain starts at a name of the file that contains it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from pactkeeper.repo.languages import adapter
from pactkeeper.repo.languages.adapter import FileImports

if TYPE_CHECKING:
    from tree_sitter import Node

Kind = Literal["function", "class", "method", "property", "interface", "type", "value"]


class Definition(msgspec.Struct, frozen=True, array_like=True):
    """A function, class, member or named value; `name` is dotted within its file (`Basket.add`).

    `line` and `last` are its first line (without decorators) and its last. `signature` is one line. `doc` is its
    documentation without comment delimiters, starting at line `doc_line`. `gives` is the chain of what calling a
    function or reading a value returns, "" if undeclared; `bases` are chains of the classes that a class inherits from.
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


def made(
    node: Node,
    named: tuple[str, Kind, str],
    doc: tuple[str, int] = ("", 0),
    *,
    gives: str = "",
    bases: tuple[str, ...] = (),
) -> Definition:
    """Create a definition from a node, its name, kind and signature (`named`), and its documentation and its line."""
    name, kind, signature = named
    first, last = node.start_point.row + 1, node.end_point.row + 1
    return Definition(name, kind, first, last, shortened(signature, LONGEST_SIGNATURE), *doc, gives, bases)


class Import(msgspec.Struct, frozen=True, array_like=True):
    """A name in the file bound to something in another one: `attribute` of `module`, "*" for the module itself."""

    name: str
    module: str
    attribute: str


class Outline(msgspec.Struct, frozen=True, array_like=True):
    """One file. `exports` are names it offers: `attribute` of `module`, or its own name if `module` is empty.

    An export named "*" offers everything of its module; one named "=" is the value of the module itself.
    """

    doc: str = ""
    doc_line: int = 0
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[Import, ...] = ()


class Uses(msgspec.Struct, frozen=True, array_like=True):
    """What a file's code refers to, as (line, chain) sorted by line, and what functions without a type return.

    Only chains that start at an import, a definition or a parameter of the file are listed. `before` holds (first,
    last, start, end): the lines `first` to `last` run before every test within the lines `start` to `end`.
    """

    chains: tuple[tuple[int, str], ...] = ()
    gives: dict[str, str] = {}
    before: tuple[tuple[int, int, int, int], ...] = ()


LONGEST_SIGNATURE: Final = 240  # characters
LONGEST_PART: Final = 90
LONGEST_CHAIN: Final = 160
_Imports = tuple[list[tuple[str, int, tuple[str, ...], bool]], tuple[int, ...], tuple[tuple[int, str], ...]]


def shortened(text: str, most: int) -> str:
    """Shorten the text to `most` characters, ending in `…` if something was cut."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def extended(chain: str, step: str) -> str:
    """Return a chain with one more step; empty if it would be longer than any that is of use, or there is none."""
    return chain + step if chain and len(chain) + len(step) <= LONGEST_CHAIN else ""


_ENCODER: Final = msgspec.msgpack.Encoder()
_OUTLINES: Final = msgspec.msgpack.Decoder(Outline)
_USES: Final = msgspec.msgpack.Decoder(Uses)
_IMPORTS: Final = msgspec.msgpack.Decoder(_Imports)


def encode(facts: Outline | Uses) -> bytes:
    """Encode an outline or uses for the cache."""
    return _ENCODER.encode(facts)


def decode_outline(data: bytes) -> Outline:
    """Decode an outline."""
    return _OUTLINES.decode(data)


def decode_uses(data: bytes) -> Uses:
    """Decode uses."""
    return _USES.decode(data)


def encode_imports(imports: FileImports) -> bytes:
    """Encode imports for the cache."""
    rows = [(one.module, one.line, one.names, one.only_types) for one in imports.found]
    return _ENCODER.encode((rows, imports.computed, imports.problems))


def decode_imports(data: bytes) -> FileImports:
    """Decode imports."""
    rows, computed, problems = _IMPORTS.decode(data)
    return FileImports(tuple(adapter.Import(*row) for row in rows), computed, problems)
