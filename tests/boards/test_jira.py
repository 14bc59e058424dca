"""Jira as a board: what is special to it, in the cloud and on a server of one's own."""

import pytest

from pactkeeper.boards.jira import JiraBoard
from pactkeeper.boards.jira_site import CLOUD, SERVER, Site, address
from pactkeeper.boards.port import CallLimits, Opening, open_board
from pactkeeper.boards.writing import preflight, undo, write
from pactkeeper.errors import BoardUnavailable, InputError, RefusedError
from pactkeeper.intent.board import ArchiveTask, CompleteTask, CreateTask, LogTask, ReopenTask, ReviseTask
from tests.boards.fake_jira import EMAIL
from tests.boards.fakes import TOKEN
from tests.conformance.boards.targets import AT, JiraTarget


@pytest.fixture(params=[CLOUD, SERVER], ids=["cloud", "server"])
def target(request, tmp_path):
    made = JiraTarget(tmp_path, deployment=request.param)
    yield made
    made.close()


@pytest.fixture
def cloud(tmp_path):
    made = JiraTarget(tmp_path)
    yield made
    made.close()


@pytest.fixture
def server(tmp_path):
    made = JiraTarget(tmp_path, deployment=SERVER)
    yield made
    made.close()


def do(target, change, key="op-000001", reservations="reservations", board=None):
    return write(board or target.board, change, key, reservations=target.reservations(reservations), at=AT)


def seven(target):
    target.fake.page = 2
    return [target.add_task(f"Task {number}") for number in range(7)]


def test_pages_are_followed_and_the_newest_is_first(target):
    keys = seven(target)
    found = target.board.snapshot(at=AT)
    assert ([task.id for task in found.tasks], found.health.status) == (keys[::-1], "complete")


def test_more_issues_than_the_limit_make_the_view_partial(target):
    seven(target)
    found = target.at(target.fake.url, items=4).snapshot(at=AT)
    assert (len(found.tasks), found.health.status) == (4, "partial")


def test_search_that_names_the_same_page_for_ever_is_given_up(cloud):
    seven(cloud)
    answered = cloud.fake.handle

    def stuck(method, path, query, body):
        data, headers = answered(method, path, {**query, "nextPageToken": "0"}, body)
        return data | {"nextPageToken": "again", "isLast": False}, headers

    cloud.fake.handle = stuck
    health = cloud.board.snapshot(at=AT).health
    assert (health.status, "the same page twice" in health.reason) == ("partial", True)


def test_issues_that_went_away_while_they_were_read_make_the_view_partial(server):
    keys = seven(server)
    answered = server.fake.handle

    def shrinking(method, path, query, body):
        data = answered(method, path, query, body)
        server.fake.issues.pop(keys[-1], None)
        return data

    server.fake.handle = shrinking
    health = server.board.snapshot(at=AT).health
    assert (health.status, "changed while they were read" in health.reason) == ("partial", True)


def test_issue_that_the_index_does_not_show_yet_is_found_by_its_number(target):
    target.add_task("Buy milk")
    with pytest.raises(BoardUnavailable):
        do(target, CreateTask("Renew"), board=target.losing())
    target.fake.lag = 1
    assert do(target, CreateTask("Renew")).target == "SHOP-2"
    assert [one["fields"]["summary"] for one in target.fake.issues.values()] == ["Buy milk", "Renew"]


def test_gap_in_the_numbers_does_not_hide_what_comes_after_it(target):
    first = do(target, CreateTask("Renew")).target
    target.fake.issues = {"SHOP-3": target.fake.issues.pop(first) | {"key": "SHOP-3"}}
    target.fake.properties = {"SHOP-3": target.fake.properties[first]}
    target.fake.lag = 1
    assert do(target, CreateTask("Renew"), reservations="empty").target == "SHOP-3"


def test_nothing_is_created_while_the_search_for_the_key_fails(target):
    target.fake.fault("status", method="GET", status=500, times=99)
    with pytest.raises(BoardUnavailable):
        do(target, CreateTask("a"))
    assert target.fake.issues == {}


