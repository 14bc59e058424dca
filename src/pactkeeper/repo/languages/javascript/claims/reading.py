"""The result of reading one expression as an assertion of one family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Claim, Expression
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.syntax import Link

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Handed:
    """A function that an assertion runs on a value, such as supertest's `.expect((res) => …)`."""

    function: Node
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The claims of an assertion; `understood` is False if it asserts something that couldn't be read.

    `handed` are functions inside it that may assert more, `visit` other such expressions.
    """

    claims: tuple[Claim, ...] = ()
    understood: bool = True
    handed: tuple[Handed, ...] = ()
    visit: tuple[Node, ...] = ()


UNREAD = Reading(understood=False)
Family = Callable[[tuple[Link, ...], Scope], Reading | None]


@dataclass(frozen=True, slots=True)
class Match:
    """A matcher applied to a subject; `nodes` are its argument nodes and `given` the same as expressions."""

    subject: Expression
    node: Node | None
    link: Link
    scope: Scope
    negated: bool = False

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The argument nodes of the matcher."""
        return self.link.arguments or ()

    @property
    def given(self) -> tuple[Expression, ...]:
        """The arguments of the matcher as expressions."""
        return tuple(self.scope.read(node) for node in self.nodes)

    @property
    def first(self) -> Expression | None:
        """The first argument, or None."""
        return self.scope.read(self.nodes[0]) if self.nodes else None
