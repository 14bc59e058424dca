"""GitHub Issues as a board."""

import pytest

from pactkeeper.boards.calls import Calls, Clock
from pactkeeper.boards.github import GitHubBoard, address
from pactkeeper.boards.port import CallLimits
from pactkeeper.boards.writing import write
from pactkeeper.errors import BoardUnavailable, RefusedError
from pactkeeper.intent.board import CreateTask, EnrichDocument, ReviseTask
from tests.boards.fakes import TOKEN
from tests.conformance.boards.targets import AT, GitHubTarget


@pytest.fixture
def target(tmp_path):
    made = GitHubTarget(tmp_path)
    yield made
    made.close()


def test_pull_requests_are_no_tasks(target):
    target.fake.add("A change", pull_request={"url": "x"})
    target.add_task("Buy milk")
    assert [task.title for task in target.board.snapshot(at=AT).tasks] == ["Buy milk"]


def test_pages_are_followed_on_our_own_host(target):
    target.fake.page = 2
    for number in range(5):
        target.add_task(f"Task {number}")
    found = target.board.snapshot(at=AT)
    assert (len(found.tasks), found.health.status) == (5, "complete")


def test_page_that_fails_makes_the_view_partial_and_says_so(target):
    target.fake.page = 2
    for number in range(5):
        target.add_task(f"Task {number}")
    answered = target.fake.handle

    def second_page_fails(method, path, query, body):
        if query.get("page") == "2":
            return "no list", {}
        return answered(method, path, query, body)

    target.fake.handle = second_page_fails
    found = target.board.snapshot(at=AT)
    assert (len(found.tasks), found.health.status) == (2, "partial")
    assert "did not answer with a list" in found.health.reason


def test_more_issues_than_the_limit_make_the_view_partial(target):
    target.fake.page = 2
    for number in range(5):
        target.add_task(f"Task {number}")
    found = target.at(target.fake.url, items=4).snapshot(at=AT)
    assert (len(found.tasks), found.health.status) == (4, "partial")


def test_time_that_runs_out_makes_the_view_partial(target):
    target.fake.page = 1
    for number in range(20):
        target.add_task(f"Task {number}")
    times = iter(range(0, 1000, 4))
    clock = Clock(now=lambda: float(next(times)), sleep=lambda _: None)
    calls = Calls(address(TOKEN, target.fake.url), CallLimits(rate=1000.0, total=100.0), clock)
    found = GitHubBoard("team", "acme/shop", calls).snapshot(at=AT)
    calls.close()
    assert found.health.status == "partial"
    assert "`total`" in found.health.reason
    assert 0 < len(found.tasks) < 20


def test_nothing_is_created_while_the_search_for_the_key_fails(target):
    target.fake.fault("status", method="GET", status=500, times=99)
    with pytest.raises(BoardUnavailable):
        write(target.board, CreateTask("a"), "op-000001", reservations=target.reservations(), at=AT)
    assert target.fake.issues == []


def test_documents_are_refused_before_anything_is_sent(target):
    with pytest.raises(RefusedError, match="enrichDocument"):
        write(target.board, EnrichDocument("1", "m", "h", "t"), "op-000001", reservations=target.reservations(), at=AT)
    assert target.fake.requests == []


def test_issue_that_a_browser_saved_keeps_its_line_ends_and_its_key(target):
    old, reservations = "## Problem\n\nBy hand.\n", target.reservations()
    task = write(target.board, CreateTask("Copies", old), "op-000001", reservations=reservations, at=AT).target
    issue = target.fake.issues[0]
    issue["body"] = issue["body"].replace("\n", "\r\n")
    change = ReviseTask(task, "Copies", old + "\n## Risks\n\n- Large\n", old_title="Copies", old_body=old)
    write(target.board, change, "op-000002", reservations=reservations, at=AT)
    said = "## Problem\r\n\r\nBy hand.\r\n\r\n## Risks\r\n\r\n- Large"
    assert issue["body"] == f"{said}\r\n\r\n\r\n<!-- pactkeeper:key op-000001 -->"
    assert target.board.task(task).body == said


def test_words_below_the_key_stay_there(target):
    old, reservations = "## Problem\n\nBy hand.\n", target.reservations()
    task = write(target.board, CreateTask("Copies", old), "op-000001", reservations=reservations, at=AT).target
    issue = target.fake.issues[0]
    issue["body"] += "\n\nSays Zoe."
    before = issue["body"]
    change = ReviseTask(task, "Copies", "## Problem\n\nBy foot.\n", old_title="Copies", old_body=old)
    write(target.board, change, "op-000002", reservations=reservations, at=AT)
    assert issue["body"] == before.replace("hand", "foot")


def test_label_says_that_a_task_is_under_way(target):
    target.fake.add("Buy milk", labels=("In progress",))
    assert target.board.task("1").status == "doing"


def test_trials_name_what_is_missing(target):
    assert [trial.works for trial in target.board.trials()] == [True, True, True]
    (trial,) = target.gone().trials()
    assert not trial.works
    assert "cannot be reached" in trial.advice
