"""Builds what checks need in a fresh tree, once for each content of the lock files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pactkeeper.health import tree
from pactkeeper.health.checking import run_command
from pactkeeper.health.ground import Ground
from pactkeeper.health.prepared import Prepared, key_of, record, recorded
from pactkeeper.health.running import Ran
from pactkeeper.intent.health import HealthCheck

Step = tuple[tuple[str, ...], str]


def prepare(ground: Ground, checks: Iterable[HealthCheck]) -> Mapping[Step, Ran]:
    """Run every preparation that these checks want and the tree does not have; returns those that failed, by step.

    The person's work tree is taken as it is. What is prepared stays in a tree of its own until a lock file changes.
    """
    steps = {step_of(one): one for one in checks if one.prepare}
    if ground.commit is None or not steps:
        return {}
    key = key_of(ground.opened, steps.values())
    known = recorded(ground.places)
    if known is not None and known.key == key:
        return {}
    ground.places.prepared.unlink(missing_ok=True)
    ground.opened = tree.check_out(ground.home, ground.places, ground.commit)
    ground.keep = ()
    failed = {step: ran for step, one in steps.items() if (ran := _run(one, ground)).code != 0}
    ground.tend()
    ground.keep = tuple(tree.untracked(ground.opened))
    if not failed:
        record(ground.places, Prepared(key, ground.keep))
    return failed


def step_of(check: HealthCheck) -> Step:
    """What tells one preparation from another: the command and where it is run."""
    return check.prepare, check.directory


def reason(check: HealthCheck, ran: Ran) -> str:
    """Why a check could not run: what its preparation came to."""
    what = " ".join(check.prepare)
    if ran.unstarted:
        return f"preparing it failed: {ran.unstarted}"
    if ran.timed_out:
        return f"preparing it failed: `{what}` was ended after {check.timeout} s"
    last = next((line.strip() for line in reversed(ran.output.text.splitlines()) if line.strip()), "")
    return f"preparing it failed: `{what}` ended with code {ran.code}{f': {last[:200]}' if last else ''}"


def _run(check: HealthCheck, ground: Ground) -> Ran:
    return run_command(check, check.prepare, ground, ground.new_report())
