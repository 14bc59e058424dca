"""What people said after a preview that was then approved: no ticket has it, and the post of the ticket names it."""

from __future__ import annotations

from pactkeeper.intent.ticket import Draft, ThreadMessage
from pactkeeper.intent.ticket_patch import apply
from pactkeeper.speech.replying import is_small_talk
from pactkeeper.store.thread_inbox import events_after
from pactkeeper.store.thread_posts import posts
from pactkeeper.tickets import people
from pactkeeper.tickets.ground import ThreadGround
from pactkeeper.tickets.wording import said_later


def said_since(ground: ThreadGround, draft: Draft) -> tuple[str, ...]:
    """One line for each of the first words since a draft was first shown for approval that are not in it.

    That is what no rule could place, and what waits to be read; empty where the draft was never shown.
    """
    history, thread = ground.history, draft.thread
    shown = (one.post for one in posts(history, thread) if one.post.approvable and one.post.draft == draft)
    first = next(shown, None)
    if first is None:
        return ()
    said = people.messages_of(events_after(history, thread, run=_run_of(first.key)), after=0)
    return said_later([(one.author, words) for one in said for words in _missing(ground, draft, one)])


def _missing(ground: ThreadGround, draft: Draft, message: ThreadMessage) -> tuple[str, ...]:
    """The words of a message that a draft does not have; all of it where it would change the draft."""
    found = ground.rules.read(draft, message, ())
    if apply(draft, found.patches) != draft:
        return (message.text,)
    return tuple(one.said.value for one in found.unplaced if not is_small_talk(one.said.value))


def _run_of(key: str) -> int:
    """The run that decided on a post: the keys of posts are made of thread, run and outcome."""
    return int(key.rsplit(".", 2)[1])
