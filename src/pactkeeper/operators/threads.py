"""Verbs about threads: open one, speak in it, approve, show it, and do what is due.

Also resolves the short names that people type for a thread, a version that was shown, or a pending question.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final
from uuid import uuid4

from pactkeeper.errors import InputError, PactkeeperError, UsageError
from pactkeeper.intent.ids import hashed_id
from pactkeeper.intent.thread_event import BUTTONS, EventKind, ThreadEvent, ThreadState, ThreadStep, Ticket
from pactkeeper.intent.ticket import Ask, Draft, Loose, Thread, ThreadMessage
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.operators.jobs import add_for_each
from pactkeeper.operators.thread_ground import Criterion, Desk, Places, criteria_of, ground_of
from pactkeeper.store.history import History
from pactkeeper.store.thread_posts import Kept, KeptPost, aside_events, late_events, posts, waiting_events
from pactkeeper.store.threads import (
    find_thread,
    forget_title,
    latest_draft,
    messages,
    numbered,
    pending_asks,
    save_state,
    thread_state,
    thread_steps,
    threads,
    tickets,
    unknown_thread,
)
from pactkeeper.tickets.approvals import since_ticket
from pactkeeper.tickets.channels import ADDRESS, address, read_address
from pactkeeper.tickets.channels import NAME as TERMINAL
from pactkeeper.tickets.channels.files import deleted, events_in, refuse_others_ids, threads_in, with_edit
from pactkeeper.tickets.ground import ThreadGround
from pactkeeper.tickets.loose import as_text, consulted, placings, taken, to_place, with_numbers
from pactkeeper.tickets.running import Attempt, Ran, ThreadsTicked, plainly, receive, run_thread, threads_due
from pactkeeper.tickets.running import tick_threads as tick_all


@dataclass(frozen=True, slots=True)
class Saying:
    """What somebody says or does in a terminal thread; `by` is who, by default whoever runs this.

    `kind` distinguishes a call from a remark that may wait; `ask` is the question being answered, `shown` the hash or
    version being approved.
    """

    kind: EventKind
    text: str = ""
    by: str = ""
    ask: str = ""
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """The outcome of a message: whether it was processed, the replies, and the thread's state now."""

    thread: str
    kept: Kept
    ran: Ran
    posts: tuple[KeptPost, ...]
    state: ThreadState


