"""The impact of a new rule: the atoms that do not meet it yet, with their tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pactkeeper.intent.invariants.declared import judge_declared
from pactkeeper.intent.invariants.items import RuleItem, items_of, selects
from pactkeeper.intent.invariants.rule import Assess, Case, Facts
from pactkeeper.intent.pact import Invariant


@dataclass(frozen=True, slots=True)
class Impact:
    """The ids of the atoms and tests affected by a rule, sorted; `unknown` says why that can't be determined."""

    atoms: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    unknown: str = ""


def impact_of(old: Invariant, new: Invariant, facts: Facts, *, assess: Assess) -> Impact:
    """Return what has to change when `new` replaces `old`.

    A rule stated only in words is not checked, so the subjects of the old rule are what to review.
    """
    case = Case.of(facts, assess)
    if new.every is None:
        return _gathered(_selected(case, old))
    judged = judge_declared(case, replace(new, enabled=True))
    if judged.status == "not checked":
        return Impact(unknown=judged.reason)
    broken = {one.subject for one in judged.violations}
    return _gathered(item for item in items_of(case, new.every) if item.id in broken)


def _selected(case: Case, rule: Invariant) -> Iterable[RuleItem]:
    if rule.every is None:
        return ()
    chosen = selects(rule)
    return (item for item in items_of(case, rule.every) if chosen(case, item))


def _gathered(items: Iterable[RuleItem]) -> Impact:
    found = list(items)
    atoms = {atom.id for item in found for atom in item.atoms}
    tests = {entry.test.id for item in found for entry in item.tests}
    return Impact(tuple(sorted(atoms)), tuple(sorted(tests)))
