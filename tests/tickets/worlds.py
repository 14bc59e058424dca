"""A thread with real history, board and rules, and a clock that stands until it is told to go on."""

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pactkeeper.boards.local import LocalBoard
from pactkeeper.boards.writing import FileReservations
from pactkeeper.errors import BoardUnavailable
from pactkeeper.intent.thread_event import ThreadEvent
from pactkeeper.intent.ticket import Thread
from pactkeeper.store.database import open_database, sqlite_url
from pactkeeper.store.history import History
from pactkeeper.store.thread_posts import posts
from pactkeeper.store.threads import latest_draft, thread_state, thread_steps, tickets
from pactkeeper.tickets.ground import DraftRules, ThreadGround, ThreadPace
from pactkeeper.tickets.running import receive, run_thread, tick_threads

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
WINDOW = timedelta(seconds=30)
REMINDER = timedelta(hours=24)
COMPLETE = (
    "Title: Export orders",
    "Problem: Accountants copy orders by hand every month.",
    "AC: An export of 1000 orders has 1000 rows.",
)


@dataclass
class Told:
    """A channel that keeps what it was told, in a file so that every process sees it; `down` refuses."""

    path: Path
    name: str = "told"
    down: bool = False

    def post(self, thread, post):
        if self.down:
            raise BoardUnavailable("the channel is away; try again")
        self._append({"post": post.key, "kind": post.kind, "thread": thread.id})
        return f"ref {post.key}"

    def replace(self, thread, ref, post):
        self._append({"replace": ref, "kind": post.kind, "thread": thread.id})

    def permalink(self, thread, message):
        return f"https://chat.example/{thread.id}/{message}"

    def heard(self):
        return [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []

    def _append(self, line):
        with self.path.open("a") as stream:
            stream.write(json.dumps(line) + "\n")


@dataclass
class World:
    """One thread of one person; every event comes a second after the last."""

    root: Path
    thread: str = "T1"
    now: datetime = START
    rules: Any = None
    count: int = 0
    around: Any = field(default=lambda _moment, _node: None)

    def __post_init__(self):
        self.history = History(open_database(sqlite_url(self.root / "history.db")), "person")
        self.channel = Told(self.root / "told.jsonl")
        self.board = LocalBoard("home", self.root / "board")
        self.rules = self.rules or DraftRules(self.history)

    @property
    def ground(self):
        return ThreadGround(
            self.history,
            self.root / "threads",
            lambda: self.now,
            {self.channel.name: self.channel},
            self.rules,
            lambda: (self.board, FileReservations(self.root / "reservations.jsonl")),
            pace=ThreadPace(WINDOW, REMINDER),
        )

    def event(self, text="", kind="mention", *, by="Ada", **fields):
        self.count += 1
        self.now += timedelta(seconds=1)
        named = {"id": f"e{self.count}", "thread": self.thread, "at": self.now.isoformat()}
        return ThreadEvent(**{**named, "kind": kind, "author": by, "text": text, **fields})

    def put(self, event):
        return receive(self.ground, Thread(self.thread, self.channel.name, "", "Ada", START.isoformat()), event)

    def say(self, text="", kind="mention", **fields):
        """Say something, run what is due, and give what was posted since."""
        before = len(posts(self.history, self.thread))
        self.put(self.event(text, kind, **fields))
        self.run()
        return [kept.post for kept in posts(self.history, self.thread)[before:] if not kept.post.instead]

    def run(self):
        return run_thread(self.ground, self.thread, around=self.around)

    def approve(self, *, by="Ada", shown=None):
        draft = shown or self.draft
        return self.say(kind="approve", by=by, shown=draft.hash, version=draft.version)

    def complete(self):
        """Say all that a preview needs, and give the preview."""
        for text in COMPLETE:
            last = self.say(text)
        return last[-1]

    def pass_time(self, **time):
        self.now += timedelta(**time)
        return tick_threads(self.ground)

    @property
    def draft(self):
        return latest_draft(self.history, self.thread)

    @property
    def state(self):
        return thread_state(self.history, self.thread)

    @property
    def tickets(self):
        return tickets(self.history, self.thread)

    @property
    def steps(self):
        return thread_steps(self.history, self.thread)

    def tasks(self):
        return self.board.snapshot(at=self.now.isoformat()).tasks

    def kinds(self):
        """What the channel was told, without the marks on old previews."""
        return [one["kind"] for one in self.channel.heard() if "post" in one]

    def again(self):
        """The same world as another process would find it."""
        self.history.database.close()
        return replace(self)

    def close(self):
        self.history.database.close()
