"""Conversations: how far their files have been read, and which of their records are known.

Also knowledge: items and later remarks on them are appended; no row is ever changed or deleted.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, func, select, update

from pactkeeper.errors import InputError
from pactkeeper.intent.conversation import (
    PERSISTENCES,
    Artifact,
    ArtifactType,
    Bookmark,
    CommitmentUpdate,
    Conversation,
    ConversationEntry,
    Excerpt,
    Gap,
    KeptItem,
    KnowledgeItem,
    Mark,
    Persistence,
    Provenance,
    RecordPlace,
    Signals,
)
from pactkeeper.ledger.canonical import JsonValue, by_key
from pactkeeper.store.columns import from_row, key_of, row_of
from pactkeeper.store.history import History, chunks, insert, insert_new
from pactkeeper.store.tables.conversations import (
    ARTIFACTS,
    CONVERSATIONS,
    ENTRIES,
    KNOWLEDGE,
    KNOWLEDGE_MARKS,
    SIGHTINGS,
)

# Gaps per conversation stored with their places; all are counted.
MOST_GAPS: Final = 100


@dataclass(frozen=True, slots=True)
class StoredConversation:
    """A conversation as read so far; `replays` counts records already brought by this or another file.

    `gaps` are the first ones met, `gap_count` counts all of them; `artifacts` counts those first found here.
    """

    conversation: Conversation
    bookmark: Bookmark
    entries: int = 0
    replays: int = 0
    gaps: tuple[Gap, ...] = ()
    gap_count: int = 0
    first_at: str = ""
    last_at: str = ""
    read_at: str = ""
    artifacts: int = 0


@dataclass(frozen=True, slots=True)
class ReadStep:
    """The result of reading a stretch of a conversation: new entries, number of replays, and gaps."""

    conversation: Conversation
    entries: tuple[ConversationEntry, ...]
    replays: int
    gaps: tuple[Gap, ...]
    bookmark: Bookmark


def find_conversation(history: History, conversation: str) -> StoredConversation | None:
    """Return a conversation by id, or None if it was never read."""
    found = list_conversations(history, CONVERSATIONS.c.id == conversation)
    return found[0] if found else None


def list_conversations(history: History, *conditions: Any) -> tuple[StoredConversation, ...]:  # noqa: ANN401 - likewise
    """Return conversations, or those that meet SQL's conditions, in the order first read."""
    c, a = CONVERSATIONS.c, ARTIFACTS.c
    query = (
        select(CONVERSATIONS, func.count(a.number).label("artifacts"))
        .outerjoin(ARTIFACTS, and_(a.conversation == c.number, a.type != "remark"))
        .where(c.repository == history.repository, *conditions)
        .group_by(*CONVERSATIONS.columns)
        .order_by(c.number)
    )
    return tuple(_stored(row) for row in history.database.rows(query))


def conversation_number(history: History, conversation: str) -> int:
    """Return the row number of a conversation; raises InputError if it was never read."""
    c = CONVERSATIONS.c
    query = select(c.number).where(c.repository == history.repository, c.id == conversation)
    number = history.database.scalar(query)
    if number is None:
        raise InputError(f"there is no conversation {conversation!r}; pk transcripts status lists them")
    return int(number)


def known_entries(history: History, uuids: Iterable[str]) -> frozenset[str]:
    """Return which of these records are already stored, from any file."""
    keys = {_entry_key(uuid): uuid for uuid in uuids}
    e = ENTRIES.c
    found = [
        row[0]
        for chunk in chunks(keys)
        for row in history.database.rows(
            select(e.uuid_key).where(e.repository == history.repository, e.uuid_key.in_(chunk))
        )
    ]
    return frozenset(keys[key] for key in found)


def save_step(history: History, step: ReadStep, *, after: int, at: str) -> int | None:
    """Store the result of reading a stretch and advance the bookmark; return the conversation's number.

    Returns None and stores nothing if another process has moved the bookmark from `after` meanwhile. Save what was
    found in the stretch in the same `begin`.
    """
    with history.database.begin() as connection:
        number = _number_of(connection, history, step.conversation)
        if not _move(connection, number, step, after=after, at=at):
            return None
        insert_new(connection, ENTRIES, (_entry_row(history, number, entry) for entry in step.entries))
        return number


def _number_of(connection: Connection, history: History, conversation: Conversation) -> int:
    c = CONVERSATIONS.c
    insert_new(connection, CONVERSATIONS, [_new_row(history, conversation)])
    query = select(c.number).where(c.repository == history.repository, c.id == conversation.id)
    return int(connection.execute(query).scalar_one())


