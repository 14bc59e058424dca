"""Which repository a thread stands in: the one that it was opened in, or for other channels the one at hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pactkeeper.errors import NotARepository
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.ticket import Thread
from pactkeeper.tickets.channels.terminal import NAME as TERMINAL
from pactkeeper.workspace import Personal, Workspace, open_workspace


@dataclass(slots=True)
class Places:
    """The repositories of threads, each opened once; `at_hand` is the one that the person stands in, if any."""

    personal: Personal
    at_hand: Workspace | None
    _opened: dict[str, Workspace | None] = field(default_factory=dict)
    _pacts: dict[Path, Pact] = field(default_factory=dict)

    def of(self, thread: Thread) -> Workspace | None:
        """The repository of a thread; None where it has none, or its own is gone, which is noticed once."""
        if not (root := own_root(thread)):
            return self.at_hand
        if root not in self._opened:
            self._opened[root] = self._at(root)
            if self._opened[root] is None:
                self.personal.notice(f"{gone(thread)}, so {thread.id} is held against no pact")
        return self._opened[root]

    def _at(self, root: str) -> Workspace | None:
        if self.at_hand is not None and str(self.at_hand.repository.root) == root:
            return self.at_hand
        try:
            found = self.personal.closing.enter_context(open_workspace(Path(root), notice=self.personal.notice))
        except NotARepository:
            return None
        return found if str(found.repository.root) == root else None

    def pact(self, thread: Thread) -> Pact | None:
        """The pact of a thread's repository, read once; None where there is no repository."""
        workspace = self.of(thread)
        if workspace is None:
            return None
        root = workspace.repository.root
        if root not in self._pacts:
            self._pacts[root] = workspace.pact(workspace.snapshot())
        return self._pacts[root]


def own_root(thread: Thread) -> str:
    """The root of the repository in which a thread was opened; empty where that was in none, or is not known."""
    return thread.place if thread.channel == TERMINAL else ""


def gone(thread: Thread) -> str:
    """That the repository of a thread is not there any more, in words."""
    return f"there is no repository any more at {own_root(thread)!r}, where {thread.id} was opened"
