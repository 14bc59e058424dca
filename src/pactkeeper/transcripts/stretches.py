"""Cutting a transcript into stretches that fit in memory, and saying what the next one has to know of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.intent.conversation import Bookmark, Conversation, ConversationEntry, Gap, pair
from pactkeeper.transcripts.sources.records import OpenFile, RawLine, Source, Unknown

MOST_ENTRIES: Final = 512
MOST_BYTES: Final = 4 << 20
OVERLAP: Final = 10  # records that the next stretch is shown again
MOST_OPEN: Final = 50  # calls without a result that are waited for
MOST_FAILED: Final = 6  # failed calls that a corrected one may still follow
LARGEST: Final = 1 << 20  # bytes of a record that is carried along


@dataclass(slots=True)
class Stretch:
    """Consecutive records of a file; `end` is where the next stretch begins."""

    end: int
    entries: list[ConversationEntry] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    size: int = 0
    unknown: Counter[str] = field(default_factory=Counter)

    @property
    def full(self) -> bool:
        """Whether another record should begin another stretch."""
        return len(self.entries) >= MOST_ENTRIES or self.size >= MOST_BYTES


def stretches(file: OpenFile, source: Source, conversation: Conversation, start: int) -> Iterator[Stretch]:
    """All records from `start` on, a stretch at a time; a torn last one that cannot be read yet is left for later."""
    stretch = Stretch(start)
    for line in source.split(file, start):
        if isinstance(line, Gap):
            stretch.gaps.append(line)
        elif not _take(stretch, line, source, conversation):
            break
        stretch.end = line.end if isinstance(line, RawLine) and line.torn else min(line.end + 1, file.size)
        stretch.size += line.end - line.start if isinstance(line, RawLine) else 0
        if stretch.full:
            yield stretch
            stretch = Stretch(stretch.end)
    if stretch.end > start and (stretch.entries or stretch.gaps or stretch.size):
        yield stretch


def _take(stretch: Stretch, line: RawLine, source: Source, conversation: Conversation) -> bool:
    """Add what a line says; False where it is torn and says nothing yet."""
    if not line.data.strip():
        return not line.torn or bool(line.data)  # a torn line that is too long already comes without its bytes
    found = source.decode(line, conversation)
    if isinstance(found, ConversationEntry):
        stretch.entries.append(found)
        stretch.gaps += _damage(line)
    elif isinstance(found, Unknown):
        stretch.unknown[found.type] += 1
    elif isinstance(found, str):
        if line.torn:
            return False
        stretch.gaps.append(Gap(line.start, line.end, found))
    return True


def _damage(line: RawLine) -> list[Gap]:
    """The gap in a record that is read although bytes of it are no text; none where all are."""
    try:
        line.data.decode()
    except UnicodeDecodeError as error:
        reason = f"it is no UTF-8 from byte {line.start + error.start:,} on; what is none is read as U+FFFD"
        return [Gap(line.start, line.end, reason)]
    return []


def recall(file: OpenFile, source: Source, conversation: Conversation, mark: Bookmark) -> tuple[ConversationEntry, ...]:
    """Read again the earlier records that a bookmark names as context."""
    lines = (RawLine(start, end, file.read(start, end)) for start, end in mark.context)
    found = (source.decode(line, conversation) for line in lines)
    return tuple(entry for entry in found if isinstance(entry, ConversationEntry))


def carried(entries: tuple[ConversationEntry, ...]) -> tuple[ConversationEntry, ...]:
    """What later records may refer to: the last ten, calls that wait for a result, and calls that failed lately."""
    calls = pair(entries)
    waiting = [one.entry for one in calls if one.result is None][-MOST_OPEN:]
    failed = [one for one in calls if one.result is not None and one.result.failed][-MOST_FAILED:]
    wanted = {
        *_uuids(entry for entry in entries[-OVERLAP:] if entry.place.end - entry.place.start <= LARGEST),
        *_uuids(waiting),
        *_uuids(one.entry for one in failed),
        *_uuids(one.result_entry for one in failed),
    }
    return tuple(entry for entry in entries if entry.uuid in wanted)


def _uuids(entries: Iterable[ConversationEntry | None]) -> Iterator[str]:
    return (entry.uuid for entry in entries if entry is not None)