def _move(connection: Connection, number: int, step: ReadStep, *, after: int, at: str) -> bool:
    c = CONVERSATIONS.c
    locked = select(c.entries, c.replays, c.gaps, c.gap_count, c.first_at, c.last_at).where(
        c.number == number, c.offset == after
    )
    row = connection.execute(locked.with_for_update()).first()
    if row is None:
        return False
    times = [entry.at for entry in step.entries if entry.at]
    gaps = [*row.gaps, *([gap.start, gap.end, gap.reason] for gap in step.gaps)][:MOST_GAPS]
    changed = {
        **row_of(CONVERSATIONS, step.bookmark),
        "entries": row.entries + len(step.entries),
        "replays": row.replays + step.replays,
        "gaps": gaps,
        "gap_count": row.gap_count + len(step.gaps),
        "first_at": row.first_at or (times[0] if times else ""),
        "last_at": times[-1] if times else row.last_at,
        "read_at": at,
    }
    return bool(connection.execute(update(CONVERSATIONS).where(c.number == number).values(changed)).rowcount)


def _new_row(history: History, conversation: Conversation) -> dict[str, Any]:
    seen = {"first_at": conversation.started_at, "last_at": conversation.started_at, "read_at": ""}
    nothing = {"entries": 0, "replays": 0, "gaps": [], "gap_count": 0, **row_of(CONVERSATIONS, Bookmark())}
    return history.row(CONVERSATIONS, conversation, **seen, **nothing)


def _entry_key(uuid: str) -> str:
    """Return the uuid, or a key if it is too long for an index."""
    return uuid if len(uuid) <= _UUID else key_of(uuid)


_UUID: Final = 64


def _entry_row(history: History, number: int, entry: ConversationEntry) -> dict[str, Any]:
    place = {"conversation": number, "first_byte": entry.place.start, "end_byte": entry.place.end}
    return history.row(ENTRIES, entry, uuid_key=_entry_key(entry.uuid), **place)


def _stored(row: Row[Any]) -> StoredConversation:
    parts = {
        "conversation": from_row(Conversation, row, started_at=row.first_at),
        "bookmark": from_row(Bookmark, row, context=tuple((start, end) for start, end in row.context)),
        "gaps": tuple(Gap(*gap) for gap in row.gaps),
    }
    return from_row(StoredConversation, row, **parts)


@dataclass(frozen=True, slots=True)
class StoredArtifact:
    """An artifact with the conversation it was first found in and the number of conversations that show it."""

    artifact: Artifact
    conversation: str
    corroboration: int
    found_at: str


def save_artifacts(history: History, conversation: int, found: Sequence[Artifact], *, at: str) -> int:
    """Store artifacts not known yet, and a sighting of each; return how many were new.

    `conversation` is its number. A known artifact keeps its text; only its persistence may be raised.
    """
    if not found:
        return 0
    with history.database.begin() as connection:
        before = _numbers(connection, history, found)
        insert_new(connection, ARTIFACTS, (_row(history, conversation, one, at) for one in found))
        numbers = _numbers(connection, history, found)
        insert_new(connection, SIGHTINGS, (_sighting(numbers, conversation, one) for one in found))
        for one in found:
            _raise_persistence(connection, numbers[one.fingerprint], one.persistence, one.evidence)
    return len(numbers) - len(before)


def find_artifact(history: History, artifact: str) -> StoredArtifact | None:
    """Return an artifact by id, or None."""
    found = _load_artifacts(history, ARTIFACTS.c.id == artifact)
    return found[0] if found else None


def list_artifacts(
    history: History, *, types: Sequence[ArtifactType] = (), conversation: str = ""
) -> tuple[StoredArtifact, ...]:
    """Return artifacts in the order found, of some types or of all but remarks, optionally of one conversation.

    An artifact belongs to the conversation in which it was first found.
    """
    conditions: list[Any] = [ARTIFACTS.c.type.in_(types) if types else ARTIFACTS.c.type != "remark"]
    if conversation:
        conditions.append(CONVERSATIONS.c.id == conversation)
    return _load_artifacts(history, *conditions)


def _numbers(connection: Connection, history: History, found: Sequence[Artifact]) -> dict[str, int]:
    a = ARTIFACTS.c
    numbers: dict[str, int] = {}
    for chunk in chunks({one.fingerprint for one in found}):
        here = (a.repository == history.repository, a.fingerprint.in_(chunk))
        rows = connection.execute(select(a.fingerprint, a.number).where(*here))
        numbers |= {row.fingerprint: row.number for row in rows}
    return numbers


def _raise_persistence(connection: Connection, number: int, persistence: Persistence, evidence: str) -> None:
    lower = PERSISTENCES[: PERSISTENCES.index(persistence)]
    if lower:
        a = ARTIFACTS.c
        change = update(ARTIFACTS).where(a.number == number, a.persistence.in_(lower))
        connection.execute(change.values(persistence=persistence, evidence=evidence))


def _sighting(numbers: dict[str, int], conversation: int, one: Artifact) -> dict[str, Any]:
    return {
        "artifact": numbers[one.fingerprint],
        "conversation": conversation,
        "entry_key": key_of(one.excerpts[-1].entry),
        "at": one.at,
    }


def _row(history: History, conversation: int, one: Artifact, at: str) -> dict[str, Any]:
    change = {"target": one.update.target if one.update else "", "change": one.update.change if one.update else ""}
    found = {"conversation": conversation, "found_at": at, "excerpts": [_excerpt(part) for part in one.excerpts]}
    return history.row(ARTIFACTS, one, **row_of(ARTIFACTS, one.signals), **change, **found)


