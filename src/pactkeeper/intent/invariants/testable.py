"""INV-002: what a committed atom says can be observed if it holds, and seen to fail if it does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants.rule import (
    Case,
    Judgement,
    Rule,
    Violation,
    WordFaults,
    broken_words,
    concluded,
    is_as_committed,
    weak_words,
)

if TYPE_CHECKING:  # as in `rule`
    from pactkeeper.intent.quality.values import Criterion

CRITERIA: Final[tuple[Criterion, ...]] = ("observable", "falsifiable")


def judge(case: Case) -> Judgement:
    """Check that there are outcomes and, in fresh commitments, that the words are observable and falsifiable."""
    unread: list[str] = []
    found: list[Violation] = []
    for atom in case.atoms:
        if case.excused("INV-002", atom.id):
            continue
        missing = list(_missing(atom))
        words = weak_words(case, atom, CRITERIA) if case.is_fresh(atom.id) else WordFaults()
        if (missing or words.deductions) and is_as_committed(case, atom):
            found.append(broken_words(case, atom, words.deductions, missing=missing))
        elif words.unread:
            unread.append(f"{atom.id} ({words.unread})")
    return concluded(case.scope, found, unread)


def _missing(atom: Atom) -> Iterator[str]:
    if not atom.outcomes:
        yield "no outcome says what can be observed when it holds"


RULE = Rule(
    id="INV-002",
    name="behaviourally testable",
    code="PK302",
    text="A committed atom says what can be observed when it holds, and so what would show that it does not.",
    why="What no test could refute cannot drift, so committing it promises nothing.",
    fix="Add the missing outcome, or name the measure.",
    checked={
        "pk check": "outcomes of committed atoms; in new commitments also how well they can be seen",
        "pk commit": "outcomes of the atoms to be committed, and how well they can be seen",
    },
    judge=judge,
)
