"""What all transcript sources share: the description of a file, and an entry or a gap for each of its records.

Growing files are read line by line in bounded memory, resuming at a bookmark.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec

from pactkeeper.errors import SourceError
from pactkeeper.intent.conversation import Bookmark, Conversation, ConversationEntry, Gap
from pactkeeper.ledger.documents import whole_escapes

BLOCK: Final = 1 << 20
LONGEST: Final = 8 << 20  # bytes of one record; a longer one is a gap, since nobody writes that much text
HEAD: Final = 4096
TAIL: Final = 256
BEGINNING: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class RawLine:
    """The bytes of one line without its line ending; `torn` if the file ends without one."""

    start: int
    end: int
    data: bytes
    torn: bool = False


@dataclass(frozen=True, slots=True)
class Resumption:
    """The offset to resume at, and why the bookmark no longer holds; an empty reason if it does."""

    offset: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A regular file, read up to its size at opening; anything appended later is left for the next time."""

    path: Path
    handle: int
    inode: str
    size: int

    def read(self, start: int, end: int) -> bytes:
        """The bytes from `start` to `end`; fewer if the file has been truncated since."""
        return os.pread(self.handle, max(0, end - start), start)

    @property
    def shrunk(self) -> bool:
        """Whether the file has been truncated since it was opened."""
        return os.fstat(self.handle).st_size < self.size

    def resume(self, mark: Bookmark) -> Resumption:
        """Resume at the bookmark, or at the start if the file isn't the one it was made in."""
        if not mark.offset:
            return Resumption(0)
        if self.size < mark.offset:
            return Resumption(0, f"the file was truncated to {self.size:,} bytes after {mark.offset:,} had been read")
        if _digest(self.read(0, mark.head_length)) != mark.head:
            return Resumption(0, "the file was replaced: it begins differently")
        if _digest(self.read(max(0, mark.offset - TAIL), mark.offset)) != mark.tail:
            return Resumption(0, "the file was rewritten: the part already read ends differently")
        return Resumption(mark.offset)

    def bookmark(self, offset: int, uuid: str, context: tuple[tuple[int, int], ...]) -> Bookmark:
        """Create a bookmark at `offset`."""
        length = min(offset, HEAD)
        return Bookmark(
            offset=offset,
            uuid=uuid,
            inode=self.inode,
            size=self.size,
            head=_digest(self.read(0, length)),
            head_length=length,
            tail=_digest(self.read(max(0, offset - TAIL), offset)),
            context=context,
        )

    def beginning(self) -> bytes:
        """Enough of the file to tell its format: `BEGINNING` bytes, or its first record if that is longer."""
        found = bytearray(self.read(0, min(self.size, BEGINNING)))
        ended, most = b"\n" in found, min(self.size, LONGEST)
        while not ended and (block := self.read(len(found), min(len(found) + BEGINNING, most))):
            end = block.find(b"\n") + 1
            ended = end > 0
            found += block[: end or None]
        return bytes(found)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


