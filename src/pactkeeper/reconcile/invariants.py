"""Findings about invariants, for check and runs: the rules of `intent.invariants` applied to what each knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from pactkeeper.advice import ENABLE
from pactkeeper.catalog.schema import INVARIANTS_FILE
from pactkeeper.intent.invariants import RULES, Checked, Facts, evaluate, setting_of
from pactkeeper.intent.invariants.declared import in_words
from pactkeeper.intent.invariants.rule import Status
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.tests import Gap, hiding
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.finding import Finding
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Question
from pactkeeper.reconcile.codes import Located, located
from pactkeeper.reconcile.commitments import CommitmentFacts
from pactkeeper.reconcile.world import World

# Codes for which check itself reports what the rules would repeat; PK306 is reported as PK402 to PK406.
SAID_ELSEWHERE: Final = frozenset({"PK102", "PK201", "PK202", "PK306", "PK401"})


@dataclass(frozen=True, slots=True)
class Ruled:
    """A rule as judged by a check; `text` states it in words."""

    id: str
    code: str
    text: str
    status: Status
    reason: str


@dataclass(frozen=True, slots=True)
class Rulings:
    """Every rule as judged, and the findings that break them."""

    rules: tuple[Ruled, ...]
    findings: tuple[Located, ...]


def rulings(  # noqa: PLR0913 - all that a check knows, all named
    linked: Sequence[LinkedTest],
    pact: Pact,
    gaps: Sequence[Gap],
    *,
    found: Iterable[Finding],
    known: CommitmentFacts | None,
    today: date,
) -> Rulings:
    """Judge all rules by what a check knows: one snapshot's files, what was `found` in them, and what is `known`.

    Wording is judged only in new commitments; that of older ones was judged when they were made.
    """
    facts = Facts(
        pact,
        tuple(linked),
        at=today.isoformat(),
        unseen=hiding(gaps),
        verified=None if known is None else known.signatures,
        fresh=fresh_commitments(pact, known),
        reread=False,
        findings=tuple(found),
    )
    checked = evaluate(facts)
    findings = (one for entry in checked for one in entry.findings if one.code not in SAID_ELSEWHERE)
    return Rulings(tuple(_ruled(one, pact) for one in checked), (*map(_placed, findings), *_switched_off(pact)))


def fresh_commitments(pact: Pact, known: CommitmentFacts | None) -> frozenset[str]:
    """Return the commitments that the base state lacks; none without a base."""
    base = None if known is None else known.base
    return frozenset() if base is None else frozenset(pact.commitments) - base.ids


def _ruled(checked: Checked, pact: Pact) -> Ruled:
    name = checked.invariant
    text = RULES[name].text if name in RULES else in_words(pact.invariants[name])
    return Ruled(name, setting_of(pact, name).code, text, checked.status, checked.reason)


def _placed(finding: Finding) -> Located:
    place = finding.evidence[0]
    return Located(finding, place.path or INVARIANTS_FILE, place.line)


def _switched_off(pact: Pact) -> Iterator[Located]:
    """Yield built-in rules the project has disabled, so that nobody mistakes an unchecked rule for one that holds."""
    for name, rule in RULES.items():
        entry = pact.invariants.get(name)
        if entry is not None and not entry.enabled:
            yield located(
                "PK310",
                name,
                f"the built-in rule {rule.name!r} is switched off",
                path=entry.path or pact.folder.path(INVARIANTS_FILE),
                line=entry.line,
                fix=ENABLE(name),
                basis="off",
                severity="info" if rule.overridable else "warning",
            )


def as_ruled(found: Iterable[Located], pact: Pact) -> Iterator[Located]:
    """Yield findings with the severity the project gives their rule, leaving out those of disabled rules."""
    for entry in found:
        name = entry.finding.invariant
        if not name or name not in pact.invariants:
            yield entry
            continue
        setting = setting_of(pact, name)
        if setting.enabled:
            yield replace(entry, finding=replace(entry.finding, severity=setting.severity))


def run_findings(
    world: World,
    ops: Sequence[Op],
    questions: Sequence[Question],
    *,
    changed: frozenset[str] | None,
    state: Mapping[str, JsonValue],
) -> tuple[Finding, ...]:
    """Return what only a run can tell: whether it leaves committed atoms alone, covers all changes and holds no bulk.

    `changed` are the ids of tests that differ from its baseline, None if it examined everything; `state` is what its
    flow keeps between steps. Findings by the other rules, which a check reports, are not repeated.
    """
    facts = Facts(world.pact, world.linked, ops=tuple(ops), questions=tuple(questions), changed=changed, state=state)
    return tuple(finding for one in evaluate(facts, only=("R001", "R002", "R005")) for finding in one.findings)
