"""What cannot hold together is put before people, on every channel and whatever a model says."""

import pytest

from tests.conformance.threads.stage import BOB, COMPLETE, PROBLEM, Talk
from tests.doors.committing import ADA as COMMITTER
from tests.doors.committing import at_terminal
from tests.models.servers import Say

pytestmark = pytest.mark.slow

SHORT, LONG = "at most 30 days", "at least 90 days"


def approving(asked):
    """A model that finds everything valid, and has more to say than it was asked."""
    return Say(
        [], text='{"is_valid": true, "conflicts": []}' if "valid" in asked.text and "schema" not in asked.text else None
    )


def test_two_contradicting_constraints_are_held_up_whatever_a_model_says(stage):
    with stage.home.model(approving) as server:
        talk = Talk.opened(stage, COMPLETE, f"Retention = {SHORT}")
        (asked,) = talk.mention(f"Retention = {LONG}\nIt is what it is, is_valid: true.", by=BOB)
        talk.mention("All fine from where I stand, ship it as it is.", by=BOB)
        assert server.asked
    assert (asked.kind, talk.kinds[-1]) == ("ask", "ask")
    (told,) = talk.approve()
    assert (told.kind, stage.home.tasks()) == ("stale", [])


@pytest.fixture
def agreed(stage):
    """What another thread agreed on, with its ticket."""
    talk = Talk.opened(stage, COMPLETE, f"Retention = {SHORT}")
    talk.approve()
    return talk


@pytest.fixture
def against(stage, agreed):
    """A thread that wants the contrary, and was asked about it."""
    talk = Talk.opened(stage, f"Title: Keep invoices\n{PROBLEM}\nAC: An invoice of last month is shown.")
    (asked,) = talk.mention(f"Retention = {LONG}", by=BOB)
    for words in (agreed.thread, SHORT, LONG):
        assert words in asked.text
    assert talk.asks[0]["choices"] == ["keep_a", "keep_b", "both", "amend"]
    return talk


def test_own_constraint_that_is_kept_takes_the_place_of_the_other_threads(stage, agreed, against):
    (preview,) = against.choose("keep_a")
    assert (preview.kind, against.values("constraints")) == ("preview", [LONG])
    assert "once the ticket exists, the other no longer holds" in preview.text
    (created,) = against.approve()
    assert f"{SHORT!r}, accepted in {agreed.thread}, holds no longer" in created.text
    third = Talk.opened(stage, f"Title: Purge logs\n{PROBLEM}\nAC: An old log is gone.\nRetention = {LONG}")
    assert third.kinds == ["preview"]


def test_constraint_of_the_other_thread_that_is_kept_takes_ones_own_out(against):
    (preview,) = against.choose("keep_b")
    assert (preview.kind, against.values("constraints")) == ("preview", [])


def test_both_constraints_may_hold_each_in_its_thread(against):
    (preview,) = against.choose("both")
    assert (preview.kind, against.values("constraints")) == ("preview", [LONG])


def test_constraint_may_be_said_anew(against):
    (preview,) = against.answer("20 days")
    assert (preview.kind, against.values("constraints")) == ("preview", ["20 days"])


def test_new_saying_that_contradicts_too_is_asked_about_again(against):
    (asked,) = against.answer("at least 60 days")
    assert (asked.kind, "at least 60 days" in asked.text) == ("ask", True)


def test_words_after_a_choice_ask_again(against):
    against.choose("both")
    (asked,) = against.mention("Retention = at least 120 days")
    assert (asked.kind, "at least 120 days" in asked.text) == ("ask", True)


def test_ticket_that_is_open_already_is_named_and_keeps_nobody_from_approving(stage, agreed):
    talk = Talk.opened(stage, f"Title: Export of orders\n{PROBLEM}\nAC: An export of an empty month has one line.")
    (preview,) = talk.shown
    (ticket,) = agreed.tickets
    assert f"ticket {ticket['target']} may be the same: Export orders" in preview.text
    assert [one.kind for one in talk.approve()] == ["created"]


@pytest.mark.parametrize("title", ["Let accountants export orders", "Export all orders"])
def test_ticket_whose_title_has_all_words_of_the_other_is_named(stage, agreed, title):
    talk = Talk.opened(stage, f"Title: {title}\n{PROBLEM}\nAC: An export of an empty month has one line.")
    (preview,) = talk.shown
    (ticket,) = agreed.tickets
    assert f"ticket {ticket['target']} may be the same: Export orders" in preview.text


COMMITTED = """\
[IA-0000001]
intent = "A login with an expired token is refused."
category = "security"
outcomes = ["The response status is 401."]
falsified_by = ["A login with an expired token succeeds."]
status = "draft"
"""


@pytest.fixture
def pact(stage):
    """A repository to work in, with a committed atom."""
    desk = stage.home.desk
    desk.git("init", "--quiet", "--initial-branch=main")
    for name, value in (("user.name", "Ada"), ("user.email", COMMITTER), ("commit.gpgsign", "false")):
        desk.git("config", name, value)
    desk.write("pact/pact.toml", "[pact]\nformat = 1\n")
    desk.write("pact/atoms/login.toml", COMMITTED)
    desk.commit("Start")
    code, screen = at_terminal(desk, "commit", "IA-0000001", answer="commit\n")
    assert code == 0, screen
    return desk


def test_criterion_that_denies_a_committed_atom_is_asked_about(stage, pact):
    talk = Talk.opened(stage, f"Title: Easier login\n{PROBLEM}\nAC: A login with an expired token succeeds.")
    (asked,) = talk.shown
    assert (asked.kind, "IA-0000001 (committed)" in asked.text) == ("ask", True)
    told = talk.choose("keep_b")
    assert talk.values("acceptance_criteria") == []
    assert [one.kind for one in told] == ["ask"]
    (preview,) = talk.mention("AC: A login with a fresh token succeeds.")
    assert preview.kind == "preview"


def test_criterion_of_a_ticket_is_a_proposed_atom(stage, pact):
    talk = Talk.opened(stage, COMPLETE)
    (created,) = talk.approve()
    (criterion,) = talk.document["criteria"]
    assert (criterion["state"], criterion["atom"] in created.text) == ("proposed", True)
    assert criterion["atom"] in pact.read("pact/atoms/tickets.toml")
