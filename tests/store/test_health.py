from contextlib import closing
from dataclasses import replace

import pytest

from pactkeeper.errors import InputError, RefusedError
from pactkeeper.intent.health import CheckResult, Diagnostic, FixTask, HealthFinding, Output, Sweep
from pactkeeper.store import health
from pactkeeper.store.database import open_database, sqlite_url
from pactkeeper.store.health import (
    change_fix_task,
    claim_fix_task,
    fix_task,
    fix_tasks,
    health_findings,
    judged_before,
    save_sweep,
    sweep_order,
    sweeps,
)
from pactkeeper.store.history import History

AT = "2026-03-01T12:00:00+00:00"
WRONG = Diagnostic("test", "test", "error", "E  assert 1 == 2\0", test="tests/test_a.py::test_a", related=("a.py",))
FAILED = CheckResult("test", "test", "fail", code=1, output=Output("begin", "end", 3), diagnostics=(WRONG,))
SWEEP = Sweep("sw-1", "c1", "main", AT, AT, (CheckResult("build", "build", "pass", code=0), FAILED), tasks=("fix-1",))
FINDING = HealthFinding(WRONG, "open", "sw-1", "sw-1", atoms=("IA-0000001",))
TASK = FixTask(
    id="fix-1",
    description="Mend it.",
    scope=("a.py",),
    acceptance="pytest returns 0",
    branch="fix/fix-1",
    created_at=AT,
    commit="c1",
    category="test",
    checks=("test",),
    fingerprints=(WRONG.fingerprint,),
)


def numbered(number, **fields):
    return replace(SWEEP, id=f"sw-{number}", commit=f"c{number}", **fields)


def test_a_sweep_comes_back_with_its_verdicts_and_failed_tests_and_without_what_was_printed(history):
    save_sweep(history, SWEEP, findings=[FINDING], tasks=[TASK])
    passed, failed = (replace(one, output=Output(), diagnostics=()) for one in SWEEP.results)
    bare = (passed, replace(failed, reason="tests/test_a.py::test_a"))
    kept = replace(SWEEP, results=bare)
    assert (sweeps(history), health_findings(history), fix_tasks(history)) == ((kept,), (FINDING,), (TASK,))


def test_the_same_sweep_again_changes_nothing(history):
    save_sweep(history, SWEEP, tasks=[TASK])
    claim_fix_task(history, "fix-1", by="ada", at=AT)
    save_sweep(history, SWEEP, findings=[FINDING], tasks=[TASK])
    assert [one.status for one in fix_tasks(history)] == ["assigned"]
    assert health_findings(history) == ()


def test_the_newest_sweep_comes_first(history):
    for number in (1, 2, 3):
        save_sweep(history, numbered(number))
    assert [one.id for one in sweeps(history, limit=2)] == ["sw-3", "sw-2"]
    assert sorted(sweep_order(history), key=sweep_order(history).__getitem__) == ["sw-1", "sw-2", "sw-3"]


def test_a_finding_is_what_was_last_said_of_it(history):
    save_sweep(history, SWEEP, findings=[FINDING])
    save_sweep(history, numbered(2), findings=[replace(FINDING, state="resolved")])
    assert [one.state for one in health_findings(history)] == ["resolved"]
    assert health_findings(history, ["open"]) == ()


def test_what_sweeps_print_takes_no_room(migrated_copy):
    result, sizes = replace(FAILED, output=Output("x" * 20_000)), list[int]()
    with closing(open_database(sqlite_url(migrated_copy))) as database:
        for number in range(1, 61):
            save_sweep(History(database, "own"), numbered(number, results=(result,)), findings=[FINDING])
            with database.read() as connection:
                sizes.append(int(connection.exec_driver_sql("PRAGMA page_count").scalar_one()))
    assert sizes[-1] - sizes[0] < 10  # pages of 60 sweeps


def test_sweeps_beyond_the_last_ones_are_forgotten_with_their_verdicts(history, monkeypatch):
    monkeypatch.setattr(health, "SWEEPS_KEPT", 2)
    for number in range(1, 5):
        save_sweep(history, numbered(number))
    assert [one.id for one in sweeps(history)] == ["sw-4", "sw-3"]
    assert judged_before(history, SWEEP.results[0].check, "sw-4") == ["c3"]


