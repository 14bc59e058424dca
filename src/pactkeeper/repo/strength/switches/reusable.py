"""Workflows and actions that a workflow calls: of this repository, read where they are, or of another one."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

from pactkeeper.repo.strength.switches.commands import CALLED, Check, aspect_of_name

_LOCAL: Final = f"{CALLED}./"
_WORKFLOW: Final = re.compile(r"(?:\./\.github/(?:workflows|actions)/|[\w.-]{1,100}/[\w.-]{1,100}/\.github/workflows/)")
# What a workflow does that tests nothing, by its name.
_HARMLESS: Final = re.compile(
    r"release|publish|deploy|stale|lock|label|triage|changelog|\bdocs?\b|pages|backport|welcome|greet|assign|\bcla\b"
    r"|merge|sync|notify|codeql|scorecard|dependabot|renovate"
)
_VERSIONS: Final = re.compile(r"[\s\d.,x'\"\[\]<>=^~*|-]*+\Z")


def call_of(value: str, given: object, job: str) -> Check | None:
    """Return the call of a workflow, or of an action of this repository; None for one that tests nothing.

    What another repository's runs is not known; its own name, or that of the `job`, may say it. `given` is its input.
    """
    if _WORKFLOW.match(value) is None:
        return None
    target = value.partition("@")[0]
    if target.startswith("./"):
        return Check("tests", f"{CALLED}{target}", (), known=False)
    name = posixpath.basename(target).partition(".")[0]
    aspect = aspect_of_name(name) or aspect_of_name(job)
    if aspect is None and _HARMLESS.search(name):
        return None
    inputs = given.items() if isinstance(given, dict) else ()
    shown = tuple(f"{key}: {held}".lower() for key, held in inputs if not _VERSIONS.match(str(held)))
    return Check(aspect or "tests", f"{CALLED}{target}", (), known=aspect is not None, around=shown)


def targets_of(checks: Sequence[Check]) -> set[str]:
    """Return the paths of this repository's workflows, and the folders of its actions, that are called."""
    return {_target(one) for one in checks if one.program.startswith(_LOCAL)}


def started_by_callers(checks: Sequence[Check], called: Collection[str]) -> Iterator[Check]:
    """Yield the checks without the calls; a check of what is `called` is started by what starts the callers."""
    calls = [one for one in checks if one.program.startswith(_LOCAL)]
    yield from (_effective(one, calls, called, ()) for one in checks if not one.program.startswith(_LOCAL))


def _effective(check: Check, calls: Sequence[Check], called: Collection[str], seen: tuple[str, ...]) -> Check:
    place = next((one for one in (check.path, posixpath.dirname(check.path)) if one in called), "")
    if not place:
        return check
    callers = [one for one in calls if _target(one) == place and place not in seen]
    mine = [_effective(one, calls, called, (*seen, place)) for one in callers]
    own = [one for one in check.branches if one != "**"]
    branches = tuple(dict.fromkeys((*own, *(branch for one in mine for branch in one.branches))))
    check = replace(check, branches=branches)
    if own or not mine:
        return check
    ignored = mine[0].ignored if all(one.ignored for one in mine) else ""
    condition = mine[0].condition if all(one.condition for one in mine) else ""
    joined = " and ".join(filter(None, (condition, check.condition)))
    return replace(check, ignored=check.ignored or ignored, condition=joined)


def _target(call: Check) -> str:
    return posixpath.normpath(call.program.removeprefix(CALLED))