def test_words_and_due_date_are_sent_as_jira_takes_them(target):
    task = do(target, CreateTask("Renew\nthe passport", "It *ends*.", labels=("at home",), due="2026-05-01")).target
    found = target.board.task(task)
    assert (found.title, found.labels, found.due) == ("Renew the passport", ("at_home",), "2026-05-01")
    assert found.body == "It *ends*.\n"
    assert found.url == f"{target.fake.url}/browse/{task}"


def test_text_that_is_empty_stays_empty(target):
    task = do(target, CreateTask("Buy milk")).target
    assert (target.fake.issues[task]["fields"]["description"], target.board.task(task).body) == (None, "")
    do(target, ReviseTask(task, "Buy milk", "Two.\n", "Buy milk", ""), "op-000002")
    do(target, ReviseTask(task, "Buy milk", "", "Buy milk", "Two.\n"), "op-000003")
    assert target.fake.issues[task]["fields"]["description"] is None


def test_text_of_the_other_kind_of_jira_makes_the_view_partial_and_is_not_lost_in_silence(target):
    target.add_task("Buy milk")
    target.fake.add("Odd", ["no text"])
    health = target.board.snapshot(at=AT).health
    assert (health.status, "in an unknown format" in health.reason) == ("unavailable", True)


def test_snapshot_of_the_cloud_shows_which_tasks_a_change_created(cloud):
    do(cloud, CreateTask("Renew"))
    cloud.add_task("Buy milk")
    assert [task.marker for task in cloud.board.snapshot(at=AT).tasks] == ["", "op-000001"]


@pytest.mark.parametrize(
    ("status", "seen"), [("Backlog", "open"), ("In Progress", "doing"), ("Done", "done"), ("Won't Do", "done")]
)
def test_category_of_a_status_says_what_it_means_and_its_name_is_the_state(target, status, seen):
    target.fake.add("Buy milk", status=status)
    found = target.board.task("SHOP-1")
    assert (found.status, found.state) == (seen, status)


def test_word_of_the_settings_says_that_a_task_is_under_way(server):
    server.fake.add("Buy milk", status="Backlog")
    board = JiraBoard("tracker", server.board.site, doing=("backlog",))
    assert board.task("SHOP-1").status == "doing"


def test_workflow_that_needs_more_than_one_step_is_left_to_a_person(target):
    target.fake.moves = [("Backlog", "Start", "In Progress"), ("In Progress", "Finish", "Done")]
    task = target.add_task("Buy milk")
    with pytest.raises(RefusedError, match="'Start' leads to 'In Progress'; move it by hand"):
        do(target, CompleteTask(task))
    assert target.reservations().held("op-000001") is None


def test_task_is_not_reopened_where_the_workflow_leads_nowhere_back(target):
    target.fake.moves = [(None, "Finish", "Done")]
    task = target.add_task("Buy milk")
    written = do(target, CompleteTask(task))
    with pytest.raises(RefusedError, match="cannot be moved from 'Done' to 'Backlog'"):
        undo(target.board, written, reservations=target.reservations(), at=AT)


def test_task_that_is_put_away_is_done_and_says_that_it_was_not_finished(target):
    task = target.add_task("Buy milk")
    do(target, ArchiveTask(task))
    found = target.board.task(task)
    assert (found.state, found.labels) == ("Won't Do", ("not-planned",))
    do(target, ReopenTask(task, "Backlog"), "op-000002")
    assert target.board.task(task).status == "open"


def test_finished_task_that_is_put_away_keeps_its_state(target):
    task = target.add_task("Buy milk")
    do(target, CompleteTask(task))
    do(target, ArchiveTask(task), "op-000002")
    found = target.board.task(task)
    assert (found.state, found.labels) == ("Done", ("not-planned",))


def test_task_whose_workflow_leads_to_no_end_is_not_labelled_either(target):
    target.fake.moves = []
    task = target.add_task("Buy milk")
    with pytest.raises(RefusedError, match="no transition"):
        do(target, ArchiveTask(task))
    assert target.board.task(task).labels == ()


def test_remark_is_found_on_a_later_page(target):
    target.fake.page = 2
    task = target.add_task("Buy milk")
    for number in range(5):
        do(target, LogTask(task, f"Remark {number}"), f"op-00000{number}")
    do(target, LogTask(task, "Remark 4"), "op-000004", reservations="empty")
    assert len(target.fake.comments[task]) == 5


