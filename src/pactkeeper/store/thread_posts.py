"""What is to be said in threads: each thing once by its key, and whether its channel has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select, update

from pactkeeper.intent.thread_event import Post, post_document, read_post
from pactkeeper.store.bulk import insert_new
from pactkeeper.store.history import History
from pactkeeper.store.tables import THREAD_POSTS

_p = THREAD_POSTS.c


@dataclass(frozen=True, slots=True)
class KeptPost:
    """A post with when it was decided on, when its channel took it (empty: not yet), and the channel's id of it."""

    post: Post
    at: str
    said_at: str = ""
    ref: str = ""


def put_post(history: History, post: Post, *, at: str) -> None:
    """Keep what is to be said; one of that key stays as it is."""
    row = {
        "repository": history.repository,
        "thread": post.thread,
        "key": post.key,
        "at": at,
        "said_at": "",
        "ref": "",
        "text": post_document(post),
    }
    with history.database.begin() as connection:
        insert_new(connection, THREAD_POSTS, [row])


def said(history: History, post: Post, *, ref: str, at: str) -> None:
    """Note that a channel has a post, under its own id."""
    mine = (_p.repository == history.repository, _p.thread == post.thread, _p.key == post.key)
    with history.database.begin() as connection:
        connection.execute(update(THREAD_POSTS).where(*mine).values(said_at=at, ref=ref))


def unsaid_posts(history: History, thread: str) -> tuple[Post, ...]:
    """What the channel of a thread has not been told yet, in order."""
    return tuple(one.post for one in posts(history, thread) if not one.said_at)


def threads_to_tell(history: History) -> tuple[str, ...]:
    """The threads in which something is still to be said."""
    query = select(_p.thread).where(_p.repository == history.repository, _p.said_at == "").order_by(_p.number)
    with history.database.read() as connection:
        return tuple(dict.fromkeys(connection.execute(query).scalars()))


def posts(history: History, thread: str) -> tuple[KeptPost, ...]:
    """Everything that was said or is to be said in a thread, in order."""
    query = select(THREAD_POSTS).where(_p.repository == history.repository, _p.thread == thread).order_by(_p.number)
    with history.database.read() as connection:
        return tuple(_kept(row) for row in connection.execute(query))


def _kept(row: Row[Any]) -> KeptPost:
    return KeptPost(read_post(row.text), row.at, row.said_at, row.ref)
