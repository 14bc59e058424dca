"""Read one transcript into the store, a transaction per stretch that fits in memory: entries, artifacts, bookmark."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from pactkeeper.errors import SourceError
from pactkeeper.intent.conversation import Artifact, Bookmark, Conversation, ConversationEntry, Gap, pair
from pactkeeper.store import conversations
from pactkeeper.store.conversations import ReadStep
from pactkeeper.store.history import History
from pactkeeper.transcripts.extraction.extract import extract
from pactkeeper.transcripts.sources import SUFFIXES, source_of
from pactkeeper.transcripts.sources.records import OpenFile, RawLine, Source, UnknownRecord, opened

# `foreign`: not a transcript; `waits`: written to just now; `busy`: another process is reading it.
Outcome = Literal["read", "unchanged", "waits", "busy", "foreign", "failed"]


@dataclass(frozen=True, slots=True)
class Ingested:
    """The result of reading a file once; `waiting` counts bytes at its end that aren't a complete record yet.

    `reason` says why reading failed, or why the file was read from its start again.
    """

    file: str
    outcome: Outcome
    conversation: str = ""
    source: str = ""
    entries: int = 0
    replays: int = 0
    artifacts: int = 0
    gaps: int = 0
    waiting: int = 0
    unknown: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""


def ingest(history: History, path: Path, *, now: Callable[[], str]) -> Ingested:
    """Read what was added to a file since the last time; with nothing new, nothing changes."""
    try:
        with opened(path) as file:
            source = source_of(file)
            return _foreign(history, path) if source is None else _ingest(history, file, source, now)
    except SourceError as error:
        return Ingested(str(path), "failed", reason=str(error))


def is_foreign(path: Path) -> bool:
    """Whether the file matches no known format; False if it can't be opened."""
    try:
        with opened(path) as file:
            return source_of(file) is None
    except SourceError:
        return False


def _foreign(history: History, path: Path) -> Ingested:
    """Ignore a file that isn't a transcript, but report one that used to be."""
    named = Conversation("", str(path), "").id
    if conversations.find_conversation(history, named) is None:
        return Ingested(str(path), "foreign")
    reason = "it was a transcript but now begins differently; what had been read is kept"
    return Ingested(str(path), "failed", named, reason=reason)


def _ingest(history: History, file: OpenFile, source: Source, now: Callable[[], str]) -> Ingested:
    conversation = source.describe(file.path, file.beginning())
    stored = conversations.find_conversation(history, conversation.id)
    mark = stored.bookmark if stored else Bookmark()
    resumed = file.resume(mark)
    start = 0 if source.whole and resumed.offset != file.size else resumed.offset
    reader = _Reader(history, file, source, conversation, now, after=mark.offset, uuid=mark.uuid)
    context = recall(file, source, conversation, mark) if start else ()
    total = Ingested(str(file.path), "unchanged", conversation.id, source.name, reason=resumed.reason)
    end = start
    for stretch in stretches(file, source, conversation, start):
        if file.shrunk:
            return replace(
                total, outcome="failed", reason="the file was truncated while being read; it will be read again later"
            )
        brought, context = reader.store(stretch, context)
        if brought is None:
            return replace(total, outcome="busy", reason="another process is reading this conversation")
        total, end = _sum(total, brought), stretch.end
    return replace(total, waiting=file.size - end)


def _sum(total: Ingested, brought: Ingested) -> Ingested:
    return replace(
        total,
        outcome="read",
        entries=total.entries + brought.entries,
        replays=total.replays + brought.replays,
        artifacts=total.artifacts + brought.artifacts,
        gaps=total.gaps + brought.gaps,
        unknown=dict(Counter(total.unknown) + Counter(brought.unknown)),
    )


@dataclass(slots=True)
class _Reader:
    """Store one stretch after another; `after` is the offset of the stored bookmark."""

    history: History
    file: OpenFile
    source: Source
    conversation: Conversation
    now: Callable[[], str]
    after: int
    uuid: str

    def store(
        self, stretch: Stretch, context: tuple[ConversationEntry, ...]
    ) -> tuple[Ingested | None, tuple[ConversationEntry, ...]]:
        """Store a whole stretch or nothing; the result is None if another process was faster."""
        entries = tuple(stretch.entries)
        fresh = self._fresh(entries)
        found = extract(context, entries, fresh=frozenset(entry.uuid for entry in fresh), earlier=self._unwritten)
        carry = carried((*context, *entries))
        self.uuid = entries[-1].uuid if entries else self.uuid
        step = ReadStep(
            self.conversation,
            fresh,
            len(entries) - len(fresh),
            tuple(stretch.gaps),
            self.file.bookmark(stretch.end, self.uuid, _spans(carry)),
        )
        saved = self._save(step, found)
        return (None if saved is None else replace(saved, unknown=dict(stretch.unknown))), carry

    def _unwritten(self) -> Iterator[Artifact]:
        """Earlier artifacts of this conversation that aren't fully written down."""
        stored = conversations.list_artifacts(self.history, conversation=self.conversation.id)
        return (one.artifact for one in stored if one.artifact.persistence != "persisted")

    def _fresh(self, entries: tuple[ConversationEntry, ...]) -> tuple[ConversationEntry, ...]:
        """Entries not stored from any file yet; of a record repeated here, only the first."""
        unique = {entry.uuid: entry for entry in reversed(entries)}
        known = conversations.known_entries(self.history, unique)
        return tuple(entry for entry in entries if entry.uuid not in known and unique[entry.uuid] is entry)

    def _save(self, step: ReadStep, found: tuple[Artifact, ...]) -> Ingested | None:
        at = self.now()
        with self.history.database.begin():
            number = conversations.save_step(self.history, step, after=self.after, at=at)
            if number is None:
                return None
            remarks = tuple(one for one in found if one.type == "remark")
            products = tuple(one for one in found if one.type != "remark")
            conversations.save_artifacts(self.history, number, remarks, at=at)
            new = conversations.save_artifacts(self.history, number, products, at=at)
        self.after = step.bookmark.offset
        return Ingested("", "read", "", "", len(step.entries), step.replays, new, len(step.gaps))


def _spans(entries: tuple[ConversationEntry, ...]) -> tuple[tuple[int, int], ...]:
    return tuple((entry.place.start, entry.place.end) for entry in entries)


def transcripts_in(place: Path) -> Iterator[Path]:
    """Yield the path itself if it is a file, else every candidate below it, sorted by name; nothing if it is missing.

    A conversation is identified by its resolved path, so it is the same however the path was given.
    """
    real = Path(os.path.realpath(place))
    if not real.is_dir():
        if real.exists():
            yield real
        return
    yield from (path for path in _candidates(real) if _is_regular(path))


def irregular_in(place: Path) -> Iterator[Path]:
    """Yield files below a folder named like transcripts that are symlinks, pipes or devices; they aren't read."""
    yield from (path for path in _candidates(Path(os.path.realpath(place))) if not _is_regular(path))


def _candidates(folder: Path) -> Iterator[Path]:
    for below, inner, names in os.walk(folder):
        inner.sort()
        yield from (Path(below) / name for name in sorted(names) if Path(name).suffix in SUFFIXES)


def _is_regular(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


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
    elif isinstance(found, UnknownRecord):
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
        reason = f"it is not UTF-8 from byte {line.start + error.start:,} on; invalid bytes are read as U+FFFD"
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
