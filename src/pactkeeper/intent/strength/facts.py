"""What a test can notice, as facts: each assertion that can still fail, and whether the test runs at all."""

from __future__ import annotations

from dataclasses import dataclass, field

from pactkeeper.intent.claims import Claim, Expression
from pactkeeper.intent.strength.program import SkipKind


@dataclass(frozen=True, slots=True)
class Fact:
    """One assertion that a test reaches, in terms of what the test makes and calls; names of locals are gone.

    `conditions` must hold for it to be made. `line`, `quote` and `via` (the helper that makes it) only show the place;
    they are no part of what it says, and neither is `fixture`: the fixture or hook that makes it for every test.
    """

    claim: Claim
    conditions: tuple[Expression, ...] = ()
    awaited: bool = True
    line: int = field(default=0, compare=False)
    quote: str = field(default="", compare=False)
    via: str = field(default="", compare=False)
    fixture: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Dead:
    """An assertion in the source that cannot fail the test, and why."""

    why: str
    line: int
    quote: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A mark or call that keeps the test from running or from counting, on the platforms for which it holds.

    `always` says that it holds wherever the table of platforms looks; `condition` is its source otherwise.
    """

    kind: SkipKind
    always: bool
    condition: Expression | None = None
    origin: str = "test"
    line: int = field(default=0, compare=False)
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Strength:
    """The effective strength of a test: its own facts and those of the helpers, fixtures and hooks that it reaches.

    `acts` are the calls it makes, which at least must not raise; `mocks` what it replaces. `tries` is
    how many examples a property is tried with, where the test says so. `unread` are reasons why
    something may be missing from `facts`.
    """

    facts: tuple[Fact, ...] = ()
    dead: tuple[Dead, ...] = ()
    skips: tuple[Skipped, ...] = ()
    acts: tuple[Expression, ...] = ()
    mocks: tuple[str, ...] = ()
    rows: int = 1
    tries: int | None = None
    unread: tuple[str, ...] = ()

    @property
    def runs(self) -> bool:
        """Whether it runs somewhere and its failure counts."""
        return not any(skip.always and not skip.strict for skip in self.skips)

    @property
    def hollow(self) -> bool:
        """Whether nothing is left in it that can fail."""
        return not (self.facts or self.acts or self.unread)
