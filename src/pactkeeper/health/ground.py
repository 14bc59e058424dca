"""Where checks run: a separate worktree at a pinned commit, or the user's own; and what they did to it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pactkeeper.catalog.placement import alone
from pactkeeper.errors import GitFailed, NotARepository
from pactkeeper.health import tree
from pactkeeper.health.running import end_orphans
from pactkeeper.health.tree import (
    NO_SEAL,
    SweepPlaces,
    TreeSeal,
    clear_abandoned,
    delete,
    enclose,
    recorded,
    restore_index,
    sealed,
    tampered,
)
from pactkeeper.health.watching import SWEEPING
from pactkeeper.intent.health import Sandbox
from pactkeeper.repo.git import Repository


@dataclass(slots=True)
class CheckTree:
    """A tree that checks run in; `commit` is what a separate tree is pinned at, None for the user's work tree.

    `opened` is the repository as seen from the tree, `home` as the user opened it. `owner` marks processes, and `keep`
    lists prepared paths of a separate tree; `bare` says that a check destroyed them along with the tree. `inherit`
    names the user's variables that checks receive, `sandbox` the sandbox they run in, and `readable` the user's folders
    visible inside it.
    """

    opened: Repository
    home: Repository
    places: SweepPlaces
    commit: str | None
    owner: str
    keep: tuple[str, ...] = ()
    bare: bool = False
    inherit: tuple[str, ...] = ()
    sandbox: Sandbox = "none"
    readable: tuple[str, ...] = ()
    seal: TreeSeal = NO_SEAL
    _before: frozenset[str] = frozenset()
    _head: str | None = None
    _reports: int = field(default=0, repr=False)

    @property
    def root(self) -> Path:
        """The root of the tree."""
        return self.opened.root

    def new_report(self) -> Path:
        """Return an unused path outside the tree for the next report."""
        self._reports += 1
        return self.places.scratch / f"{self._reports}.report"

    def files(self) -> frozenset[str]:
        """The paths of all tracked files."""
        listed = self.opened.run("ls-files", "-z", "--cached")
        return frozenset(path for path in os.fsdecode(listed).split("\0") if path)

    def filled(self, text: str, report: Path) -> str:
        """Return the text with `{report}`, `{cache}` and `{root}` replaced by their paths."""
        for name, place in (("report", report), ("cache", self.places.cache), ("root", self.root)):
            text = text.replace(f"{{{name}}}", os.fspath(place))
        return text

    def note(self) -> None:
        """Record the state of the tree before a check."""
        if self.commit is not None:
            self.seal = sealed(self.opened)
        else:
            self._before, self._head = frozenset(tree.changed_files(self.opened)), self.opened.head()

    def tend(self) -> tuple[str, ...]:
        """Return what a check did to the tree, and reset a separate tree to its commit."""
        if self.commit is None:
            return self._seen()
        git_dir = self.root / ".git"
        if not self.root.is_dir() or not git_dir.exists():
            return self._anew("it deleted the worktree")
        try:
            found = tampered(git_dir, self.seal)
            self.opened = enclose(self.home, self.root, self.commit) if found else self.opened
            found += restore_index(self.opened, self.seal)
            found += tree.alterations(self.opened)
            if found:
                tree.restore(self.opened, self.commit)
        except (GitFailed, NotARepository, OSError):
            return self._anew("it broke the worktree")
        return tuple(found)

    def _anew(self, why: str) -> tuple[str, ...]:
        if any(not (self.root / path).exists() for path in self.keep):
            tree.remove(self.places)  # its preparation is gone too
        self.opened = tree.check_out(self.home, self.places, self.commit or "", keep=self.keep)
        self.bare = not self.places.prepared.is_file()
        self.note()
        return (why,)

    def _seen(self) -> tuple[str, ...]:
        found = [] if self.opened.head() == self._head else ["it moved HEAD"]
        changed = sorted(frozenset(tree.changed_files(self.opened)) - self._before)
        return (*found, *([f"it changed tracked files: {', '.join(changed[:5])}"] if changed else []))


@contextmanager
def standing(repository: Repository, places: SweepPlaces, commit: str | None) -> Iterator[CheckTree]:
    """Lock and open a tree at a commit, or the user's work tree for None, and clean up after killed sweeps.

    Raises BusyError while another sweep runs, GitFailed and WriteFailed.
    """
    with alone(places.state, SWEEPING):
        owner = hashlib.sha256(os.fsencode(places.state)).hexdigest()[:12]
        end_orphans(owner)
        places.make()
        clear_abandoned(places)
        keep = () if (record := recorded(places)) is None else record.paths
        opened = repository if commit is None else tree.check_out(repository, places, commit, keep=keep)
        try:
            yield CheckTree(opened, repository, places, commit, owner, keep)
        finally:
            _leave(places)


def _leave(places: SweepPlaces) -> None:
    delete(places.scratch)
    if not places.prepared.is_file():
        tree.remove(places)
