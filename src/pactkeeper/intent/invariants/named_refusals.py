"""INV-008: the gate rejects only by an invariant, and lets through only by a named override."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.ids import BUILT_IN_RULES
from pactkeeper.intent.invariants.rule import Case, Judgement, Rule, Violation, judged, not_checked

# Overriding these would do what they forbid.
ABSOLUTE = frozenset({"INV-001", "INV-004", "INV-006", "INV-007", "INV-008", "R001", "R002", "R003", "R004", "R005"})


def judge(case: Case) -> Judgement:
    """Check what a gate refused and what it is asked to override."""
    facts = case.facts
    if facts.refusals is None and facts.commit is None:
        return not_checked("no gate decided anything here")
    return judged(
        (*_refusals(case), *_overrides(case)),
        holds="every refusal and every override names a rule",
        fails="the gate decided by something that is no rule",
    )


def _refusals(case: Case) -> Iterator[Violation]:
    for refusal in case.facts.refusals or ():
        if not _known(case, refusal.invariant):
            named = f"names {refusal.invariant!r}, which is no rule here" if refusal.invariant else "names no rule"
            yield Violation(
                refusal.atom,
                f"was refused because {refusal.reason}; that {named}",
                fix="pk invariant list",
                basis=named,
            )


def _overrides(case: Case) -> Iterator[Violation]:
    request = case.facts.commit
    for name, reason in sorted((request.overrides if request is not None else {}).items()):
        if not _known(case, name):
            problem = "is no rule here, so nothing can override it"
        elif name in ABSOLUTE:
            problem = "cannot be overridden: the override would be what it forbids"
        elif not reason.strip():
            problem = "is overridden without a reason"
        else:
            continue
        yield Violation(name, problem, fix="pk invariant list", basis=problem)


def _known(case: Case, name: str) -> bool:
    return name in BUILT_IN_RULES or name in case.pact.invariants


RULE = Rule(
    id="INV-008",
    name="the gate rejects only by invariant",
    code="PK308",
    text="What keeps an atom from being committed is a named rule; what lets it through all the same names that rule.",
    why="A refusal that nobody can look up cannot be settled or argued with.",
    fix="Name the rule.",
    checked={"pk commit": "every refusal names a rule, every override one rule and a reason"},
    judge=judge,
    overridable=False,
)
