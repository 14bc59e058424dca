"""The work of each node in a thread's run: one thing each, with a reason, and idempotent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, cast

from pactkeeper.intent import thread_event
from pactkeeper.intent.thread_event import Blocker, Outcome, Post, PostKind, ThreadEvent, ThreadState, Ticket
from pactkeeper.intent.ticket import Ask, Draft, Loose, Phase, Thread, ThreadMessage
from pactkeeper.intent.ticket_patch import DraftPatch, applied_one_by_one, apply
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.store import threads
from pactkeeper.store.thread_posts import finish_events, posts, put_post, take_events, taken_events
from pactkeeper.tickets import wording
from pactkeeper.tickets.approvals import (
    Approvable,
    CountedApproval,
    Hearing,
    approval_of,
    filled,
    retired,
    said_since,
    shown_before,
    since_ticket,
    standing_post,
)
from pactkeeper.tickets.creating import announced, create
from pactkeeper.tickets.ground import ThreadGround, deliver, held_back, remind_later
from pactkeeper.tickets.loose import DraftJudgement, taken, to_place, without

_WORTH_A_WORD = frozenset({"mention", "answer", "changes", "place"})
_NOTED: Final = frozenset({"ask", "halted", "none"})  # outcomes that a note tells; the others name a kind of post


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a node: why, what changed (for the trace), and the run's outcome."""

    reason: str
    changed: Mapping[str, JsonValue] = field(default_factory=dict)
    outcome: Outcome = "none"


_ENDED: Final = Done("this run already ended")


