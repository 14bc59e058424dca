"""Threads, their contents and the outcome of a message, as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.intent.thread_event import Blocker, Post
from pactkeeper.intent.ticket import Ask
from pactkeeper.intent.ticket_text import draft_document
from pactkeeper.operators.threads import Heard, ListedThread, ShownThread
from pactkeeper.published.plain import Codec
from pactkeeper.store.thread_posts import KeptPost


def _blocker(one: Blocker) -> tuple[str, str]:
    return one.severity, one.text


_POST: Final = Codec(
    Post,
    "key thread kind text asks draft blockers approvable to url instead unplaced",
    draft=draft_document,
    blockers=_blocker,
)
LISTED: Final = Codec(ListedThread, "*thread state draft ticket", draft=draft_document)
SHOWN: Final = Codec(
    ShownThread,
    "*listed messages meant asks posts tickets criteria waiting late aside",
    listed=LISTED,
    asks=Codec(Ask, "id *"),
    posts=Codec(KeptPost, "*post at saidAt=said_at", post=_POST),
)
HEARD: Final = Codec(Heard, "thread kept ran state posts", posts=Codec(KeptPost, "*post", post=_POST))
TRACE: Final = Codec(ShownThread, "trace=steps")
