"""What every channel must do: say a thing in a thread once, put a newer one in its place, and name a message for good.

What happens in a channel comes in the other way: its door makes a `ThreadEvent` of it and hands it to
`tickets.inbox.receive`, which only stores it and so is quick, and then has the thread run by `tickets.running`.

The terminal as a channel: what is said is in the history already, and `pk thread` prints it from there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Protocol

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


NAME: Final = "terminal"
_ADDRESS: Final = re.compile(r"pk:thread/(?P<thread>[^/]+)/(?P<message>[^/]+)")


def address(thread: str, message: str) -> str:
    """What `pk thread show` finds a message by."""
    return f"pk:thread/{thread}/{message}"


def read_address(text: str) -> tuple[str, str]:
    """The thread and the message of an address; anything else is taken for the thread's own id, without a message."""
    found = _ADDRESS.fullmatch(text)
    return (text, "") if found is None else (found["thread"], found["message"])


@dataclass(frozen=True, slots=True)
class TerminalChannel:
    """Says nothing of itself; a post is told once it is stored."""

    name: str = NAME

    def post(self, thread: Thread, post: Post) -> str:  # noqa: ARG002 - the port's shape
        """Take a post as told."""
        return post.key

    def replace(self, thread: Thread, ref: str, post: Post) -> None:
        """Nothing: what was printed stays."""

    def permalink(self, thread: Thread, message: str) -> str:
        """How the message is shown again, which is all the address that a terminal has."""
        return address(thread.id, message)
