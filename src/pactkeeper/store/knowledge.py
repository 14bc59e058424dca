"""Knowledge: items and later remarks on them are appended; no row is ever changed or deleted."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from pactkeeper.errors import InputError
from pactkeeper.intent.conversation import KeptItem, KnowledgeItem, Mark, Provenance
from pactkeeper.store.history import History, insert, insert_new
from pactkeeper.store.tables.conversations import KNOWLEDGE, KNOWLEDGE_MARKS

_k, _m = KNOWLEDGE.c, KNOWLEDGE_MARKS.c
MOST: Final = 20


def add_items(history: History, items: Iterable[KnowledgeItem], *, at: str) -> int:
    """Append items, leaving known ones as first recorded; return how many were new."""
    with history.database.begin() as connection:
        before = _count(connection, history)
        insert_new(connection, KNOWLEDGE, (_row(history, item, at) for item in items))
        return _count(connection, history) - before


def add_mark(history: History, mark: Mark) -> None:
    """Append that an item is superseded or doubted; raises InputError for unknown items."""
    for named in (mark.item, mark.other):
        if named and find_item(history, named) is None:
            raise InputError(f"nothing is known under {named!r}; pk knowledge search WORDS lists ids")
    if mark.item == mark.other:
        raise InputError(f"{mark.item!r} cannot supersede itself; name the older item and the newer one")
    with history.database.begin() as connection:
        row = {"item": mark.item, "kind": mark.kind, "other": mark.other, "reason": mark.reason}
        insert(connection, KNOWLEDGE_MARKS, [{"repository": history.repository, **row, "by": mark.by, "at": mark.at}])


def find_item(history: History, named: str) -> KeptItem | None:
    """Return an item by id, or None."""
    found = _load(history, _k.id == named)
    return found[0] if found else None


def list_items(history: History) -> tuple[KeptItem, ...]:
    """Return items in the order recorded."""
    return _load(history)


def search_items(history: History, words: str) -> tuple[KeptItem, ...]:
    """Return the items that match any of the words in subject, text or quote, best match first."""
    wanted = " OR ".join(f'"{word}"*' for word in re.findall(r"\w+", words))
    known = _load(history) if wanted else ()
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


def _row(history: History, item: KnowledgeItem, at: str) -> dict[str, Any]:
    came = item.provenance
    return {
        "repository": history.repository,
        "id": item.id,
        "kind": item.kind,
        "subject_key": item.key,
        "subject": item.subject,
        "text": item.text,
        "predicate": item.predicate,
        "object": item.object,
        "domain": item.domain,
        "since": item.since,
        "until": item.until,
        "by": item.by,
        "quote": came.quote,
        "at": came.at,
        "conversation": came.conversation,
        "artifact": came.artifact,
        "entry": came.entry,
        "span": [came.block, came.first, came.last],
        "recorded_at": at,
    }


def _load(history: History, *conditions: Any) -> tuple[KeptItem, ...]:  # noqa: ANN401 - what SQL compares with
    items = select(KNOWLEDGE).where(_k.repository == history.repository, *conditions).order_by(_k.number)
    said = select(KNOWLEDGE_MARKS).where(_m.repository == history.repository).order_by(_m.number)
    marks: dict[str, list[Mark]] = {}
    with history.database.read() as connection:
        for row in connection.execute(said):
            marks.setdefault(row.item, []).append(Mark(row.item, row.kind, row.reason, row.by, row.at, row.other))
        return tuple(_known(row, tuple(marks.get(row.id, ()))) for row in connection.execute(items))


def _known(row: Row[Any], marks: tuple[Mark, ...]) -> KeptItem:
    came = Provenance(row.quote, row.at, row.conversation, row.artifact, row.entry, *row.span)
    item = KnowledgeItem(
        row.kind,
        row.subject,
        row.text,
        came,
        row.by,
        row.predicate,
        row.object,
        row.domain,
        row.since,
        row.until,
    )
    return KeptItem(item, row.recorded_at, marks)
