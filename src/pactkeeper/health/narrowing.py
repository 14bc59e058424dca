"""Reruns failed tests while the tree is still checked out, to tell flaky tests from failing ones.

Knows how to make each runner select tests; a runner that can't reruns all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pactkeeper.health.checking import run_check
from pactkeeper.health.ground import CheckTree
from pactkeeper.health.sweeping import Rerun
from pactkeeper.health.triage import Scene, blamed, fault, flaky, suspicious
from pactkeeper.health.trust import Plan
from pactkeeper.intent.health import CheckResult, HealthCheck, HealthFinding

_GO_TEST: Final = re.compile(r"(?:\A|\.)((?:Test|Fuzz|Example)\w*)(?:/|\Z)")
Narrow = Callable[[HealthCheck, Sequence[str]], tuple[str, ...]]


def narrowed(check: HealthCheck, tests: Sequence[str]) -> tuple[str, ...]:
    """Return the command that runs these tests, named as the runner does, and as few others as possible."""
    narrow = NARROWING.get(check.parser)
    return check.argv if narrow is None or not tests else narrow(check, tests)


def _pytest(check: HealthCheck, tests: Sequence[str]) -> tuple[str, ...]:
    prefix = "" if check.directory == "." else f"{check.directory}/"
    return (*check.argv, *(test.removeprefix(prefix) for test in tests))


def _unittest(check: HealthCheck, tests: Sequence[str]) -> tuple[str, ...]:
    if "discover" not in check.argv:
        return check.argv
    start = check.argv.index("discover")
    return (*check.argv[:start], *dict.fromkeys(test.partition(" (")[0] for test in tests))


def _titled(option: str) -> Narrow:
    """Narrow runners that take one regular expression matching full titles."""

    def narrow(check: HealthCheck, tests: Sequence[str]) -> tuple[str, ...]:
        titles = [" ".join(re.split(r" [>›] ", test)[1:]) or test for test in tests]
        return (*_opened(check.argv), option, f"^({'|'.join(re.escape(title) for title in titles)})$")

    return narrow


def _opened(argv: Sequence[str]) -> tuple[str, ...]:
    """Return arguments that more can be appended to: npm passes on only what follows `--`."""
    return (*argv, "--") if argv[0].rpartition("/")[2] == "npm" and "--" not in argv else tuple(argv)


def _go(check: HealthCheck, tests: Sequence[str]) -> tuple[str, ...]:
    found = (_GO_TEST.search(test) for test in tests)
    names = dict.fromkeys(one[1] for one in found if one is not None)
    return check.argv if not names else (*check.argv, "-run", f"^({'|'.join(names)})$")


def _cargo(check: HealthCheck, tests: Sequence[str]) -> tuple[str, ...]:
    return check.argv if "--" in check.argv else (*check.argv, "--", "--exact", *tests)


NARROWING: Final[Mapping[str, Narrow]] = {
    "pytest": _pytest,
    "unittest": _unittest,
    "vitest": _titled("-t"),
    "jest": _titled("-t"),
    "mocha": _titled("--grep"),
    "go": _go,
    "cargo": _cargo,
}


def rerun_of(known: Mapping[str, HealthFinding]) -> Rerun:
    """Return a function that reruns undecided failures, at most `[health] rerun`; `known` are earlier findings."""

    def rerun(ground: CheckTree, plan: Plan, results: Sequence[CheckResult]) -> frozenset[str]:
        if fault(results, blamed(results, Scene(ground.files()))):
            return frozenset()
        asked = suspicious(results, known, most=plan.settings.rerun)
        checks = [one.check for one in plan.checks if one.check.name in asked]
        again = [run_check(replace(one, argv=narrowed(one, asked[one.name])), ground) for one in checks]
        return flaky(results, again, asked)

    return rerun
