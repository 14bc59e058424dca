"""What a server keeps in memory from one request to the next, each thing as long as what it was made of is the same."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pactkeeper.repo.git import Repository

Thing = TypeVar("Thing")
SETTLED: Final = 2  # seconds after which a file's times tell a later write from the last one
_CONFIGURATION: Final = ("config", "config.worktree", "commondir", "shallow")


@dataclass(frozen=True, slots=True)
class Memory:
    """The last thing of each kind with the key that it was made under; what is kept may grow and does not change.

    One that `lasts` serves many requests, so that a key is worth its price.
    """

    lasts: bool = False
    _kept: dict[str, tuple[Hashable, Any]] = field(default_factory=dict)

    def recall(self, kind: str, key: Hashable | None, make: Callable[[], Thing]) -> Thing:
        """What was made under this key last, else what `make` gives now; without a key nothing is kept."""
        known = self._kept.get(kind)
        if key is not None and known is not None and known[0] == key:
            return known[1]  # type: ignore[no-any-return]  # a kind has one type
        found = make()
        if key is not None:
            self._kept[kind] = (key, found)
        return found

    def repository(self, folder: str | os.PathLike[str]) -> Repository:
        """Open a repository as `Repository.open` does, without asking git while its configuration is as it was."""
        here = os.path.realpath(folder)
        known = self._kept.get("repository")
        if known is not None and known[0] == (here, _standing(known[1])):
            return known[1]  # type: ignore[no-any-return]  # likewise
        found = Repository.open(folder)
        standing = _standing(found)
        if standing is not None:
            self._kept["repository"] = ((here, standing), found)
        return found


def _standing(repository: Repository) -> Hashable | None:
    """What changes whenever git would answer otherwise; None where that cannot be told from outside.

    A configuration may take in other files, and a file that was just written may be written again at the same time.
    """
    folders = sorted({repository.git_dir, repository.common_dir})
    try:
        if b"include" in (repository.common_dir / "config").read_bytes().lower():
            return None
        named = [folder / name for folder in folders for name in _CONFIGURATION]
        files = [place.stat() for place in named if place.exists()]
        places = [place.stat() for place in (repository.root, repository.root / ".git", *folders)]
    except OSError:
        return None
    if any(one.st_mtime > time.time() - SETTLED for one in files):
        return None
    owners = tuple((one.st_dev, one.st_ino, one.st_uid) for one in places)
    return owners, tuple((one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino) for one in files)
