"""What the parameters of a test hold row by row, and which of its skips hold anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from pactkeeper.intent.claims import Expression, Name, Opaque, Operation
from pactkeeper.intent.strength.facts import Skipped
from pactkeeper.intent.strength.platforms import holds
from pactkeeper.intent.strength.program import Skip, Table

MOST_ROWS: Final = 120


def as_skipped(skip: Skip) -> Skipped | None:
    """A skip that holds somewhere; None for one that holds nowhere."""
    where = holds(skip.condition)
    if where == "never":
        return None
    condition = None if where == "always" else skip.condition
    return Skipped(skip.kind, where == "always", condition, skip.origin, skip.line, skip.strict)


def rows_of(tables: Sequence[Table]) -> Iterator[dict[Expression, Expression]]:
    """What the parameters hold in each row of the product of all tables."""
    choices = [list(_table_rows(table)) for table in tables]
    for at, chosen in enumerate(product(*choices)):
        if at >= MOST_ROWS:
            return
        held: dict[Expression, Expression] = {}
        for one in chosen:
            held.update(one)
        yield held


def _table_rows(table: Table) -> Iterator[dict[Expression, Expression]]:
    if table.rows is None:
        yield {Name(name): Operation("row", (Opaque(table.text), Name(str(at)))) for at, name in enumerate(table.names)}
        return
    for row in table.rows:
        yield dict(zip((Name(name) for name in table.names), row, strict=False))
