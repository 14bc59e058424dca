"""Many threads at once while worker processes are killed at random: order kept, nothing lost or doubled.

    python -m bench.threads_load [--threads 200] [--messages 20] [--workers 3] [--kill-every 1.5]

Prints the table of bench/threads_load.md; the exit code is 1 if a promise is broken.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from pactkeeper.boards.local import LocalBoard
from pactkeeper.boards.writing import FileReservations
from pactkeeper.intent.thread_event import EventKind, Post, ThreadEvent
from pactkeeper.intent.ticket import PlacedValue, Thread
from pactkeeper.store.database import open_database, sqlite_url
from pactkeeper.store.history import History
from pactkeeper.store.thread_posts import due_threads, posts, threads_to_tell
from pactkeeper.store.threads import latest_draft, messages, thread_state, thread_steps, tickets
from pactkeeper.tickets.ground import DraftRules, ThreadGround, ThreadPace
from pactkeeper.tickets.running import receive, run_thread, tick_threads

PACE = ThreadPace(timedelta(seconds=0.3), timedelta(seconds=2))
OPENING = ("hi", "Title: Report {0}", "Problem: Somebody writes report {0} by hand.", "AC: Report {0} has {0} rows.")
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    ["pactkeeper.tickets.running", "pactkeeper.tickets.ground", "langgraph.graph", "langgraph.checkpoint.sqlite"]
)
TWICE = 0.1  # the share of events that their channel delivers twice


@dataclass(frozen=True, slots=True)
class Kept:
    """A channel that stores every post under its key, so that repeated posts don't matter."""

    folder: Path
    name: str = "kept"

    def post(self, thread: Thread, post: Post) -> str:
        """Store a post."""
        (self.folder / f"{thread.id} {post.key}").touch()
        return post.key

    def replace(self, thread: Thread, ref: str, post: Post) -> None:
        """Do nothing."""

    def permalink(self, thread: Thread, message: str) -> str:
        """A made-up address."""
        return f"https://chat.example/{thread.id}/{message}"


@dataclass(frozen=True, slots=True)
class Broken:
    """The number of times each promise was broken."""

    lost_messages: int
    out_of_order: int
    lost_corrections: int
    lost_tickets: int
    doubled_tickets: int
    doubled_reminders: int

    def __bool__(self) -> bool:
        """Whether any promise was broken."""
        return any(getattr(self, name) for name in self.__slots__)


@dataclass(frozen=True, slots=True)
class Measured:
    """The results of one load."""

    seconds: float
    events: int
    kills: int
    runs: int
    reminders: int
    tickets: int
    step_ms: float
    broken: Broken


def ground_at(root: Path) -> ThreadGround:
    """Open the same threads from any process."""
    history = History(open_database(sqlite_url(root / "history.db")), "person")
    (root / "kept").mkdir(exist_ok=True)
    return ThreadGround(
        history,
        root / "threads",
        lambda: datetime.now(UTC),
        {"kept": Kept(root / "kept")},
        DraftRules(history),
        lambda: (LocalBoard("home", root / "board"), FileReservations(root / "reservations.jsonl")),
        pace=PACE,
    )


def load(root: Path, *, threads: int, count: int, workers: int, kill_every: float) -> Measured:
    """Feed, kill, restart, approve twice, and measure the result."""
    chance, ground, start = random.Random(1), ground_at(root), time.perf_counter()  # noqa: S311 - not used for security
    crowd = Crowd(root, workers, kill_every, chance)
    said = {f"T{number}": words(number, count) for number in range(threads)}
    for event in fed(said, chance):
        receive(ground, Thread(event.thread, "kept", "", "Ada", event.at), event)
        crowd.look_after()
    settle(ground, crowd)
    for name in said:
        state = thread_state(ground.history, name)
        for who in ("Ada", "Bob"):
            click = _event(name, f"yes {who}", "approve", shown=state.shown, version=state.version)
            receive(ground, Thread(name, "kept", "", who, click.at), click)
        crowd.look_after()
    settle(ground, crowd)
    crowd.end()
    for name in (*due(ground), *threads_to_tell(ground.history)):
        run_thread(ground, name)
    return measured(ground, said, seconds=time.perf_counter() - start, kills=crowd.kills)


def words(number: int, count: int) -> list[str]:
    """The messages of one thread; each correction makes sense only after the one before it."""
    opening = [text.format(number) for text in OPENING]
    return [*opening, *(f"Correction: title: Report {number} v{at}" for at in range(count - len(opening)))]


def fed(said: dict[str, list[str]], chance: random.Random) -> Iterator[ThreadEvent]:
    """All events, interleaved across threads but in order within each, some of them twice."""
    left = {name: list(enumerate(texts, 1)) for name, texts in said.items()}
    while left:
        name = chance.choice(list(left))
        sequence, text = left[name].pop(0)
        kind: EventKind = "mention" if chance.random() < 1 / 3 else "message"
        event = _event(name, f"m{sequence}", kind, text=text, sequence=sequence)
        yield event
        if chance.random() < TWICE:
            yield event
        if not left[name]:
            del left[name]


