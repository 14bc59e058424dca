"""Threads, what they hold and what became of a saying, as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.intent.thread_event import post_document
from pactkeeper.intent.ticket_text import draft_document, encode
from pactkeeper.operators.threads import Heard, ListedThread, ShownThread
from pactkeeper.published.plain import Codec, plain
from pactkeeper.store.thread_posts import KeptPost

_LISTED: Final = Codec(ListedThread, "state draft ticket", draft=draft_document)
_POST: Final = Codec(KeptPost, "at saidAt=said_at")
_SHOWN: Final = Codec(
    ShownThread,
    "messages meant asks posts tickets criteria waiting late aside",
    messages=encode,
    asks=lambda one: {"id": one.id, **encode(one)},
    posts=lambda one: {**post_document(one.post), **_POST(one)},
)
HEARD: Final = Codec(Heard, "thread kept ran state posts", posts=lambda one: post_document(one.post))


def listed_document(one: ListedThread) -> dict[str, object]:
    """A thread as JSON."""
    return {**plain(one.thread), **_LISTED(one)}


def shown_document(found: ShownThread, *, trace: bool) -> dict[str, object]:
    """Everything about a thread as JSON."""
    steps = {"trace": plain(found.steps)} if trace else {}
    return {"schema": "pactkeeper.thread/1", **listed_document(found.listed), **_SHOWN(found), **steps}
