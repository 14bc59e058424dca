"""Parts of files, as pure functions: lines of a text up to a limit, lines that match a pattern, a folder's contents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import re2

from pactkeeper.errors import InputError, UsageError
from pactkeeper.repo.pact_folder import below

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
