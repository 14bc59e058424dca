"""Telling a thread's channel what is to be said there, each thing once and in order."""

from __future__ import annotations

from pactkeeper.errors import SourceError
from pactkeeper.intent.thread_event import Post
from pactkeeper.intent.ticket import Thread
from pactkeeper.store.thread_posts import posts, said, unsaid_posts
from pactkeeper.tickets.channels.port import Channel
from pactkeeper.tickets.ground import ThreadGround


def deliver(ground: ThreadGround, thread: Thread) -> tuple[int, str]:
    """Say what was not said yet; gives how much was, and why the rest has to wait."""
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
    """Post it, or put it in the place of the earlier post that it names."""
    if not post.instead:
        return channel.post(thread, post)
    ref = next((one.ref for one in posts(ground.history, thread.id) if one.post.key == post.instead), "")
    if ref:
        channel.replace(thread, ref, post)
    return ref