def test_resolved_findings_do_not_pile_up(history, monkeypatch):
    monkeypatch.setattr(health, "RESOLVED_KEPT", 2)
    gone = [replace(FINDING, diagnostic=replace(WRONG, test=f"t{number}"), state="resolved") for number in range(5)]
    save_sweep(history, SWEEP, findings=[FINDING, *gone])
    assert [one.diagnostic.test for one in health_findings(history)] == [WRONG.test, "t3", "t4"]


def test_tasks_that_are_done_with_do_not_pile_up_and_open_ones_stay(history, monkeypatch):
    monkeypatch.setattr(health, "RESOLVED_KEPT", 1)
    done = [replace(TASK, id=f"fix-{number}", status="done") for number in (2, 3, 4)]
    save_sweep(history, SWEEP, tasks=[TASK, *done])
    assert [one.id for one in fix_tasks(history)] == ["fix-1", "fix-4"]


def test_closed_tasks_and_findings_go_where_they_say_too_much(history, monkeypatch):
    monkeypatch.setattr(health, "RESOLVED_TEXT", 4_000)
    done = [replace(TASK, id=f"fix-{number}", status="done", description="x" * 2_000) for number in (2, 3, 4)]
    gone = [replace(WRONG, test=f"t{number}", message="y" * 2_000) for number in range(3)]
    resolved = [replace(FINDING, diagnostic=one, state="resolved") for one in gone]
    save_sweep(history, SWEEP, tasks=[TASK, *done], findings=[FINDING, *resolved])
    assert [one.id for one in fix_tasks(history)] == ["fix-1", "fix-4"]
    assert [one.diagnostic.test for one in health_findings(history)] == [WRONG.test, "t2"]


def test_of_two_claimants_one_gets_the_task(history):
    save_sweep(history, SWEEP, tasks=[TASK])
    assert claim_fix_task(history, "fix-1", by="ada", at=AT).claimed_by == "ada"
    with pytest.raises(RefusedError, match="fix-1 is assigned by ada"):
        claim_fix_task(history, "fix-1", by="bob", at=AT)


def test_a_task_that_was_claimed_while_a_sweep_ran_stays_claimed(history):
    save_sweep(history, SWEEP, tasks=[TASK])
    claim_fix_task(history, "fix-1", by="ada", at=AT)
    save_sweep(history, numbered(2), changes=[(TASK, replace(TASK, status="obsolete"))])
    assert fix_task(history, "fix-1").status == "assigned"


def test_a_task_changes_only_from_what_was_read(history):
    save_sweep(history, SWEEP, tasks=[TASK])
    assert change_fix_task(history, TASK, replace(TASK, status="done"))
    assert not change_fix_task(history, TASK, replace(TASK, status="failed"))
    assert [one.id for one in fix_tasks(history, ["done"])] == ["fix-1"]


def test_a_failed_task_may_be_claimed_again(history):
    save_sweep(history, SWEEP, tasks=[replace(TASK, status="failed", attempts=1)])
    assert claim_fix_task(history, "fix-1", by="ada", at=AT).attempts == 1


def test_an_unknown_task_is_an_error_that_says_where_to_look(history):
    with pytest.raises(InputError, match=r"no fix task 'fix-9'.*pk fixes"):
        fix_task(history, "fix-9")


def test_only_sweeps_that_judged_a_check_say_that_it_was_well(history):
    save_sweep(history, SWEEP)
    save_sweep(history, numbered(2, stale=True))
    save_sweep(history, numbered(3, results=(replace(FAILED, verdict="could not run"),)))
    save_sweep(history, numbered(4, infrastructure="the disk is full"))
    save_sweep(history, numbered(5))
    assert list(judged_before(history, "test", "sw-5")) == ["c1"]


def test_a_sweep_keeps_which_checks_were_asked_for(history):
    save_sweep(history, SWEEP)
    save_sweep(history, numbered(2, only=("test", "a, b")))
    assert [one.only for one in sweeps(history)] == [("test", "a, b"), ()]


def test_two_repositories_know_nothing_of_each_other(history, neighbour):
    save_sweep(history, SWEEP, findings=[FINDING], tasks=[TASK])
    save_sweep(neighbour, SWEEP)
    assert (health_findings(neighbour), fix_tasks(neighbour)) == ((), ())
    assert len(sweeps(neighbour)) == 1
