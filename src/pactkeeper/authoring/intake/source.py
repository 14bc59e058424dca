"""A text that is taken in, by lines, so that every quotation of it is verbatim.

A scenario of Given, When and Then as one behaviour with its outcomes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pactkeeper.intent.quality.examined import statement
from pactkeeper.intent.reading.tokens import stopped
from pactkeeper.intent.wording.tables import table


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a source, counted from 1, both ends included; `quote` is their text, byte for byte."""

    path: str
    start: int
    end: int
    quote: str

    @property
    def place(self) -> str:
        """`docs/login.md:12-14`, or `docs/login.md:12`."""
        return f"{self.path}:{self.start}" if self.start == self.end else f"{self.path}:{self.start}-{self.end}"


@dataclass(frozen=True)
class Source:
    """A text with its name; lines keep their ends."""

    path: str
    text: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines with their ends; only line feeds end one, as in every editor and in git."""
        return tuple(f"{line}\n" for line in self.text.split("\n")[:-1]) + tuple(self.text.split("\n")[-1:])

    def span(self, start: int, end: int) -> Span:
        """The lines `[start, end)` counted from 0, without what is blank at the ends of the quotation."""
        wanted = self.lines[start:end]
        first = next((at for at, line in enumerate(wanted) if line.strip()), 0)
        last = next((at for at in range(len(wanted), first, -1) if wanted[at - 1].strip()), first + 1)
        quote = "".join(wanted[first:last]).strip()
        return Span(self.path, start + first + 1, start + last, quote)


@dataclass(frozen=True, slots=True)
class Taken:
    """What a source says about behaviour: words for an atom with the lines they come from.

    `how` says which form they had; `notes` what was done with the words, such as a duty said as a fact.
    """

    intent: str
    span: Span
    how: str
    outcomes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotTaken:
    """Lines that became no atom, and why."""

    span: Span
    why: str


Found = Sequence[Taken | NotTaken]


_ATOM_TAG = re.compile(r"@(?:atom[:=(])?(?P<id>[A-Z][A-Z0-9]*-[0-9A-Z]+(?:-[0-9A-Z]+)*)\)?")
_LOWERED = table("the a an no every each all some its their his her our your this that these those it they he she")
_PLACEHOLDER = re.compile(r"<[A-Za-z][\w -]*>")
KINDS = ("Given", "When", "Then")


@dataclass(frozen=True, slots=True)
class Scenario:
    """`steps` are pairs of Given, When or Then and the words after it; `name` may be empty."""

    name: str
    steps: tuple[tuple[str, str], ...]
    span: Span
    tags: tuple[str, ...] = ()


def kind_of(word: str, before: Sequence[tuple[str, str]]) -> str:
    """Which kind of step a keyword opens: `And` and `But` go on with the one before."""
    return word if word in KINDS else before[-1][0] if before else "Given"


def taken_from(scenario: Scenario) -> Taken | NotTaken:
    """One behaviour from a scenario: under its name where that is a sentence, else as what happens when."""
    linked = [hit["id"] for tag in scenario.tags if (hit := _ATOM_TAG.fullmatch(tag)) is not None]
    if linked:
        return NotTaken(scenario.span, f"it is linked to {', '.join(linked)} already")
    outcomes = tuple(stopped(rest) for kind, rest in scenario.steps if kind == "Then" and rest)
    if any(_PLACEHOLDER.search(rest) for _, rest in scenario.steps):
        return NotTaken(scenario.span, "leaves its values to a table of examples; say what holds for all of them")
    if not outcomes:
        return NotTaken(scenario.span, "has no `Then` that says what is seen")
    named = _stated_name(scenario.name)
    notes = () if named is not None else ("worded from its steps",)
    tags = tuple(tag.removeprefix("@") for tag in scenario.tags)
    return Taken(named or _composed(scenario.steps, outcomes[0]), scenario.span, "scenario", outcomes, tags, notes)


def _stated_name(name: str) -> str | None:
    return stopped(name) if statement(name).states else None


def _composed(steps: Sequence[tuple[str, str]], outcome: str) -> str:
    """`Given A, when B and C, D.`: without what is given, the sentence would say more than the scenario does."""
    parts = [f"{kind} {_joined(steps, kind)}" for kind in ("Given", "When") if _joined(steps, kind)]
    if not parts:
        return outcome
    first = outcome.split(" ", 1)[0].lower()
    said = outcome[0].lower() + outcome[1:] if first in _LOWERED else outcome
    conditions = ", ".join([parts[0], *(part[:1].lower() + part[1:] for part in parts[1:])])
    return stopped(f"{conditions}, {said}")


def _joined(steps: Sequence[tuple[str, str]], wanted: str) -> str:
    return " and ".join(rest.rstrip(". ") for kind, rest in steps if kind == wanted)
