"""What was said while nobody listened is read again at the start, and whatever cannot be is told."""

import pytest

from tests.conformance.threads.slack import CALL
from tests.conformance.threads.stage import Talk
from tests.slack import sending

TITLE = "Title: Export orders"
PROBLEM = "Problem: Accountants copy orders by hand every month."
CRITERION = "AC: An export of 1000 orders has 1000 rows."


@pytest.fixture
def talk(stage):
    return Talk.opened(stage, TITLE)


def away(stage, work):
    """Have something happen while nobody serves the workspace."""
    stage.running.close()
    found = work()
    stage._start()
    stage.settle()
    return found


def test_words_and_calls_are_heard_in_their_order(stage, talk):
    root = stage.roots[talk.thread]

    def said():
        stage.fake.say(PROBLEM, thread=root)
        stage.fake.say(f"{CALL}{CRITERION}", by="U0BOB", thread=root)

    away(stage, said)
    assert talk.kinds[-1] == "preview"
    assert [one["text"] for one in talk.document["messages"]] == [TITLE, PROBLEM, CRITERION]


def test_what_was_heard_before_is_not_heard_again(stage, talk):
    away(stage, lambda: None)
    assert (talk.kinds, len(talk.document["messages"])) == (["ask"], 1)


def test_a_message_that_is_delivered_later_all_the_same_is_one(stage, talk):
    message = away(stage, lambda: stage.fake.say(f"{CALL}{PROBLEM}", thread=stage.roots[talk.thread]))
    stage.deliver(sending.mentioned(message), retry=3)
    stage.settle()
    assert len(talk.document["messages"]) == 2


def test_an_edit_is_heard(stage, talk):
    away(stage, lambda: stage.fake.edit(stage.roots[talk.thread], f"{CALL}{TITLE}\n{PROBLEM}"))
    assert talk.values("problem") == [PROBLEM.removeprefix("Problem: ")]


def test_what_was_said_before_anybody_called_is_not_read(stage):
    first = stage.fake.say("secret of the team")
    stage.deliver(sending.mentioned(stage.fake.say(f"{CALL}hi", thread=first["ts"])))
    stage.settle()
    away(stage, lambda: stage.fake.say("and this is new", thread=first["ts"]))
    (thread,) = stage.home.threads()
    document = stage.home.thread(thread["id"])
    assert [one["text"] for one in document["messages"]] == ["hi"]
    assert (document["waiting"], document["late"]) == (1, [])


def test_programs_and_our_own_words_are_not_heard(stage, talk):
    away(stage, lambda: stage.fake.say("Title: Mine", thread=stage.roots[talk.thread], bot_id="B0OTHER"))
    assert len(talk.document["messages"]) == 1


def test_long_threads_are_read_page_by_page(stage, talk):
    stage.fake.page = 2
    root = stage.roots[talk.thread]
    away(stage, lambda: [stage.fake.say(f"Risk: number {number}", thread=root) for number in range(5)])
    assert talk.document["waiting"] == 5


def test_a_thread_that_cannot_be_read_is_told_and_the_others_are(stage, talk):
    other = Talk.opened(stage, TITLE)

    def said():
        for one in (talk, other):
            stage.fake.say(f"{CALL}{PROBLEM}", thread=stage.roots[one.thread])
        stage.fake.fault("conversations.replies", "error", error="thread_not_found")

    away(stage, said)
    assert any(f"{other.thread} meanwhile cannot be read: thread_not_found" in line for line in stage.told)
    assert talk.values("problem") == [PROBLEM.removeprefix("Problem: ")]


def test_a_limit_of_slack_ends_it_and_is_told(stage, talk):
    Talk.opened(stage, TITLE)
    away(stage, lambda: stage.fake.fault("conversations.replies", "limited", after=900))
    assert any("ratelimited" in line for line in stage.told)
    assert any(line.startswith("1 of 2 threads were not looked at") for line in stage.told)
    assert talk.kinds == ["ask"]


@pytest.mark.parametrize("body", ["[]", "1", "null"])
def test_a_thread_whose_messages_are_no_list_of_slack_is_told(stage, talk, body):
    away(stage, lambda: stage.fake.fault("conversations.replies", "foreign", body=body, status=200))
    assert any(f"{talk.thread} meanwhile cannot be read:" in line for line in stage.told)
