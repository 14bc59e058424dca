"""Checks where edits land: regular files inside the repository, never in git's own folder or through a symlink.

Also an advisory lock for one writer at a time, released by the system when its holder dies, and a three-way merge of
bytes by lines that refuses overlapping changes.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from pactkeeper.errors import BusyError, RefusedError, WriteFailed


def targets(root: Path, paths: Iterable[str]) -> dict[str, Path]:
    """Resolve every path; raises `RefusedError` naming each path that leads elsewhere, and why."""
    real_root = Path(os.path.realpath(root))
    found: dict[str, Path] = {}
    taken: set[Path] = set()
    refused: list[str] = []
    for path in paths:
        reason = _named_wrongly(path)
        target = (
            real_root
            if reason
            else Path(os.path.realpath(real_root / PurePosixPath(path).parent)) / path.split("/")[-1]
        )
        reason = reason or _led_astray(real_root, target) or _no_file(target)
        if not reason and target in taken:
            reason = "it is the same file as another path in this write"
        if reason:
            refused.append(f"  {path!r}: {reason}")
        found[path] = target
        taken.add(target)
    if refused:
        raise RefusedError("nothing was written; these paths are refused\n" + "\n".join(refused))
    return found


def _named_wrongly(path: str) -> str:
    parts = path.split("/")
    if not path or "\0" in path or path.startswith("/"):
        return "write a path relative to the repository"
    if any(part in ("", ".", "..") for part in parts):
        return "it has an empty part, '.' or '..'"
    return "it belongs to git" if any(_is_git_folder(part) for part in parts) else ""


def _is_git_folder(part: str) -> bool:
    return part.rstrip(". ").casefold() in {".git", "git~1"}  # some file systems ignore case and trailing dots


def _led_astray(real_root: Path, target: Path) -> str:
    if not target.is_relative_to(real_root):
        return f"a symbolic link takes it out of the repository, to {str(target)!r}"
    if any(_is_git_folder(part) for part in target.relative_to(real_root).parts):
        return "a symbolic link takes it into git's folder"
    return ""


def _no_file(target: Path) -> str:
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    if stat.S_ISLNK(mode):
        return "it is a symbolic link"
    return "" if stat.S_ISREG(mode) else "it is not a regular file"


def missing_folders(root: Path, found: Iterable[Path]) -> list[Path]:
    """Return the folders to create for the targets, outermost first."""
    real_root = Path(os.path.realpath(root))
    missing: set[Path] = set()
    for target in found:
        folder = target.parent
        while folder != real_root and not folder.exists():
            missing.add(folder)
            folder = folder.parent
    return sorted(missing)


@dataclass(frozen=True, slots=True)
class Lock:
    """An exclusive activity: its lock file in the state folder, and the message for a second process."""

    file: str
    does: str


WRITING: Final = Lock("lock", "is writing to this repository's pact; wait for it to finish, then try again")


@contextmanager
def alone(state: Path, lock: Lock = WRITING) -> Iterator[None]:
    """Hold the lock for the block; `state` is the repository's state folder. Raises BusyError and WriteFailed."""
    handle = _opened(state, lock)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BusyError(f"{_holder(handle)} {lock.does}") from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def holder(state: Path, lock: Lock = WRITING) -> str:
    """Describe the current holder of the lock; empty if there is none."""
    if not (state / lock.file).is_file():
        return ""
    handle = _opened(state, lock)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(handle)
    else:
        return ""
    finally:
        os.close(handle)


def _opened(state: Path, lock: Lock) -> int:
    try:
        state.mkdir(parents=True, exist_ok=True)
        return os.open(state / lock.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise WriteFailed(
            f"nothing can be stored in {str(state)!r}: {error.strerror}; free some space or fix the permissions"
        ) from error


def _holder(handle: int) -> str:
    pid = os.pread(handle, 32, 0).split(b"\n")[0].decode("ascii", "replace")
    return f"process {pid}" if pid.isdigit() else "another process"


class Hunk(NamedTuple):
    """Lines `start` to `end` of the base, replaced by `lines`."""

    start: int
    end: int
    lines: tuple[bytes, ...]


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Apply both sides' changes to the base; None if they overlap or insert different lines in one place."""
    lines = base.splitlines(keepends=True)
    left, right = hunks(lines, ours.splitlines(keepends=True)), hunks(lines, theirs.splitlines(keepends=True))
    agreed = [hunk for hunk in left if hunk in right]
    rest = [hunk for hunk in right if hunk not in agreed]
    if any(_clash(one, other) for one in left if one not in agreed for other in right):
        return None
    if any(_clash(one, other) for one in agreed for other in rest):
        return None
    merged: list[bytes] = []
    at = 0
    for hunk in sorted([*left, *rest], key=lambda one: (one.start, one.end)):
        merged += [*lines[at : hunk.start], *hunk.lines]
        at = hunk.end
    return b"".join(merged + lines[at:])


def hunks(base: list[bytes], changed: list[bytes]) -> list[Hunk]:
    """Find the changes; the common lines at the start and end are never part of one."""
    start = 0
    while start < min(len(base), len(changed)) and base[start] == changed[start]:
        start += 1
    tail = 0
    while tail < min(len(base), len(changed)) - start and base[-1 - tail] == changed[-1 - tail]:
        tail += 1
    middle, new = base[start : len(base) - tail], changed[start : len(changed) - tail]
    matcher = SequenceMatcher(None, middle, new, autojunk=False)
    return [Hunk(start + a, start + b, tuple(new[c:d])) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def _clash(one: Hunk, other: Hunk) -> bool:
    if one.start == one.end and other.start == other.end:
        return one.start == other.start
    return one.start < other.end and other.start < one.end
