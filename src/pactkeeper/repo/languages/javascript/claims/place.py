"""Where in a test the walk stands: what is true of every claim made there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pactkeeper.intent.claims import Each, Expression, Operation
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.module import Module


@dataclass(frozen=True, slots=True)
class Place:
    """`line` and `quote` are those of the call in the test while a helper is followed; `depth` counts helpers.

    `quiet` means calls made here are part of an assertion or of another call and no action of their own; `straight`
    that nothing between the test's start and here may be skipped or run twice. `answers` is the call whose callback
    stands here and is given an error first; `inverted` that what is asserted here must fail.
    """

    module: Module
    scope: Scope
    condition: Expression | None = None
    repeated: bool = False
    each: Each | None = None
    via: str | None = None
    line: int = 0
    quote: str = ""
    depth: int = 0
    quiet: bool = False
    straight: bool = True
    answers: Expression | None = None
    inverted: bool = False

    def under(self, condition: Expression | None) -> Place:
        """The same place inside a branch."""
        if condition is None:
            return self
        joined = condition if self.condition is None else Operation("and", (self.condition, condition))
        return replace(self, condition=joined, straight=False)

    def looped(self, each: Each | None) -> Place:
        """The same place inside a loop."""
        return replace(self, repeated=True, each=each if self.each is None else self.each, straight=False)

    def quietly(self) -> Place:
        """The same place inside an expression that is read already."""
        return replace(self, quiet=True)

    def aside(self) -> Place:
        """The same place inside a callback, which runs later."""
        return replace(self, quiet=False, straight=False)
