"""Which commit a sweep is about, and whether it still is the one that counts when the sweep ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pactkeeper.errors import SourceError
from pactkeeper.repo.git import Repository

_BRANCHES: Final = "refs/heads/"
# By the folder or file in the work tree's own git folder that says so: what is under way, and how it ends.
_UNDER_WAY: Final = (
    ("rebase-merge", "a rebase", "git rebase --continue"),
    ("rebase-apply", "a rebase", "git rebase --continue"),
    ("BISECT_LOG", "a bisection", "git bisect reset"),
)


@dataclass(frozen=True, slots=True)
class Pinned:
    """A commit, by full hash; `tip` is what must still name it at the end, `branch` is empty for a detached HEAD."""

    commit: str
    branch: str
    tip: str

    @property
    def named(self) -> str:
        """What must still name it, for people."""
        return self.tip.removeprefix(_BRANCHES)


def pin(repository: Repository, at: str | None) -> Pinned:
    """Pin the commit that `at` names, by default HEAD; raises UnknownRevision, and SourceError while HEAD wanders."""
    if at is None:
        _ensure_settled(repository)
    commit = repository.resolve(at or "HEAD")
    named = _branch(repository, at) if at is not None else ""
    current = _symbolic(repository)
    tip = named or "HEAD"
    return Pinned(commit, (named or current).removeprefix(_BRANCHES), tip)


def has_moved(repository: Repository, pinned: Pinned) -> bool:
    """Whether the branch, or HEAD, names another commit than the pinned one by now."""
    named = repository.run("rev-parse", "--verify", "--quiet", pinned.tip, accept=(0, 1, 128)).decode().strip()
    return named != pinned.commit


def _ensure_settled(repository: Repository) -> None:
    for name, what, end in _UNDER_WAY:
        if (repository.git_dir / name).exists():
            raise SourceError(
                f"{what} is under way, so HEAD will move; end it ({end}), or name a branch: pk health sweep --at main"
            )


def _branch(repository: Repository, name: str) -> str:
    arguments = ("rev-parse", "--symbolic-full-name", "--verify", "--quiet", name)
    found = repository.run(*arguments, accept=(0, 1, 128)).decode().strip()
    return found if found.startswith(_BRANCHES) else ""


def _symbolic(repository: Repository) -> str:
    return repository.run("symbolic-ref", "--quiet", "HEAD", accept=(0, 1)).decode().strip()
