"""What a run of a thread needs: its history, its channel, its rules, the board, and the pact.

The rules are applied to what other threads, the board and the pact say. Also decides what comes next for a draft: ask,
show a preview, or create; the reason is a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from pactkeeper.boards.port import Board, Reservations
from pactkeeper.errors import SourceError
from pactkeeper.intent.board import Task
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.thread_event import Blocker, Post, ThreadEvent, Ticket, text_of
from pactkeeper.intent.ticket import Ask, Draft, Field, Loose, Phase, Thread, ThreadMessage
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.store.history import History
from pactkeeper.store.thread_posts import posts, put_post, said, unsaid_posts, waiting_events
from pactkeeper.store.threads import accepted_constraints, draft_titles, pending_asks, thread_state, threads, tickets
from pactkeeper.store.waiting import Timer, add_timer, advance, due
from pactkeeper.tickets import wording
from pactkeeper.tickets.channels import Channel
from pactkeeper.tickets.checking import Surroundings, duplicates, validate
from pactkeeper.tickets.loose import Consult, Consulted, Decision, DraftJudgement
from pactkeeper.tickets.reading import MessageReading, extract, kept
from pactkeeper.tickets.report import Contradiction, DraftReport, MissingField
from pactkeeper.tickets.wording import cut, unclear_change

WINDOW: Final = timedelta(seconds=30)
REMINDER: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class ThreadPace:
    """How long a thread must be quiet before it is read, and when it is reminded of a question."""

    window: timedelta = WINDOW
    reminder: timedelta = REMINDER


@dataclass(frozen=True, slots=True)
class ProposedCriteria:
    """The atoms proposed for criteria, by the criterion's text, and notes on why some have none.

    `replaced` are the atoms of earlier words that one of these supersedes.
    """

    atoms: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    replaced: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ThreadGround:
    """Everything outside a thread; `folder` holds the leases and checkpoints of threads.

    `propose` declares atoms for a ticket's criteria and must be idempotent.
    """

    history: History
    folder: Path
    now: Callable[[], datetime]
    channels: Mapping[str, Channel]
    rules: DraftRules
    board: Callable[[], tuple[Board, Reservations]]
    propose: Callable[[Draft, Ticket], ProposedCriteria] = lambda _draft, _ticket: ProposedCriteria()
    pace: ThreadPace = field(default_factory=ThreadPace)
    log: Path | None = None
    spans: bool = False

    def at(self) -> str:
        """The current time in the stored format."""
        return self.now().isoformat(timespec="milliseconds")

    def place(self, thread: str) -> Path:
        """The folder of a thread, safe for any id."""
        return self.folder / digest([ascii(thread)])[3:27]

    def channel(self, thread: Thread) -> Channel | None:
        """The thread's channel; None if this process doesn't serve it."""
        return self.channels.get(thread.channel)

    def linked(self, thread: Thread, event: ThreadEvent) -> ThreadEvent:
        """The event with the channel's permalink, if it came without one."""
        channel = self.channel(thread)
        if event.permalink or channel is None or not text_of(event):
            return event
        return replace(event, permalink=channel.permalink(thread, event.id))


def deliver(ground: ThreadGround, thread: Thread) -> tuple[int, str]:
    """Deliver unsaid posts; return how many were delivered, and why the rest has to wait."""
    channel = ground.channel(thread)
    if channel is None:
        waiting = len(unsaid_posts(ground.history, thread.id))
        return 0, f"the channel {thread.channel!r} is not served here" if waiting else ""
    done = 0
    for post in unsaid_posts(ground.history, thread.id):
        try:
            ref = _say(ground, thread, post, channel=channel)
        except SourceError as reason:
            return done, str(reason)
        said(ground.history, post, ref=ref, at=ground.at())
        done += 1
    return done, ""


def _say(ground: ThreadGround, thread: Thread, post: Post, *, channel: Channel) -> str:
    """Post it, or replace the earlier post that it names."""
    if not post.instead:
        return channel.post(thread, post)
    ref = next((one.ref for one in posts(ground.history, thread.id) if one.post.key == post.instead), "")
    if ref:
        channel.replace(thread, ref, post)
    return ref


KIND: Final = "thread_waits"


def remind_later(ground: ThreadGround, thread: str, run: int) -> None:
    """Set the reminder timer of a run that waits for people, one per run."""
    at = (ground.now() + ground.pace.reminder).isoformat(timespec="milliseconds")
    add_timer(ground.history, Timer(f"{KIND} {thread} {run}", KIND, thread, at, {"run": run}))


def remind(history: History, *, now: datetime) -> tuple[str, ...]:
    """Handle the reminders that are due, each exactly once, and return the reminded threads."""
    return tuple(one.subject for one in reminders(history, now=now) if remind_of(history, one, now=now))


