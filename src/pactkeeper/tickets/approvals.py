"""Whether an approval counts: it must match the draft that was last shown, and nobody may have approved it before.

A post that no longer counts is replaced by a text that says what became of it, so its buttons go away.

Also reads a run's messages one by one: the draft so far, the patches, and the words that nothing marks.

When a message is edited, what its earlier form put into the draft is withdrawn unless the new form repeats it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.intent import thread_event
from pactkeeper.intent.thread_event import Post, PostKind, ThreadEvent, ThreadState, Ticket
from pactkeeper.intent.ticket import (
    FIELDS,
    Ask,
    Draft,
    Loose,
    PlacedValue,
    ThreadMessage,
    disputed_values,
    is_same_person,
    sides_of,
    values_of,
)
from pactkeeper.intent.ticket_patch import DraftPatch, apply
from pactkeeper.speech.replying import is_small_talk
from pactkeeper.speech.spans import clean
from pactkeeper.store.history import History
from pactkeeper.store.thread_posts import events_after, posts
from pactkeeper.store.threads import draft_at, thread_state, tickets
from pactkeeper.tickets.ground import ThreadGround
from pactkeeper.tickets.loose import consulted, heard, is_of, placed, read_text, taken, to_place, without
from pactkeeper.tickets.reading import MessageReading
from pactkeeper.tickets.wording import said_later

_STAND: Final[frozenset[PostKind]] = frozenset({"questions", "preview", "gaps"})
_LEAVE: Final[frozenset[PostKind]] = frozenset({"failed", "reminder"})  # a preview still counts after these


@dataclass(frozen=True, slots=True)
class Approvable:
    """What could be acted on before a new post: the hash of the approvable draft, and the questions.

    Questions are given by id: those waiting, and who answered the others.
    """

    shown: str
    waiting: frozenset[str]
    answered: Mapping[str, str]


def retired(before: Sequence[Post], after: Post, standing: Approvable) -> Iterator[Post]:
    """Yield the replacements of a thread's earlier posts that a new post makes obsolete; each is replaced only once."""
    gone = {one.instead for one in before if one.instead}
    for one in before:
        if one.instead or one.key in gone or one.key == after.key:
            continue
        text = _of_questions(one, after, standing) if one.asks else _of_preview(one, after, standing.shown)
        if text:
            yield Post(f"{one.key}.past", one.thread, "stale", f"{_kept(one)}{text}", instead=one.key)


def standing_post(said: Sequence[Post]) -> Post | None:
    """Return the latest version of a thread's last post that people can still act on; None if there is none."""
    gone = {one.instead for one in said if one.kind == "stale"}
    own = [one for one in said if not one.instead]
    first = next((one for one in reversed(own) if one.kind in _STAND), None)
    last = next((one for one in reversed(own) if one.kind != "reminder"), None)
    if first is None or first.key in gone or first is not last:
        return None
    return next((one for one in reversed(said) if one.instead == first.key), first)


def _kept(earlier: Post) -> str:
    """The first paragraph of a post addressed to one person, which stays readable."""
    return "{}\n".format(earlier.text.partition("\n\n")[0]) if earlier.to else ""


def _of_preview(earlier: Post, after: Post, shown: str) -> str:
    """What became of a preview; empty if it still counts."""
    draft = earlier.draft
    if draft is None or not earlier.approvable or after.kind in _LEAVE:
        return ""
    if after.kind == "created" and draft.hash == shown:
        ticket, _, _ = after.text.partition("\n")
        return f"Version {draft.version} was shown here and approved: {ticket}"
    if after.draft is not None and after.draft.hash == draft.hash:
        return f"Version {draft.version} was shown here and is shown again below."
    return f"Version {draft.version} was shown here. It no longer counts; the newest state is below."


def _of_questions(earlier: Post, after: Post, standing: Approvable) -> str:
    """What became of questions; empty if one still waits, isn't asked again and no ticket was created."""
    again = frozenset(one.id for one in after.asks)
    left = standing.waiting - again if after.kind != "created" else frozenset[str]()
    if any(one.id in left for one in earlier.asks):
        return ""
    return "\n".join(_past(one, again, standing.answered) for one in earlier.asks)


def _past(ask: Ask, again: frozenset[str], answered: Mapping[str, str]) -> str:
    if ask.id in again:
        return f"{ask.text} (asked again below)"
    by = answered.get(ask.id, "")
    return f"{ask.text} (answered by {by})" if by else f"{ask.text} (no longer asked)"


