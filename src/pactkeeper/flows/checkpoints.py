"""Persistence of a graph's progress: a checkpoint after every node, in SQLite or Postgres.

Checkpoints are disposable. The history is the source of truth, and a run that lost its checkpoint starts again from
there without doing anything twice.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pactkeeper.errors import InputError, StoreUnavailable, UsageError, how_to_install

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.serde.base import SerializerProtocol


SCHEMES: Final = ("postgresql://", "postgres://", "postgresql+psycopg://")


def open_checkpoints(place: Path | str) -> AbstractAsyncContextManager[BaseCheckpointSaver[str]]:
    """Open the checkpoints in a SQLite file or a Postgres database; tables are created on first use."""
    if isinstance(place, Path):
        return _sqlite(str(place))
    if not place.startswith(SCHEMES):
        raise UsageError(f"checkpoints live in SQLite or Postgres, not behind {place.partition(':')[0]!r}")
    return _postgres(place.replace("+psycopg", "", 1))


@asynccontextmanager
async def _sqlite(path: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
    from pactkeeper.flows.whole_writes import FileSaver  # noqa: PLC0415 - only needed to run a graph

    try:
        with closing(sqlite3.connect(path)) as connection:
            saver = FileSaver(connection, serde=_plain())
            saver.setup()
            yield saver
    except sqlite3.DatabaseError as error:
        raise InputError(f"the checkpoints in {path!r} cannot be used ({error}); they can be deleted") from error


@asynccontextmanager
async def _postgres(url: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
    try:
        import psycopg  # noqa: PLC0415 - an extra
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise UsageError(f"a Postgres history needs its driver: {how_to_install('postgres')}") from error
    from pactkeeper.flows.whole_writes import WholeWrites  # noqa: PLC0415 - only needed to run a graph

    class Saver(WholeWrites, AsyncPostgresSaver):
        """Checkpoints in Postgres."""

    try:
        async with Saver.from_conn_string(url, serde=_plain()) as saver:
            await saver.setup()
            yield saver
    except psycopg.OperationalError as error:
        raise StoreUnavailable(f"the checkpoint database does not answer ({error}); try again when it does") from error


def _plain() -> SerializerProtocol:
    """A serializer for texts, numbers and lists of them; anything else is refused, never revived as an object."""
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer  # noqa: PLC0415 - only needed to run a graph

    return JsonPlusSerializer(allowed_msgpack_modules=None)
