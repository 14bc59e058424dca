"""What an approval covers, and what becomes of it, on every channel."""

import pytest

from tests.conformance.threads.stage import ADA, BOB, COMPLETE, Talk
from tests.conformance.threads.stages import needs

pytestmark = pytest.mark.slow


@pytest.fixture
def talk(stage):
    """A thread in which a preview waits."""
    return Talk.opened(stage, COMPLETE)


def test_edit_after_the_preview_leads_back_to_a_new_version(stage, talk):
    old = talk.preview
    (new,) = talk.mention("Title: Export invoices")
    assert (new.kind, new.version, "# Export invoices" in new.text) == ("preview", old.version + 1, True)
    assert new.hash != old.hash
    assert [one.kind for one in talk.approve(new)] == ["created"]
    assert [one.title for one in stage.home.tasks()] == ["Export invoices"]


def test_edit_that_contradicts_leads_back_to_a_question(talk):
    (asked,) = talk.mention("AC: An export of 1000 orders has 2000 rows.", by=BOB)
    assert (asked.kind, talk.phase) == ("ask", "AWAITING_USER")
    (told,) = talk.approve()
    assert (told.kind, talk.tickets) == ("stale", [])


@pytest.mark.parametrize("said", ["Risk: the file may be large", "Retention = at most 30 days", "Depends on: SHOP-9"])
def test_approval_of_what_was_shown_before_anything_was_added_creates_nothing(stage, talk, said):
    shown = talk.preview
    talk.mention(said)
    assert talk.preview.hash != shown.hash
    (told,) = talk.approve(shown)
    assert (told.kind, stage.home.tasks()) == ("stale", [])


def test_click_on_an_old_preview_says_so_and_shows_the_current_one(stage, talk):
    old = talk.preview
    talk.mention("Title: Export invoices")
    (told,) = talk.approve(old, by=BOB)
    for words in ("Bob", "that was version 1", "version 2", "# Export invoices"):
        assert words in told.text
    assert stage.home.tasks() == []


def test_old_preview_is_marked_where_it_stands(stage, talk):
    needs(stage, "replacing")
    talk.mention("Title: Export invoices")
    assert "no longer counts" in talk.shown[0].text
    assert "Export orders" not in talk.shown[0].text


def test_of_two_people_who_approve_at_once_one_makes_the_ticket_and_the_other_is_told_who(stage, talk):
    told = talk.approve_at_once(ADA, BOB)
    assert [one.kind for one in told] == ["created", "stale"]
    (ticket,) = talk.tickets
    assert len(stage.home.tasks()) == 1
    assert f"{ticket['approved_by']} approved version 1 first" in told[1].text


def test_second_approval_is_told_who_was_first_and_where_the_ticket_is(stage, talk):
    talk.approve(by=ADA)
    (told,) = talk.approve(by=BOB)
    first = f"{talk.tickets[0]['approved_by']} approved version 1 first"
    assert (told.kind, first in told.text, talk.tickets[0]["url"] in told.text) == ("stale", True, True)


def test_ticket_that_could_not_be_written_is_made_by_the_next_approval(stage, talk):
    with stage.home.without_board():
        (failed,) = talk.approve()
    assert (failed.kind, "approve the same version" in failed.text, talk.tickets) == ("failed", True, [])
    (created,) = talk.approve()
    assert (created.kind, len(stage.home.tasks())) == ("created", 1)


def test_approval_stands_while_the_ticket_cannot_be_written(stage, talk):
    with stage.home.without_board():
        talk.approve(by=ADA)
    (created,) = talk.approve(by=BOB)
    assert "approved by Ada" in created.text


def test_later_words_lead_to_a_new_preview_and_a_remark_on_the_ticket(stage, talk):
    talk.approve()
    (preview,) = talk.mention("AC: An export of an empty month has one line.")
    assert preview.kind == "preview"
    (told,) = talk.approve(preview)
    (task,) = stage.home.tasks()
    assert (told.kind, "An export of an empty month has one line" in task.body) == ("created", True)


def test_ticket_rests_on_addresses_that_the_channel_finds_again(stage, talk):
    talk.approve()
    (task,) = stage.home.tasks()
    links = [line.removeprefix("- ") for line in task.body.partition("## Where it was said")[2].splitlines() if line]
    assert links
    for link in links:
        assert "Accountants copy orders by hand" in stage.found(link)
