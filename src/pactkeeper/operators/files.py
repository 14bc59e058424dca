"""Verbs that read a repository's files: those git tracks or would track, inside the work tree, in parts.

Files that git ignores are not read, so secrets beside the code stay private. Symlinks are followed, and targets outside
the repository refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from typing import Any, Final

import re2

from pactkeeper.errors import InputError, RefusedError, UsageError
from pactkeeper.intent.patterns import matcher, path_filter
from pactkeeper.ledger.documents import Outline, outline, pointed, read_json_text
from pactkeeper.repo.pact_folder import below
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


MOST_CHARACTERS: Final = 30_000  # of one excerpt
LONGEST_PATTERN: Final = 1_000
LONGEST_LINE: Final = 300  # characters shown of a matching line
_SNIFFED: Final = 8_000  # bytes; git looks at as many to detect binary files
_MEMORY: Final = 8 << 20  # bytes for a compiled pattern


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines `start` to `end` of a text with `lines` lines; `next` is where to continue, None if nothing is left."""

    start: int
    end: int
    lines: int
    text: str
    next: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that matched; long text is truncated."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True, order=True)
class Listed:
    """A file or folder; `files` is the number of files below a folder, 1 for a file."""

    path: str
    kind: str
    files: int


def is_binary(data: bytes) -> bool:
    """Whether git considers this a binary file."""
    return b"\0" in data[:_SNIFFED]


def excerpt(text: str, name: str, *, start: int = 1, end: int | None = None) -> Excerpt:
    """Return as many whole lines as fit, at least one. Raise UsageError if the text has no such line."""
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    wanted = len(lines) if end is None else min(end, len(lines))
    if start > len(lines) or (end is not None and end < start):
        raise UsageError(f"{name!r} has {len(lines)} lines; there is nothing from {start} to {end or 'the end'}")
    last = _fitting(lines, start, wanted)
    return Excerpt(start, last, len(lines), "\n".join(lines[start - 1 : last]), last + 1 if last < wanted else None)


def _fitting(lines: Sequence[str], start: int, end: int) -> int:
    """Return the last line up to `end` that fits together with all lines before it."""
    size = 0
    for number in range(start, end + 1):
        size += len(lines[number - 1]) + 1
        if size > MOST_CHARACTERS and number > start:
            return number - 1
    return end


def expression(pattern: str, *, ignore_case: bool = False, literal: bool = False) -> Any:  # noqa: ANN401 - RE2 has no types
    """Compile a pattern that matches in linear time; raise InputError if RE2 doesn't support it."""
    if not pattern or len(pattern) > LONGEST_PATTERN or "\n" in pattern:
        raise InputError(f"a pattern has 1 to {LONGEST_PATTERN:,} characters on one line, not {len(pattern):,}")
    options = re2.Options()
    options.log_errors, options.never_nl, options.max_mem = False, True, _MEMORY
    options.case_sensitive = not ignore_case
    text = re2.escape(pattern) if literal else f"(?m:{pattern})"
    try:
        return re2.compile(text.encode(), options)
    except (re2.error, UnicodeEncodeError) as error:
        said = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        raise InputError(
            f"the pattern {pattern!r} cannot be used: {said}; RE2 knows no look-around and no back references, "
            "and `literal` takes it word for word"
        ) from error


def hits(path: str, data: bytes, found: Any) -> Iterator[Hit]:  # noqa: ANN401 - an RE2 pattern
    """Yield every line of a file that the expression matches, once each."""
    position, line, counted = 0, 1, 0
    while position <= len(data):
        match = found.search(data, position)
        if match is None:
            return
        line += data.count(b"\n", counted, match.start())
        counted = match.start()
        first = data.rfind(b"\n", 0, counted) + 1
        last = data.find(b"\n", counted)
        last = len(data) if last < 0 else last
        if first < len(data):  # nothing after the last newline counts as a line
            yield Hit(path, line, _shown(data[first:last]))
        position = last + 1


def _shown(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace").removesuffix("\r")
    return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}…"


def listed(paths: Sequence[str], folder: str) -> tuple[Listed, ...]:
    """List a folder's contents from sorted paths, folders first; empty if there is no such folder. The root is `.`."""
    head = "" if folder == "." else f"{folder}/"
    files: list[Listed] = []
    folders: dict[str, int] = {}
    for path in below(paths, head):
        name, inside, _ = path[len(head) :].partition("/")
        if inside:
            folders[name] = folders.get(name, 0) + 1
        else:
            files.append(Listed(path, "file", 1))
    return (*sorted(Listed(head + name, "folder", count) for name, count in folders.items()), *files)
