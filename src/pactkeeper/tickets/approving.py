"""Whether an approval counts: it must be about the very draft that was shown last, and nobody may have been first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pactkeeper.intent.thread_event import ThreadEvent
from pactkeeper.intent.thread_run import ThreadState, Ticket
from pactkeeper.intent.ticket import Draft


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's approval; `refusal` says why it does not count, empty where it does.

    `unfinished` where the same was approved before and not all that follows from it is done: this goes on with it.
    """

    by: str
    refusal: str = ""
    unfinished: bool = False


def approval_of(event: ThreadEvent, draft: Draft, state: ThreadState, tickets: Sequence[Ticket]) -> Approval:
    """Judge an approval against what is there now."""
    made = _made(event, draft, tickets)
    if made is not None and made.missing and event.shown == draft.hash:
        return Approval(event.author, unfinished=True)
    return Approval(event.author, _refusal(event, draft, state, tickets))


def _made(event: ThreadEvent, draft: Draft, tickets: Sequence[Ticket]) -> Ticket | None:
    """The approval that came before this one; what was approved once and changed since may be approved again."""
    made = [one for one in tickets if one.state == "created"]
    same = [one for one in made if one.hash == event.shown]
    is_past = bool(same) and event.shown == draft.hash and same[-1] is not made[-1]
    return same[-1] if same and not is_past else None


def _refusal(event: ThreadEvent, draft: Draft, state: ThreadState, tickets: Sequence[Ticket]) -> str:
    made = _made(event, draft, tickets)
    if made is not None:
        where = f": {made.url or made.target}"
        return f"{made.approved_by} approved version {made.version} first, and it is a ticket{where}"
    if not event.shown and event.version:
        return f"version {event.version} was never shown; this is version {draft.version}, which the draft is at now"
    if not event.shown:
        return "an approval says which version it is about; approve the one that is shown"
    if event.shown != draft.hash:
        about = f"version {event.version}" if event.version else "another version"
        return f"that was {about}, and the draft is at version {draft.version} now; this is what it says"
    if state.shown != draft.hash:
        return f"version {draft.version} was not shown as ready to be approved; this is where it stands"
    return ""