@dataclass(frozen=True, slots=True)
class ReadThreads:
    """The outcome for the threads of a folder; `failed` maps places to why they could not be read or run.

    `empty` are subfolders without a message, which are no threads.
    """

    heard: tuple[Heard, ...] = ()
    empty: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ListedThread:
    """A thread with its state and its ticket, if it has one, and the words said since that the ticket lacks."""

    thread: Thread
    state: ThreadState
    draft: Draft
    ticket: Ticket | None
    since_ticket: tuple[Loose, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownThread:
    """Everything about a thread; `waiting` counts unread events, `late` are those that came too late to be read.

    `aside` are events that could not be processed. `meant` is the id of the message whose address was given, else
    empty.
    """

    listed: ListedThread
    messages: tuple[ThreadMessage, ...]
    asks: tuple[Ask, ...]
    posts: tuple[KeptPost, ...]
    tickets: tuple[Ticket, ...]
    criteria: tuple[Criterion, ...]
    waiting: int
    late: tuple[ThreadEvent, ...]
    aside: tuple[ThreadEvent, ...]
    steps: tuple[ThreadStep, ...]
    meant: str = ""


def start_thread(desk: Desk, saying: Saying) -> Heard:
    """Open a terminal thread with its first message."""
    ground, by = ground_of(desk), saying.by or desk.person()
    thread = Thread(hashed_id("TH", uuid4().hex), TERMINAL, desk.root, by, ground.at(), desk.root)
    return _take(desk, ground, thread, _event(ground, thread, saying, by=by))


def say_in_thread(desk: Desk, name: str, saying: Saying) -> Heard:
    """Say, answer or approve something in a thread, and do what is due there.

    Raises InputError for an unknown thread, UsageError if an approval names no existing version.
    """
    ground = ground_of(desk)
    thread = named_thread(desk, name)
    return _take(desk, ground, thread, _event(ground, thread, saying, by=saying.by or desk.person()))


def place_in_thread(desk: Desk, name: str, words: tuple[str, ...], *, by: str = "") -> Heard:
    """Place unplaced words of a thread, as in `2=problem 3,4=criterion 5=drop`, and do what is due there.

    Raises InputError for an unknown thread, UsageError with everything wrong with the placements.
    """
    ground = ground_of(desk)
    thread = named_thread(desk, name)
    found = with_numbers(placings(words), thread_state(ground.history, thread.id).loose)
    saying = Saying("place", as_text(found), by or desk.person())
    return _take(desk, ground, thread, _event(ground, thread, saying, by=saying.by))


def drop_thread(desk: Desk, name: str) -> ThreadState:
    """Drop a thread that was opened by mistake; raises UsageError if it has a ticket already."""
    history, thread = ground_of(desk).history, named_thread(desk, name)
    if made := tickets(history, thread.id):
        raise UsageError(f"{thread.id} has a ticket, {made[-1].target}; close that on its board")
    state = replace(thread_state(history, thread.id), phase="DROPPED", outcome="none", version=0, shown="", preview="")
    forget_title(history, thread.id)
    save_state(history, thread.id, replace(state, reason=f"dropped by {desk.person()}"))
    return thread_state(history, thread.id)


@dataclass(frozen=True, slots=True)
class Suggested:
    """A thread with an agent's refused placements, and why; `kept` says that others were accepted."""

    shown: ShownThread
    refused: tuple[str, ...] = ()
    kept: bool = False


def suggest_places(desk: Desk, name: str, value: JsonValue, *, by: str) -> Suggested:
    """Place words of a thread verbatim, as suggested by an agent that read it; a person approves them.

    Without placements the thread is only shown. A single-valued field that is filled stays as it is, as does what a
    person placed, and outsiders' words are not placed. Raises InputError for an unknown thread.
    """
    ground = ground_of(desk)
    thread = named_thread(desk, name)
    if not value:
        return Suggested(show_thread(desk, name))
    loose = to_place(thread_state(ground.history, thread.id).loose)
    own = [one for one in messages(ground.history, thread.id) if ground.rules.counts(one.author)]
    unplaced = {words.said.message for words in loose}
    waiting = [one for one in own if one.id in unplaced]
    found = taken(consulted(value, waiting), latest_draft(ground.history, thread.id), loose, by=by)
    if found.patches:
        text = json.dumps([_entry(one) for one in found.patches])
        event = replace(_event(ground, thread, Saying("place", text), by=by), bot=True)
        _take(desk, ground, thread, event)
    return Suggested(show_thread(desk, name), found.refused, bool(found.patches))


def _entry(patch: DraftPatch) -> dict[str, str]:
    said = {"field": patch.field, "quote": patch.said.quote, "value": patch.said.value}
    return {**said, "key": patch.key} if patch.key else said


def _take(desk: Desk, ground: ThreadGround, thread: Thread, event: ThreadEvent) -> Heard:
    before = len(posts(ground.history, thread.id))
    kept = receive(ground, thread, event)
    try:
        ran = run_thread(ground, thread.id)
    except PactkeeperError:
        desk.personal.notice(f"{thread.id} keeps what was said; go on when the error below is gone: pk thread tick")
        raise
    said = posts(ground.history, thread.id)[before:]
    return Heard(thread.id, kept, ran, said, thread_state(ground.history, thread.id))


def _event(ground: ThreadGround, thread: Thread, saying: Saying, *, by: str) -> ThreadEvent:
    name, version, shown = uuid4().hex[:12], 0, ""
    if saying.kind == "approve":
        draft = shown_draft(ground.history, thread.id, saying.shown)
        version, shown = draft.version, draft.hash
    return ThreadEvent(
        name,
        thread.id,
        saying.kind,
        by,
        ground.at(),
        saying.text,
        permalink=address(thread.id, name),
        shown=shown,
        version=version,
        ask=_ask(ground.history, thread.id, saying),
    )


def _ask(history: History, thread: str, saying: Saying) -> str:
    """Return the question being answered, by its name, or the one that offers the choice."""
    if saying.ask:
        return named_ask(history, thread, saying.ask)
    return chosen_ask(history, thread, saying.text) if saying.kind == "answer" and saying.text in BUTTONS else ""


def list_threads(desk: Desk) -> tuple[ListedThread, ...]:
    """List every thread, in the order of opening."""
    return tuple(_listed(history, one) for history in desk.personal.history() for one in desk.threads())


def show_thread(desk: Desk, name: str) -> ShownThread:
    """Show a thread, by its id or a message's address; raises InputError if it is unknown."""
    history = desk.history
    name, meant = read_address(name)
    thread = named_thread(desk, name)
    name, said = thread.id, messages(history, thread.id)
    if meant and meant not in {one.id for one in said}:
        raise InputError(f"no message {meant!r} was read in {name}; see what was with: pk thread show {name}")
    kept = tickets(history, name)
    made = [one for one in kept if one.state == "created"]
    return ShownThread(
        _listed(history, thread),
        said,
        pending_asks(history, name),
        posts(history, name),
        kept,
        tuple(
            one for ticket in made[-1:] for one in criteria_of(Places(desk.personal, desk.workspace).of(thread), ticket)
        ),
        len(waiting_events(history, name)),
        late_events(history, name),
        aside_events(history, name),
        thread_steps(history, name),
        meant,
    )


def read_thread_files(desk: Desk, folder: str, attempt: Attempt = plainly) -> ReadThreads:
    """Process new messages in a folder of threads immediately, and answer in Markdown beside them; idempotent."""
    ground = ground_of(desk)
    prompt = replace(ground, pace=replace(ground.pace, window=timedelta(0)))
    heard, empty, failed = list[Heard](), list[str](), dict[str, str]()
    for one in threads_in(Path(folder)):
        try:
            found = attempt(partial(_read, prompt, replace(one, root=desk.root)))
            if found is None:
                empty.append(one.place)
            else:
                heard.append(found)
        except PactkeeperError as reason:
            failed[one.place] = str(reason)
    return ReadThreads(tuple(heard), tuple(empty), failed)


def _read(ground: ThreadGround, thread: Thread) -> Heard | None:
    """Take what is new in the folder of a thread; None if nothing was ever said there."""
    before = len(posts(ground.history, thread.id))
    events = events_in(thread)
    opened = replace(thread, opened_by=events[0].author, opened_at=events[0].at) if events else thread
    earlier = messages(ground.history, thread.id)
    if not events and not earlier:
        return None
    refuse_others_ids(events, {one.id: one.author for one in earlier})
    known = {one.id: one.text for one in earlier if not one.permalink.startswith(ADDRESS)}  # those read from files
    events = (*(with_edit(one, known) for one in events), *deleted(thread, events, known, at=ground.at()))
    kept = [receive(ground, opened, _whole(ground.history, one)) for one in events]
    ran = run_thread(ground, thread.id) if kept else "nothing"
    said = posts(ground.history, thread.id)[before:]
    new: Kept = "waiting" if "waiting" in kept else "known"
    return Heard(thread.id, new, ran, said, thread_state(ground.history, thread.id))


def _whole(history: History, event: ThreadEvent) -> ThreadEvent:
    """Complete an approval that names a version or a hash prefix with the whole hash."""
    named = event.shown or str(event.version or "")
    if event.kind != "approve" or not named:
        return event
    found = shown_drafts(history, event.thread, named)
    return replace(event, shown=found[0].hash, version=found[0].version) if len(found) == 1 else event


def tick_threads(desk: Desk, attempt: Attempt = plainly, *, only: str = "") -> ThreadsTicked:
    """Do what is due in every thread, or in one; does nothing if none was ever opened.

    A team's worker adds a job for each thread instead, so that they run in parallel on all hosts. Raises InputError for
    an unknown thread.
    """
    surroundings = desk.personal.surroundings
    if not any(threads(one) for one in desk.personal.history()) and not only:
        return ThreadsTicked()
    ground = ground_of(desk)
    name = named_thread(desk, only).id if only else ""
    if only or not (surroundings.team and surroundings.job):
        ticked = tick_all(ground, attempt, only=name)
        well = (one.id for one in desk.threads() if name in {"", one.id} and one.id not in ticked.failed)
        left = {one: len(since_ticket(ground.history, one)) for one in well}
        return replace(ticked, since_ticket={one: many for one, many in left.items() if many})
    served = [one for one in threads_due(ground) if ground.channel(find_thread(ground.history, one)) is not None]
    return ThreadsTicked(added=add_for_each(surroundings, "thread", served))


def _listed(history: History, thread: Thread) -> ListedThread:
    made = [one for one in tickets(history, thread.id) if one.state == "created"]
    draft = latest_draft(history, thread.id)
    left = since_ticket(history, thread.id)
    return ListedThread(thread, thread_state(history, thread.id), draft, made[-1] if made else None, left)


_LEAST: Final = 6  # letters of a hash prefix; fewer could be a number


def named_thread(desk: Desk, name: str) -> Thread:
    """Return the known thread with this id or unique prefix; raises InputError if none or several match."""
    found = [one for one in desk.threads() if name and one.id.casefold().startswith(name.casefold())]
    exact = [one for one in found if one.id == name] or found
    if not exact:
        raise unknown_thread(name)
    if len(exact) > 1:
        raise InputError(f"{name!r} may be {' or '.join(one.id for one in exact)}; give more of the id")
    return exact[0]


def shown_draft(history: History, thread: str, named: str) -> Draft:
    """Return the version of a draft with this number or hash prefix, whether or not it is the newest.

    Raises UsageError if no such version was shown, or several were.
    """
    found = shown_drafts(history, thread, named)
    if len(found) == 1:
        return found[0]
    if named == str(latest_draft(history, thread).version):
        waits = f"version {named} of {thread} can't be approved yet: what it asks or lacks has to be settled first"
        raise UsageError(f"{waits}; see: pk thread show {thread}")
    raise UsageError(f"{named!r} names no version that was shown in {thread}; see them with: pk thread show {thread}")


def shown_drafts(history: History, thread: str, named: str) -> tuple[Draft, ...]:
    """Return every version shown in a thread that has this number or hash prefix."""
    drafts = {kept.post.draft.version: kept.post.draft for kept in posts(history, thread) if kept.post.draft}
    return tuple(one for one in drafts.values() if named == str(one.version) or _begins(one.hash, named))


def _begins(hash_: str, named: str) -> bool:
    return len(named) >= _LEAST and (hash_.startswith(named) or hash_.partition(":")[2].startswith(named))


def named_ask(history: History, thread: str, named: str) -> str:
    """Return the id of a pending question, by its id or number; raises UsageError if there is none."""
    for one in numbered(history, thread, pending_asks(history, thread)):
        if named in {one.id, str(one.number)}:
            return one.id
    raise UsageError(f"no question {named!r} waits in {thread}; see them with: pk thread show {thread}")


def chosen_ask(history: History, thread: str, choice: str) -> str:
    """Return the id of the question that offers a choice; raises UsageError for several or, but for `both`, none."""
    offering = [one for one in numbered(history, thread, pending_asks(history, thread)) if choice in one.choices]
    if len(offering) > 1:
        which = "; ".join(f"{one.number}: {one.text}" for one in sorted(offering, key=lambda one: one.number))
        raise UsageError(f"{choice!r} may answer several questions; add --to NUMBER: {which}")
    if offering:
        return offering[0].id
    if choice == "both":
        return ""
    raise UsageError(f"{choice!r} chooses between two values, and {thread} asks for no choice; write it out")
