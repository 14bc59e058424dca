"""INV-003: a committed atom can be understood in one way and says what is wanted, not how to build it."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants.rule import Case, Judgement, Rule
from pactkeeper.intent.invariants.worded import judge_words


def judge(case: Case) -> Judgement:
    """Look for words that readers understand differently, and for directives on the way of building."""
    return judge_words(case, "INV-003", ("unambiguous", "implementation-agnostic"), _nothing)


def _nothing(_atom: Atom) -> Iterator[str]:
    return iter(())


RULE = Rule(
    id="INV-003",
    name="no ambiguity, no implementation directives",
    code="PK303",
    text="A committed atom can be understood in one way only, and says what is wanted without saying how to build it.",
    why="Two readers of an ambiguous promise keep two promises; a directive freezes what must stay free.",
    fix="Replace the words that the message cites.",
    checked={
        "pk check": "the words of committed atoms, unless their commitment overrode it or a clarification is recorded",
        "pk commit": "the same of the atoms to be committed",
    },
    judge=judge,
)
