"""Verbs that read a repository's files: those git tracks or would track, inside the work tree, in parts.

Files that git ignores are not read, so secrets beside the code stay private. Symlinks are followed, and targets outside
the repository refused.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from typing import Any, Final

from pactkeeper.errors import InputError, RefusedError, UsageError
from pactkeeper.intent.patterns import matcher, path_filter
from pactkeeper.ledger.documents import Outline, outline, pointed, read_json_text
from pactkeeper.repo.excerpts import Excerpt, Hit, Listed, excerpt, expression, hits, is_binary, listed
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace

MOST_HITS: Final = 1_000
MOST_VALUE: Final = 8_000  # characters of a JSON value returned whole


@dataclass(frozen=True, slots=True)
class FilePart:
    """Lines of a file; `path` is its real location, with symlinks resolved."""

    path: str
    part: Excerpt


@dataclass(frozen=True, slots=True)
class Folder:
    """The contents of a folder; `hidden` counts the dot files left out."""

    path: str
    entries: tuple[Listed, ...]
    hidden: int


@dataclass(frozen=True, slots=True)
class Sought:
    """What to search for: an RE2 pattern, or with `literal` a text, in files at, below or matching `paths`."""

    pattern: str
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    ignore_case: bool = False
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Matches:
    """Matching lines from the `files` that were searched; `unread` are unreadable files, with the reason.

    `binary` counts binary files. `stopped` means that files after the last hit may contain more.
    """

    hits: tuple[Hit, ...]
    files: int
    binary: int
    unread: tuple[tuple[str, str], ...] = ()
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class JsonPart:
    """An outline of a part of a JSON file, and its value unless that is long."""

    path: str
    pointer: str
    outline: Outline
    whole: bool
    value: Any = None


def read_file(workspace: Workspace, path: str, *, start: int = 1, end: int | None = None) -> FilePart:
    """Read lines of a text file, as many as fit."""
    place, text = _text(workspace, path)
    return FilePart(place, excerpt(text, path, start=start, end=end))


def list_directory(workspace: Workspace, path: str = ".", *, hidden: bool = False) -> Folder:
    """List the files and folders in a folder; dot files only if asked for."""
    place, snapshot = _place(workspace, path), workspace.snapshot()
    found = listed(snapshot.paths, place)
    if not found and place != ".":
        raise _refusal(workspace, snapshot, path, place)
    shown = tuple(one for one in found if hidden or not PurePath(one.path).name.startswith("."))
    return Folder(place, shown, len(found) - len(shown))


def grep(workspace: Workspace, sought: Sought) -> Matches:
    """Find lines that match a pattern, in time linear in the files for any pattern."""
    wanted = expression(sought.pattern, ignore_case=sought.ignore_case, literal=sought.literal)
    snapshot = workspace.snapshot()
    is_in = path_filter(sought.paths or (".",))
    left_out = matcher(sought.exclude)
    found: list[Hit] = []
    files, binary, unread = 0, 0, []
    for path, data in snapshot.read_many(path for path in snapshot.paths if is_in(path) and not left_out(path)):
        if data is None:
            unread.append(path)
        elif is_binary(data):
            binary += 1
        else:
            files += 1
            found += islice(hits(path, data, wanted), MOST_HITS + 1 - len(found))
        if len(found) > MOST_HITS:
            break
    if not (files or binary or unread):
        raise UsageError(
            f"no file is at, below or like {', '.join(map(repr, sought.paths))}; `list_directory` shows what is there"
        )
    told = tuple((path, _reason(snapshot, path)) for path in unread)
    ordered = sorted(found, key=lambda one: (one.path, one.line))[:MOST_HITS]
    return Matches(tuple(ordered), files, binary, told, len(found) > MOST_HITS)


def read_json(workspace: Workspace, path: str, *, pointer: str = "") -> JsonPart:
    """Read the part of a JSON file that a pointer selects: its outline, and its value unless that is long."""
    place, text = _text(workspace, path)
    part = pointed(read_json_text(text, place), pointer)
    whole = len(json.dumps(part, ensure_ascii=False)) <= MOST_VALUE
    return JsonPart(place, pointer, outline(part), whole, part if whole else None)


def _text(workspace: Workspace, path: str) -> tuple[str, str]:
    """Return a file's real location and its text; bytes that are not UTF-8 are replaced."""
    place, snapshot = _place(workspace, path), workspace.snapshot()
    if place not in snapshot:
        raise _refusal(workspace, snapshot, path, place)
    data = snapshot.read(place)
    if data is None:
        raise InputError(f"{path!r} cannot be read: {_reason(snapshot, place)}")
    if is_binary(data):
        raise InputError(f"{path!r} is a binary file of {len(data):,} bytes; name a text file")
    return place, data.decode("utf-8", "replace")


def _place(workspace: Workspace, path: str) -> str:
    """Resolve a path relative to the root, following symlinks; raises RefusedError if it leads outside."""
    root = os.path.realpath(workspace.repository.root)
    place = "" if "\0" in path else os.path.realpath(os.path.join(root, path))  # noqa: PTH118 - pathlib raises on symlink loops
    if not place or not PurePath(place).is_relative_to(root):
        raise RefusedError(f"{path!r} is outside the repository; name a path inside it")
    return PurePath(place).relative_to(root).as_posix()


def _refusal(workspace: Workspace, snapshot: Snapshot, path: str, place: str) -> UsageError:
    if place in snapshot:
        return UsageError(f"{path!r} is a file; `read_file` reads it")
    if listed(snapshot.paths, place):
        return UsageError(f"{path!r} is a folder; `list_directory` shows what is in it")
    if os.path.lexists(workspace.repository.root / place):
        return UsageError(f"{path!r} is not read: git ignores it or uses it internally")
    return UsageError(f"there is no {path!r} in {snapshot.name}; `list_directory` shows what is there")


def _reason(snapshot: Snapshot, path: str) -> str:
    return "; ".join(gap.reason for gap in snapshot.gaps if gap.file == path) or "it is gone"
