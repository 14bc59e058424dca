"""INV-009: ambiguity found after the commitment is resolved by a successor or a recorded clarification."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pactkeeper.intent.invariants.rule import Case, Judgement, Rule, Violation, judged, not_checked


def judge(case: Case) -> Judgement:
    """Look at questions about committed atoms that nobody answered."""
    doubts = case.facts.doubts
    if doubts is None:
        return not_checked("which committed atoms were asked about is not known without the history")
    return judged(
        _open(case, doubts),
        holds="no committed atom waits for an answer",
        fails="a committed atom is ambiguous and nobody has said what it means",
    )


def _open(case: Case, doubts: Mapping[str, str]) -> Iterator[Violation]:
    for name, doubt in sorted(doubts.items()):
        atom = case.pact.atoms.get(name)
        if atom is None or name in case.facts.clarified or case.pact.status_of(name) != "committed":
            continue
        yield Violation(
            name,
            f"was asked about after it was committed, without an answer: {doubt!r}",
            path=atom.path,
            line=atom.line,
            fix=f"answer the question, or replace the atom: pk supersede {name} --edit",
            basis=doubt,
        )


RULE = Rule(
    id="INV-009",
    name="later ambiguity is resolved on record",
    code="PK309",
    text="Ambiguity found after the commitment is resolved by a successor or a recorded clarification.",
    why="An answer given in passing is known to two people for a week.",
    fix="Answer the question, or declare a successor.",
    checked={"the history": "questions about committed atoms that have no answer; not checked without the history"},
    judge=judge,
    severity="warning",
)
