"""What a server keeps in memory between requests; each value is reused while its inputs are unchanged."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pactkeeper.repo.git import Repository

Thing = TypeVar("Thing")
SETTLED: Final = 2  # seconds after which a later write to a file is sure to change its timestamps
_CONFIGURATION: Final = ("config", "config.worktree", "commondir", "shallow")


@dataclass(frozen=True, slots=True)
class Memory:
    """The latest value of each kind with the key it was made for; values may grow but must not change.

    With `lasts`, it serves many requests, so computing a key pays off.
    """

    lasts: bool = False
    _kept: dict[str, tuple[Hashable, Any]] = field(default_factory=dict)

    def recall(self, kind: str, key: Hashable | None, make: Callable[[], Thing]) -> Thing:
        """Return the last value if it was made for this key, else call `make`; without a key nothing is kept."""
        known = self._kept.get(kind)
        if key is not None and known is not None and known[0] == key:
            return known[1]  # type: ignore[no-any-return]  # a kind has one type
        found = make()
        if key is not None:
            self._kept[kind] = (key, found)
        return found

    def repository(self, folder: str | os.PathLike[str]) -> Repository:
        """Open a repository like `Repository.open`, without asking git again while its configuration is unchanged."""
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
    """Return a fingerprint that changes whenever git would answer differently; None if that can't be determined.

    A configuration may include other files, and a file that was just written may be written again with the same
    timestamp.
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
