"""A fix without what it did to some files: the commit as it would be had it left them alone."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pactkeeper.repo.git import Repository

_WHO: Final = ("-c", "user.name=pactkeeper", "-c", "user.email=pactkeeper@localhost")


def fix_without(repository: Repository, commit: str, paths: Collection[str], *, base: str) -> str:
    """A commit on top of `commit` with these files as `base` has them; no branch names it, so git forgets it."""
    tree = f"{commit}^{{tree}}"
    for path in paths:
        tree = _with(repository, tree, path, _object(repository, f"{base}:{path}"))
    made = repository.run(*_WHO, "commit-tree", _object(repository, tree), "-p", commit, "-m", "without test data")
    return made.decode("ascii").strip()


def _with(repository: Repository, tree: str, path: str, blob: str) -> str:
    """A tree in which one file is another."""
    name, _, rest = path.partition("/")
    entries = []
    for entry in filter(None, repository.run("ls-tree", "-z", tree).split(b"\0")):
        told, _, named = entry.partition(b"\t")
        mode, kind, known = told.decode("ascii").split()
        if named == os.fsencode(name):
            known = _with(repository, known, rest, blob) if rest else blob
        entries.append(f"{mode} {kind} {known}\t".encode() + named)
    return repository.run("mktree", "-z", feed=b"".join(entry + b"\0" for entry in entries)).decode("ascii").strip()


def _object(repository: Repository, name: str) -> str:
    return repository.run("rev-parse", "--verify", "--end-of-options", name).decode("ascii").split()[-1]
