"""What hosts share: who works on which job, what jobs stored, what was done on boards, when to call a target next.

The jobs themselves are rows of the queue's own tables.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index, Table

from pactkeeper.store.tables.making import METADATA, json_value, large, number, whole, words

WORKERS: Final = Table(
    "workers",
    METADATA,
    words("id", key=True),
    words("host"),
    whole("process"),
    words("version"),
    words("state"),
    large("began"),
    large("beat"),
)

JOB_HANDOVERS: Final = Table(
    "job_handovers",
    METADATA,
    number(),
    words("job"),
    words("worker"),
    large("at"),
    Index(None, "job"),
)

JOB_TURNS: Final = Table(
    "job_turns",
    METADATA,
    words("subject", key=True),
    words("job"),
    words("token"),
)

JOB_RECEIPTS: Final = Table(
    "job_receipts",
    METADATA,
    words("job", key=True),
    json_value("said"),
)

BOARD_LINES: Final = Table(
    "board_lines",
    METADATA,
    number(),
    words("board"),
    json_value("line"),
    Index(None, "board"),
)

PACES: Final = Table(
    "paces",
    METADATA,
    words("target", key=True),
    large("free_at"),
)