@dataclass(frozen=True, slots=True)
class CountedApproval:
    """A person's approval; `refusal` says why it doesn't count and is empty if it does.

    `unfinished` means that the same version was approved before and this approval completes its missing effects.
    """

    by: str
    refusal: str = ""
    unfinished: bool = False


def approval_of(event: ThreadEvent, draft: Draft, state: ThreadState, tickets: Sequence[Ticket]) -> CountedApproval:
    """Judge an approval against the current draft and tickets."""
    made = _made(event, draft, tickets)
    if made is not None and made.missing and event.shown == draft.hash:
        return CountedApproval(event.author, unfinished=True)
    return CountedApproval(event.author, _refusal(event, draft, state, tickets))


def _made(event: ThreadEvent, draft: Draft, tickets: Sequence[Ticket]) -> Ticket | None:
    """The earlier approval of the same version; None if a different one followed, so it may be approved again."""
    made = [one for one in tickets if one.state == "created"]
    same = [one for one in made if one.hash == event.shown]
    is_past = bool(same) and event.shown == draft.hash and same[-1] is not made[-1]
    return same[-1] if same and not is_past else None


def _refusal(event: ThreadEvent, draft: Draft, state: ThreadState, tickets: Sequence[Ticket]) -> str:
    made = _made(event, draft, tickets)
    if made is not None:
        where = f": {made.url or made.target}"
        if is_same_person(made.approved_by, event.author):
            return f"you approved version {made.version} already, and it is a ticket{where}"
        return f"{made.approved_by} approved version {made.version} first, and it is a ticket{where}"
    if not event.shown and event.version:
        return f"version {event.version} was never shown; this is the current version, {draft.version}"
    if not event.shown:
        return "an approval must name its version; approve the one shown"
    if event.shown != draft.hash:
        about = f"version {event.version}" if event.version else "another version"
        return f"that was {about}, but the draft is now at version {draft.version}, shown here"
    if state.shown != draft.hash:
        return f"version {draft.version} was not ready for approval when shown; this is the current state"
    return ""


def said_since(ground: ThreadGround, draft: Draft) -> tuple[str, ...]:
    """One line for each of the first messages since a draft was first shown for approval that it doesn't contain.

    These are words that no rule could place, and messages still unread; empty if the draft was never shown.
    """
    said = thread_event.messages_of(_events_since(ground.history, draft), after=0)
    left = [(one.author, words) for one in said for words in _missing(ground, draft, one)]
    return said_later(left, version=draft.version)


def _events_since(history: History, draft: Draft) -> tuple[ThreadEvent, ...]:
    """The events since a draft was first shown for approval; none if it never was."""
    kept = (one.post for one in posts(history, draft.thread) if one.post.approvable and one.post.draft == draft)
    first = next(kept, None)
    return () if first is None else events_after(history, draft.thread, run=_run_of(first.key))


def shown_before(earlier: Iterable[Post], draft: Draft) -> int:
    """The version of a draft that was shown before this one, 0 for none."""
    shown = (one.draft.version for one in earlier if one.draft is not None and one.kind in {"preview", "stale"})
    return max((one for one in shown if one < draft.version), default=0)


def since_ticket(history: History, thread: str) -> tuple[Loose, ...]:
    """The words to place that were said since the version in the thread's ticket was first shown; none without one."""
    made = [one for one in tickets(history, thread) if one.state == "created"]
    loose = to_place(thread_state(history, thread).loose)
    if not made or not loose:
        return ()
    later = _events_since(history, draft_at(history, thread, made[-1].version))
    return tuple(one for one in loose if any(is_of(one.said, event.id) for event in later))


def _missing(ground: ThreadGround, draft: Draft, message: ThreadMessage) -> tuple[str, ...]:
    """The words of a message that a draft lacks; the whole text if the message would change the draft."""
    found = ground.rules.read(draft, message, ())
    if apply(draft, found.patches) != draft:
        return (message.text,)
    return tuple(one.said.value for one in found.unplaced if not is_small_talk(one.said.value))


def _run_of(key: str) -> int:
    """The run that decided on a post, taken from its key of thread, run and outcome."""
    return int(key.rsplit(".", 2)[1])


