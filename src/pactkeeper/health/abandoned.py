"""What sweeps left below a person's caches for repositories that are gone by now."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from pactkeeper.errors import WriteFailed
from pactkeeper.health.tree import Places, delete

OWNER: Final = "repository"  # a file with the state folder of the repository that a folder of the caches is for
_LONGEST: Final = 8192


def clear_abandoned(places: Places) -> int:
    """Note whom this folder is for, delete those whose repository is gone, and return how many these were.

    Gone is a repository whose own folder is missing where the one around it is there: a disk that is not there just
    now takes away both. Raises WriteFailed where nothing can be noted.
    """
    try:
        places.folder.mkdir(parents=True, exist_ok=True)
        (places.folder / OWNER).write_bytes(os.fsencode(places.state))
    except OSError as error:
        raise WriteFailed(f"{str(places.folder)!r} cannot be used: {error.strerror}; make room or allow it") from error
    gone = [one for one in places.folder.parent.iterdir() if one != places.folder and _is_abandoned(one)]
    for one in gone:
        with suppress(OSError):  # another sweep deletes it at the same time
            delete(one)
    return len(gone)


def _is_abandoned(folder: Path) -> bool:
    with suppress(OSError, ValueError):
        with (folder / OWNER).open("rb") as stream:
            git_folder = Path(os.fsdecode(stream.read(_LONGEST))).parent
        checkout = git_folder.parent if git_folder.name == ".git" else git_folder
        return git_folder.is_absolute() and not git_folder.exists() and checkout.parent.is_dir()
    return False  # one without a note is of an earlier version or somebody else's
