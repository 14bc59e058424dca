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
from pactkeeper.ledger.canonical import by_key
from pactkeeper.store.columns import from_row, row_of
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
        insert(connection, KNOWLEDGE_MARKS, [history.row(KNOWLEDGE_MARKS, mark)])


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
    source = {**row_of(KNOWLEDGE, came), "span": [came.block, came.first, came.last]}
    return history.row(KNOWLEDGE, item, subject_key=item.key, recorded_at=at, **source)


def _load(history: History, *conditions: Any) -> tuple[KeptItem, ...]:  # noqa: ANN401 - what SQL compares with
    items = select(KNOWLEDGE).where(_k.repository == history.repository, *conditions).order_by(_k.number)
    said = select(KNOWLEDGE_MARKS).where(_m.repository == history.repository).order_by(_m.number)
    with history.database.read() as connection:
        marks = by_key((row.item, from_row(Mark, row)) for row in connection.execute(said))
        return tuple(_known(row, tuple(marks.get(row.id, ()))) for row in connection.execute(items))


def _known(row: Row[Any], marks: tuple[Mark, ...]) -> KeptItem:
    block, first, last = row.span
    came = from_row(Provenance, row, block=block, first=first, last=last)
    return KeptItem(from_row(KnowledgeItem, row, provenance=came), row.recorded_at, marks)
