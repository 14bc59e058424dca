"""A day of commits in which failures come and go: no failure is mended twice, kept back or forgotten."""

import random
from collections import Counter
from typing import Any

import pytest

from pactkeeper.health.tasking import OPEN, FollowLimits, SweepFacts
from tests.health.lines import AT, Line, result, wrong

COMMITS, ATTENTION = 500, 40  # sweeps, and after how many of them a failure must have been somebody's


def day(seed):
    """Commits with up to nine failures at a time; some sweeps are stale, some tasks are claimed, mended or botched."""
    chance = random.Random(seed)  # noqa: S311 - the same day every time
    line, seen = Line(), []
    broken: set[Any] = set()
    since: dict[Any, Any] = {}
    for number in range(COMMITS):
        if chance.random() < 0.3 and len(broken) < 9:
            broken.add(f"t{number}")
        for task in [one for one in line.tasks.values() if one.status in {"pending", "failed"}]:
            if chance.random() < 0.2:
                mended = chance.random() < 0.7
                line.set(task, status="done", fix=f"f{number}", finished_at=AT)
                if mended:
                    broken -= {one for one in broken if wrong(one).fingerprint in task.fingerprints}
        stale = chance.random() < 0.2
        merged = frozenset(one.id for one in line.tasks.values() if one.status == "done")
        made = line.sweep(result(*map(wrong, sorted(broken))), facts=SweepFacts(AT, merged=merged), stale=stale)
        since = {one: since.get(one, number) for one in broken}
        seen.append((stale, made, {one: number - at for one, at in since.items()}))
    return line, broken, seen


@pytest.fixture(scope="module", params=range(2))
def simulated(request):
    return day(request.param)


def test_no_failure_has_two_open_tasks(simulated):
    line, _, _ = simulated
    counts = Counter(name for task in line.tasks.values() if task.status in OPEN for name in task.fingerprints)
    assert set(counts.values()) <= {1}


def test_a_failure_never_gets_a_new_task_while_it_lasts(simulated):
    line, broken, _ = simulated
    made = Counter(name for task in line.tasks.values() for name in task.fingerprints)
    assert all(made[wrong(one).fingerprint] == 1 for one in broken if line.state(wrong(one)) != "open")


def test_stale_sweeps_change_nothing(simulated):
    _, _, seen = simulated
    assert [made for stale, made, _ in seen if stale and (made.findings or made.tasks or made.changes)] == []


def test_no_sweep_makes_more_tasks_than_allowed(simulated):
    _, _, seen = simulated
    assert max(len(made.tasks) for _, made, _ in seen) <= FollowLimits().tasks


def test_no_failure_is_forgotten(simulated):
    line, broken, seen = simulated
    old = [one for one, age in seen[-1][2].items() if age > ATTENTION]
    assert all(line.findings[wrong(one).fingerprint].task for one in old)
    assert {one for one in broken if line.state(wrong(one)) == "resolved"} == set()


def test_what_is_mended_is_resolved(simulated):
    line, broken, _ = simulated
    line.sweep(result(*map(wrong, sorted(broken))))
    unresolved = {name for name, one in line.findings.items() if one.state != "resolved"}
    assert unresolved == {wrong(one).fingerprint for one in broken}
