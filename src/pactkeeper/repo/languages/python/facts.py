"""What parsing a Python file records: names bound at module and class level, and details of potential tests.

Facts describe the source and nothing about what a runner does with it, so that they can be cached by content alone.
Function bodies are only hashed, not analyzed.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from pactkeeper.intent.tests import Annotation

Kind = Literal["function", "lambda", "class", "import", "star", "alias", "call", "literal", "other", "deleted"]
Factor = int | str | None
MAKERS = frozenset({"type", "new_class"})  # functions that are given a class's name and bases


class Function(msgspec.Struct, array_like=True, eq=False):
    """A function or lambda; `body_hash` is empty if its name gave no reason to compute one.

    `start` and `end` are bytes of the declaration, decorators included. `decorators` are dotted names, "" for anything
    else. `factors` are the numbers of parameter sets that its decorators multiply: a number, the dotted name of what is
    iterated, or None if unknown. `takes` says that it has parameters a runner would have to fill. `helpers` is the
    digest of the functions in its file that assert for it, `words` that of its docstring, which the body hash leaves
    out; each is empty if there is none.
    """

    line: int
    name_line: int
    end_line: int
    start: int
    end: int
    decorators: tuple[str, ...] = ()
    factors: tuple[Factor, ...] = ()
    takes: bool = False
    body_hash: str = ""
    annotations: tuple[Annotation, ...] = ()
    helpers: str = ""
    words: str = ""


class Group(msgspec.Struct, array_like=True, eq=False):
    """A class; `bases` are dotted names, "" for a computed base; likewise `metaclass`."""

    line: int
    start: int
    bases: tuple[str, ...] = ()
    metaclass: str = ""
    decorators: tuple[str, ...] = ()
    factors: tuple[Factor, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    bindings: list[Binding] = []


class Binding(msgspec.Struct, array_like=True, eq=False):
    """One binding of a name; `X.test_a = None` and `del X.test_a` bind the name `X.test_a`.

    `branch` lists the enclosing alternatives, outermost first, as pairs of (statement, arm): two arms of one statement
    exclude each other. `target` is the module of an import (with its leading dots), the dotted name behind an alias,
    the callee of a call, or the text of a constant. `attribute` is what a `from` import takes from its module.
    `arguments` are the dotted positional arguments of a call ("" for others), the strings of `__all__` or the marks of
    `pytestmark`. `count` is the number of members of a display, in the form of a factor.
    """

    name: str
    kind: Kind
    line: int
    branch: tuple[int, ...] = ()
    target: str = ""
    attribute: str = ""
    arguments: tuple[str, ...] = ()
    count: Factor = None
    function: Function | None = None
    group: Group | None = None


class Note(msgspec.Struct, array_like=True, eq=False):
    """Something on a line that limits what discovery can see; it seems to create classes from `sources`.

    Without a reason it is a call, with its function and the names it is given: what these are decides.
    """

    line: int
    reason: str
    sources: tuple[str, ...] = ()


class File(msgspec.Struct, array_like=True, eq=False):
    """One module. `broken` are places that could not be parsed, `made` those that create tests or classes at import.

    `loose` are lines of annotations attached to nothing, or to a function whose own name doesn't make it a test.
    """

    bindings: list[Binding] = []
    annotations: tuple[Annotation, ...] = ()
    factors: tuple[Factor, ...] = ()
    broken: list[Note] = []
    made: list[Note] = []
    loose: tuple[int, ...] = ()


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(File)


def encode(file: File) -> bytes:
    """Encode facts for the cache."""
    return _ENCODER.encode(file)


def decode(data: bytes) -> File:
    """Decode what `encode` returned."""
    return _DECODER.decode(data)
