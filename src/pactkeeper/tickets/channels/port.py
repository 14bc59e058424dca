"""What every channel must do: say a thing in a thread once, put a newer one in its place, and name a message for good.

What happens in a channel comes in the other way: its door makes a `ThreadEvent` of it and hands it to
`tickets.inbox.receive`, which only stores it and so is quick, and then has the thread run by `tickets.running`.
"""

from __future__ import annotations

from typing import Protocol

from pactkeeper.intent.thread_event import Post
from pactkeeper.intent.ticket import Thread


class Channel(Protocol):
    """A place with threads, such as a terminal, a folder or Slack.

    Every method raises SourceError where the channel cannot be reached; what was to be said stays and is said later.
    """

    @property
    def name(self) -> str:
        """The `channel` of its threads."""

    def post(self, thread: Thread, post: Post) -> str:
        """Say something and return the channel's own id of it.

        The same key may come again after a process died on the way: a channel that can find what it was told by its key
        says nothing twice and returns the id of the first.
        """

    def replace(self, thread: Thread, ref: str, post: Post) -> None:
        """Show a later state in place of what was posted as `ref`, such as a preview that no longer counts."""

    def permalink(self, thread: Thread, message: str) -> str:
        """The address under which the channel itself finds a message; empty where it has none."""
