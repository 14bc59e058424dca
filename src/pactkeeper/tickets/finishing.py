"""Approvals whose effects no event of their thread waits for any more: what they lack is brought about all the same."""

from __future__ import annotations

from pactkeeper.intent.thread_event import Post
from pactkeeper.intent.thread_run import Ticket
from pactkeeper.store.thread_inbox import taken_events
from pactkeeper.store.thread_posts import put_post
from pactkeeper.store.thread_tickets import save_ticket, tickets
from pactkeeper.store.threads import draft_at
from pactkeeper.tickets import wording
from pactkeeper.tickets.creating import Creation, announced, finish_approval
from pactkeeper.tickets.ground import Ground


def left_unfinished(ground: Ground, thread: str) -> Ticket | None:
    """The first ticket of a thread that lacks something while no run is at it."""
    found = next((one for one in tickets(ground.history, thread) if one.missing), None)
    return None if found is None or taken_events(ground.history, thread) else found


def finish_left(ground: Ground, thread: str) -> None:
    """Go on with every such ticket, and say so in the thread."""
    while (ticket := left_unfinished(ground, thread)) is not None:
        draft = draft_at(ground.history, thread, ticket.version)
        done = finish_approval(ground, draft, Creation(ticket, "already so"))
        text = wording.created(done.ticket, done.notes, told=())
        post = Post(f"{thread}.{ticket.key}.finished", thread, "created", text, (), None, (), url=ticket.url)
        with ground.history.database.begin():
            put_post(ground.history, post, at=ground.at())
            save_ticket(ground.history, announced(done.ticket))
