"""What is special to Slack: who is heard, what is one event, and whose click counts."""

import json

import pytest

from tests.conformance.threads.slack import CALL
from tests.conformance.threads.stage import BOB, COMPLETE, Talk, Turn
from tests.slack import sending
from tests.slack.fake import BOT


@pytest.fixture
def talk(stage):
    """A thread in which a preview waits."""
    return Talk.opened(stage, COMPLETE)


def said_to(stage, user):
    """What one person alone was told."""
    stage.wait(lambda: any(one["to"] == user for one in stage.fake.ephemerals))
    return [one["text"] for one in stage.fake.ephemerals if one["to"] == user][-1]


def preview_of(stage, talk):
    return next(one for one in reversed(stage.fake.said(stage.roots[talk.thread])) if one["blocks"])


def test_remarks_where_nobody_called_are_not_kept(stage):
    first = stage.fake.say("what a day")
    stage.deliver(sending.heard(first))
    stage.deliver(sending.heard(stage.fake.say("indeed", thread=first["ts"])))
    assert stage.home.threads() == []
    stage.deliver(sending.mentioned(stage.fake.say(f"{CALL}hi", thread=first["ts"])))
    stage.settle()
    (thread,) = stage.home.threads()
    assert [one["text"] for one in stage.home.thread(thread["id"])["messages"]] == ["hi"]


@pytest.mark.parametrize("order", [("mentioned", "heard"), ("heard", "mentioned")])
def test_a_mention_that_is_told_twice_over_is_one_event_and_waits_for_nothing(stage, order):
    message = stage.fake.say(f"{CALL}Title: Export orders")
    for kind in order:
        stage.deliver(getattr(sending, kind)(message))
    stage.settle()
    (thread,) = stage.home.threads()
    assert len(stage.home.thread(thread["id"])["messages"]) == 1
    assert len(stage.fake.said(message["ts"])) == 1


def test_deliveries_that_are_tried_again_change_nothing(stage, talk):
    before = talk.kinds
    for retry in (1, 2, 3):
        stage.deliver(stage.last, retry=retry)
    stage.settle()
    assert (talk.kinds, len(talk.document["messages"])) == (before, 1)


def test_a_direct_message_is_a_call(stage):
    stage.fake.channel("D0ADA", "ada", is_im=True)
    message = stage.fake.say("Title: Export orders", channel="D0ADA")
    stage.deliver(sending.heard(message, channel="D0ADA", channel_type="im"))
    stage.settle()
    assert len(stage.fake.said(message["ts"], channel="D0ADA")) == 1


def test_other_channels_than_the_named_ones_are_not_heard_and_a_caller_is_told(begin):
    stage = begin('channels = ["C0OTHER"]')
    message = stage.fake.say(f"{CALL}hi")
    stage.deliver(sending.mentioned(message))
    assert "C0SHOP" in said_to(stage, "U0ADA")
    assert (stage.home.threads(), stage.fake.said(message["ts"])) == ([], [])


def test_programs_are_not_heard(stage, talk):
    root = stage.roots[talk.thread]
    for more in ({"bot_id": "B0OTHER"}, {"bot_id": BOT}, {"subtype": "bot_message"}):
        stage.deliver(sending.heard(stage.fake.say(f"{CALL}Title: Mine", thread=root, **more)))
    stage.settle()
    assert len(talk.document["messages"]) == 1


def test_other_events_are_acknowledged_and_not_kept(stage):
    payload = sending.mentioned(stage.fake.say(f"{CALL}hi"))
    payload["event"]["type"] = "reaction_added"
    assert stage.deliver(payload).status == 200
    assert (stage.home.threads(), stage.told) == ([], [])


def test_an_edit_puts_right_what_its_message_said(stage, talk):
    root = stage.roots[talk.thread]
    stage.deliver(sending.changed(*stage.fake.edit(root, f"{CALL}{COMPLETE.replace('orders', 'invoices')}")))
    stage.settle()
    assert (talk.preview.version, talk.values("title")) == (2, ["Export invoices"])
    assert [one["author"] for one in talk.document["messages"]] == ["Ada (U0ADA)"] * 2
    links = {one["permalink"] for one in talk.document["messages"]}
    assert links == {f"https://acme.slack.example/archives/C0SHOP/p{root.replace('.', '')}"}


def test_an_edit_of_what_nobody_read_yet_takes_its_place(stage, talk):
    root = stage.roots[talk.thread]
    talk.say("Title: Export ordrs", by=BOB)
    said = stage.fake.thread_of(root)[-1]
    stage.deliver(sending.changed(*stage.fake.edit(said["ts"], "Risk: the file may be large")))
    talk.quiet()
    assert (talk.kinds[-1], talk.values("title")) == ("preview", ["Export orders"])
    assert [one["text"] for one in talk.document["messages"]][1:] == ["Risk: the file may be large"]


