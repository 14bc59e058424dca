"""Rules that a project declares: every subject that `where` selects has what `needs` says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pactkeeper.intent.invariants.conditions import selects
from pactkeeper.intent.invariants.items import RuleItem, items_of
from pactkeeper.intent.invariants.needs import NEEDS, Need
from pactkeeper.intent.invariants.phrases import in_words
from pactkeeper.intent.invariants.rule import Case, Judgement, Violation, not_checked
from pactkeeper.intent.pact import Invariant

MOST_NAMED: Final = 3
# Conditions that say nothing while no tests are known.
OF_TESTS: Final = frozenset({"path", "language", "framework"})


def judge_declared(case: Case, rule: Invariant) -> Judgement:
    """Judge a project's rule over everything in scope."""
    if rule.every is None:
        return not_checked("it says in words what no key can check")
    unknown = _unknown(case, rule)
    if unknown:
        return not_checked(unknown)
    chosen = selects(rule)
    selected = [item for item in items_of(case, rule.every) if chosen(case, item)]
    found = [one for item in selected if (one := _violation(case, rule, item)) is not None]
    noun = rule.every if len(selected) == 1 else f"{rule.every}s"
    if found:
        return Judgement("failed", f"not held by {len(found):,} of {len(selected):,} {noun}", tuple(found))
    return Judgement("passed", f"held by {len(selected):,} {noun}")


def fix_of(rule: Invariant) -> str:
    """The smallest fix for each key of the rule, of a subject called ID."""
    return "; ".join(dict.fromkeys(NEEDS[name].fix.format(id="ID") for name in rule.needs))


def contexts_of(rule: Invariant) -> Mapping[str, str]:
    """In which context the rule is judged, and over what."""
    if rule.every is None:
        return {"nowhere": "it says in words what no key can check"}
    whole = f"every {rule.every} that `where` selects"
    asked = {"test": "tests of the atoms to be committed", "commitment": "the commitment itself"}
    found = {"pk check": whole, "pk invariant test": whole}
    if any(NEEDS[name].evidence for name in rule.needs):
        found["pk check"] = "not checked: what tests came to is known to the history only"
    if rule.every != "molecule":
        found["pk commit"] = asked.get(rule.every, "the atoms to be committed")
    return found


def _unknown(case: Case, rule: Invariant) -> str:
    """What would have to be known and is not, or nothing."""
    needs = [NEEDS[name] for name in rule.needs]
    of_tests = rule.every == "test" or OF_TESTS & rule.where.keys() or any(one.tests for one in needs)
    if of_tests and case.facts.linked is None:
        return "tests are not known here"
    if any(one.evidence for one in needs) and case.facts.evidence is None:
        return "what tests came to is not known without the history"
    return ""


def _violation(case: Case, rule: Invariant, item: RuleItem) -> Violation | None:
    short = [(need, text) for need, wanted in _needs(rule) for text in need.falls_short(case, item, wanted)]
    if not short or (_may_be_hidden(case, item) and all(need.absence for need, _ in short)):
        return None
    texts = list(dict.fromkeys(text for _, text in short))
    more = f", and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
    said = "; ".join(texts[:MOST_NAMED]) + more
    fixes = dict.fromkeys(need.fix.format(id=item.id) for need, _ in short)
    return Violation(
        item.id,
        f"{said} ({in_words(rule)})",
        path=item.path,
        line=item.line,
        fix="; ".join(fixes),
        basis="; ".join(texts),
        about=rule.id,
    )


def _needs(rule: Invariant) -> Iterator[tuple[Need, Mapping[str, object] | object]]:
    for name, wanted in rule.needs.items():
        yield NEEDS[name], wanted


def _may_be_hidden(case: Case, item: RuleItem) -> bool:
    """Whether tests of it may stand in a file that could not be read, so that nobody may say they are missing."""
    return not case.facts.unseen.isdisjoint(item.homes)
