"""Rules over the pact, the tests and changes to them: built-in ones, and those a project declares."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants import commitments, links, writes
from pactkeeper.intent.invariants.rule import (
    Assess,
    Case,
    Checked,
    CommitRequest,
    Facts,
    Judgement,
    Refusal,
    Rule,
    Seal,
    Status,
    Violation,
)
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.finding import Evidence, Finding, Severity

if TYPE_CHECKING:  # most commands judge no words
    from pactkeeper.intent.quality.values import Quality

__all__ = [
    "RULES", "Checked", "CommitRequest", "Facts", "Refusal", "Rule", "Seal", "Setting", "Status", "assessor",
    "evaluate", "setting_of"
]  # fmt: skip

RULES: Final[Mapping[str, Rule]] = {
    "INV-001": commitments.EXPLICIT,
    "INV-002": links.TESTABLE,
    "INV-003": links.UNAMBIGUOUS,
    "INV-004": commitments.IMMUTABLE,
    "INV-005": links.TRACEABLE,
    "INV-006": commitments.PEOPLE_COMMIT,
    "INV-007": commitments.KEPT_EVIDENCE,
    "INV-008": writes.NAMED_REFUSALS,
    "INV-009": links.CLARIFIED,
    "R001": writes.NO_REWRITE,
    "R002": links.CLOSURE,
    "R003": writes.ALL_OR_NOTHING,
    "R004": links.MOLECULES,
    "R005": writes.FLOW_STATE,
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A project's setting for a rule: whether it is enabled, its severity, and whether a violation blocks a commit."""

    code: str
    enabled: bool
    severity: Severity
    blocking: bool


def setting_of(pact: Pact, name: str) -> Setting:
    """Return the project's setting for a rule, or the rule's default; raises KeyError for an unknown rule."""
    rule, entry = RULES.get(name), pact.invariants.get(name)
    if rule is None and entry is None:
        raise KeyError(name)
    usual: Severity = rule.severity if rule is not None else "error"
    severity = entry.severity if entry is not None and entry.severity is not None else usual
    blocking = entry.blocking if entry is not None and entry.blocking is not None else severity == "error"
    if entry is not None and entry.every == "molecule":
        severity, blocking = "info" if severity == "info" else "warning", False
    code = rule.code if rule is not None else (entry.code if entry is not None and entry.code else name)
    return Setting(code, entry is None or entry.enabled, severity, blocking)


def evaluate(facts: Facts, *, only: Collection[str] | None = None, assess: Assess | None = None) -> tuple[Checked, ...]:
    """Judge the rules of a project, or `only` those named: built-in ones in their order, then declared ones by id.

    Disabled rules are returned as not checked. `assess` judges the words of an atom; None uses the rules of
    `intent.quality`. Raises KeyError if `only` contains an unknown rule.
    """
    case = Case.of(facts, assess or assessor(facts.pact))
    names = [*RULES, *sorted(name for name in facts.pact.invariants if name not in RULES)]
    unknown = sorted(set(only or ()) - set(names))
    if unknown:
        raise KeyError(unknown[0])
    return tuple(_checked(case, name) for name in names if only is None or name in only)


def _checked(case: Case, name: str) -> Checked:
    setting = setting_of(case.facts.pact, name)
    if not setting.enabled:
        return Checked(name, "not checked", "switched off in pact/invariants.toml")
    rule = RULES.get(name)
    found = rule.judge(case) if rule is not None else _judge_declared(case, name)
    findings = tuple(_finding(name, setting, one) for one in found.violations)
    blocking = setting.blocking and found.status == "failed"
    override = _override(case, name) if blocking else ""
    reason = f"{found.reason}; overridden: {override}" if override else found.reason
    return Checked(name, found.status, reason, findings, blocking and not override)


def _judge_declared(case: Case, name: str) -> Judgement:
    from pactkeeper.intent.invariants.declared import judge_declared  # noqa: PLC0415 - many projects declare none

    return judge_declared(case, case.facts.pact.invariants[name])


def _override(case: Case, name: str) -> str:
    """Return the request's reason for overriding a broken rule; "" if the rule cannot be overridden."""
    request, rule = case.facts.commit, RULES.get(name)
    if request is None or (rule is not None and not rule.overridable):
        return ""
    return request.overrides.get(name, "").strip()


def _finding(name: str, setting: Setting, found: Violation) -> Finding:
    return Finding(
        found.code or setting.code,
        found.subject,
        setting.severity,
        found.message,
        (Evidence("mechanical", found.path, found.line, note=found.basis),),
        found.fix,
        found.about,
        name,
    )


def assessor(pact: Pact) -> Assess:
    """Return a judge of words, using the rules of `intent.quality` and the project's vocabulary."""

    def judge(atom: Atom) -> Quality:
        from pactkeeper.intent.quality import AtomWords, QualityVocabulary, assess  # noqa: PLC0415 - see above

        return assess(AtomWords.of(atom), QualityVocabulary.of(pact.settings))

    return judge
