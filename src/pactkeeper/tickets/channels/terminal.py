"""The terminal as a channel: what is said is in the history already, and `pk thread` prints it from there."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.intent.thread_event import Post
from pactkeeper.intent.ticket import Thread


@dataclass(frozen=True, slots=True)
class TerminalChannel:
    """Says nothing of itself; a post is told once it is stored."""

    name: str = "terminal"

    def post(self, thread: Thread, post: Post) -> str:  # noqa: ARG002 - the port's shape
        """Take a post as told."""
        return post.key

    def replace(self, thread: Thread, ref: str, post: Post) -> None:
        """Nothing: what was printed stays."""

    def permalink(self, thread: Thread, message: str) -> str:
        """How the message is shown again, which is all the address that a terminal has."""
        return f"pk:thread/{thread.id}/{message}"
