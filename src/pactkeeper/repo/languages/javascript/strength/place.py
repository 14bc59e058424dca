"""Where lowered code stands: how it runs, and what is shown of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Collection, Expression, Name
from pactkeeper.intent.strength.program import Bind
from pactkeeper.repo.languages.javascript.claims.syntax import children, squeezed, text
from pactkeeper.repo.languages.javascript.strength.values import bindings_of

if TYPE_CHECKING:
    from tree_sitter import Node

_QUOTE = 200


@dataclass(frozen=True, slots=True)
class Place:
    """How the code at one place runs: in a callback, in one that nothing waits for, or where the test waits anyway.

    `done` are names of the callback that ends the test; in a block that is `ending` the test waits for no callback.
    """

    callback: bool = False
    floating: bool = False
    waited: bool = False
    done: frozenset[str] = frozenset()
    ending: bool = False


def line_of(node: Node) -> int:
    """The line on which a node starts, counted from 1."""
    return node.start_point[0] + 1


def quote_of(node: Node) -> str:
    """The source of a node on one line, cut where it is long."""
    return squeezed(node)[:_QUOTE]


def taken(pattern: Node, name: str) -> tuple[Expression, list[Bind]]:
    """The variable of a loop or callback, and what taking it apart binds."""
    if pattern.type == "identifier":
        return Name(text(pattern)), []
    if pattern.type == "array_pattern" and all(child.type == "identifier" for child in children(pattern)):
        return Collection("list", tuple(Name(text(child)) for child in children(pattern))), []
    return Name(name), bindings_of(pattern, Name(name))