def _excerpt(part: Excerpt) -> list[JsonValue]:
    place = part.place
    return [place.file, place.start, place.end, part.entry, part.block, part.first, part.last, part.at, part.text]


def _load_artifacts(history: History, *conditions: Any) -> tuple[StoredArtifact, ...]:  # noqa: ANN401 - what SQL compares with
    a, c, s = ARTIFACTS.c, CONVERSATIONS.c, SIGHTINGS.c
    seen = (
        select(func.count(func.distinct(s.conversation)))
        .where(s.artifact == a.number)
        .scalar_subquery()
        .label("corroboration")
    )
    query = (
        select(ARTIFACTS, c.id.label("conversation_id"), seen)
        .join(CONVERSATIONS, a.conversation == c.number)
        .where(a.repository == history.repository, *conditions)
        .order_by(a.number)
    )
    return tuple(_stored_artifacts(row) for row in history.database.rows(query))


def _stored_artifacts(row: Row[Any]) -> StoredArtifact:
    parts = {
        "excerpts": tuple(Excerpt(RecordPlace(*part[:3]), *part[3:]) for part in row.excerpts),
        "signals": from_row(Signals, row),
        "update": from_row(CommitmentUpdate, row) if row.change else None,
    }
    return StoredArtifact(from_row(Artifact, row, **parts), row.conversation_id, row.corroboration, row.found_at)


_k, _m = KNOWLEDGE.c, KNOWLEDGE_MARKS.c
MOST: Final = 20


def add_items(history: History, items: Iterable[KnowledgeItem], *, at: str) -> int:
    """Append items, leaving known ones as first recorded; return how many were new."""
    with history.database.begin() as connection:
        before = _count(connection, history)
        insert_new(connection, KNOWLEDGE, (_item_row(history, item, at) for item in items))
        return _count(connection, history) - before


def add_mark(history: History, mark: Mark) -> None:
    """Append that an item is superseded or doubted; raises InputError for unknown items."""
    for named in (mark.item, mark.other):
        if named and find_item(history, named) is None:
            raise InputError(f"nothing is known under {named!r}; pk knowledge search WORDS lists ids")
    if mark.item == mark.other:
        raise InputError(f"{mark.item!r} cannot supersede itself; name the older item and the newer one")
    with history.database.begin() as connection:
        insert(connection, KNOWLEDGE_MARKS, [history.row(KNOWLEDGE_MARKS, mark)])


def find_item(history: History, named: str) -> KeptItem | None:
    """Return an item by id, or None."""
    found = list_items(history, _k.id == named)
    return found[0] if found else None


def list_items(history: History, *conditions: Any) -> tuple[KeptItem, ...]:  # noqa: ANN401 - what SQL compares with
    """Return items, or those that meet SQL's conditions, in the order recorded."""
    items = select(KNOWLEDGE).where(_k.repository == history.repository, *conditions).order_by(_k.number)
    said = select(KNOWLEDGE_MARKS).where(_m.repository == history.repository).order_by(_m.number)
    with history.database.read() as connection:
        marks = by_key((row.item, from_row(Mark, row)) for row in connection.execute(said))
        return tuple(_known(row, tuple(marks.get(row.id, ()))) for row in connection.execute(items))


def search_items(history: History, words: str) -> tuple[KeptItem, ...]:
    """Return the items that match any of the words in subject, text or quote, best match first."""
    wanted = " OR ".join(f'"{word}"*' for word in re.findall(r"\w+", words))
    known = list_items(history) if wanted else ()
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute("CREATE VIRTUAL TABLE words USING fts5(subject, text, rest, tokenize='unicode61')")
        rows = ((number, *_words(one.item)) for number, one in enumerate(known))
        index.executemany("INSERT INTO words(rowid, subject, text, rest) VALUES (?, ?, ?, ?)", rows)
        query = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 4.0, 2.0, 1.0), rowid"
        return tuple(known[number] for (number,) in index.execute(query, (wanted,))) if wanted else ()


def _words(item: KnowledgeItem) -> tuple[str, str, str]:
    rest = f"{item.predicate} {item.object} {item.domain} {item.provenance.quote}"
    return item.subject, item.text, rest


def _count(connection: Connection, history: History) -> int:
    query = select(func.count()).where(_k.repository == history.repository)
    return int(connection.execute(query).scalar_one())


def _item_row(history: History, item: KnowledgeItem, at: str) -> dict[str, Any]:
    came = item.provenance
    source = {**row_of(KNOWLEDGE, came), "span": [came.block, came.first, came.last]}
    return history.row(KNOWLEDGE, item, subject_key=item.key, recorded_at=at, **source)


def _known(row: Row[Any], marks: tuple[Mark, ...]) -> KeptItem:
    block, first, last = row.span
    came = from_row(Provenance, row, block=block, first=first, last=last)
    return KeptItem(from_row(KnowledgeItem, row, provenance=came), row.recorded_at, marks)
