"""The same over Socket Mode: from a call to a ticket, and on through connections that end."""

from dataclasses import dataclass

import pytest

from tests.conformance.threads.home import Home
from tests.conformance.threads.slack import CALL, SlackStage
from tests.conformance.threads.stage import BOB, COMPLETE, Talk
from tests.slack import sending
from tests.slack.fake import FakeSlack
from tests.slack.sockets import Sockets

pytestmark = pytest.mark.slow


@dataclass
class SocketStage(SlackStage):
    """A workspace that is served over a web socket."""

    @property
    def sockets(self) -> Sockets:
        found = self.fake.sockets
        assert isinstance(found, Sockets)
        return found

    def deliver(self, payload, **options):
        self.last = payload
        return self.sockets.deliver(payload, **options)


@pytest.fixture
def stage(tmp_path):
    fake = FakeSlack()
    Sockets(fake)
    made = SocketStage(Home(tmp_path), mode="socket", fake=fake)
    made.sockets.wait_open()
    yield made
    made.close()


def test_a_call_becomes_a_ticket(stage):
    talk = Talk.opened(stage, COMPLETE)
    assert [one.kind for one in talk.changes("Risk: the file may be large")] == ["preview"]
    assert [one.kind for one in talk.approve(by=BOB)] == ["created"]
    assert [one.title for one in stage.home.tasks()] == ["Export orders"]


def test_what_is_said_in_a_row_is_kept_in_that_row(stage):
    talk = Talk.opened(stage, "hi")
    root = stage.roots[talk.thread]
    texts = [f"Risk: number {number}" for number in range(5)]
    for text in texts:
        stage.sockets.send(sending.mentioned(stage.fake.say(CALL + text, thread=root)))
    stage.wait(lambda: len(talk.document["messages"]) == 6)
    assert [one["text"] for one in talk.document["messages"]][1:] == texts
    assert talk.document["late"] == []


def test_a_connection_that_slack_ends_is_followed_by_another_one(stage):
    talk = Talk.opened(stage, "hi")
    before = len(stage.fake.called("conversations.replies"))
    stage.sockets.refresh()
    stage.sockets.wait_open(2)
    assert [one.kind for one in talk.mention(COMPLETE)] == ["preview"]
    looked = stage.fake.called("conversations.replies")[before:]
    assert not any("oldest" in one for one in looked)


def test_what_was_said_while_a_connection_was_lost_is_heard(stage):
    talk = Talk.opened(stage, "hi")
    with stage.fake.lock:  # nobody connects again before it is said
        stage.sockets.drop()
        stage.fake.say(f"{CALL}Title: Export orders", thread=stage.roots[talk.thread])
    stage.sockets.wait_open(2)
    stage.wait(lambda: talk.values("title") == ["Export orders"])
