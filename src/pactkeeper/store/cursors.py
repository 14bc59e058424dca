"""How far each source has been read."""

from __future__ import annotations

from sqlalchemy import select

from pactkeeper.ledger.canonical import Cursor
from pactkeeper.store.columns import key_of
from pactkeeper.store.history import History, upsert
from pactkeeper.store.tables import CURSORS


def load_cursor(history: History, source: str) -> Cursor | None:
    """Where to go on reading a source; None where it was never read."""
    c = CURSORS.c
    query = select(c.source, c.kind, c.position, c.offset).where(
        c.repository == history.repository, c.source_key == key_of(source)
    )
    with history.database.read() as connection:
        row = connection.execute(query).first()
    return None if row is None else Cursor(*row)


def save_cursor(history: History, cursor: Cursor) -> None:
    """Go on from here the next time; save it in the same `begin` as what was read up to here."""
    row = {
        "repository": history.repository,
        "source_key": key_of(cursor.source),
        "source": cursor.source,
        "kind": cursor.kind,
        "position": cursor.position,
        "offset": cursor.offset,
    }
    with history.database.begin() as connection:
        upsert(connection, CURSORS, [row], key=("repository", "source_key"))