@contextmanager
def opened(path: Path) -> Iterator[OpenFile]:
    """Open a regular file for reading; raise SourceError for a symlink, a pipe, a device or an unreadable file."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise SourceError(f"the transcript {str(path)!r} cannot be opened: {error.strerror}") from error
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise SourceError(f"{str(path)!r} is not a regular file; name the transcript itself")
        yield OpenFile(path, handle, f"{found.st_dev}:{found.st_ino}", found.st_size)
    finally:
        os.close(handle)


def lines(file: OpenFile, start: int) -> Iterator[RawLine | Gap]:
    """Yield every line from `start` on; one longer than `LONGEST` becomes a gap and is never held in memory.

    The last line may be torn: its writer hasn't finished it, or died. Reading stops where the file was truncated.
    """
    begun, pending, skipping = start, bytearray(), False
    at = start
    while at < file.size:
        block = file.read(at, min(at + BLOCK, file.size))
        if not block:
            return
        position = 0
        while (found := block.find(b"\n", position)) >= 0:
            end = at + found
            if skipping or end - begun > LONGEST:
                yield Gap(begun, end, f"one record of {end - begun:,} bytes; records of up to {LONGEST:,} are read")
            elif pending:
                pending += block[position:found]
                yield RawLine(begun, end, _bare(bytes(pending), begun))
            else:
                yield RawLine(begun, end, _bare(block[position:found], begun))
            pending, skipping, begun, position = bytearray(), False, end + 1, found + 1
        at += len(block)
        skipping = skipping or at - begun > LONGEST
        pending = bytearray() if skipping else pending + block[position:]
    if at > begun:
        yield RawLine(begun, at, bytes(pending), torn=True)  # empty if it is already too long


def _bare(line: bytes, start: int) -> bytes:
    """The line without the byte order mark that some programs write at the start of a file."""
    return line if start else line.removeprefix(b"\xef\xbb\xbf")


Shape = TypeVar("Shape")


@dataclass(frozen=True, slots=True)
class UnknownRecord:
    """A record of a type that this version does not know."""

    type: str


# An entry; None for a record without content; a string with the reason if the record can't be read.
Decoded = ConversationEntry | UnknownRecord | str | None
Decode = Callable[[RawLine, Conversation], Decoded]


@dataclass(frozen=True, slots=True)
class Source:
    """A transcript format.

    `recognise` gets the beginning of a file and `describe` derives the conversation from it; `split` cuts the file into
    records and `decode` reads one. A file with `whole` set is read from its start whenever it changes.
    """

    name: str
    suffixes: tuple[str, ...]
    recognise: Callable[[Path, bytes], bool]
    describe: Callable[[Path, bytes], Conversation]
    decode: Decode
    split: Callable[[OpenFile, int], Iterator[RawLine | Gap]] = lines
    whole: bool = False


class Record(Generic[Shape]):
    """A decoder of a record's JSON into a msgspec struct; keys the struct doesn't name are ignored."""

    def __init__(self, shape: type[Shape]) -> None:
        self._decoder = msgspec.json.Decoder(shape)

    def read(self, data: bytes | msgspec.Raw) -> Shape | str:
        """Return the struct, or the reason why the record can't be read.

        Lone surrogates and invalid UTF-8, which programs leave when they truncate texts, are read as U+FFFD.
        """
        try:
            return self._decoder.decode(data)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            mended = whole_escapes(bytes(data).decode("utf-8", "replace")).encode()
            if mended == bytes(data):
                return _reason(error)
        try:
            return self._decoder.decode(mended)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            return _reason(error)


def _reason(error: Exception) -> str:
    return f"it is not a record of this format: {str(error)[:200]}"


_ANY: Final = Record(Any)
_OBJECT: Final = Record(dict[str, Any])


def json_value(data: bytes | msgspec.Raw | str) -> object:
    """Parse JSON text; None if it is invalid."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    found = _ANY.read(raw)
    return None if isinstance(found, str) and not bytes(raw).lstrip().startswith(b'"') else found


def json_object(data: bytes | msgspec.Raw | str) -> Mapping[str, Any]:
    """Parse JSON text that holds an object; empty for anything else."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    found = _OBJECT.read(raw)
    return {} if isinstance(found, str) else found


MOST_HEAD: Final = 200  # records at the beginning of a file that are searched for a known one
BOM: Final = b"\xef\xbb\xbf"


def first_known(beginning: bytes, is_known: Callable[[bytes], bool]) -> bytes:
    """The first record near the beginning that the format knows; empty if there is none."""
    records = (line for line in beginning.removeprefix(BOM).split(b"\n", MOST_HEAD)[:MOST_HEAD] if line.strip())
    return next((line for line in records if is_known(line)), b"")


def raw_text(raw: msgspec.Raw) -> str:
    """JSON text exactly as it was written."""
    return bytes(raw).decode("utf-8", "replace")


def command_of(arguments: Mapping[str, Any]) -> str | None:
    """The readable part of a call's arguments: a command line, a plan or a to-do list; None if there is none.

    With a `path`, as in an editor's call, `command` isn't a command line.
    """
    found = arguments.get("command", arguments.get("cmd", arguments.get("plan")))
    if "path" in arguments:
        return None
    todos = arguments.get("todos", arguments.get("plan"))
    if isinstance(todos, list):
        return "\n".join(map(_todo, todos))
    if isinstance(found, list):
        words = [one for one in found if isinstance(one, str)]
        return words[2] if len(words) == len(found) == _SHELL and words[1] in {"-lc", "-c"} else None
    return found if isinstance(found, str) else None


def _todo(entry: object) -> str:
    """One entry of a to-do list as a Markdown checkbox item."""
    found = entry if isinstance(entry, Mapping) else {}
    said = found.get("content", found.get("step", ""))
    return f"- [{'x' if found.get('status') == 'completed' else ' '}] {said}"


_SHELL: Final = 3  # bash -lc SCRIPT
