"""Channels, the places where threads are: the port they fill, and an adapter for each in a module.

A channel posts something in a thread once, replaces an earlier post, and links to a message permanently. Input takes
the other way: a channel's door makes a `ThreadEvent` and passes it to `tickets.running.receive`, which only stores it
and so is quick; then `tickets.running` runs the thread.

Also the terminal as a channel: posts are in the history already, and `pk thread` prints them from there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Protocol

from pactkeeper.intent.thread_event import Post
from pactkeeper.intent.ticket import Thread


class Channel(Protocol):
    """A place with threads, such as a terminal, a folder or Slack.

    Every method raises SourceError if the channel can't be reached; the post is kept and delivered later.
    """

    @property
    def name(self) -> str:
        """The channel's name, as in `Thread.channel`."""

    def post(self, thread: Thread, post: Post) -> str:
        """Post something and return the channel's own id for it.

        The same key may come again after a crash: a channel that can look up posts by key doesn't post twice and
        returns the id of the first post.
        """

    def replace(self, thread: Thread, ref: str, post: Post) -> None:
        """Replace the text posted as `ref`, for example a preview that no longer counts."""

    def permalink(self, thread: Thread, message: str) -> str:
        """The channel's own link to a message; empty if it has none."""


NAME: Final = "terminal"
ADDRESS: Final = "pk:thread/"  # how the address of a message begins that only `pk thread show` can open
_ADDRESS: Final = re.compile(rf"{ADDRESS}(?P<thread>[^/]+)/(?P<message>[^/]+)")


def address(thread: str, message: str) -> str:
    """The address by which `pk thread show` finds a message."""
    return f"{ADDRESS}{thread}/{message}"


def read_address(text: str) -> tuple[str, str]:
    """The thread and message of an address; any other text is taken as a thread id, without a message."""
    found = _ADDRESS.fullmatch(text)
    return (text, "") if found is None else (found["thread"], found["message"])


@dataclass(frozen=True, slots=True)
class TerminalChannel:
    """Posts nothing itself; a post counts as delivered once it is stored."""

    name: str = NAME

    def post(self, thread: Thread, post: Post) -> str:  # noqa: ARG002 - the port's shape
        """Count a post as delivered."""
        return post.key

    def replace(self, thread: Thread, ref: str, post: Post) -> None:
        """Do nothing: what was printed stays."""

    def permalink(self, thread: Thread, message: str) -> str:
        """The address that shows the message again, since a terminal has no links."""
        return address(thread.id, message)
