"""Conversations: how far their files have been read, and which of their records are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select, update

from pactkeeper.errors import InputError
from pactkeeper.intent.conversation import Bookmark, Conversation, ConversationEntry, Gap
from pactkeeper.store.columns import key_of
from pactkeeper.store.history import History, chunks, insert_new
from pactkeeper.store.tables import ARTIFACTS, CONVERSATIONS, ENTRIES

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
    c = CONVERSATIONS.c
    found = _load(history, c.id == conversation)
    return found[0] if found else None


def list_conversations(history: History) -> tuple[StoredConversation, ...]:
    """Return all conversations in the order first read."""
    return _load(history)


def conversation_number(history: History, conversation: str) -> int:
    """Return the row number of a conversation; raises InputError if it was never read."""
    c = CONVERSATIONS.c
    query = select(c.number).where(c.repository == history.repository, c.id == conversation)
    with history.database.read() as connection:
        number = connection.execute(query).scalar()
    if number is None:
        raise InputError(f"there is no conversation {conversation!r}; pk transcripts status lists them")
    return int(number)


def known_entries(history: History, uuids: Iterable[str]) -> frozenset[str]:
    """Return which of these records are already stored, from any file."""
    keys = {_entry_key(uuid): uuid for uuid in uuids}
    e = ENTRIES.c
    with history.database.read() as connection:
        found = [
            row[0]
            for chunk in chunks(keys)
            for row in connection.execute(
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
        **_position(step.bookmark),
        "entries": row.entries + len(step.entries),
        "replays": row.replays + step.replays,
        "gaps": gaps,
        "gap_count": row.gap_count + len(step.gaps),
        "first_at": row.first_at or (times[0] if times else ""),
        "last_at": times[-1] if times else row.last_at,
        "read_at": at,
    }
    return bool(connection.execute(update(CONVERSATIONS).where(c.number == number).values(changed)).rowcount)


def _position(mark: Bookmark) -> dict[str, Any]:
    return {
        "offset": mark.offset,
        "uuid": mark.uuid,
        "inode": mark.inode,
        "size": mark.size,
        "head": mark.head,
        "head_length": mark.head_length,
        "tail": mark.tail,
        "context": [list(span) for span in mark.context],
    }


def _new_row(history: History, conversation: Conversation) -> dict[str, Any]:
    return {
        "repository": history.repository,
        "id": conversation.id,
        "source": conversation.source,
        "file": conversation.file,
        "session": conversation.session,
        "kind": conversation.kind,
        "cwd": conversation.cwd,
        "branch": conversation.branch,
        "first_at": conversation.started_at,
        "last_at": conversation.started_at,
        "entries": 0,
        "replays": 0,
        "gaps": [],
        "gap_count": 0,
        "read_at": "",
        **_position(Bookmark()),
    }


def _entry_key(uuid: str) -> str:
    """Return the uuid, or a key if it is too long for an index."""
    return uuid if len(uuid) <= _UUID else key_of(uuid)


_UUID: Final = 64


def _entry_row(history: History, number: int, entry: ConversationEntry) -> dict[str, Any]:
    return {
        "repository": history.repository,
        "uuid_key": _entry_key(entry.uuid),
        "conversation": number,
        "first_byte": entry.place.start,
        "end_byte": entry.place.end,
        "role": entry.role,
        "at": entry.at,
    }


def _load(history: History, *conditions: Any) -> tuple[StoredConversation, ...]:  # noqa: ANN401 - what SQL compares with
    c, a = CONVERSATIONS.c, ARTIFACTS.c
    query = (
        select(CONVERSATIONS, func.count(a.number).label("artifacts"))
        .outerjoin(ARTIFACTS, a.conversation == c.number)
        .where(c.repository == history.repository, *conditions)
        .group_by(*CONVERSATIONS.columns)
        .order_by(c.number)
    )
    with history.database.read() as connection:
        return tuple(_stored(row) for row in connection.execute(query))


def _stored(row: Row[Any]) -> StoredConversation:
    return StoredConversation(
        Conversation(row.source, row.file, row.session, row.kind, row.cwd, row.branch, row.first_at),
        replace(
            Bookmark(row.offset, row.uuid, row.inode, row.size, row.head, row.head_length, row.tail),
            context=_spans(row.context),
        ),
        row.entries,
        row.replays,
        tuple(Gap(*gap) for gap in row.gaps),
        row.gap_count,
        row.first_at,
        row.last_at,
        row.read_at,
        row.artifacts,
    )


def _spans(found: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in found)
