"""The verbs by which git merges the pact's files by entry: a clone may install it, none has to."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pactkeeper.catalog.resolving import Stages, merge_driver
from pactkeeper.repo.merges import install_driver, merge_text
from pactkeeper.workspace import Workspace

COMMAND: Final = "pk resolve --driver"


def install_merge_driver(workspace: Workspace) -> None:
    """Write the driver into the clone's own configuration; nothing of the repository changes."""
    install_driver(workspace.repository, COMMAND)


def merge_file(workspace: Workspace, files: tuple[str, str, str], path: str) -> bool:
    """Merge into the file `ours`, as git asks of a driver; False where its text has conflict markers now.

    `files` are the base, ours and theirs, which git made for this, relative to the root; `path` is the file's own.
    """
    base, ours, theirs = files
    root = workspace.repository.root
    contents = Stages(*((root / name).read_bytes() for name in (base, ours, theirs)))
    merged = merge_driver(workspace.pact_folder.name(path), contents)
    if merged is None:
        merge_text(workspace.repository, ours, base, theirs)
        return b"<<<<<<<" not in Path(root / ours).read_bytes()
    (root / ours).write_bytes(merged)
    return True
