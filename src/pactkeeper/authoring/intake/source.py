"""A text that is taken in, by lines, so that every quotation of it is verbatim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property


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
