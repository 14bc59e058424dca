"""R003: an apply writes everything or nothing."""

from __future__ import annotations

from pactkeeper.intent.invariants.rule import Case, Judgement, Rule, Violation, judged, not_checked


def judge(case: Case) -> Judgement:
    """Report writes that began and never finished."""
    unfinished = case.facts.unfinished
    if unfinished is None:
        return not_checked("the journal of writes is not known here")
    return judged(
        [
            Violation("the journal", f"the write that began at {at} was interrupted", fix="pk recover", basis=at)
            for at in unfinished
        ],
        holds="no write waits to be finished or rolled back",
        fails="a write is half done",
    )


RULE = Rule(
    id="R003",
    name="apply is all-or-nothing",
    code="PK313",
    text="An apply writes every file that it was to write, or none.",
    why="Half a change is a state that nobody chose.",
    fix="`pk recover` finishes or rolls back.",
    checked={"every command": "the journal, before anything is read", "pk invariant test": "the same"},
    judge=judge,
    overridable=False,
)
