"""What a channel brings to the scenarios: a stage on which people talk, and what they see there."""

from dataclasses import dataclass
from typing import Literal, Protocol

from pactkeeper.intent.thread_event import EventKind
from pactkeeper.intent.ticket import Choice
from tests.conformance.threads.home import Home

ADA, BOB = "Ada", "Bob"
TITLE = "Title: Export orders"
PROBLEM = "Problem: Accountants copy orders by hand every month."
CRITERION = "AC: An export of 1000 orders has 1000 rows."
COMPLETE = f"{TITLE}\n{PROBLEM}\n{CRITERION}"  # all that a draft needs
# What some channel cannot do; `stages.CANNOT` says which and why.
Ability = Literal[
    "waiting",  # a remark is read with those that follow
    "redelivery",  # one event comes twice
    "disorder",  # an event comes after a later one
    "replacing",  # what was shown is marked where it stands
    "wordless",  # a wish for changes may come without saying which
]


@dataclass(frozen=True)
class Shown:
    """One post as people see it; a preview carries what a click on it carries. The last part of `key` is its kind."""

    key: str
    text: str
    version: int = 0
    hash: str = ""

    @property
    def kind(self):
        """ask, preview, gaps, created, failed, stale, reminder or halted."""
        return self.key.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class Turn:
    """What one person does: say something, answer the question `ask` (an id), choose, or click on what was shown."""

    kind: EventKind
    text: str = ""
    by: str = ADA
    ask: str = ""
    shown: Shown | None = None


class Stage(Protocol):
    """A channel with real parts behind it; threads are named by pactkeeper's ids."""

    home: Home

    @property
    def name(self) -> str: ...

    def open(self, turn: Turn) -> str:
        """Open a thread by calling us; gives its id once the call was answered."""

    def send(self, thread: str, turn: Turn) -> None:
        """Have somebody do something, and come back once all that is due because of it is said."""

    def send_at_once(self, thread: str, turns: list[Turn]) -> None:
        """Have several people do something at the same moment, each through a process or connection of their own."""

    def send_again(self, thread: str) -> None:
        """Deliver the last turn a second time, as a channel does that got no receipt."""

    def send_late(self, thread: str, turn: Turn) -> None:
        """Deliver something that happened before the last turn of the thread."""

    def tick(self) -> None:
        """Have done what is due."""

    def restart(self) -> None:
        """End whatever runs without a word, and begin anew with nothing but what is stored for good."""

    def shown(self, thread: str) -> list[Shown]:
        """What stands in the thread now, besides what people said."""

    def found(self, permalink: str) -> str:
        """What the channel itself shows at an address."""

    def close(self) -> None:
        """Leave nothing running."""


@dataclass
class Talk:
    """One thread as its people see it; what somebody does gives what is shown because of it.

    `seen` counts the posts that were there when somebody looked last.
    """

    stage: Stage
    thread: str
    seen: int = 0

    @classmethod
    def opened(cls, stage, *texts, by=ADA):
        """A thread in which some things were said, each of them to us."""
        talk = cls(stage, stage.open(Turn("mention", texts[0], by)))
        for text in texts[1:]:
            talk.mention(text, by=by)
        return talk

    def mention(self, text, *, by=ADA):
        return self._send(Turn("mention", text, by))

    def say(self, text, *, by=ADA):
        """Say something to nobody in particular; it is read once the thread is quiet."""
        return self._send(Turn("message", text, by))

    def answer(self, text, *, to=1, by=ADA):
        """Answer the question with that number among those that wait."""
        return self._send(Turn("answer", text, by, ask=self.asks[to - 1]["id"]))

    def choose(self, choice: Choice, *, to=1, by=ADA):
        return self.answer(choice, to=to, by=by)

    def changes(self, text="", *, by=ADA):
        return self._send(Turn("changes", text, by))

    def approve(self, shown=None, *, by=ADA):
        """Click on what was shown, by default on the last preview."""
        return self._send(Turn("approve", by=by, shown=shown or self.preview))

    def approve_at_once(self, *people):
        """Have several people click on the last preview at the same moment."""
        turns = [Turn("approve", by=by, shown=self.preview) for by in people]
        return self._after(lambda: self.stage.send_at_once(self.thread, turns))

    def again(self):
        """The last turn comes a second time."""
        return self._after(lambda: self.stage.send_again(self.thread))

    def late(self, text, *, by=ADA):
        """Something comes that was said before the last turn."""
        return self._after(lambda: self.stage.send_late(self.thread, Turn("message", text, by)))

    def quiet(self):
        """Nobody says anything until what was said is read."""
        return self.pass_time(minutes=10)

    def pass_time(self, **time):
        def passed():
            self.stage.home.age(**time)
            self.stage.tick()

        return self._after(passed)

    def _send(self, turn):
        return self._after(lambda: self.stage.send(self.thread, turn))

    def _after(self, work):
        before = self.seen or len(self.shown)
        work()
        return self.shown[before:]

    @property
    def shown(self):
        found = self.stage.shown(self.thread)
        self.seen = len(found)
        return found

    @property
    def preview(self):
        """The last preview that can be approved, as it is shown."""
        return next(one for one in reversed(self.shown) if one.hash)

    @property
    def kinds(self):
        return [one.kind for one in self.shown]

    @property
    def document(self):
        """What `pk thread show` says of the thread."""
        return self.stage.home.thread(self.thread)

    @property
    def phase(self):
        return self.document["state"]["phase"]

    @property
    def asks(self):
        return self.document["asks"]

    @property
    def tickets(self):
        return [one for one in self.document["tickets"] if one["state"] == "created"]

    def values(self, name):
        """The values of a field, all sides of a conflict included."""
        found = self.document["draft"][name]
        listed = found if isinstance(found, list) else [] if found is None else [found]
        return [side["value"] for one in listed for side in _sides(one)]


def _sides(value):
    held = value["value"] if "key" in value else value
    return held.get("conflict", [held])
