"""A folder of Markdown files with front matter: safe reading, writing and locking."""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Final

from pactkeeper.errors import BoardUnavailable, BusyError, RefusedError, StaleError, WriteFailed

LOCK: Final = ".pactkeeper.lock"
STAGED: Final = ".pk-"
LARGEST: Final = 4_000_000
LONGEST_NAME: Final = 80


@dataclass(frozen=True, slots=True)
class PageGap:
    """A file or folder that couldn't be read, and why."""

    path: str
    reason: str


def listing(root: Path, below: str) -> tuple[list[str], list[PageGap]]:
    """Find the Markdown files below a folder as sorted POSIX paths; symlinks and unreadable folders are gaps."""
    paths: list[str] = []
    gaps: list[PageGap] = []
    top = root / below
    if top.is_symlink():
        return [], [PageGap(below, "is a symbolic link, which is not followed")]

    def refused(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError) or Path(error.filename or top) != top:
            gaps.append(PageGap(str(error.filename), str(error.strerror)))

    for folder, inner, names in os.walk(top, onerror=refused):
        place = Path(folder)
        links = [name for name in inner if (place / name).is_symlink()]
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name not in links)
        linked = [name for name in names if name.endswith(".md") and (place / name).is_symlink()]
        gaps += [
            PageGap((place / name).relative_to(root).as_posix(), "is a symbolic link, which is not followed")
            for name in sorted(links + linked)
        ]
        paths += [
            (place / name).relative_to(root).as_posix()
            for name in names
            if name.endswith(".md") and not name.startswith(".") and name not in linked
        ]
    return sorted(paths), gaps


def read(root: Path, path: str) -> bytes | PageGap:
    """The bytes of a file; a gap if it isn't a regular file, is too large, or can't be read."""
    try:
        handle = os.open(_place(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        return PageGap(path, str(error.strerror))
    with open(handle, "rb") as stream:  # noqa: PTH123 - a handle, not a path
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return PageGap(path, "is not a regular file")
        data = stream.read(LARGEST + 1)
    return data if len(data) <= LARGEST else PageGap(path, f"is larger than {LARGEST:,} bytes")


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
        raise StaleError(f"{path!r} was created meanwhile; nothing was written") from error
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
        raise StaleError(f"{to!r} already exists; nothing was moved") from error
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
        raise BusyError(f"another process is writing to {str(root)!r}; try again when it has finished") from error
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
        raise RefusedError(f"{section!r} is not a section; write a folder name, or several with / between them")
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
        raise RefusedError(f"{path!r} is not a path below {str(root)!r}")
    place = root / pure
    _contained(root, place.parent)
    return place


def _contained(root: Path, folder: Path) -> None:
    if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root)):
        raise RefusedError(f"a symbolic link takes {str(folder)!r} out of {str(root)!r}; nothing was written")


def _refuse_stale(root: Path, path: str, before: bytes | None) -> None:
    if before is None:
        return
    now = read(root, path)
    if now != before:
        raise StaleError(f"{path!r} changed since it was read; nothing was written")


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


_KEY: Final = re.compile(r"[A-Za-z_][\w .-]*+")
_PLAIN: Final = re.compile(r"[^\W_][^\n:#\"'\[\]{},&*!|>%@`]*")
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "~"})
Value = str | tuple[str, ...]


class UnreadablePage(ValueError):
    """The front matter is ambiguous or broken."""


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed Markdown file: `head` are the lines between the dashes, `body` is everything after them.

    `lines` maps each key to its line in the head; `newline` is the file's own, `close` the line that ends the head,
    empty if there is none.
    """

    head: tuple[str, ...]
    body: str
    values: Mapping[str, Value] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    newline: str = "\n"
    close: str = ""

    def text(self, key: str) -> str:
        """A value as one string; a list joined by commas, and an absent key as the empty string."""
        value = self.values.get(key, "")
        return value if isinstance(value, str) else ", ".join(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A value as a list; a single string becomes a list of one."""
        value = self.values.get(key, ())
        return value if isinstance(value, tuple) else (value,) if value else ()