def reminders(history: History, *, now: datetime) -> tuple[Timer, ...]:
    """The due reminder timers, longest overdue first."""
    return tuple(one for one in due(history, now=now.isoformat(timespec="milliseconds")) if one.kind == KIND)


def remind_of(history: History, timer: Timer, *, now: datetime) -> bool:
    """Finish a timer and store its reminder in one transaction; no reminder if somebody has said something since."""
    at = now.isoformat(timespec="milliseconds")
    with history.database.begin():
        if not advance(history, timer, at=at):
            return False
        state = thread_state(history, timer.subject)
        rests = state.phase == "DROPPED" or state.concluded != timer.payload.get("run")
        if rests or waiting_events(history, timer.subject):
            return False
        asks = pending_asks(history, timer.subject) if state.outcome == "ask" else ()
        key = f"{timer.subject}.{state.concluded}.reminder"
        put_post(history, Post(key, timer.subject, "reminder", wording.reminder(asks), tuple(asks)), at=at)
        return True


@dataclass(frozen=True, slots=True)
class DraftRules:
    """The rules and their sources: the thread's `pact`, if there is one, and the board's `tickets`.

    Only what `members` write counts; if it is empty, everybody is one. The board is read only for a draft that could be
    previewed, to show possible duplicates.
    """

    history: History
    pact: Callable[[str], Pact | None] = lambda _thread: None
    tickets: Callable[[], tuple[Task, ...]] = tuple
    model: Consult = lambda _draft, _thread, _unplaced: None
    members: frozenset[str] = frozenset()

    def counts(self, author: str) -> bool:
        """Whether somebody is a member; True for everybody if none are named."""
        return not self.members or author in self.members

    def read(self, draft: Draft, message: ThreadMessage, asks: Sequence[Ask]) -> MessageReading:
        """Read a message by rules alone; a non-member's words are kept unplaced, even if marked."""
        if not self.counts(message.author):
            return MessageReading(unplaced=kept(message))
        return extract(message, draft, asks)

    def consult(
        self, draft: Draft, thread: Sequence[ThreadMessage], unplaced: Sequence[ThreadMessage]
    ) -> Consulted | None:
        """Ask the model to place what is left, except words of non-members."""
        own = tuple(one for one in unplaced if self.counts(one.author))
        return self.model(draft, thread, own) if own else None

    def judge(self, draft: Draft, *, unanswered: int, approved: bool) -> DraftJudgement:
        """Validate the draft and decide what comes next, both by rules."""
        others = _neighbours(self.history, draft.thread)
        around = Surroundings(
            tuple(one for one in accepted_constraints(self.history, without=draft.thread) if one.thread in others),
            tuple(one for one in draft_titles(self.history, without=draft.thread) if one.thread in others),
            pact=self.pact(draft.thread),
            own=_own(self.history, draft.thread),
        )
        report = validate(draft, around)
        if not report.blocks:
            report = replace(report, duplicates=tuple(duplicates(draft, replace(around, tickets=self.tickets()))))
        return decide(draft, report, unanswered=unanswered, approved=draft.hash if approved else "")


def _neighbours(history: History, name: str) -> frozenset[str]:
    """The threads of the same repository; people of one may not be allowed to read another one's."""
    roots = {one.id: one.root for one in threads(history)}
    return frozenset(one for one, root in roots.items() if root == roots.get(name, ""))


def _own(history: History, thread: str) -> frozenset[str]:
    made = tickets(history, thread)
    return frozenset(name for one in made for name in (one.target, *one.criteria.values()) if name)


def _settled(conflict: Contradiction) -> str:
    """How a person settled a conflict; shown since an approval covers it, too."""
    kept = {"keep_a": f"{conflict.a.value!r} is kept", "keep_b": f"{conflict.b.value!r} is kept", "both": "both hold"}
    then = "; once the ticket exists, the other no longer holds" if conflict.against == "thread" else ""
    chosen = kept.get(conflict.settled or "", "it was reworded")
    return f"{conflict.message}: {chosen}{then if conflict.settled == 'keep_a' else ''}"


def _blockers(report: DraftReport) -> Iterator[Blocker]:
    """Everything people should see before the draft itself, most severe first."""
    found = [Blocker(one.severity, one.message) for one in report.open_conflicts]
    found += [Blocker("info", _settled(one)) for one in report.conflicts if one.settled is not None]
    found += [Blocker(one.severity, one.message) for one in report.missing]
    found += [Blocker(one.severity, f"{one.words}: {one.message}") for one in report.suggestions]
    found += [
        Blocker("info", f"{one.kind} {one.id} may be the same: {one.title}{f' {one.url}' if one.url else ''}")
        for one in report.duplicates
    ]
    order = ("error", "warning", "info")
    yield from sorted(found, key=lambda one: order.index(one.severity))


