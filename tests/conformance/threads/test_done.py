"""The three scenarios by which seed 004 calls a thread done."""

from tests.conformance.threads.stage import BOB, COMPLETE, Talk


def test_enough_data_is_previewed_approved_and_becomes_a_ticket(stage):
    talk = Talk.opened(stage, COMPLETE)
    (preview,) = talk.shown
    assert (preview.kind, talk.phase) == ("preview", "AWAITING_USER")
    for words in ("Export orders", "by hand every month", "1000 rows", f"Version {preview.version}"):
        assert words in preview.text
    (created,) = talk.approve(by=BOB)
    assert (created.kind, talk.phase) == ("created", "CREATED")
    (task,) = stage.home.tasks()
    assert (task.title, "An export of 1000 orders has 1000 rows" in task.body) == ("Export orders", True)
    assert "approved by Bob" in created.text


def test_missing_data_is_asked_for_reminded_of_once_and_previewed_when_it_is_there(stage):
    talk = Talk.opened(stage, "Title: Export orders")
    (asked,) = talk.shown
    assert (asked.kind, [one["field"] for one in talk.asks]) == ("ask", ["problem", "acceptance_criteria"])
    for hours, kinds in ((23, []), (2, ["reminder"]), (48, [])):
        assert [one.kind for one in talk.pass_time(hours=hours)] == kinds
    talk.answer("Accountants copy orders by hand every month.", to=1)
    (preview,) = talk.answer("An export of 1000 orders has 1000 rows.", to=1)
    assert (preview.kind, "1000 rows" in preview.text) == ("preview", True)


def test_contradicting_constraints_are_put_before_people_and_settled_by_one(stage):
    talk = Talk.opened(stage, COMPLETE, "Retention = at most 30 days")
    (asked,) = talk.mention("Retention = at least 90 days", by=BOB)
    assert (asked.kind, "at most 30 days" in asked.text, "at least 90 days" in asked.text) == ("ask", True, True)
    (preview,) = talk.choose("keep_b")
    assert (preview.kind, talk.values("constraints")) == ("preview", ["at least 90 days"])
