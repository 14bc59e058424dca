"""The on-disk journal: the content of every file before and after a write, so that it can be finished or undone.

There is one file per entry, `<number>.open` during the write and `<number>.done` after it; renaming it commits the
write. The first line is the header, the second holds the contents.
"""

from __future__ import annotations

import json
import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from errno import EINVAL
from pathlib import Path
from typing import Any, BinaryIO, Final

from pactkeeper.errors import InputError, UnfinishedError
from pactkeeper.ledger.canonical import JsonValue, digest_bytes

FOLDER: Final = "journal"
FORMAT: Final = 1
OPEN, DONE, ASIDE = ".open", ".done", ".aside"


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file's content before and after; None means no such file. `path` is relative to the repository.

    `mode` applies to a file that has to be recreated; an existing file keeps its own.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class WriteEntry:
    """One write: number, time, the caller's metadata, the files it touched and the folders it created for them.

    `undoes` is the number of the entry that this one undoes, `undone_by` the latest entry that undoes this one and is
    not itself undone.
    """

    id: int
    at: str
    metadata: Mapping[str, JsonValue]
    paths: tuple[str, ...]
    folders: tuple[str, ...]
    undoes: int | None = None
    undone_by: int | None = None


def entries(state_dir: Path) -> tuple[WriteEntry, ...]:
    """Return the finished writes, oldest first."""
    found = [_header(path) for path in _files(state_dir, DONE)]
    undone: dict[int, int] = {}
    for entry in reversed(found):
        if entry.undoes is not None and entry.id not in undone:
            undone.setdefault(entry.undoes, entry.id)
    return tuple(replace(entry, undone_by=undone.get(entry.id)) for entry in found)


def unfinished(state_dir: Path) -> WriteEntry | None:
    """Return the interrupted write, or None."""
    files = _files(state_dir, OPEN)
    return _header(files[0]) if files else None


def open_number(state_dir: Path) -> int | None:
    """Return the number of the interrupted write, even if its entry can't be read, or None."""
    files = _files(state_dir, OPEN)
    return int(files[0].stem) if files else None


def next_number(state_dir: Path) -> int:
    """Return one more than the highest number of any entry."""
    numbers = [int(path.stem) for suffix in (OPEN, DONE, ASIDE) for path in _files(state_dir, suffix)]
    return 1 + max(numbers, default=0)


def begin(state_dir: Path, entry: WriteEntry, edits: Sequence[FileEdit]) -> None:
    """Durably write an open entry; on any error nothing of it remains."""
    folder = state_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    payload = json.dumps([[edit.path, _packed(edit.before), _packed(edit.after), edit.mode] for edit in edits]).encode()
    header = {
        "format": FORMAT,
        "id": entry.id,
        "at": entry.at,
        "metadata": entry.metadata,
        "paths": list(entry.paths),
        "folders": list(entry.folders),
        "undoes": entry.undoes,
        "payload": digest_bytes(payload),
    }
    written = folder / f"{entry.id:06d}.new"
    written.unlink(missing_ok=True)  # left by a process that died at this point; it never counted
    try:
        write_durably(written, json.dumps(header).encode() + b"\n" + payload + b"\n")
        written.rename(written.with_suffix(OPEN))
    except BaseException:
        written.unlink(missing_ok=True)
        raise
    sync_folder(folder)
    sync_folder(state_dir)


def finish(state_dir: Path, number: int, suffix: str = DONE) -> None:
    """Close an open entry."""
    path = _path(state_dir, number, OPEN)
    path.rename(path.with_suffix(suffix))
    sync_folder(path.parent)


def forget(state_dir: Path, number: int) -> None:
    """Delete an open entry of which nothing was applied."""
    path = _path(state_dir, number, OPEN)
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def edits_of(state_dir: Path, number: int) -> tuple[FileEdit, ...]:
    """Read back an entry's edits; raises `InputError` if it is missing or damaged."""
    for suffix in (DONE, OPEN):
        path = _path(state_dir, number, suffix)
        if path.exists():
            try:
                with _opened(path) as file:
                    header, _, payload = file.read().partition(b"\n")
            except OSError as error:
                raise InputError(_damaged(path)) from error
            payload = payload.removesuffix(b"\n")
            if json.loads(header)["payload"] != digest_bytes(payload):
                raise InputError(_damaged(path))
            return tuple(FileEdit(name, _unpacked(a), _unpacked(b), mode) for name, a, b, mode in json.loads(payload))
    raise InputError(f"the journal has no entry {number}")


def write_durably(path: Path, content: bytes, mode: int | None = None) -> None:
    """Create a new file and wait until it is on disk; removes it again on failure."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _path(state_dir: Path, number: int, suffix: str) -> Path:
    return state_dir / FOLDER / f"{number:06d}{suffix}"


def _files(state_dir: Path, suffix: str) -> list[Path]:
    folder = state_dir / FOLDER
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"the journal {str(folder)!r} is no folder; move it away to continue, or restore a backup")
    return sorted(path for path in folder.glob(f"[0-9]*{suffix}") if path.stem.isdigit())


def _header(path: Path) -> WriteEntry:
    try:
        with _opened(path) as file:
            raw: dict[str, Any] = json.loads(file.readline())
        if raw["format"] != FORMAT:
            raise InputError(f"the journal entry {str(path)!r} has format {raw['format']!r}; a newer version wrote it")
        return WriteEntry(
            raw["id"], raw["at"], raw["metadata"], tuple(raw["paths"]), tuple(raw["folders"]), undoes=raw["undoes"]
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnfinishedError(_damaged(path)) from error


def _opened(path: Path) -> BinaryIO:
    """Open an entry; raises OSError for anything but a regular file: a pipe would block, a device never end."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(EINVAL, "it is not a regular file", str(path))
    return file


def _damaged(path: Path) -> str:
    """Describe an entry that can't be read, with the way out."""
    way_out = (
        "check with `git status` what it left, then run `pk recover --set-aside` to keep every file as it is"
        if path.suffix == OPEN
        else "move it away to continue"
    )
    return f"the journal entry {str(path)!r} is damaged; {way_out}"


def _packed(content: bytes | None) -> str | None:
    return None if content is None else b64encode(content).decode()


def _unpacked(content: str | None) -> bytes | None:
    return None if content is None else b64decode(content, validate=True)
