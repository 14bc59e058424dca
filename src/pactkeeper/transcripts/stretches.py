"""Cut a transcript into stretches that fit in memory, and carry over what the next one needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.intent.conversation import Bookmark, Conversation, ConversationEntry, Gap, pair
from pactkeeper.transcripts.sources.records import OpenFile, RawLine, Source, Unknown

MOST_ENTRIES: Final = 512
MOST_BYTES: Final = 4 << 20
OVERLAP: Final = 10  # records repeated as context for the next stretch
MOST_OPEN: Final = 50  # calls still waiting for a result
MOST_FAILED: Final = 6  # failed calls that a corrected one may still follow
LARGEST: Final = 1 << 20  # bytes of a record that is carried over


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
        """Whether the next record belongs to a new stretch."""
        return len(self.entries) >= MOST_ENTRIES or self.size >= MOST_BYTES


def stretches(file: OpenFile, source: Source, conversation: Conversation, start: int) -> Iterator[Stretch]:
    """Yield all records from `start` on in stretches; an incomplete last record is left for later."""
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
    """Add a line's record; False if the line is torn and can't be decoded yet."""
    if not line.data.strip():
        return not line.torn or bool(line.data)  # a torn line over the size limit has no data
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
    """The gap for a record that is readable but not valid UTF-8; empty if it is valid."""
    try:
        line.data.decode()
    except UnicodeDecodeError as error:
        reason = f"it is no UTF-8 from byte {line.start + error.start:,} on; what is none is read as U+FFFD"
        return [Gap(line.start, line.end, reason)]
    return []


def recall(file: OpenFile, source: Source, conversation: Conversation, mark: Bookmark) -> tuple[ConversationEntry, ...]:
    """Read the earlier records that a bookmark names as context."""
    lines = (RawLine(start, end, file.read(start, end)) for start, end in mark.context)
    found = (source.decode(line, conversation) for line in lines)
    return tuple(entry for entry in found if isinstance(entry, ConversationEntry))


def carried(entries: tuple[ConversationEntry, ...]) -> tuple[ConversationEntry, ...]:
    """What later records may refer to: the last ten, calls waiting for a result, and recently failed calls."""
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
