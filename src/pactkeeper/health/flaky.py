"""Failed tests once more while the tree still stands, to tell a flaky test from a failing one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pactkeeper.health.checking import run_check
from pactkeeper.health.ground import CheckTree
from pactkeeper.health.narrowing import narrowed
from pactkeeper.health.sweeping import Rerun
from pactkeeper.health.triage import Scene, blamed, fault, flaky, suspicious
from pactkeeper.health.trust import Plan
from pactkeeper.intent.health import CheckResult, HealthFinding


def rerun_of(known: Mapping[str, HealthFinding]) -> Rerun:
    """What runs undecided failures again, at most as many as `[health] rerun` says; `known` are earlier findings."""

    def rerun(ground: CheckTree, plan: Plan, results: Sequence[CheckResult]) -> frozenset[str]:
        if fault(results, blamed(results, Scene(ground.files()))):
            return frozenset()
        asked = suspicious(results, known, most=plan.settings.rerun)
        checks = [one.check for one in plan.checks if one.check.name in asked]
        again = [run_check(replace(one, argv=narrowed(one, asked[one.name])), ground) for one in checks]
        return flaky(results, again, asked)

    return rerun
