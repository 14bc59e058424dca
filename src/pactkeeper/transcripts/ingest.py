"""Read one transcript into the store: its new entries, artifacts and bookmark, a transaction per stretch."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from pactkeeper.errors import SourceError
from pactkeeper.intent.conversation import Artifact, Bookmark, Conversation, ConversationEntry
from pactkeeper.store.conversations import (
    ReadStep,
    find_conversation,
    known_entries,
    list_artifacts,
    save_artifacts,
    save_step,
)
from pactkeeper.store.history import History
from pactkeeper.transcripts.extraction.extract import extract
from pactkeeper.transcripts.sources import SUFFIXES, source_of
from pactkeeper.transcripts.sources.records import OpenFile, Source, opened
from pactkeeper.transcripts.stretches import Stretch, carried, recall, stretches

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
    if find_conversation(history, named) is None:
        return Ingested(str(path), "foreign")
    reason = "it was a transcript and begins otherwise now; what had been read is kept"
    return Ingested(str(path), "failed", named, reason=reason)


def _ingest(history: History, file: OpenFile, source: Source, now: Callable[[], str]) -> Ingested:
    conversation = source.describe(file.path, file.beginning())
    stored = find_conversation(history, conversation.id)
    mark = stored.bookmark if stored else Bookmark()
    resumed = file.resume(mark)
    start = 0 if source.whole and resumed.offset != file.size else resumed.offset
    reader = _Reader(history, file, source, conversation, now, after=mark.offset, uuid=mark.uuid)
    context = recall(file, source, conversation, mark) if start else ()
    total = Ingested(str(file.path), "unchanged", conversation.id, source.name, reason=resumed.reason)
    end = start
    for stretch in stretches(file, source, conversation, start):
        if file.shrunk:
            return replace(total, outcome="failed", reason="the file was cut while it was read; it is read again later")
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
        stored = list_artifacts(self.history, conversation=self.conversation.id)
        return (one.artifact for one in stored if one.artifact.persistence != "persisted")

    def _fresh(self, entries: tuple[ConversationEntry, ...]) -> tuple[ConversationEntry, ...]:
        """Entries not stored from any file yet; of a record repeated here, only the first."""
        unique = {entry.uuid: entry for entry in reversed(entries)}
        known = known_entries(self.history, unique)
        return tuple(entry for entry in entries if entry.uuid not in known and unique[entry.uuid] is entry)

    def _save(self, step: ReadStep, found: tuple[Artifact, ...]) -> Ingested | None:
        at = self.now()
        with self.history.database.begin():
            number = save_step(self.history, step, after=self.after, at=at)
            if number is None:
                return None
            new = save_artifacts(self.history, number, found, at=at)
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
