"""What the work tree has that its commit has not."""

from __future__ import annotations

import os

from pactkeeper.repo.git import Repository


def uncommitted(repository: Repository) -> tuple[str, ...]:
    """Paths below the root that differ from HEAD in the index or the work tree, or that git does not know, sorted.

    Ignored files are left out; before the first commit every file is one of them.
    """
    output = repository.run("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all")
    return tuple(sorted(os.fsdecode(entry[3:]) for entry in output.split(b"\0") if entry))
