"""The terminal as a channel: what is said is in the history already, and `pk thread` prints it from there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.thread_event import Post
from pactkeeper.intent.ticket import Thread

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