def _event(  # noqa: PLR0913 - the parts of one event, all named
    thread: str, name: str, kind: EventKind, *, text: str = "", sequence: int = 0, shown: str = "", version: int = 0
) -> ThreadEvent:
    at = datetime.now(UTC).isoformat()
    return ThreadEvent(name, thread, kind, name.rpartition(" ")[2], at, text, sequence, shown=shown, version=version)


class Crowd:
    """Worker processes, one of which is killed and replaced from time to time."""

    def __init__(self, root: Path, workers: int, kill_every: float, chance: random.Random) -> None:
        self.kills = 0
        self._root, self._every, self._chance = root, kill_every, chance
        self._next = time.monotonic() + kill_every
        self._workers = [self._started() for _ in range(workers)]

    def look_after(self) -> None:
        """Kill one if it is time, and replace those that are gone."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._every * self._chance.uniform(0.3, 1.7)
            self._chance.choice(self._workers).kill()
            self.kills += 1
        self._workers = [one if one.is_alive() else self._started() for one in self._workers]

    def end(self) -> None:
        """Kill the rest; whatever they had begun is due again."""
        for one in self._workers:
            one.kill()
            one.join()

    def _started(self) -> ForkServerProcess:
        found = _CONTEXT.Process(target=work, args=(self._root,))
        found.start()
        return found


def work(root: Path) -> None:
    """Run whatever is due until this process is killed."""
    ground = ground_at(root)
    while True:
        tick_threads(ground)
        time.sleep(0.05)


def due(ground: ThreadGround) -> tuple[str, ...]:
    """Threads with something to do."""
    return due_threads(ground.history, now=datetime.now(UTC) + timedelta(minutes=1), window=ground.pace.window)


def settle(ground: ThreadGround, crowd: Crowd) -> None:
    """Wait until nothing is due and reminders have been posted."""
    quiet = 0
    while quiet < 15:
        quiet = 0 if due(ground) else quiet + 1
        crowd.look_after()
        time.sleep(0.2)


def measured(ground: ThreadGround, said: dict[str, list[str]], *, seconds: float, kills: int) -> Measured:
    """Compare what is stored with what was said."""
    history = ground.history
    steps = [step for name in said for step in thread_steps(history, name)]
    kept = [one.post for name in said for one in posts(history, name)]
    made = [one for name in said for one in tickets(history, name) if one.state == "created"]
    return Measured(
        seconds,
        sum(len(texts) for texts in said.values()) + 2 * len(said),
        kills,
        sum(thread_state(history, name).concluded for name in said),
        sum(post.kind == "reminder" for post in kept),
        len(made),
        sum(step.milliseconds for step in steps) / max(1, len(steps)),
        broken(ground, said),
    )


def broken(ground: ThreadGround, said: dict[str, list[str]]) -> Broken:
    """Count the broken promises."""
    history = ground.history
    heard = {name: [one.text for one in messages(history, name)] for name in said}
    titles = Counter(task.title for task in LocalBoard("home", ground.folder.parent / "board").snapshot(at="").tasks)
    wanted = {name: texts[-1].removeprefix("Correction: title: ") for name, texts in said.items()}
    reminded = Counter(
        (name, one.post.key) for name in said for one in posts(history, name) if "reminder" in one.post.key
    )
    ends = {name: latest_draft(history, name).title for name in said}
    return Broken(
        sum(len(texts) - len(heard[name]) for name, texts in said.items()),
        sum(heard[name] != texts for name, texts in said.items()),
        sum(not isinstance(title, PlacedValue) or title.value != wanted[name] for name, title in ends.items()),
        sum(titles[title] == 0 for title in wanted.values()),
        sum(titles.values()) - len(titles),
        sum(number - 1 for number in reminded.values()),
    )


def main() -> int:
    """Run one load and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=200)
    parser.add_argument("--messages", type=int, default=20)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--kill-every", type=float, default=1.5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = load(
            Path(folder),
            threads=given.threads,
            count=given.messages,
            workers=given.workers,
            kill_every=given.kill_every,
        )
    print(f"| {given.threads} × {given.messages} | {given.workers} |{_row(found)}")
    print(found.broken)
    return 1 if found.broken else 0


def _row(found: Measured) -> str:
    cells = (found.events, found.kills, found.runs, found.reminders, found.tickets)
    rest = f" {found.step_ms:.0f} ms | {found.seconds:.0f} s |"
    return "".join(f" {cell:,} |" for cell in cells) + rest


if __name__ == "__main__":
    sys.exit(main())
