from dataclasses import replace

import pytest

from pactkeeper.errors import InputError, StaleError
from pactkeeper.ledger.canonical import FINAL, RUN_STATUSES, RUN_STEPS
from pactkeeper.store.history import History
from pactkeeper.store.runs import add_run, cancel_requested, find_run, list_runs, request_cancel, update_run
from tests.store.rows import AT, LATER, begin_run, make_run


def test_a_run_comes_back_with_every_field(history):
    run = make_run(
        history,
        status="paused",
        phase="review",
        commit="abc",
        base="v1:x",
        baseline_run="REC-0",
        baseline_commit="def",
        options={"maxTests": 5, "docs": True, "paths": ["a"]},
        summary={"tests": 3},
        patch="pa-1",
        owner="host:1",
        error="none",
        completed_at=LATER,
    )
    add_run(history, run)
    assert find_run(history, run.id) == run


def test_an_unknown_run_is_none(history):
    assert find_run(history, "REC-9") is None


def test_the_same_run_added_twice_is_there_once(history):
    begin_run(history)
    begin_run(history)
    assert len(list_runs(history)) == 1


def test_an_id_names_one_run(history):
    begin_run(history)
    with pytest.raises(InputError, match="there is a run 'REC-1' already"):
        begin_run(history, root="/elsewhere")


def test_a_run_of_another_repository_is_refused(history, neighbour):
    with pytest.raises(InputError, match="this history of"):
        add_run(history, make_run(neighbour))


def test_runs_are_listed_newest_first(history):
    for name in ("REC-1", "REC-2", "REC-3"):
        begin_run(history, name)
    assert [run.id for run in list_runs(history)] == ["REC-3", "REC-2", "REC-1"]
    assert [run.id for run in list_runs(history, limit=2)] == ["REC-3", "REC-2"]


def test_runs_are_listed_by_status(history):
    begin_run(history, "REC-1", status="paused")
    begin_run(history, "REC-2", status="completed")
    begin_run(history, "REC-3")
    assert [run.id for run in list_runs(history, statuses=("paused", "running"))] == ["REC-3", "REC-1"]


@pytest.mark.parametrize("before", RUN_STATUSES)
@pytest.mark.parametrize("after", RUN_STATUSES)
def test_a_run_takes_only_the_steps_of_the_table(history, before, after):
    run = begin_run(history, status=before)
    changed = replace(run, status=after, updated_at=LATER)
    if after in RUN_STEPS[before]:
        update_run(history, changed)
        assert find_run(history, run.id) == changed
    else:
        with pytest.raises(StaleError, match=f"is {before} by now and cannot become '{after}'"):
            update_run(history, changed)
        assert find_run(history, run.id) == run


@pytest.mark.parametrize("status", sorted(FINAL))
def test_a_run_that_has_ended_takes_the_same_words_again(history, status):
    run = begin_run(history, status=status, completed_at=AT)
    update_run(history, run)
    assert find_run(history, run.id) == run


def test_an_unknown_run_is_not_updated(history):
    with pytest.raises(InputError, match="no run 'REC-1'"):
        update_run(history, make_run(history))


def test_a_request_to_cancel_outlives_what_the_run_writes(history):
    run = begin_run(history)
    request_cancel(history, run.id, "Ada")
    update_run(history, replace(run, phase="context"))
    assert cancel_requested(history, run.id) == "Ada"
    assert find_run(history, run.id) == replace(run, phase="context", cancel_requested_by="Ada")


def test_the_first_who_cancels_is_remembered(history):
    begin_run(history)
    request_cancel(history, "REC-1", "Ada")
    request_cancel(history, "REC-1", "Bob")
    assert cancel_requested(history, "REC-1") == "Ada"


def test_nobody_cancels_a_run_that_has_ended(history):
    begin_run(history, status="completed")
    request_cancel(history, "REC-1", "Ada")
    assert not cancel_requested(history, "REC-1")


def test_a_failed_run_begins_again_without_its_old_request(history):
    run = begin_run(history)
    request_cancel(history, run.id, "Ada")
    update_run(history, replace(run, status="failed"))
    update_run(history, replace(run, status="running"))
    assert not cancel_requested(history, run.id)


@pytest.mark.parametrize("ask", [lambda h: request_cancel(h, "REC-9", "Ada"), lambda h: cancel_requested(h, "REC-9")])
def test_cancelling_an_unknown_run_is_an_error(history, ask):
    with pytest.raises(InputError, match="no run 'REC-9'"):
        ask(history)


def test_two_repositories_do_not_see_each_others_runs(history, neighbour):
    begin_run(history)
    assert list_runs(neighbour) == ()
    assert find_run(neighbour, "REC-1") is None
    other = begin_run(neighbour, phase="review")
    update_run(neighbour, replace(other, status="completed"))
    request_cancel(history, "REC-1", "Ada")
    assert [run.status for run in list_runs(history)] == ["running"]
    assert not cancel_requested(neighbour, "REC-1")


def test_an_empty_history_has_no_runs(database):
    assert list_runs(History(database, "never-heard-of")) == ()