def read_page(text: str) -> Page:
    """Parse a file; raise Unreadable if the head or a list in it isn't closed, or a key occurs twice."""
    newline = "\r\n" if "\r\n" in text.split("\n", 1)[0] + "\n" else "\n"
    start = f"---{newline}"
    if not text.startswith(start):
        return Page((), text, newline=newline)
    end = re.compile(rf"^---[ \t]*(?:{newline}|\Z)", re.MULTILINE).search(text, len(start))
    if end is None:
        raise UnreadablePage("the front matter has no closing ---")
    head = tuple(text[len(start) : end.start()].split(newline)[:-1])
    values: dict[str, Value] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(head):
        _read_line(head, number, line, values=values, lines=lines)
    return Page(head, text[end.end() :], values, lines, newline=newline, close=end[0])


def _read_line(head: Sequence[str], number: int, line: str, *, values: dict[str, Value], lines: dict[str, int]) -> None:
    key, colon, raw = line.partition(":")
    key = key.rstrip(" \t")
    if not colon or not _KEY.fullmatch(key) or raw[:1] not in {"", " ", "\t"}:
        return
    raw = raw.strip(" \t")
    if key in lines:
        raise UnreadablePage(f"{key!r} is in the front matter twice; keep one")
    lines[key] = number
    if raw.startswith("[") and "]" not in raw:
        _refuse_open_list(head, number, key)
        return
    if raw:
        values[key] = _value(raw)
        return
    items = _items(head, number)
    if items:
        values[key] = tuple(str(_value(one)) for one in items)


def _refuse_open_list(head: Sequence[str], number: int, key: str) -> None:
    """Raise Unreadable for a list without an end; one that continues on the lines below is skipped."""
    if not any("]" in line for line in _indented(head, number)):
        raise UnreadablePage(
            f"the list of {key!r} in the front matter has no closing ]; close it, or put the text in quotes"
        )


def _indented(head: Sequence[str], number: int) -> list[str]:
    """The continuation lines of a key's value: indented ones, or a closing bracket."""
    return list(takewhile(lambda line: line.startswith((" ", "\t", "]")), head[number + 1 :]))


def _items(head: Sequence[str], number: int) -> list[str]:
    """The items of a block list, one per line."""
    items: list[str] = []
    for line in head[number + 1 :]:
        item = line.strip(" \t")
        if not item.startswith(("- ", "-\t")):
            break
        items.append(item[1:].strip(" \t"))
    return items


def _value(raw: str) -> Value:
    if raw.startswith("[") and raw.endswith("]"):
        return tuple(str(_value(one.strip())) for one in _split(raw[1:-1]))
    if raw.startswith('"'):
        try:
            found = json.loads(raw)
        except ValueError:
            return raw
        return found if isinstance(found, str) else raw
    if raw.startswith("'") and raw.endswith("'") and len(raw) > 1:
        return raw[1:-1].replace("''", "'")
    return raw


def _split(raw: str) -> list[str]:
    found = re.findall(r'\s*("(?:\\.|[^"\\])*"|\'(?:\'\'|[^\'])*\'|[^,]+)', raw)
    return [one for one in found if one.strip()]


def with_values(page: Page, changes: Mapping[str, Value | None]) -> str:
    """The whole text with keys set, or removed for None; all other lines stay byte for byte.

    A head without any lines left is removed. Raise Unreadable for a key whose current value spans lines.
    """
    head: list[str | None] = list(page.head)
    for key, value in changes.items():
        at = page.lines.get(key)
        if at is not None and (_items(page.head, at) or _indented(page.head, at)):
            raise UnreadablePage(f"{key!r} spans several lines; write it as `{key}: [one, two]` so it can be set")
        line = None if value is None else f"{key}: {_written(value)}"
        if at is not None:
            head[at] = line
        else:
            head.append(line)
    kept = [line for line in head if line is not None]
    if not kept and page.head:
        return page.body.removeprefix(page.newline)  # the newline added with the first key is removed with the last one
    if not kept and not page.close:
        return page.body
    close = page.close or f"---{page.newline}{page.newline if page.body else ''}"
    return page.newline.join(["---", *kept, ""]) + close + page.body


def _written(value: Value) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_scalar(one) for one in value) + "]"
    return _scalar(value)


def _scalar(value: str) -> str:
    """Write a string plain if YAML reads it back as the same string, else quoted."""
    plain = _PLAIN.fullmatch(value) and value == value.strip() and value.casefold() not in _WORDS
    return value if plain else json.dumps(value, ensure_ascii=False)
