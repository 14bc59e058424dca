"""INV-003: a commitment has one reading only, and says what is wanted, not how to build it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pactkeeper.intent.invariants.rule import (
    Case,
    Judgement,
    Rule,
    Violation,
    broken_words,
    concluded,
    is_as_committed,
    not_checked,
    weak_words,
)

if TYPE_CHECKING:  # as in `rule`
    from pactkeeper.intent.quality.values import Criterion

CRITERIA: Final[tuple[Criterion, ...]] = ("unambiguous", "implementation-agnostic")


def judge(case: Case) -> Judgement:
    """Report ambiguous words and implementation directives in fresh commitments."""
    fresh = [atom for atom in case.atoms if case.is_fresh(atom.id)]
    if not fresh and case.atoms:
        return not_checked("no commitment is new here; the words of older ones are INV-009's")
    unread: list[str] = []
    found: list[Violation] = []
    for atom in fresh:
        words = weak_words(case, atom, CRITERIA)
        if words.deductions and is_as_committed(case, atom) and not case.excused("INV-003", atom.id):
            found.append(broken_words(case, atom, words.deductions))
        elif words.unread:
            unread.append(f"{atom.id} ({words.unread})")
    return concluded(case.scope_of(len(fresh)), found, unread)


RULE = Rule(
    id="INV-003",
    name="no ambiguity, no implementation directives",
    code="PK303",
    text="What is committed can be understood in one way only, and says what is wanted without saying how to build it.",
    why="Two readers of an ambiguous promise keep two promises; a directive freezes what must stay free.",
    fix="Replace the words that the message cites.",
    checked={
        "pk check": "the words of commitments that the commit below does not have, unless they overrode it",
        "pk commit": "the words of the atoms to be committed",
    },
    judge=judge,
)
