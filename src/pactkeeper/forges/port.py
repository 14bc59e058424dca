"""What Pactkeeper asks of a forge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pactkeeper.forges.change import Annotation


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as it is now; `ref` is where the forge keeps its head in the target repository.

    `base` and `head` are commits, `target` and `branch` the names of branches. `fork` says that the branch is in
    another repository.
    """

    number: int
    base: str
    head: str
    target: str
    branch: str
    ref: str
    fork: bool
    open: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody wrote below a pull request."""

    id: str
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class Status:
    """The verdict on a commit."""

    holds: bool
    title: str
    summary: str
    notes: tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class OwnPullRequest:
    """A pull request of our own: from a branch of the repository itself to another."""

    branch: str
    target: str
    title: str
    text: str


class Forge(Protocol):
    """One repository of a forge.

    Every call raises BoardUnavailable where the forge cannot be asked or does not allow it, and InputError for what is
    not there.
    """

    @property
    def name(self) -> str:
        """The repository and its host, for people."""

    def pull_request(self, number: int) -> PullRequest:
        """Read a pull request."""

    def comment(self, number: int, comment: str) -> Comment:
        """Read one comment of a pull request."""

    def own_comment(self, number: int) -> Comment | None:
        """The oldest comment that this very account wrote with our mark; what others wrote with it does not count."""

    def say(self, number: int, text: str, *, instead: Comment | None) -> None:
        """Write a comment, or this text instead of an own one."""

    def show(self, request: PullRequest, status: Status) -> None:
        """Put a verdict on the head of a pull request."""

    def may_write(self, person: str) -> bool:
        """Whether somebody may push to the repository, as the forge says now."""

    def react(self, number: int, comment: str, *, done: bool) -> None:
        """Tell the author of a comment, by a sign, whether it was done."""

    def proposed(self, branch: str, target: str) -> int | None:
        """The number of the open pull request from one branch of the repository to another."""

    def declined(self, branch: str, target: str, commit: str) -> bool:
        """Whether somebody closed, without merging it, a pull request between two branches at that commit."""

    def propose(self, proposal: OwnPullRequest, *, instead: int | None) -> int:
        """Open a pull request, or give an open one these words; its number."""

    def withdraw(self, number: int) -> None:
        """Close a pull request without merging it."""

    def close(self) -> None:
        """Let the connection go."""
