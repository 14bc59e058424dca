"""A work tree that lasts as long as one step, and what becomes a commit in it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pactkeeper.repo.git import Repository

MAIL = "pactkeeper@noreply.invalid"


@contextmanager
def throw_away_tree(repository: Repository, commit: str) -> Iterator[Path]:
    """A work tree at a commit, gone afterwards; no hook and no filter of the repository's configuration runs in it."""
    with tempfile.TemporaryDirectory(prefix="pactkeeper-", ignore_cleanup_errors=True) as folder:
        tree = Path(folder) / "tree"
        repository.run("worktree", "add", "--detach", "--quiet", "--", str(tree), commit)
        try:
            yield tree
        finally:
            repository.run("worktree", "remove", "--force", "--", str(tree), accept=(0, 128))


def commit_all(repository: Repository, author: str, message: str) -> str:
    """Commit everything that was written to a work tree, under our own address; the commit."""
    who = ("-c", f"user.name={author}", "-c", f"user.email={MAIL}", "-c", "commit.gpgsign=false")
    repository.run("add", "--all")
    repository.run(*who, "commit", "--quiet", "--no-verify", "--message", message)
    return repository.resolve("HEAD")


def is_ours(repository: Repository, commit: str) -> bool:
    """Whether a commit was made here and by nobody else since."""
    return repository.run("log", "-1", "--format=%ce", commit, "--").decode("utf-8", "replace").strip() == MAIL