Because = Literal["conflicts", "missing", "unanswered", "unknown", "complete", "approved"]
# What comes next for each kind of reason; gaps replace further questions and can't be approved.
_NEXT: Final[Mapping[Because, tuple[Decision, Phase]]] = {
    "conflicts": ("ask", "AWAITING_USER"),
    "missing": ("ask", "AWAITING_USER"),
    "unanswered": ("gaps", "COLLECTING"),
    "unknown": ("gaps", "COLLECTING"),
    "complete": ("preview", "AWAITING_USER"),
    "approved": ("execute", "READY_TO_CREATE"),
}
MOST_ASKS: Final = 3
PATIENCE: Final = 2  # unanswered rounds of questions, after which only the gaps are summarised

QUESTIONS: Final[Mapping[Field, str]] = {
    "title": "What should the ticket be called?",
    "problem": "Which problem does it solve, and for whom?",
    "acceptance_criteria": "How will we know that it is done? Name at least one thing that can be checked.",
}


def decide(draft: Draft, report: DraftReport, *, unanswered: int = 0, approved: str = "") -> DraftJudgement:
    """Decide from the draft, its report, the number of unanswered question rounds and the approved hash.

    Conflicts come before missing fields.
    """
    if not report.blocks:
        if approved == draft.hash:
            return _judgement(report, "approved", (f"a person approved {draft.hash}",))
        return _judgement(report, "complete", ("title, problem and a criterion are there",))
    conflicts = [one for one in report.open_conflicts if one.severity == "error"]
    lacking = [one for one in report.missing if one.severity == "error"]
    reasons = (*(one.message for one in conflicts), *(one.message for one in lacking))
    asks = () if unanswered >= PATIENCE else _batch(conflicts, lacking)
    if not asks:
        return _judgement(report, "unanswered" if unanswered >= PATIENCE else "unknown", reasons)
    return _judgement(report, "conflicts" if conflicts else "missing", reasons, asks)


def _judgement(
    report: DraftReport, because: Because, reasons: tuple[str, ...], asks: tuple[Ask, ...] = ()
) -> DraftJudgement:
    facts: dict[str, JsonValue] = {
        "because": because,
        "reasons": list(reasons),
        "missing": [one.field for one in report.missing],
        "conflicts": [one.message for one in report.open_conflicts],
    }
    reason = f"{because}: {'; '.join(reasons)}"
    blockers = tuple(_blockers(report))
    decided, phase = _NEXT[because]
    return DraftJudgement(decided, reason, phase, asks, blockers, approvable=not report.blocks, facts=facts)


def _batch(conflicts: list[Contradiction], lacking: list[MissingField]) -> tuple[Ask, ...]:
    """At most three questions: only conflicts while there are any, else missing fields that somebody may know."""
    if conflicts:
        return tuple(_about(one) for one in conflicts[:MOST_ASKS])
    return tuple(_for(lacking))[:MOST_ASKS]


def _about(conflict: Contradiction) -> Ask:
    a, b = conflict.a, conflict.b
    which = f"Which one holds: A {cut(a.value)!r}, or B {cut(b.value)!r}?"
    text = f"{conflict.message[:1].upper()}{conflict.message[1:]}. {which}"
    urgent = conflict.against != "draft"
    sides = (a.value, b.value)
    return Ask("conflict", conflict.field, text, conflict.fingerprint, sides, conflict.choices, urgent, conflict.key)


def _for(lacking: list[MissingField]) -> Iterator[Ask]:
    for one in lacking:
        if not one.unknown:
            yield Ask("missing", one.field, _wanted(one))


def _wanted(one: MissingField) -> str:
    said = f"{one.message[:1].upper()}{one.message[1:]}. "
    if one.message.startswith("no criterion can be tested"):
        return f"{said}What could be measured or observed instead?"
    return f"{said if one.message.startswith('the title has ') else ''}{QUESTIONS[one.field]}"


def held_back(judged: DraftJudgement, loose: Sequence[Loose]) -> DraftJudgement:
    """Make a judgement unapprovable while unplaced words still correct something in the draft."""
    waiting = [one for one in loose if one.changes]
    if not waiting:
        return judged
    found = tuple(Blocker("error", unclear_change(one)) for one in waiting)
    if judged.decided not in {"preview", "execute"}:
        return replace(judged, approvable=False, blockers=(*found, *judged.blockers))
    reason = f"unclear: {'; '.join(one.text for one in found)}"
    return replace(judged, decided="preview", reason=reason, approvable=False, blockers=(*found, *judged.blockers))