def test_whose_message_came_after_later_ones_were_read_is_told(stage, talk):
    talk.mention("Risk: the file may be large", by=BOB)
    assert talk.late("Title: Something old") == []
    assert "Repeat it" in said_to(stage, "U0ADA")


def test_a_deleted_message_stays_in_the_draft(stage, talk):
    gone = stage.fake.delete(stage.roots[talk.thread])
    stage.deliver(sending.deleted(gone, stage.fake.next_ts()))
    stage.settle()
    assert talk.values("title") == ["Export orders"]


def test_what_people_write_calls_nobody_from_our_mouth(stage):
    stage.fake.person("U0EVE", "Eve <!channel> *boss* (U0ADA)")
    text = (
        f"{CALL}{COMPLETE}\nRisk: &lt;!channel&gt; <!here> <@U0BOB> @everyone <https://evil.example|our wiki> is down"
    )
    stage.deliver(sending.mentioned(stage.fake.say(text, by="U0EVE")))
    stage.settle()
    (posted,) = stage.fake.called("chat.postMessage")
    assert "<!" not in json.dumps(posted)
    assert "<@" not in json.dumps(posted)
    assert "<http" not in json.dumps(posted)
    (thread,) = stage.home.threads()
    assert thread["opened_by"].endswith("(U0EVE)")
    assert thread["opened_by"].count("(") == 1


def test_who_may_not_approve_is_told_who_may_and_nothing_happens(begin):
    stage = begin('approvers = ["U0BOB"]')
    talk = Talk.opened(stage, COMPLETE)
    assert talk.approve() == []
    assert "<@U0BOB>" in said_to(stage, "U0ADA")
    assert stage.home.tasks() == []
    assert [one.kind for one in talk.approve(by=BOB)] == ["created"]


def test_a_button_of_another_thread_is_refused_in_words(stage, talk):
    other = Talk.opened(stage, "hi")
    moved = {**preview_of(stage, other), "blocks": preview_of(stage, talk)["blocks"]}
    stage.deliver(stage.click(moved, "pk_approve", by="U0ADA"))
    assert "another thread" in said_to(stage, "U0ADA")
    assert stage.home.tasks() == []


def test_a_button_in_another_workspace_is_refused_in_words(stage, talk):
    click = stage.click(preview_of(stage, talk), "pk_approve", by="U0ADA")
    click["team"]["id"] = "T0ELSEWHERE"
    stage.deliver(click)
    assert "workspace" in said_to(stage, "U0ADA")
    assert stage.home.tasks() == []


@pytest.mark.parametrize("value", ["", "{", "{}", "approve", '{"pk":1}'])
def test_a_button_that_says_nothing_is_refused_in_words(stage, talk, value):
    click = stage.click(preview_of(stage, talk), "pk_approve", by="U0ADA")
    click["actions"][0]["value"] = value
    stage.deliver(click)
    assert "this button" in said_to(stage, "U0ADA")
    assert stage.home.tasks() == []


def test_a_double_click_is_one(stage, talk):
    preview = preview_of(stage, talk)
    first, second = (stage.click(preview, "pk_approve", by="U0ADA") for _ in range(2))
    at = first["actions"][0]["action_ts"]
    second["actions"][0]["action_ts"] = f"{at[:-6]}{int(at[-6:]) + 400_000:06d}"
    stage.deliver(first)
    stage.settle()
    stage.deliver(second)
    stage.settle()
    assert (talk.kinds, len(stage.home.tasks())) == (["preview", "created"], 1)


def test_a_click_that_was_made_before_later_words_is_told_so(stage, talk):
    preview = preview_of(stage, talk)
    click = stage.click(preview, "pk_approve", by="U0BOB")
    talk.mention("Risk: the file may be large")
    stage.deliver(click)
    assert "does not count" in said_to(stage, "U0BOB")
    assert stage.home.tasks() == []


def test_a_form_that_opens_too_late_is_told_and_can_be_clicked_again(stage, talk):
    click = stage.click(preview_of(stage, talk), "pk_changes", by="U0ADA")
    stage.fake.triggers[click["trigger_id"]] = "expired"
    stage.deliver(click)
    assert "could not be opened" in said_to(stage, "U0ADA")
    (preview,) = talk.changes("Title: Export invoices")
    assert preview.kind == "preview"


def test_an_empty_form_stays_open_and_says_why(stage, talk):
    click = stage.click(preview_of(stage, talk), "pk_changes", by="U0ADA")
    form = stage.filled(click, "  ", by="U0ADA")
    answer = stage.deliver(form)
    assert (answer.data["response_action"], list(answer.data["errors"])) == ("errors", ["pk_words"])


