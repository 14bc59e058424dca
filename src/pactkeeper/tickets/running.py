"""Run threads: one run at a time in each, resumed where it stopped, even after a crash."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final, Literal, Protocol, TypeVar

from pactkeeper.errors import PactkeeperError
from pactkeeper.flows.driving import Paused, open_checkpoints
from pactkeeper.flows.driving import Thread as Driven
from pactkeeper.flows.observing import Watching, watching
from pactkeeper.intent.thread_event import Post, ThreadEvent, ThreadStep, Ticket
from pactkeeper.intent.ticket import Thread
from pactkeeper.store import thread_posts, threads
from pactkeeper.store.lease import take_thread
from pactkeeper.store.thread_posts import Kept
from pactkeeper.store.waiting import Timer
from pactkeeper.tickets import wording
from pactkeeper.tickets.approvals import said_since
from pactkeeper.tickets.creating import announced, finish_approval
from pactkeeper.tickets.flow import ThreadWork, Unprocessed, attempted, build
from pactkeeper.tickets.ground import ThreadGround, deliver, remind_of, reminders
from pactkeeper.tickets.steps import Done, ThreadSteps

Result = TypeVar("Result")


class Attempt(Protocol):
    """Runs one piece of work; a door may pass one that turns a bug into a PactkeeperError and reports it later."""

    def __call__(self, work: Callable[[], Result], /) -> Result:
        """Do the work and return its result."""


def plainly(work: Callable[[], Result], /) -> Result:
    """Do the work without catching anything."""
    return work()


def left_unfinished(ground: ThreadGround, thread: str) -> Ticket | None:
    """The first ticket of a thread with missing effects, unless a run is working on it."""
    found = next((one for one in threads.tickets(ground.history, thread) if one.missing), None)
    return None if found is None or thread_posts.taken_events(ground.history, thread) else found


def finish_left(ground: ThreadGround, thread: str) -> None:
    """Finish every such ticket and announce it in the thread."""
    while (ticket := left_unfinished(ground, thread)) is not None:
        draft = threads.draft_at(ground.history, thread, ticket.version)
        done = finish_approval(ground, draft, ticket)
        text = wording.created(done, said_since(ground, draft))
        post = Post(f"{thread}.{ticket.key}.finished", thread, "created", text, (), None, (), url=ticket.url)
        with ground.history.database.begin():
            thread_posts.put_post(ground.history, post, at=ground.at())
            threads.save_ticket(ground.history, announced(done))


Moment = Literal["before", "after"]
Ran = Literal["ran", "busy", "nothing", "elsewhere"]
CHECKPOINTS: Final = "checkpoints.db"
AGENT: Final = "thread-agent"
Around = Callable[[Moment, str], None]


@dataclass(frozen=True, slots=True)
class ThreadsTicked:
    """The result of one pass over all threads: those run, those another process runs, and those reminded.

    `failed` says by thread why it couldn't continue; the events it had taken are due again. `added` are the jobs queued
    for single threads, where workers run them. `since_ticket` counts by thread the sentences that its ticket lacks.
    """

    ran: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()
    reminded: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    added: tuple[str, ...] = ()
    since_ticket: Mapping[str, int] = field(default_factory=dict)


def run_thread(ground: ThreadGround, name: str, *, around: Around = lambda _moment, _node: None) -> Ran:
    """Do everything due in a thread; "busy" if another run is working on it, which will see new events, too.

    "elsewhere" means that its channel isn't served here; the process that serves it runs the thread. Events on which a
    step fails are retried once, one at a time, and then set aside. Errors that stop a step are raised; the events it
    had taken are due again.
    """
    thread, came = threads.find_thread(ground.history, name), False
    if ground.channel(thread) is None:
        return "elsewhere"
    while _has_work(ground, name):
        held = take_thread(ground.history, name, folder=ground.place(name))
        if held is None:
            return "busy"
        try:
            with watching(log=ground.log, spans=ground.spans, now=ground.at) as watchers:
                asyncio.run(_through(ground, thread, _ThreadVisits(ground, name, around, watchers)))
        except Unprocessed:
            came = True
            continue  # recorded; the next try takes fewer events or skips them
        finally:
            held.release()
        came = True
        if not _is_due(ground, name):
            break  # unsaid posts wait for their channel
    return "ran" if came else "nothing"


def threads_due(ground: ThreadGround) -> dict[str, Timer | None]:
    """The threads with something due, each with its reminder if that is due.

    Covers reminders, threads that became quiet, interrupted runs, unsaid posts and unfinished tickets.
    """
    history, now = ground.history, ground.now()
    timers = {one.subject: one for one in reminders(history, now=now)}
    due = thread_posts.due_threads(history, now=now, window=ground.pace.window)
    return {
        name: timers.get(name)
        for name in (*due, *timers, *thread_posts.threads_to_tell(history), *threads.threads_to_finish(history))
    }


def tick_threads(ground: ThreadGround, attempt: Attempt = plainly, *, only: str = "") -> ThreadsTicked:
    """Do what is due in all threads, or only in `only`."""
    came, failed = dict[str, tuple[Ran, bool]](), dict[str, str]()
    for name, timer in threads_due(ground).items():
        try:
            if only in {"", name}:
                came[name] = attempt(partial(_go_on, ground, name, timer))
        except PactkeeperError as reason:
            failed[name] = str(reason)
    ran = tuple(name for name, (found, _) in came.items() if found == "ran")
    busy = tuple(name for name, (found, _) in came.items() if found == "busy")
    return ThreadsTicked(ran, busy, tuple(name for name, (_, reminded) in came.items() if reminded), failed)


def _go_on(ground: ThreadGround, name: str, timer: Timer | None) -> tuple[Ran, bool]:
    """Do what is due in one thread; also return whether a reminder was posted."""
    reminded = timer is not None and remind_of(ground.history, timer, now=ground.now())
    return run_thread(ground, name), reminded


def _has_work(ground: ThreadGround, name: str) -> bool:
    return (
        _is_due(ground, name)
        or bool(thread_posts.unsaid_posts(ground.history, name))
        or left_unfinished(ground, name) is not None
    )


def _is_due(ground: ThreadGround, name: str) -> bool:
    return thread_posts.is_due(ground.history, name, now=ground.now(), window=ground.pace.window)


async def _through(ground: ThreadGround, thread: Thread, visits: _ThreadVisits) -> None:
    """Resume the graph, then start each further run that is due."""
    steps = ThreadSteps(ground, thread)
    visits.run = lambda: steps.number
    finish_left(ground, thread.id)
    deliver(ground, thread)
    if not _is_due(ground, thread.id):
        return
    async with open_checkpoints(_place(ground, thread)) as saver:
        driven = Driven(build(saver), thread.id, tag=AGENT, context=ThreadWork(steps, visits.visit))
        if await driven.look() is None and not thread_posts.taken_events(ground.history, thread.id):
            await saver.adelete_thread(thread.id)  # the run failed; its events wait again or are set aside
        now = await driven.look() or await driven.start({"thread": thread.id})
        if not isinstance(now, Paused):  # this graph always ends in a pause, so these checkpoints are unusable
            await saver.adelete_thread(thread.id)
            now = await driven.start({"thread": thread.id})
        while isinstance(now, Paused) and _is_due(ground, thread.id):
            now = await driven.answer({now.waits[0].id: {"run": steps.number + 1}})


def _place(ground: ThreadGround, thread: Thread) -> Path | str:
    address = ground.history.database.address
    if address.path is None:  # any host may continue it
        return address.url.render_as_string(hide_password=False)
    folder = ground.place(thread.id)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / CHECKPOINTS


@dataclass(slots=True)
class _ThreadVisits:
    """Wraps the work of every node: watchers, and a trace with the reason."""

    ground: ThreadGround
    thread: str
    around: Around
    watchers: Watching
    run: Callable[[], int] = field(default=lambda: 0)

    def visit(self, node: str, work: Callable[[], Done]) -> Done:
        self.around("before", node)
        start = perf_counter()
        with self.watchers.node(AGENT, node, {"thread": self.thread}) as ended:
            done = attempted(self.ground, self.thread, node, work)
            ended({"run": self.run(), "reason": done.reason, "outcome": done.outcome})
        took = round((perf_counter() - start) * 1000)
        step = ThreadStep(self.run(), node, self.ground.at(), took, done.reason, done.changed)
        threads.add_step(self.ground.history, self.thread, step)
        self.around("after", node)
        return done


def receive(ground: ThreadGround, thread: Thread, event: ThreadEvent) -> Kept:
    """Store an event for its thread's next run, opening the thread if it is new.

    "known" and "late" mean that it is ignored: it is a duplicate, or a later one has already been handled.
    """
    with ground.history.database.begin():
        threads.open_thread(ground.history, thread)
        return thread_posts.put_event(ground.history, event, now=ground.now(), window=ground.pace.window)
