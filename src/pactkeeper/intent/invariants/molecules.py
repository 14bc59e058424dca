"""R004: molecules organise intent and never block anything."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.invariants.rule import Case, Judgement, Rule, Violation, judged


def judge(case: Case) -> Judgement:
    """Report blocking rules over molecules, and errors about molecules if findings are known."""
    return judged(
        (*_rules(case), *_findings(case)),
        holds="nothing about a molecule is an error",
        fails="something about a molecule would block",
    )


def _rules(case: Case) -> Iterator[Violation]:
    for one in case.pact.invariants.values():
        if one.every == "molecule" and one.enabled and (one.severity == "error" or one.blocking):
            yield Violation(
                one.id,
                "is about molecules and would block",
                path=one.path,
                line=one.line,
                fix='severity = "warning"',
                basis="blocking",
            )


def _findings(case: Case) -> Iterator[Violation]:
    for found in case.facts.findings or ():
        if found.severity == "error" and found.subject in case.pact.molecules:
            place = next((one for one in found.evidence if one.path), None)
            yield Violation(
                found.code,
                f"is an error about the molecule {found.subject}",
                path=place.path if place else "",
                line=place.line if place else 0,
                fix="report this as a bug of Pactkeeper",
                basis=found.fingerprint,
            )


RULE = Rule(
    id="R004",
    name="molecules never block",
    code="PK314",
    text="No finding and no rule about a molecule is an error or stops a commit.",
    why="Groupings are for reading; who has to group before committing groups anyhow.",
    fix="Make it a warning.",
    checked={"pk check": "findings about molecules, and the severity of rules over them"},
    judge=judge,
    overridable=False,
)
