"""Builds what checks need in a fresh tree, once for each content of the lock files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from pactkeeper.health import tree
from pactkeeper.health.checking import run_command
from pactkeeper.health.ground import CheckTree
from pactkeeper.health.prepared import Prepared, key_of, record, recorded
from pactkeeper.health.running import Ran
from pactkeeper.intent.health import HealthCheck

_LONGEST: Final = 200
# Package managers open with a code and an empty line; the sentence comes after them.
_WRONG: Final = re.compile(r"\b(?:error|ERR!|fatal|failed)\b[: ]+(?!(?:code|errno|syscall|path)\b).{8}", re.IGNORECASE)
Step = tuple[tuple[str, ...], str]


def prepare(ground: CheckTree, checks: Iterable[HealthCheck], begins: Callable[[str], None]) -> Mapping[Step, Ran]:
    """Run every preparation that these checks want and the tree does not have; returns those that failed, by step.

    `begins` is told the command line of each before it runs.

    The person's work tree is taken as it is. What is prepared stays in a tree of its own until a lock file changes.
    """
    ground.bare = False
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
    ground.note()
    failed = {step: ran for step, one in steps.items() if (ran := _run(one, ground, begins)).code != 0}
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
    told = _told(ran.output.text)
    return f"preparing it failed: `{what}` ended with code {ran.code}{f': {told[:_LONGEST]}' if told else ''}"


def _told(text: str) -> str:
    """The first line that says what is wrong, else the last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if _WRONG.search(line)), lines[-1] if lines else "")


def _run(check: HealthCheck, ground: CheckTree, begins: Callable[[str], None]) -> Ran:
    begins(" ".join(check.prepare))
    return run_command(check, check.prepare, ground, ground.new_report())
