"""INV-002: what a committed atom says can be observed when it holds and seen to fail when it does not."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants.rule import Case, Judgement, Rule
from pactkeeper.intent.invariants.worded import judge_words


def judge(case: Case) -> Judgement:
    """Look at outcomes, falsifiers and how well both can be observed."""
    return judge_words(case, "INV-002", ("observable", "falsifiable"), _missing)


def _missing(atom: Atom) -> Iterator[str]:
    if not atom.outcomes:
        yield "no outcome says what can be observed when it holds"
    if not atom.falsified_by:
        yield "nothing says what would show that it does not hold"


RULE = Rule(
    id="INV-002",
    name="behaviourally testable",
    code="PK302",
    text="A committed atom says what can be observed when it holds, and what would show that it does not.",
    why="What no test could refute cannot drift, so committing it promises nothing.",
    fix="Add the missing outcome or falsifier, or name the measure.",
    checked={
        "pk check": "outcomes, falsifiers and observability of committed atoms, unless their commitment overrode it",
        "pk commit": "the same of the atoms to be committed",
    },
    judge=judge,
)