def test_a_form_counts_once_however_often_it_is_delivered(stage, talk):
    talk.changes("Title: Export invoices")
    stage.deliver(stage.last)
    stage.settle()
    assert len(talk.document["messages"]) == 2


def test_a_choice_is_made_with_its_button(stage, talk):
    talk.mention("Retention = at most 30 days")
    talk.mention("Retention = at least 90 days", by=BOB)
    (preview,) = talk.choose("keep_a")
    assert (preview.kind, talk.values("constraints")) == ("preview", ["at most 30 days"])


def test_a_sentence_is_placed_from_the_menu_beside_it(stage, talk):
    talk.mention("Orders get lost when the shop restarts.")
    ts = stage.fake.said(stage.roots[talk.thread])[-1]["ts"]
    stage.deliver(sending.picked(stage.fake, ts, "pk_place:", "Problem"))
    stage.settle()
    assert talk.values("problem")[-1] == "Orders get lost when the shop restarts."


def test_a_choice_of_neither_is_said_in_a_form(stage, talk):
    talk.mention("Retention = at most 30 days")
    talk.mention("Retention = at least 90 days", by=BOB)
    (preview,) = talk.answer("at most 60 days")
    assert (preview.kind, talk.values("constraints")) == ("preview", ["at most 60 days"])


def label_of(stage, talk, action):
    """The label of the form that a button of the last questions opens."""
    (question, *_), before = talk.asks, len(stage.fake.views)
    message = stage.fake.said(stage.roots[talk.thread])[-1]
    stage.deliver(stage.click(message, action, by="U0ADA"))
    (block,) = stage.fake.views[f"V{before + 1}"]["blocks"]
    return question["text"], block["label"]["text"]


def test_a_form_asks_the_question_that_it_answers(stage):
    question, label = label_of(stage, Talk.opened(stage, "hi"), "pk_answer:1")
    assert label == question


def test_a_form_for_a_conflict_says_who_said_what(stage, talk):
    talk.mention("Retention = at most 30 days")
    talk.mention("Retention = at least 90 days", by=BOB)
    _, label = label_of(stage, talk, "pk_choice:4")
    assert "Ada (U0ADA)" in label
    assert "Bob (U0BOB)" in label


def test_a_new_name_makes_nobody_somebody_else(stage, talk):
    stage.restart()
    stage.fake.person("U0ADA", "Countess of Lovelace")
    talk.mention("Title: Export invoices")
    assert {one["author"] for one in talk.document["messages"]} == {"Ada (U0ADA)"}


def test_somebody_whose_name_slack_does_not_tell_is_called_by_the_id(stage):
    stage.fake.fault("users.info", "error", error="ratelimited")
    talk = Talk.opened(stage, COMPLETE)
    talk.mention("Risk: the file may be large")
    assert {one["author"] for one in talk.document["messages"]} == {"U0ADA"}
    assert any("U0ADA is called by the id" in line for line in stage.told)


def test_a_reply_that_came_while_its_call_was_late_is_heard_with_it(stage):
    call = stage.fake.say(f"{CALL}Title: Export orders")
    stage.deliver(sending.heard(stage.fake.say("Problem: They copy by hand.", thread=call["ts"])))
    assert stage.home.threads() == []
    stage.deliver(sending.mentioned(call), retry=1)
    stage.wait(lambda: len(stage.home.threads()) == 1)
    (thread,) = stage.home.threads()

    def heard():
        found = stage.home.thread(thread["id"])
        return len(found["messages"]) + found["waiting"]

    stage.wait(lambda: heard() == 2)


def test_what_slack_limits_is_said_once_a_little_later(stage):
    stage.fake.fault("chat.postMessage", "limited", after=1)
    talk = Talk.opened(stage, "hi")
    assert talk.kinds == ["ask"]


def test_what_slack_does_not_take_now_is_told_and_said_later(stage):
    stage.fake.fault("chat.postMessage", "limited", after=900, times=1)
    message = stage.fake.say(f"{CALL}hi")
    stage.deliver(sending.mentioned(message))
    stage.wait(lambda: any("is tried again" in line for line in stage.told))
    stage.settle()
    assert len(stage.fake.said(message["ts"])) == 1


def test_no_line_that_is_told_has_a_token(stage):
    stage.fake.fault("*", "error", error="invalid_auth", times=3)
    stage.send(Talk.opened(stage, "hi").thread, Turn("mention", "hello?"))
    assert stage.told
    assert not any(one in "\n".join(stage.told) for one in ("xoxb-", "xapp-", "signing-secret"))
