"""Read and write the files of one folder: bounded, contained, one writer at a time, each write atomic."""

from __future__ import annotations

import fcntl
import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

from pactkeeper.errors import BoardUnavailable, BusyError, RefusedError, StaleError, WriteFailed

LOCK: Final = ".pactkeeper.lock"
STAGED: Final = ".pk-"
LARGEST: Final = 4_000_000
LONGEST_NAME: Final = 80


@dataclass(frozen=True, slots=True)
class Gap:
    """A file or folder that couldn't be read, and why."""

    path: str
    reason: str


def listing(root: Path, below: str) -> tuple[list[str], list[Gap]]:
    """Find the Markdown files below a folder as sorted POSIX paths; symlinks and unreadable folders are gaps."""
    paths: list[str] = []
    gaps: list[Gap] = []
    top = root / below
    if top.is_symlink():
        return [], [Gap(below, "is a symbolic link, which is not followed")]

    def refused(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError) or Path(error.filename or top) != top:
            gaps.append(Gap(str(error.filename), str(error.strerror)))

    for folder, inner, names in os.walk(top, onerror=refused):
        place = Path(folder)
        links = [name for name in inner if (place / name).is_symlink()]
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name not in links)
        linked = [name for name in names if name.endswith(".md") and (place / name).is_symlink()]
        gaps += [
            Gap((place / name).relative_to(root).as_posix(), "is a symbolic link, which is not followed")
            for name in sorted(links + linked)
        ]
        paths += [
            (place / name).relative_to(root).as_posix()
            for name in names
            if name.endswith(".md") and not name.startswith(".") and name not in linked
        ]
    return sorted(paths), gaps


def read(root: Path, path: str) -> bytes | Gap:
    """The bytes of a file; a gap if it isn't a regular file, is too large, or can't be read."""
    try:
        handle = os.open(_place(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        return Gap(path, str(error.strerror))
    with open(handle, "rb") as stream:  # noqa: PTH123 - a handle, not a path
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return Gap(path, "is no regular file")
        data = stream.read(LARGEST + 1)
    return data if len(data) <= LARGEST else Gap(path, f"is larger than {LARGEST:,} bytes")


def write(root: Path, path: str, before: bytes | None, after: bytes) -> None:
    """Write a file, provided it still has the content `before` (None: it doesn't exist).

    Raise StaleError if it has changed, RefusedError if the path leads out of the folder, WriteFailed if the system
    refuses.
    """
    target = _place(root, path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _contained(root, target.parent)
        staged = _stage(target, after)
        try:
            _refuse_stale(root, path, before)
            if before is None:
                os.link(staged, target)  # unlike a rename, it fails if the file exists by now
            else:
                staged.chmod(stat.S_IMODE(target.stat().st_mode))
                staged.replace(target)
        finally:
            staged.unlink(missing_ok=True)
        _sync(target.parent)
    except FileExistsError as error:
        raise StaleError(f"{path!r} was not there when looked at, and is now; nothing was written") from error
    except OSError as error:
        raise WriteFailed(f"nothing was written to {path!r}: {error.strerror}") from error


def move(root: Path, path: str, to: str) -> None:
    """Move a file to a path that doesn't exist yet; raises the same errors as `write`."""
    source, target = _place(root, path), _place(root, to)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _contained(root, target.parent)
        os.link(source, target, follow_symlinks=False)
        source.unlink()
        _sync(target.parent)
        _sync(source.parent)
    except FileExistsError as error:
        raise StaleError(f"{to!r} is there already; nothing was moved") from error
    except OSError as error:
        raise WriteFailed(f"{path!r} was not moved: {error.strerror}") from error


@contextmanager
def writing(root: Path) -> Iterator[None]:
    """Lock the folder against our other writers and delete leftover staged files; raise BusyError if locked."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        handle = os.open(root / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise BoardUnavailable(f"the folder {str(root)!r} cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for left in root.rglob(f"{STAGED}*"):
            left.unlink(missing_ok=True)
        yield
    except BlockingIOError as error:
        raise BusyError(f"another process is writing to {str(root)!r}; try again when it has ended") from error
    finally:
        os.close(handle)


def file_name(title: str) -> str:
    """A file stem for a title: its letters and digits in NFC, at most 80 bytes, never empty."""
    kept = [one if one.isalnum() else "-" for one in unicodedata.normalize("NFC", title).casefold()]
    name = "-".join(part for part in "".join(kept).split("-") if part)
    short = name.encode()[:LONGEST_NAME].decode("utf-8", "ignore").strip("-")
    return short or "untitled"


def folded(path: str) -> str:
    """A form that is equal for two names which some file systems treat as the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def valid_section(section: str) -> str:
    """A section as a relative folder in NFC; raise RefusedError if it would be hidden or lead elsewhere."""
    parts = unicodedata.normalize("NFC", section).split("/")
    if section and any(_wrong_part(part) for part in parts):
        raise RefusedError(f"{section!r} is no section; write a folder name, or several with / between them")
    return "/".join(parts)


def _wrong_part(part: str) -> bool:
    return (
        not part.strip()
        or part != part.strip(" .")
        or not part.isprintable()
        or any(one in '\\:*?"<>|' for one in part)
    )


def _place(root: Path, path: str) -> Path:
    pure = PurePosixPath(path)
    if not path or pure.is_absolute() or ".." in pure.parts or "\0" in path:
        raise RefusedError(f"{path!r} is no path below {str(root)!r}")
    place = root / pure
    _contained(root, place.parent)
    return place


def _contained(root: Path, folder: Path) -> None:
    if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root)):
        raise RefusedError(f"a symbolic link leads {str(folder)!r} out of {str(root)!r}; nothing was written")


def _refuse_stale(root: Path, path: str, before: bytes | None) -> None:
    if before is None:
        return
    now = read(root, path)
    if now != before:
        raise StaleError(f"{path!r} changed since it was looked at; nothing was written")


def _stage(target: Path, data: bytes) -> Path:
    staged = target.with_name(STAGED + sha256(os.fsencode(target.name)).hexdigest()[:16])
    staged.unlink(missing_ok=True)
    handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    with open(handle, "wb") as stream:  # noqa: PTH123 - a handle, not a path
        stream.write(data)
        stream.flush()
        os.fsync(handle)
    return staged


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
