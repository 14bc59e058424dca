"""INV-009: ambiguity found after the commitment is resolved by a successor or a recorded clarification."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants.rule import (
    Case,
    Judgement,
    Rule,
    Violation,
    broken_words,
    is_as_committed,
    judged,
    not_checked,
    weak_words,
)
from pactkeeper.intent.invariants.unambiguous import CRITERIA


def judge(case: Case) -> Judgement:
    """Judge the words of older commitments again, and report unanswered questions about committed atoms."""
    facts = case.facts
    if facts.commit is not None:
        return not_checked("it is about what is committed already")
    if facts.doubts is None and not facts.reread:
        return not_checked("words that were committed earlier are judged again by pk invariant test")
    found = {one.subject: one for one in (*(_reread(case) if facts.reread else ()), *_doubted(case))}
    unknown = "" if facts.doubts is not None else "; questions about them are not checked: there is no history here"
    return judged(
        found.values(),
        holds=f"no doubt about {case.scope} is open{unknown}",
        fails="a committed atom is ambiguous and nothing on record says what it means",
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
        words = weak_words(case, atom, CRITERIA)
        if words.deductions and is_as_committed(case, atom):
            yield broken_words(case, atom, words.deductions)


def _doubted(case: Case) -> Iterator[Violation]:
    for atom in _unresolved(case):
        doubt = (case.facts.doubts or {}).get(atom.id)
        if doubt is not None:
            yield Violation(
                atom.id,
                f"was asked about after it was committed, without an answer: {doubt!r}",
                path=atom.path,
                line=atom.line,
                fix=f"pk atom clarify {atom.id} 'The question?' --answer 'The answer.'",
                basis=doubt,
            )


RULE = Rule(
    id="INV-009",
    name="later ambiguity is resolved on record",
    code="PK309",
    text="Ambiguity found after the commitment is resolved by a successor or a recorded clarification.",
    why="An answer given in passing is known to two people for a week.",
    fix="`pk atom clarify` records an answer; `pk atom supersede` replaces the atom.",
    checked={
        "pk check": "not checked: it would take a while to read all words again",
        "pk invariant test": "the words of all committed atoms, as rules read them today, and open questions",
    },
    judge=judge,
    severity="warning",
)
