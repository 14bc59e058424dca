"""Slack as a stage: the real door over HTTP, and a stand-in for Slack that keeps what people see."""

import copy
import os
import re
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import Any

from pactkeeper.doors.slack.serving import serving
from pactkeeper.intent.ticket import CHOICES
from pactkeeper.settings.slack import Mode, slack_settings, slack_tokens
from pactkeeper.store.database import open_database, sqlite_url
from pactkeeper.store.history import History
from pactkeeper.store.thread_posts import due_threads, threads_to_tell
from pactkeeper.store.waiting import due
from pactkeeper.tickets.channels.slack import EVENT_TYPE, thread_of
from pactkeeper.tickets.channels.slack_blocks import decode
from pactkeeper.tickets.channels.slack_rich import escaped
from pactkeeper.tickets.ground import KIND, WINDOW
from tests.conformance.threads.home import Home
from tests.conformance.threads.stage import Shown, Turn
from tests.slack import sending
from tests.slack.fake import APP_TOKEN, BOT_TOKEN, BOT_USER, SECRET, TEAM, FakeSlack
from tests.slack.limits import elements_of
from tests.waiting import PATIENCE, until

CALL = f"<@{BOT_USER}> "
PEOPLE = {"Ada": "U0ADA", "Bob": "U0BOB"}
TOKENS = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "SLACK_SIGNING_SECRET": SECRET}


