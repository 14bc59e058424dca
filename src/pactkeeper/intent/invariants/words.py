"""Rules about an atom's words: testable, with one meaning, and with every doubt clarified before anybody commits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.advice import CLARIFY
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
    judged,
    not_checked,
    weak_words,
)

if TYPE_CHECKING:  # as in `rule`
    from pactkeeper.intent.quality.values import Criterion


TESTABLE_CRITERIA: Final[tuple[Criterion, ...]] = ("observable", "falsifiable")


def judge_testable(case: Case) -> Judgement:
    """Check that there are outcomes and, in fresh commitments, that the words are observable and falsifiable."""
    unread: list[str] = []
    found: list[Violation] = []
    for atom in case.atoms:
        if case.excused("INV-002", atom.id):
            continue
        missing = list(_missing(atom))
        words = weak_words(case, atom, TESTABLE_CRITERIA) if case.is_fresh(atom.id) else WordFaults()
        if (missing or words.deductions) and is_as_committed(case, atom):
            found.append(broken_words(case, atom, words.deductions, missing=missing))
        elif words.unread:
            unread.append(f"{atom.id} ({words.unread})")
    return concluded(case.scope, found, unread)


def _missing(atom: Atom) -> Iterator[str]:
    if not atom.outcomes:
        yield "no outcome says what can be observed when it holds"


TESTABLE = Rule(
    id="INV-002",
    name="behaviourally testable",
    code="PK302",
    text="A committed atom says what can be observed when it holds, and so what would show that it does not.",
    why="What no test could refute cannot drift, so committing it promises nothing.",
    fix="Add the missing outcome, or name the measure.",
    checked={
        "check": "outcomes of committed atoms; in new commitments also how well they can be seen",
        "commit": "outcomes of the atoms to be committed, and how well they can be seen",
    },
    judge=judge_testable,
)


AMBIGUITY_CRITERIA: Final[tuple[Criterion, ...]] = ("unambiguous", "implementation-agnostic")


def judge_unambiguous(case: Case) -> Judgement:
    """Report ambiguous words and implementation directives in fresh commitments."""
    fresh = [atom for atom in case.atoms if case.is_fresh(atom.id)]
    if not fresh and case.atoms:
        return not_checked("there are no new commitments here; INV-009 covers the words of older ones")
    unread: list[str] = []
    found: list[Violation] = []
    for atom in fresh:
        words = weak_words(case, atom, AMBIGUITY_CRITERIA)
        if words.deductions and is_as_committed(case, atom) and not case.excused("INV-003", atom.id):
            found.append(broken_words(case, atom, words.deductions))
        elif words.unread:
            unread.append(f"{atom.id} ({words.unread})")
    return concluded(case.scope_of(len(fresh)), found, unread)


UNAMBIGUOUS = Rule(
    id="INV-003",
    name="no ambiguity, no implementation details",
    code="PK303",
    text="A committed atom can be understood in only one way, and says what is wanted, not how to build it.",
    why="Two readers of an ambiguous promise keep two different promises; an implementation detail freezes what "
    "should stay free.",
    fix="Replace the words that the message cites.",
    checked={
        "check": "the words of commitments that the base commit does not have, unless they overrode this rule",
        "commit": "the words of the atoms to be committed",
    },
    judge=judge_unambiguous,
)


def judge_clarified(case: Case) -> Judgement:
    """Judge the words of older commitments again, and report unanswered questions about committed atoms."""
    facts = case.facts
    if facts.commit is not None:
        return not_checked("it is about existing commitments")
    if facts.doubts is None and not facts.reread:
        return not_checked("words committed earlier are judged again by pk invariant test")
    found = {one.subject: one for one in (*(_reread(case) if facts.reread else ()), *_doubted(case))}
    unknown = "" if facts.doubts is not None else "; questions about them are not checked: there is no history here"
    return judged(
        found.values(),
        holds=f"no doubt about {case.scope} is open{unknown}",
        fails="a committed atom is ambiguous and no recorded answer says what it means",
    )


def _unresolved(case: Case) -> Iterator[Atom]:
    """Yield committed atoms without a clarification, a waiting successor, or an override that admitted the words."""
    clarified = {one.atom for one in case.pact.clarifications.values()}
    for atom in case.atoms:
        resolved = atom.id in clarified or case.pact.waiting_for(atom.id) or case.excused("INV-003", atom.id)
        if not resolved:
            yield atom


def _reread(case: Case) -> Iterator[Violation]:
    for atom in _unresolved(case):
        if case.facts.fresh is None or case.is_fresh(atom.id):
            continue
        words = weak_words(case, atom, AMBIGUITY_CRITERIA)
        if words.deductions and is_as_committed(case, atom):
            yield broken_words(case, atom, words.deductions)


def _doubted(case: Case) -> Iterator[Violation]:
    for atom in _unresolved(case):
        doubt = (case.facts.doubts or {}).get(atom.id)
        if doubt is not None:
            yield Violation(
                atom.id,
                f"has an unanswered question raised after it was committed: {doubt!r}",
                path=atom.path,
                line=atom.line,
                fix=CLARIFY(atom.id, "'The question?' --answer 'The answer.'"),
                basis=doubt,
            )


CLARIFIED = Rule(
    id="INV-009",
    name="later ambiguity is resolved on record",
    code="PK309",
    text="Ambiguity found after the commitment is resolved by a successor or a recorded clarification.",
    why="An answer given in passing is known to two people for a week.",
    fix="Answer the question, or replace the atom.",
    checked={
        "check": "not checked: reading all words again would take a while",
        "invariant test": "the words of all committed atoms, as rules read them today, and open questions",
    },
    judge=judge_clarified,
    severity="warning",
)
