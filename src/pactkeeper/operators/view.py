"""Which state of the repository a verb looks at."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pactkeeper.errors import UsageError

if TYPE_CHECKING:
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class StateView:
    """Which state to look at: the working tree, the index where `staged`, or the commit `at`; `paths` narrow output.

    `since` names a commit whose commitments must all still be there.
    """

    at: str | None = None
    staged: bool = False
    paths: tuple[str, ...] = ()
    since: str | None = None


def refuse_unknown(workspace: Workspace, snapshot: Snapshot, paths: Sequence[str]) -> None:
    """Refuse a path that names nothing, so that a typing error does not read as agreement.

    What is on disk, in the snapshot, in HEAD or in the pact's links is known: files come and go, and a record may be
    all that is left of one.
    """
    if not paths:
        return
    from pactkeeper.catalog.schema import LINKS_FOLDER  # noqa: PLC0415 - most commands name no path

    links = snapshot.folder.path(LINKS_FOLDER)
    unknown = [
        path
        for path in paths
        if not _holds(snapshot, path)
        and not _holds(snapshot, f"{links}{path}")
        and f"{links}{path}.toml" not in snapshot
        and not os.path.exists(workspace.repository.root / path)  # noqa: PTH110 - pathlib raises on a name that is too long
        and not _in_head(workspace, path)
    ]
    if unknown:
        raise UsageError(f"there is no such path in {snapshot.name}: {', '.join(repr(path) for path in unknown)}")


def _holds(snapshot: Snapshot, path: str) -> bool:
    """Whether the snapshot has this file or a file below this folder."""
    if path in snapshot:
        return True
    below = f"{path}/"
    position = bisect_left(snapshot.paths, below)
    return position < len(snapshot.paths) and snapshot.paths[position].startswith(below)


def _in_head(workspace: Workspace, path: str) -> bool:
    head = workspace.repository.head()
    return head is not None and bool(workspace.repository.run("ls-tree", "-z", "--full-tree", head, "--", path))