@dataclass
class SlackStage:
    """A workspace of one channel; `told` are the lines that whoever serves it reads."""

    home: Home
    name: str = "slack"
    mode: Mode = "http"
    more: str = ""
    fake: FakeSlack = field(default_factory=FakeSlack)
    roots: dict[str, str] = field(default_factory=dict)
    seen: dict[str, Any] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    last: Any = None

    def __post_init__(self):
        self.before = {name: os.environ.get(name) for name in (*self.home.env, *TOKENS)}
        os.environ.update({**self.home.env, **TOKENS})
        said = f'mode = "{self.mode}"\nport = 0\nbase_url = "{self.fake.url}"\n{self.more}'
        self.home.set_up("slack.toml", said)
        self.running = ExitStack()
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self):
        settings = slack_settings(self.home.root / "config/pactkeeper")
        served = serving(Path(self.home.desk.root), settings, slack_tokens(self.mode), self.told.append, pause=0.03)
        self.url = self.running.enter_context(served)
        self.history = self.opened_history()

    def opened_history(self):
        """What is stored, to see by it what is still to be done."""
        history = History(open_database(sqlite_url(self.home.kept / "history.db")), "person")
        self.running.callback(history.database.close)
        return history

    def call(self, text, *, by="Ada"):
        """A message that opens a thread, and what Slack tells of it."""
        message = self.fake.say(CALL + escaped(text), by=PEOPLE[by])
        return message, sending.mentioned(message)

    def remark(self, text, root, *, by="Ada"):
        """What Slack tells of a reply that calls nobody."""
        return sending.heard(self.fake.say(escaped(text), by=PEOPLE[by], thread=root))

    def open(self, turn):
        message, call = self.call(turn.text, by=turn.by)
        self.deliver(call)
        name = thread_of(TEAM, "C0SHOP", message["ts"], "", "").id
        self.roots[name] = message["ts"]
        self.settle()
        return name

    def send(self, thread, turn):
        self.deliver(self._payload(thread, turn))
        self.settle()

    def send_at_once(self, thread, turns):
        payloads = [self._payload(thread, turn) for turn in turns]
        running = [Thread(target=self.deliver, args=(one,)) for one in payloads]
        for one in running:
            one.start()
        for one in running:
            one.join(PATIENCE)
        self.settle()

    def send_again(self, _thread):
        self.deliver(self.last, retry=1)
        self.settle()

    def send_late(self, thread, turn):
        earlier = f"{self.fake.start}.000001"
        message = self.fake.say(escaped(turn.text), by=PEOPLE[turn.by], thread=self.roots[thread], ts=earlier)
        self.deliver(sending.heard(message))
        self.settle()

    def tick(self):
        self.settle()

    def restart(self):
        self.running.close()
        self._start()

    def shown(self, thread):
        messages = [one for one in self.fake.said(self.roots[thread]) if one["metadata"]["event_type"] == EVENT_TYPE]
        self.seen.update({_key(one): copy.deepcopy(one) for one in messages if _buttons(one, "approve")})
        return [_shown(one, self.seen.get(_key(one), one)) for one in messages]

    def found(self, permalink):
        stamp = re.search(r"/p(\d{10})(\d{6})", permalink)
        return self.fake.message("C0SHOP", f"{stamp[1]}.{stamp[2]}")["text"] if stamp else ""

    def close(self):
        try:
            self.running.close()
            self.fake.close()
        finally:
            for name, value in self.before.items():
                os.environ.pop(name)
                os.environ.update({} if value is None else {name: value})

    def deliver(self, payload, **options):
        """Send what Slack sends, and see it acknowledged; gives the answer."""
        self.last = payload
        answer = sending.send(self.url, payload, **options)
        assert answer.status == 200, answer
        return answer

    def settle(self):
        """Wait until all that is due is done and said."""
        self.wait(lambda: not self._is_busy())

    def wait(self, holds):
        until(holds, self.told)

    def _is_busy(self):
        now = datetime.now(UTC)
        reminders = [one for one in due(self.history, now=now.isoformat(timespec="milliseconds")) if one.kind == KIND]
        return bool(reminders or due_threads(self.history, now=now, window=WINDOW) or threads_to_tell(self.history))

    def _payload(self, thread, turn: Turn):
        by, root = PEOPLE[turn.by], self.roots[thread]
        if turn.kind in {"mention", "message"}:
            if turn.kind == "message":
                return self.remark(turn.text, root, by=turn.by)
            return sending.mentioned(self.fake.say(CALL + escaped(turn.text), by=by, thread=root))
        if turn.shown is not None:
            return self.click(self.seen[turn.shown.key], "pk_approve", by=by)
        message, action = self._answerable(root, turn)
        clicked = self.click(message, action, by=by)
        return clicked if turn.text in CHOICES else self.filled(clicked, turn.text, by=by)

    def _answerable(self, root, turn):
        """The newest message with a button for a turn, and what the button is called."""
        for message in reversed(self.fake.said(root)):
            for one in _buttons(message, "changes" if turn.kind == "changes" else ""):
                if one["type"] != "button":
                    continue  # a menu that places words, which nobody here clicks on
                meant = decode(one["value"])
                if turn.kind == "changes" or (meant.ask == turn.ask and meant.choice in {"", "amend", turn.text}):
                    fits = not meant.choice or (meant.choice == turn.text) == (turn.text in CHOICES)
                    if fits:
                        return message, one["action_id"]
        raise AssertionError(f"there is no button for {turn}")

    def click(self, message, action, *, by):
        """A click on a button of a message as somebody saw it, whatever stands there now."""
        now = self.fake.message("C0SHOP", message["ts"])
        kept = dict(now)
        now.update(copy.deepcopy(message))
        payload = copy.deepcopy(sending.clicked(self.fake, message["ts"], action, by=by))
        now.clear()
        now.update(kept)
        return payload

    def filled(self, clicked, text, *, by):
        """The form that a click opens, with words in it."""
        before = len(self.fake.views)
        self.deliver(clicked)
        assert len(self.fake.views) == before + 1, self.told
        return sending.submitted(self.fake, self.fake.views[f"V{before + 1}"], by=by, pk_words=text)


def _key(message):
    return message["metadata"]["event_payload"]["key"]


def _buttons(message, action):
    found = [one for block in message["blocks"] for one in elements_of(block)]
    return [one for one in found if one.get("action_id", "").startswith(f"pk_{action}")]


def _shown(message, before) -> Shown:
    """A heading is a line in bold, and stands for one of Markdown; whoever saw a button before may still click on it."""
    text = re.sub(r"^\*(.+)\*$", r"# \1", message["text"], flags=re.MULTILINE)
    approve = _buttons(before, "approve")
    if not approve:
        return Shown(_key(message), text)
    button = decode(approve[0]["value"])
    return Shown(_key(message), text, button.version, button.hash)
