"""The one gate that atoms pass to be committed: their quality, every enabled rule, and a person.

To give committed atoms up takes a person too, and every rule about commitments; how good their words are, or whether
they have tests, doesn't matter then.

Nothing else decides: there is a single function, and whoever writes a commitment has to show its result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.advice import EDIT
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants import RULES, Checked, CommitRequest, Facts, Refusal, assessor, evaluate, setting_of
from pactkeeper.intent.invariants.rule import Assess
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.quality.values import Criterion, Dimension, Quality
from pactkeeper.ledger.finding import Evidence, Finding

QUALITY: Final = "quality"
PERSON: Final = "INV-006"
_OF_ACTS: Final = ("INV-001", "INV-004", PERSON)  # the built-in rules about who commits what
# The rule behind each criterion, so that low quality is refused by a rule and an override can name it.
RULE_OF: Final[Mapping[Criterion, str]] = {
    "observable": "INV-002",
    "falsifiable": "INV-002",
    "clear success criteria": "INV-002",
    "implementation-agnostic": "INV-003",
    "unambiguous": "INV-003",
}
_MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Gate:
    """The gate's answer to a request: each check with its reason, and whether the atoms may be committed."""

    request: CommitRequest
    checks: tuple[Checked, ...]
    allowed: bool

    @property
    def refusals(self) -> tuple[Checked, ...]:
        """The checks that block the commitment."""
        return tuple(one for one in self.checks if one.blocking)


def gate(request: CommitRequest, facts: Facts, *, assess: Assess | None = None) -> Gate:
    """Decide whether atoms may be committed: quality at or above the threshold, all enabled rules, and a person.

    A request to give atoms up is judged by the rules about commitments alone.

    An override lifts the one rule it names, and restores the points that the rule cost. A check that cannot run here is
    reported as not checked and never counts as passed; nothing is committed unless it is known who asks.
    """
    pact = _without_switches(facts.pact)
    known = replace(facts, pact=pact, commit=request)
    if request.abandons is not None:
        declared = (name for name, one in pact.invariants.items() if one.every == "commitment")
        return _gate(request, evaluate(known, only=frozenset((*_OF_ACTS, *declared)), assess=assess))
    quality = _quality(request, pact, assess or assessor(pact))
    refusals = tuple(Refusal(one.subject, one.message, one.invariant) for one in quality.findings)
    rules = evaluate(replace(known, refusals=refusals), assess=assess)
    return _gate(request, (quality, *rules))


def _gate(request: CommitRequest, judged: Sequence[Checked]) -> Gate:
    checks = tuple(_person(one) if one.invariant == PERSON else one for one in judged)
    return Gate(request, checks, not any(one.blocking for one in checks))


def refused_words(pact: Pact, names: Sequence[str], assess: Assess) -> dict[str, dict[str, str]]:
    """Map atoms and rules to why the gate would refuse their words, whoever asks."""
    request = CommitRequest(tuple(names), by="", actor="person", assurance=None)
    if not names:
        return {}
    rules = evaluate(Facts(pact, commit=request), only=frozenset(RULE_OF.values()), assess=assess)
    found: dict[str, dict[str, str]] = {}
    for check in (*rules, _quality(request, pact, assess)):
        for one in check.findings if check.blocking else ():
            found.setdefault(one.subject, {}).setdefault(one.invariant or check.invariant, one.message)
    return found


def _without_switches(pact: Pact) -> Pact:
    """Return the pact without its settings for rules that cannot be overridden: those hold for every commitment."""
    kept = {name: one for name, one in pact.invariants.items() if name not in RULES or RULES[name].overridable}
    return replace(pact, invariants=kept)


def _person(checked: Checked) -> Checked:
    return checked if checked.status in {"passed", "asserted"} else replace(checked, blocking=True)


def _quality(request: CommitRequest, pact: Pact, assess: Assess) -> Checked:
    lifted = {name for name in set(RULE_OF.values()) if name in request.overrides or not _stops(pact, name)}
    atoms = [pact.atoms[name] for name in dict.fromkeys(request.atoms) if name in pact.atoms]
    judged = [(atom, assess(atom).without_hints()) for atom in atoms]
    least = pact.settings.quality_threshold
    low = tuple(one for atom, quality in judged for one in _shortfall(atom, quality, pact, lifted=lifted))
    if low:
        below = len({one.subject for one in low})
        return Checked(QUALITY, "failed", f"{below:,} of {len(atoms):,} below {least} of 100", low, blocking=True)
    unread = [f"{atom.id} ({quality.language})" for atom, quality in judged if not quality.judged]
    if unread or not atoms:
        named = f"the rules do not read the language of {', '.join(unread[:_MOST_NAMED])}"
        return Checked(QUALITY, "not checked", named if unread else "there is no atom to judge")
    lowest = min(quality.score for _, quality in judged)
    return Checked(QUALITY, "passed", _passed(len(atoms), lowest, least))


def _passed(number: int, lowest: int, least: int) -> str:
    lifted = f", lifted to {least} by an override or a switched-off rule" if lowest < least else ""
    return f"{lowest} of 100{lifted}" if number == 1 else f"{number:,} atoms, the lowest has {lowest} of 100{lifted}"


def _stops(pact: Pact, name: str) -> bool:
    setting = setting_of(pact, name)
    return setting.enabled and setting.blocking


def _shortfall(atom: Atom, quality: Quality, pact: Pact, *, lifted: set[str]) -> Iterator[Finding]:
    """Yield one finding for each rule by which an atom below the threshold lost points; lifted rules cost no points."""
    if not quality.judged:
        return
    counted = quality.score + sum(_lost(one) for one in quality.dimensions if RULE_OF[one.name] in lifted)
    if counted >= pact.settings.quality_threshold:
        return
    for rule in sorted(set(RULE_OF.values()) - lifted):
        short = [one for one in quality.dimensions if RULE_OF[one.name] == rule and _lost(one)]
        if short:
            yield _finding(atom, counted, short, rule=rule, code=setting_of(pact, rule).code)


def _lost(dimension: Dimension) -> int:
    return dimension.most - dimension.points


def _finding(atom: Atom, counted: int, short: Sequence[Dimension], *, rule: str, code: str) -> Finding:
    """Build the finding: the points lost by criterion, with the costliest deduction and its suggestion."""
    message = f"has {counted} of 100: {', '.join(f'{one.name} −{_lost(one)}' for one in short)}"
    fix = EDIT(atom.id)
    dearest = max((one for each in short for one in each.deductions), key=lambda one: one.points, default=None)
    if dearest is not None:
        message += f"; {dearest.said}"
        fix = f"{dearest.suggestion}: " + fix
    evidence = (Evidence("mechanical", atom.path, atom.line, note=atom.frozen_hash()),)
    return Finding(code, atom.id, "error", message, evidence, fix, "", rule)