@dataclass(slots=True)
class ThreadSteps:
    """The steps of one run of one thread; after a crash their state is recovered from the history."""

    ground: ThreadGround
    thread: Thread
    doubts: tuple[str, ...] = ()
    consulted: bool = False
    _number: int = 0
    _judged: DraftJudgement | None = None

    @property
    def unplaced(self) -> tuple[ThreadMessage, ...]:
        """The run's messages that have words neither marked nor placed yet."""
        events = {one.id for one in self._events}
        loose = {one.said.message for one in self._to_place if one.said.message in events}
        return tuple(one for one in self._messages if one.id in loose)

    @property
    def _to_place(self) -> tuple[Loose, ...]:
        return to_place(self._state.loose)

    @property
    def number(self) -> int:
        """The run's number within the thread, from 1; it doesn't change while its decision is being delivered."""
        return self._number or self._state.concluded + bool(self._events)

    @property
    def _run(self) -> int:
        """The current run: the one after the last that was concluded."""
        return self._state.concluded + 1

    @property
    def _messages(self) -> tuple[ThreadMessage, ...]:
        return threads.messages(self.ground.history, self.thread.id)

    @property
    def _asks(self) -> tuple[Ask, ...]:
        """The questions that wait for an answer."""
        return threads.pending_asks(self.ground.history, self.thread.id)

    def take(self) -> Done:
        """Take the waiting events and store the messages among them."""
        self._judged, self.doubts, self.consulted = None, (), False
        history, thread, self._number = self.ground.history, self.thread.id, self._run
        alone = threads.failures(history, thread)
        taken_now = take_events(history, thread, run=self._number, alone=alone)
        events = [self.ground.linked(self.thread, one) for one in taken_now]
        with history.database.begin():
            known = self._messages
            stored = {message.id for message in known}
            new = [one for one in events if one.id not in stored]
            threads.add_messages(history, thread_event.messages_of(new, after=known[-1].sequence if known else 0))
        return Done(f"{len(events)} events waited", {"events": [f"{one.kind} {one.id}" for one in events]})

    def extract(self) -> Done:
        """Read the run's messages and apply what they mark and what people place."""
        if self._state.read >= self._run:
            return Done("the messages of this run are already in the draft")
        read = Hearing(self._draft, self._state.loose)
        said = {one.id: one for one in self._messages}
        asks, counts = self._asks, self.ground.rules.counts
        for event in self._events:
            if event.kind == "place" and event.bot:
                read.suggest(event, asks, [one for one in said.values() if counts(one.author)])
            elif event.kind == "place" and counts(event.author):
                read.place(event, asks)
            elif event.kind == "place":
                read.doubts.append(wording.outsider(event.author))
            elif event.id in said or event.edits:
                waiting = tuple(one for one in asks if one.id not in read.answered and event.ask in {"", one.id})
                read.hear(self.ground, said.get(event.id), waiting, event)
        self.doubts = tuple(read.doubts)
        reason = f"read {sum(bool(thread_event.text_of(one)) for one in self._events)} messages"
        return self._changed(read.patches, read.answered, reason=reason, loose=read.loose)

    def consult(self) -> Done:
        """Ask a model about words that no rule can place."""
        asked, draft = self.unplaced, self._draft
        why = f"a model is asked because rules could not place all of {', '.join(one.id for one in asked)}"
        answer = self.ground.rules.consult(draft, self._messages, asked)
        self.consulted = True
        if answer is None:
            return Done(f"{why}; none is configured, so people are asked")
        answer = taken(answer, draft, self._to_place, by="model")
        why += f"; refused: {'; '.join(answer.refused)}" if answer.refused else ""
        found, asks = answer.patches, self._asks
        answered = {ask: one.said.message for one in found for ask in filled(asks, (one,))}
        return self._changed(found, answered, reason=why, loose=without(self._state.loose, found))

    def validate(self) -> Done:
        """Check the draft for missing fields and contradictions."""
        judged = self._judgement()
        remarks = [one.text for one in judged.blockers]
        return Done(f"{len(remarks)} remarks", {**judged.facts, "blockers": [*remarks]})

    def decide(self) -> Done:
        """Decide the run's outcome, with the reason."""
        outcome, reason = self._decided()
        return Done(reason, {"outcome": outcome}, outcome)

    def ask(self) -> Done:
        """Ask the questions; if all of them are waiting already, only point to them."""
        judged, loose = self._judgement(), self._to_place
        if not judged.asks:
            return self._say("ask", "What should be different?", reason=judged.reason)
        asks = threads.numbered(self.ground.history, self.thread.id, judged.asks)
        self._close_moot(asks)
        waiting = self._asks
        new = () if all(one in waiting for one in asks) else asks
        text = wording.questions(asks, self._doubted, loose)
        text = text if new else wording.still_open(self._draft, asks, self._doubted, loose)
        return self._say("ask", text, asks=new, reason=judged.reason, unplaced=loose)

    def _close_moot(self, asks: Sequence[Ask] = ()) -> None:
        """Close all other questions about conflicts, which are no more: a reply is not about them."""
        now = {one.id for one in asks}
        moot = [one.id for one in self._asks if one.topic == "conflict" and one.id not in now]
        threads.close_asks(self.ground.history, self.thread.id, moot, by="", at=self.ground.at())

    @property
    def _doubted(self) -> tuple[Blocker, ...]:
        return tuple(Blocker("warning", one) for one in self.doubts)

    def preview(self) -> Done:
        """Show the draft for approval."""
        self._close_moot()
        return self._show("preview")

    def gaps(self) -> Done:
        """Say once what is missing, with nothing to approve."""
        return self._show("gaps")

    def _show(self, kind: Literal["preview", "gaps"]) -> Done:
        loose = self._to_place
        text, judged = self._drawn(kind, loose)
        return self._say(kind, text, draft=self._draft, reason=judged.reason, unplaced=loose)

    def _drawn(self, kind: PostKind, loose: Sequence[Loose]) -> tuple[str, DraftJudgement]:
        """The draft as it is shown, and its judgement, which also names what versions since the last one shown held."""
        draft, judged = self._draft, self._judgement()
        after = shown_before(self._posts, draft)
        versions = range(max(1, after), draft.version)
        before = [threads.draft_at(self.ground.history, draft.thread, one) for one in versions]
        gone = (Blocker("warning", one) for one in wording.gone(before, draft))
        judged = self._judged = replace(judged, blockers=tuple(dict.fromkeys((*gone, *judged.blockers))))
        return wording.drawn(kind, draft, judged.blockers, loose, after=after), judged

    def create(self) -> Done:
        """Carry out the approval."""
        if not self._events:
            return _ENDED
        draft = self._draft
        made = create(self.ground, draft, by=self._events[0].author)
        if made.ticket.state == "created":
            text = wording.created(made.ticket, said_since(self.ground, draft))
            return self._say("created", text, ticket=made.ticket, reason=f"preflight: {made.preflight}")
        text = wording.failed(made.ticket, refused=made.preflight in {"conflict", "impossible"})
        return self._say("failed", text, reason=made.ticket.error)

    def stale(self) -> Done:
        """Tell somebody whose approval doesn't count what the current state is."""
        if not self._events:
            return _ENDED
        event, draft = self._events[0], self._draft
        refusal = self._approval(event).refusal
        text = f"{event.author}: {refusal}."
        if event.shown == draft.hash and self._state.outcome == "created":
            return self._say("stale", text, to=event.author, reason=refusal)
        loose = self._to_place
        text = f"{text}\n\n{self._drawn('preview', loose)[0]}"
        return self._say("stale", text, draft=draft, to=event.author, reason=refusal, unplaced=loose)

    def rest(self) -> Done:
        """Post nothing new but the words that a ticket lacks; update those to place in the post that still stands."""
        left = since_ticket(self.ground.history, self.thread.id) if self._state.outcome == "created" else ()
        if left:
            text = "" if self._is_quiet() else wording.since_ticket(left)
            reason = f"the ticket lacks {len(left)} of the sentences said since it was approved"
            return self._say("none", text, reason=reason, unplaced=left)
        standing = standing_post(self._posts)
        with self.ground.history.database.begin():
            if standing is not None and standing.unplaced != self._to_place:
                put_post(self.ground.history, self._with_unplaced(standing), at=self.ground.at())
            return self._say("none", reason="nothing changed; the last post is still current")

    def _with_unplaced(self, post: Post) -> Post:
        """A replacement for a post that shows the words to place now."""
        loose, draft, text = self._to_place, post.draft, post.text
        if post.kind == "questions":
            text = wording.questions(post.asks, post.blockers, loose)
        elif draft is not None:
            text = wording.drawn(post.kind, draft, post.blockers, loose, after=shown_before(self._posts, draft))
        first = post.instead or post.key
        return replace(post, key=f"{first}.{self._run}", instead=first, text=text, unplaced=loose)

    def halt(self) -> Done:
        """Stop a run that has used up its steps, and say so."""
        text = "I stopped: this took more steps than a run allows. Nothing is lost; say more, or mention me again."
        return self._say("halted", text, reason="the run used up its steps")

    def say(self) -> Done:
        """Deliver posts to the channel."""
        said, waits = deliver(self.ground, self.thread)
        return Done(waits or f"{said} posts")

    def _decided(self) -> tuple[Outcome, str]:
        events = self._events
        if events and events[0].kind == "approve":
            return self._approved(events[0])
        judged = self._judgement()
        if any(one.kind == "changes" and not one.text.strip() for one in events):
            reason = f"{events[0].author} wants changes but did not say which"
            self._judged = DraftJudgement("ask", reason, "COLLECTING")
            return "ask", reason
        if self._is_quiet():
            return "none", "nothing said changes the draft"
        if self._state.outcome == "created" and not self._has_changed:
            return "none", "the draft is the same as the ticket"
        return "preview" if judged.decided == "execute" else judged.decided, judged.reason

    def _approved(self, event: ThreadEvent) -> tuple[Outcome, str]:
        found, version = self._approval(event), self._draft.version
        if found.refusal:
            return "stale", found.refusal
        if found.unfinished:
            return "created", f"version {version} was approved, but not everything that follows is done"
        judged = self._judgement(approved=True)
        if judged.decided == "execute":
            return "created", f"{found.by} approved version {version} as it was shown"
        return judged.decided, f"it could be approved when shown, but now: {judged.reason}"

    def _approval(self, event: ThreadEvent) -> CountedApproval:
        if not self.ground.rules.counts(event.author):
            return CountedApproval(event.author, wording.outsider(event.author))
        return approval_of(event, self._draft, self._state, threads.tickets(self.ground.history, self.thread.id))

    def _is_quiet(self) -> bool:
        """Whether nothing needs a reply and an earlier outcome still stands."""
        new = {one.id for one in self._events}
        is_unclear = any(one.changes and one.said.message in new for one in self._to_place)
        if any(one.kind in _WORTH_A_WORD for one in self._events) or self._has_changed or is_unclear:
            return False
        return self._state.outcome != "none" or not self.unplaced

    @property
    def _has_changed(self) -> bool:
        return self._draft.version != self._state.known

    def _judgement(self, *, approved: bool = False) -> DraftJudgement:
        if self._judged is None or approved:
            unanswered = 0 if self._has_changed else self._state.unanswered
            found = self.ground.rules.judge(self._draft, unanswered=unanswered, approved=approved)
            found = held_back(found, self._to_place)
            self._judged = replace(found, blockers=(*self._doubted, *found.blockers))
        return self._judged

    def _changed(
        self, patches: Sequence[DraftPatch], answered: Mapping[str, str], *, reason: str, loose: tuple[Loose, ...]
    ) -> Done:
        """Save the draft, its patches and the run's progress in one transaction."""
        history, draft = self.ground.history, self._draft
        after, applied = apply(draft, patches), applied_one_by_one(draft, patches)
        with history.database.begin():
            if after != draft:
                threads.save_draft(history, after, [one for one, changed in applied if changed], at=self.ground.at())
            for ask, message in answered.items():
                threads.close_asks(history, self.thread.id, [ask], by=message, at=self.ground.at())
            threads.save_state(history, self.thread.id, replace(self._state, read=self._run, loose=loose))
        patched: list[JsonValue] = [f"{one.verb} {one.field}: {one.said.value}" for one, changed in applied if changed]
        return Done(reason, {"patches": patched, "answered": [*answered], "version": after.version})

    def _say(  # noqa: PLR0913 - the parts of one post, all named
        self,
        outcome: Outcome,
        text: str = "",
        *,
        reason: str,
        asks: tuple[Ask, ...] = (),
        draft: Draft | None = None,
        to: str = "",
        ticket: Ticket | None = None,
        unplaced: tuple[Loose, ...] = (),
    ) -> Done:
        """Conclude the run in one transaction: its post, if it has a text, its outcome, and its events as finished."""
        history, thread, run = self.ground.history, self.thread.id, self._run
        if not self._events:
            return _ENDED
        key = f"{thread}.{run}.{outcome}"
        after = self._after(outcome, reason, key=key)
        blockers = self._doubted if asks else ()
        if self._judged is not None and draft is not None:
            blockers = self._judged.blockers
        with history.database.begin():
            if text:
                approvable = draft is not None and after.shown == draft.hash
                url = "" if ticket is None else ticket.url
                kind = "questions" if asks else "note" if outcome in _NOTED else cast("PostKind", outcome)
                post = Post(key, thread, kind, text, asks, draft, blockers, approvable, to, url, unplaced=unplaced)
                self._put(post)
            if ticket is not None:
                threads.save_ticket(history, announced(ticket))
            if asks:
                threads.put_asks(history, thread, asks, at=self.ground.at())
            finish_events(history, thread)
            threads.save_state(history, thread, after)
            if outcome in {"ask", "preview"}:
                remind_later(self.ground, thread, run)
        return Done(reason, {"phase": after.phase, "version": after.known}, outcome)

    def _put(self, post: Post) -> None:
        """Store a post, and replace earlier ones that no longer count."""
        at, history = self.ground.at(), self.ground.history
        authors = {one.id: one.author for one in self._messages}
        answered = {ask: authors.get(by, "") for ask, by in threads.answered_asks(history, post.thread).items()}
        standing = Approvable(self._state.shown, frozenset(one.id for one in self._asks), answered)
        for one in (*retired(self._posts, post, standing), post):
            put_post(history, one, at=at)

    def _after(self, outcome: Outcome, reason: str, *, key: str) -> ThreadState:
        state, draft, judged = self._state, self._draft, self._judged
        new = replace(state, read=self._run, concluded=self._run, known=draft.version, reason=reason)
        if outcome in {"none", "stale"}:
            return new
        new = replace(new, outcome=outcome)
        if outcome == "failed":
            return new
        phase: Phase = "COLLECTING" if judged is None else judged.phase
        phase = "CREATED" if outcome == "created" else phase
        unanswered = 0 if outcome != "ask" else (1 if self._has_changed else state.unanswered + 1)
        new = replace(new, phase=phase, unanswered=unanswered, shown="", version=0, preview="")
        if outcome == "preview" and judged is not None and judged.approvable:
            new = replace(new, shown=draft.hash, version=draft.version, preview=key)
        return new

    @property
    def _state(self) -> ThreadState:
        return threads.thread_state(self.ground.history, self.thread.id)

    @property
    def _draft(self) -> Draft:
        return threads.latest_draft(self.ground.history, self.thread.id)

    @property
    def _events(self) -> tuple[ThreadEvent, ...]:
        return taken_events(self.ground.history, self.thread.id)

    @property
    def _posts(self) -> list[Post]:
        return [one.post for one in posts(self.ground.history, self.thread.id)]
