"""INV-007: recorded evidence never changes."""

from __future__ import annotations

from pactkeeper.intent.invariants.rule import Case, Judgement, Rule, Seal, Violation, judged, not_checked


def judge(case: Case) -> Judgement:
    """Compare every piece of evidence with the hash stored when it was recorded."""
    sealed = case.facts.sealed
    if sealed is None:
        return not_checked("what was recorded earlier is not known without the history")
    return judged(
        [_violation(name, seal) for name, seal in sorted(sealed.items()) if seal.found != seal.noted],
        holds=f"{len(sealed):,} {'piece' if len(sealed) == 1 else 'pieces'} of evidence as recorded",
        fails="recorded evidence is not what it was",
    )


def _violation(name: str, seal: Seal) -> Violation:
    what = "is gone" if seal.found is None else "says something else than when it was recorded"
    return Violation(name, what, fix=f"restore it, or record it anew: the hash was {seal.noted}", basis=seal.noted)


RULE = Rule(
    id="INV-007",
    name="evidence is immutable",
    code="PK307",
    text="Recorded evidence, such as the outcome of a test at a commit, never changes; new evidence stands beside it.",
    why="Whoever can rewrite a proof can prove anything.",
    fix="Restore the record.",
    checked={"pk invariant test": "attestations in the history, by the hash noted when they were kept"},
    judge=judge,
    overridable=False,
)