@dataclass(slots=True)
class Hearing:
    """What a run has read so far: the draft, the patches that led to it, and the words that nothing marks."""

    draft: Draft
    loose: tuple[Loose, ...]
    patches: list[DraftPatch] = field(default_factory=list)
    answered: dict[str, str] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)

    def hear(
        self, ground: ThreadGround, message: ThreadMessage | None, asks: tuple[Ask, ...], event: ThreadEvent
    ) -> None:
        """Read one message; an edit or a deletion withdraws what the earlier form said."""
        withdrawn = withdrawals(self.draft, event.edits)
        found = MessageReading() if message is None else ground.rules.read(apply(self.draft, withdrawn), message, asks)
        beaten = tuple(_beaten(self.draft, found.patches))
        self._take(amended(withdrawn, found.patches))
        self.answered |= dict.fromkeys(found.answered, event.id)
        self.doubts += found.doubts
        self.loose = heard(self.loose, (*found.unplaced, *beaten), edits=event.edits)

    def place(self, event: ThreadEvent, asks: tuple[Ask, ...]) -> None:
        """Place words where a person says they belong, which answers the questions about those fields."""
        patches, self.loose = placed(self.draft, self.loose, read_text(event.text), by=event.author)
        self._take(patches)
        self.answered |= dict.fromkeys(filled(asks, patches), event.id)

    def suggest(self, event: ThreadEvent, asks: tuple[Ask, ...], own: Sequence[ThreadMessage]) -> None:
        """Place words where an agent says they belong, checked like a model's answer; refusals become doubts."""
        loose = to_place(self.loose)
        unplaced = {one.said.message for one in loose}
        waiting = [one for one in own if one.id in unplaced]
        found = taken(consulted(json.loads(event.text), waiting), self.draft, loose, by=event.author)
        self._take(found.patches)
        self.loose = without(self.loose, found.patches)
        self.answered |= dict.fromkeys(filled(asks, found.patches), event.id)
        self.doubts += found.refused

    def _take(self, patches: Sequence[DraftPatch]) -> None:
        self.patches += patches
        self.draft = apply(self.draft, patches)


def _beaten(draft: Draft, patches: Sequence[DraftPatch]) -> Iterator[Loose]:
    """The values that a person's choice took out of the draft, kept unplaced since they may belong elsewhere.

    Those that somebody asked to remove belong nowhere.
    """
    choices = {one.said.quote for one in patches if one.verb == "settle" and one.said.value != "amend"}
    for patch in patches:
        if patch.verb == "retract" and patch.said.quote in choices:
            held = (one for one in values_of(draft, patch.field) if one.disputed is None)
            lost = (one for one in held if one.value == patch.old)
            yield from (Loose(0, replace(one, value=_as_said(one))) for one in lost)


def _as_said(one: PlacedValue) -> str:
    """A value with the label or key it was said with; alone if it came about by replacing some words."""
    said = clean(one.quote)
    return said if one.value in said else one.value


def filled(asks: Sequence[Ask], patches: Sequence[DraftPatch]) -> tuple[str, ...]:
    """The ids of the questions that patches answer by filling a field."""
    fields = {one.field for one in patches if one.fills}
    return tuple(one.id for one in asks if one.topic != "conflict" and one.field in fields)


def withdrawals(draft: Draft, message: str) -> tuple[DraftPatch, ...]:
    """The patches that remove everything a message said, in any of its forms, from a draft; none without a message.

    Values that somebody else has since corrected belong to them and stay.
    """
    return tuple(_withdrawals(draft, message)) if message else ()


def amended(withdrawn: Sequence[DraftPatch], patches: Sequence[DraftPatch]) -> tuple[DraftPatch, ...]:
    """The patches of an edited message, after the withdrawals that it doesn't repeat word for word."""
    said = {(one.field, one.key, one.said.value) for one in patches}
    return (*(one for one in withdrawn if (one.field, one.key, one.old) not in said), *patches)


def _withdrawals(draft: Draft, message: str) -> Iterator[DraftPatch]:
    for name, key, held, asking in disputed_values(draft):
        if is_of(asking, message):
            yield DraftPatch("restore", name, asking, key, held.value)
    for name in FIELDS:
        if name != "constraints":
            found = (one for one in values_of(draft, name) if is_of(one, message))
            yield from (DraftPatch("retract", name, one, old=one.value) for one in found)
    for constraint in draft.constraints:
        sides = (one for one in sides_of(constraint.value) if is_of(one, message))
        yield from (DraftPatch("retract", "constraints", one, constraint.key, one.value) for one in sides)