MENTION = {"type": "mention", "attrs": {"id": "5b10", "text": "@Ada"}}


def with_a_mention(target, task):
    """A person mentions somebody in the text, which Markdown has no words for."""
    fields = target.fake.issues[task]["fields"]
    if target.deployment is CLOUD:
        fields["description"]["content"][0]["content"].append(MENTION)
    else:
        fields["description"] += " [~ada]"


def test_text_that_cannot_be_written_back_is_not_revised_and_its_title_is(target):
    task = do(target, CreateTask("Buy milk", "Two litres.\n")).target
    with_a_mention(target, task)
    before = target.fake.issues[task]["fields"]["description"]
    revision = ReviseTask(task, "Buy milk", "Two litres.\n\nAnd bread.\n", "Buy milk", "Two litres.\n")
    assert preflight(target.board, revision, "op-000002", at=AT).state == "impossible"
    with pytest.raises(RefusedError, match=r"cannot be written back unchanged \((mention|\[~ada\])\)"):
        do(target, revision, "op-000002")
    do(target, ReviseTask(task, "Buy more", "Two litres.\n", "Buy milk", "Two litres.\n"), "op-000003")
    fields = target.fake.issues[task]["fields"]
    assert (fields["summary"], fields["description"]) == ("Buy more", before)


def test_revision_of_text_in_other_markdown_than_jira_gives_back_is_no_drift(target):
    old, new = "* one\n* __two__\n", "* one\n* __two__\n* three\n"
    task = do(target, CreateTask("Buy milk", old)).target
    revision = ReviseTask(task, "Buy milk", new, "Buy milk", old)
    assert preflight(target.board, revision, "op-000002", at=AT).state == "ready"
    do(target, revision, "op-000002")
    assert target.board.task(task).body == "- one\n- **two**\n- three\n"
    assert preflight(target.board, revision, "op-000003", at=AT).state == "already so"


@pytest.mark.parametrize("key", ["SHOP", "shop-1", "SHOP-1/../../myself", "SHOP-01", "SHOP-1?x", "1", ""])
def test_what_is_no_key_of_an_issue_never_stands_in_a_path(target, key):
    with pytest.raises(InputError, match="no task"):
        target.board.task(key)
    assert target.fake.requests == []


def test_trials_name_what_is_missing(target):
    assert [trial.works for trial in target.board.trials()] == [True] * 7
    target.fake.permissions = {"CREATE_ISSUES"}
    board = JiraBoard("tracker", target.board.site, issue_type="Story")
    advice = [trial.advice for trial in board.trials() if not trial.works]
    assert advice[0] == "write one of Task, Bug as `issue_type` in its settings"
    assert advice[1] == "give the account ADD_COMMENTS"
    (trial,) = target.gone().trials()
    assert "cannot be reached" in trial.advice


def test_jira_of_the_other_kind_is_told_by_the_first_trial(target):
    other = SERVER if target.deployment is CLOUD else CLOUD
    (trial,) = JiraBoard("tracker", Site("SHOP", other, target.board.site.calls)).trials()
    assert (trial.works, f"deployment = {target.deployment.name!r}" in trial.advice) == (False, True)


def test_board_is_opened_as_the_settings_say(target):
    options = {"project": "SHOP", "deployment": target.deployment.name, "email": EMAIL, "issue_type": "Bug"}
    board = open_board(Opening("tracker", "jira", options, CallLimits(rate=1000.0), TOKEN, target.fake.url))
    target.add_task("Buy milk")
    assert [task.title for task in board.snapshot(at=AT).tasks] == ["Buy milk"]
    assert isinstance(board, JiraBoard)
    assert (board.kind, board.issue_type) == ("jira", "Bug")
    board.close()


def test_token_is_never_shown(target):
    assert TOKEN not in repr(target.board)
    assert TOKEN not in repr(address(TOKEN, "https://acme.example", EMAIL))


def test_address_of_a_token_with_scopes_gives_no_links_for_people(cloud):
    cloud.add_task("Buy milk")
    calls = cloud.board.site.calls
    calls.address = address(TOKEN, f"{cloud.fake.url}/ex/jira/1")
    assert JiraBoard("tracker", Site("SHOP", CLOUD, calls))._url("SHOP-1") == ""
