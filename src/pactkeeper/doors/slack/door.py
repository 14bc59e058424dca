"""What every Slack listener shares: our identity at Slack, the settings, the history, and the background work.

Messages are heard here too: those that mention us or belong to one of our threads are stored, others are not. What was
missed while nothing was listening is read later, from the most recent threads only.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Final

from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError

from pactkeeper.doors.slack.events import Here, People, Spot, Told, at_of, from_a_person, reason_of, said, told, ts_of
from pactkeeper.errors import PactkeeperError
from pactkeeper.intent.thread_event import AT_ONCE, ThreadEvent
from pactkeeper.intent.ticket import Thread
from pactkeeper.operators.slack import BoundThread, amend_waiting, authors_in, bound_threads, hear_event, is_bound
from pactkeeper.operators.thread_ground import Desk
from pactkeeper.settings.slack import SlackSettings
from pactkeeper.store.thread_posts import Kept
from pactkeeper.tickets.channels.slack import answered, part, parts, read_place, thread_of
from pactkeeper.tickets.channels.slack_rich import escaped, read_text

WORKERS: Final = 4
PAUSE: Final = 2.0  # seconds between two checks of what is due
_FIRST, _LONGEST, _DOUBLINGS = 5.0, 300.0, 6  # seconds until a failed run is retried


@dataclass(frozen=True, slots=True)
class Later:
    """How often in a row a thread did not finish, and until when it is left alone."""

    failures: int
    until: float


class Work:
    """Runs threads by name; `run` returns why a thread has to be retried, empty if everything is done.

    Nothing runs while this is held, as it is at first, so that missed messages can be read before. A thread waits for a
    worker at most once; if something arrives while it runs, it is run again.
    """

    def __init__(
        self,
        run: Callable[[str], str],
        due: Callable[[], Iterable[str]],
        tell: Callable[[str], None],
        *,
        pause: float = PAUSE,
    ) -> None:
        self._run, self._due, self._tell, self._pause = run, due, tell, pause
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="slack")
        self._lock, self._ending = threading.Lock(), threading.Event()
        self._waiting: set[str] = set()
        self._running: set[str] = set()
        self._later: dict[str, Later] = {}
        self._held = True
        self._clock = threading.Thread(target=self._tick, name="slack-clock", daemon=True)

    def put(self, name: str) -> None:
        """Schedule a thread to run soon."""
        with self._lock:
            self._put(name)

    def _put(self, name: str) -> None:
        if self._ending.is_set() or name in self._waiting:
            return
        self._waiting.add(name)
        if not self._held:
            self._pool.submit(self._go, name)

    def aside(self, work: Callable[[], None]) -> None:
        """Run something else soon; a failure is reported."""
        with self._lock:
            if not self._ending.is_set():
                self._pool.submit(self._guarded, "a word to somebody", work)

    def begin(self) -> None:
        """Release it, and check regularly what is due from now on."""
        self.release()
        self._clock.start()

    def hold(self) -> None:
        """Start nothing more for now; running work finishes."""
        with self._lock:
            self._held = True

    def release(self) -> None:
        """Run what was scheduled meanwhile."""
        with self._lock:
            if self._held and not self._ending.is_set():
                for name in self._waiting:
                    self._pool.submit(self._go, name)
            self._held = False

    def stop(self) -> None:
        """Start nothing more, and wait for running work."""
        with self._lock:
            self._ending.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
        if self._clock.ident is not None:
            self._clock.join()

    def _go(self, name: str) -> None:
        if not self._taken(name):
            return
        reason = self._guarded(f"thread {name}", lambda: self._run(name))
        wait = self._given_back(name, failed=bool(reason))
        if reason:
            self._tell(f"thread {name} is tried again in {wait:.0f} s: {reason}")

    def _taken(self, name: str) -> bool:
        """Take a waiting thread; while it is held or already running it stays queued."""
        with self._lock:
            if self._held or name in self._running or name not in self._waiting:
                return False
            self._waiting.discard(name)
            self._running.add(name)
            return True

    def _given_back(self, name: str, *, failed: bool) -> float:
        """Allow another run; returns for how many seconds a failed thread is left alone if nothing arrives."""
        with self._lock:
            before, wait = self._later.pop(name, Later(0, 0.0)), 0.0
            if failed:
                wait = min(_FIRST * 2 ** min(before.failures, _DOUBLINGS), _LONGEST)
                self._later[name] = Later(before.failures + 1, time.monotonic() + wait)
            self._running.discard(name)
            if name in self._waiting and not self._held and not self._ending.is_set():
                self._pool.submit(self._go, name)
        return wait

    def _guarded(self, what: str, work: Callable[[], str | None]) -> str:
        """Why work was not done; whatever it raises ends only itself."""
        try:
            return work() or ""
        except PactkeeperError as error:
            self._tell(f"{what} cannot continue: {error}")
            return str(error)
        except Exception as error:  # noqa: BLE001 - the outermost place of this thread: a bug is told with its trace
            self._tell(f"{what} met a bug in Pactkeeper; please report it:\n{traceback.format_exc()}")
            return type(error).__name__

    def _tick(self) -> None:
        while not self._ending.wait(self._pause):
            self._guarded("looking at what is due", self._put_due)

    def _put_due(self) -> None:
        """Run what is due; running threads are checked again later, since they may fail."""
        for name in self._due():
            with self._lock:
                later = self._later.get(name)
                if name not in self._running and (later is None or later.until <= time.monotonic()):
                    self._put(name)


APART: Final = 1_000_000  # microseconds on Slack's clock within which identical clicks by a person count as one
_MOST: Final = 1_000


class Recent:
    """Recent clicks, with their time on Slack's clock, so that the order of arrival doesn't matter."""

    def __init__(self) -> None:
        self._at: OrderedDict[tuple[str, ...], int] = OrderedDict()
        self._lock = Lock()

    def again(self, click: tuple[str, ...], sequence: int) -> bool:
        """Whether the same click was made just before or after; records it if not. An identical event is no repeat."""
        with self._lock:
            before = self._at.get(click)
            if before is not None and before != sequence and abs(sequence - before) < APART:
                return True
            self._at[click] = sequence
            self._at.move_to_end(click)
            if len(self._at) > _MOST:
                self._at.popitem(last=False)
            return False


CHANNEL: Final = "slack"  # the channel name of this interface's threads


@dataclass(frozen=True, slots=True)
class Door:
    """The parts of the interface; `desk` is for storing and reading, runs open their own.

    `client` times out before Slack stops waiting for an acknowledgement, `patient` later.
    """

    here: Here
    settings: SlackSettings
    desk: Desk
    client: WebClient
    patient: WebClient
    people: People
    work: Work
    tell: Callable[[str], None]
    clicks: Recent = field(default_factory=Recent)

    def listens(self, channel: str) -> bool:
        """Whether messages in a channel are heard at all."""
        return not self.settings.channels or channel in self.settings.channels

    def whisper(self, spot: Spot, user: str, text: str) -> None:
        """Tell one person something in a thread, in the background; if Slack refuses it, that is reported."""
        self.work.aside(lambda: self._whisper(spot, user, text))

    def _whisper(self, spot: Spot, user: str, text: str) -> None:
        try:
            say = self.client.chat_postEphemeral
            answered(lambda: say(channel=spot.channel, user=user, thread_ts=spot.root, text=text))
        except (SlackClientError, OSError) as error:
            self.tell(f"{user} could not be told in {spot.channel}: {reason_of(error)}; it was: {text}")


_DEAF: Final = (
    "I do not listen in this channel and store nothing from it. Its id is {channel}; whoever runs me can add it "
    "to slack.toml."
)
_LATE: Final = "A message of yours arrived after later ones were read, so I skipped it. Repeat it if it still holds."


def hear(door: Door, event: Mapping[str, Any]) -> str:
    """Store what an event says, to be read soon; returns the id of its thread.

    Empty if the event doesn't concern us; then nothing of it is stored.
    """
    found = told(event, door.here)
    if found is None:
        return ""
    if door.listens(found.spot.channel):
        return keep(door, found)
    if event.get("type") == "app_mention":
        door.whisper(found.spot, found.user, _DEAF.format(channel=escaped(found.spot.channel)))
    return ""


def keep(door: Door, found: Told) -> str:
    """Store words that mention us, or that are in a thread we were called to; returns the thread, as `hear` does."""
    name = thread_named(door, found.spot)
    bound = bool(is_bound(door.desk, name))
    text = read_text(found.text, bot=door.here.user, names=door.people.names)
    if found.kind == "message" and not (bound and text):
        return ""
    edits = found.spot.ts if found.id != found.spot.ts else ""
    if edits and amend_waiting(door.desk, name, edits, text):
        return name
    by = door.people.author(found.user, authors_in(door.desk, name) if bound else ())
    at = at_of(found.sequence)
    thread = thread_of(door.here.team, found.spot.channel, found.spot.root, by, at)
    event = ThreadEvent(found.id, thread.id, found.kind, by, at, text, sequence=found.sequence, edits=edits)
    if put(door, thread, event) == "late":
        door.whisper(found.spot, found.user, _LATE)
    return name


def put(door: Door, thread: Thread, event: ThreadEvent) -> Kept:
    """Store an event, and run its thread if events of its kind are handled at once; a late one is reported."""
    kept = hear_event(door.desk, thread, event)
    if kept == "late":
        door.tell(f"{event.kind} {event.id} in {thread.id} came after a later one was acted on; it is kept and shown")
    elif kept == "waiting" and event.kind in AT_ONCE:
        door.work.put(thread.id)
    return kept


def thread_named(door: Door, spot: Spot) -> str:
    """The id of the thread that a message starts or belongs to."""
    return thread_of(door.here.team, spot.channel, spot.root, "", "").id


MOST_THREADS: Final = 50
MOST_PAGES, PAGE = 5, 200
MOST_SECONDS: Final = 60.0  # nothing is acted on meanwhile, so it must end


def hear_missed(door: Door) -> None:
    """Store what people said since each thread was last heard.

    Threads that can't be read are reported, and so are those left out; a rate limit ends it.
    """
    bound = [one for one in bound_threads(door.desk, CHANNEL) if _is_ours(door, one)]
    looked, end = 0, time.monotonic() + MOST_SECONDS
    for one in bound[:MOST_THREADS]:
        looked += 1
        if not _try(door, one) or time.monotonic() > end:
            break
    if looked < len(bound):
        left = f"{len(bound) - looked} of {len(bound)} threads were not looked at for what was said meanwhile"
        door.tell(f"{left}; new messages there are received")


def hear_missed_in(door: Door, name: str) -> None:
    """Do the same for one thread, when a delivery came late and others may have come before it."""
    for one in bound_threads(door.desk, CHANNEL):
        if one.thread.id == name:
            _hear(door, one)


def _try(door: Door, bound: BoundThread) -> bool:
    """Read one thread; returns whether the next may be tried, that is, Slack set no rate limit."""
    try:
        _hear(door, bound)
    except (SlackClientError, OSError) as error:
        door.tell(f"what was said in {bound.thread.id} meanwhile cannot be read: {reason_of(error)}")
        return reason_of(error) != "ratelimited"
    return True


def _hear(door: Door, bound: BoundThread) -> None:
    spot = _spot(bound)
    for message in _replies(door, spot, oldest=ts_of(bound.thread.opened_at)):
        if from_a_person(message, door.here):
            found = said(message, spot.channel, door.here)
            if found.sequence > bound.last:
                keep(door, found)


def _replies(door: Door, spot: Spot, *, oldest: str) -> Iterator[Mapping[str, Any]]:
    """The messages of a thread from `oldest` on, page by page; reports if there are more than are read."""
    cursor = ""
    for _ in range(MOST_PAGES):
        asked = partial(
            door.patient.conversations_replies,
            channel=spot.channel, ts=spot.root, oldest=oldest, inclusive=True, limit=PAGE, cursor=cursor or None,
        )  # fmt: skip
        page = answered(asked)
        yield from parts(page, "messages")
        cursor = str(part(page, "response_metadata").get("next_cursor") or "")
        if not cursor:
            return
    door.tell(
        f"{spot.channel}/{spot.root} has more than {MOST_PAGES * PAGE:,} messages; the newest were not read again"
    )


def _spot(bound: BoundThread) -> Spot:
    channel, root = read_place(bound.thread.place)
    return Spot(channel, root, root)


def _is_ours(door: Door, bound: BoundThread) -> bool:
    """Whether a thread belongs to this workspace and to a channel that is listened to."""
    spot = _spot(bound)
    return door.listens(spot.channel) and thread_named(door, spot) == bound.thread.id
