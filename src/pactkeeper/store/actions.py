"""The outcome of actions: one row each, plus every step appended; and the board log that several hosts share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, func, select, text, update

from pactkeeper.advice import BOARDS
from pactkeeper.errors import BusyError, RefusedError
from pactkeeper.intent.actions import (
    AFTER,
    ActionProposal,
    Deed,
    Standing,
    decode_proposal,
    deed_document,
    encode_proposal,
    read_deed,
)
from pactkeeper.intent.board import written_document
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.decision import Verdict
from pactkeeper.ledger.question import Answer
from pactkeeper.store.database import Database
from pactkeeper.store.history import History, insert, upsert
from pactkeeper.store.lease import lease
from pactkeeper.store.tables.conversations import DEED_STEPS, DEEDS, RECONCILIATIONS, SETTLEMENTS
from pactkeeper.store.tables.team import BOARD_LINES

_d, _s = DEEDS.c, DEED_STEPS.c
_SUGGESTED = "suggested "


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An agent's advice on an action; it decides nothing."""

    action: str
    verdict: Verdict
    by: str
    at: str
    reason: str = ""


def save_deed(history: History, deed: Deed) -> None:
    """Store the next step of a deed; raises RefusedError if it can't follow the action's current standing."""
    with history.database.begin() as connection:
        before = _standing(connection, history, deed.action.id)
        if deed.standing not in AFTER[before]:
            was = before or "only proposed"
            raise RefusedError(f"{deed.action.id} cannot be {deed.standing!r}, it is {was!r}; see: " + BOARDS())
        upsert(connection, DEEDS, [_row(history, deed)], key=("repository", "id"), keep=("began_at", "seen_at"))
        insert(connection, DEED_STEPS, [_step(history, deed)])


def find_deed(history: History, action: str) -> Deed | None:
    """Return the deed of an action by id, or None if nothing was done about it."""
    found = _load(history, _d.id == action)
    return found[0] if found else None


def list_deeds(history: History, *, standings: Iterable[Standing] = (), unseen: bool = False) -> tuple[Deed, ...]:
    """Return deeds in the order they began, optionally those in some standings, or those no person has seen."""
    wanted = tuple(standings)
    conditions: list[Any] = [_d.standing.in_(wanted)] if wanted else []
    return _load(history, *conditions, *([_d.seen_at == ""] if unseen else []))


def automatic_since(history: History, moment: str) -> int:
    """Return how many actions began automatically at or after this time (UTC, ISO 8601)."""
    query = select(func.count()).where(_d.repository == history.repository, _d.automatic == 1, _d.began_at >= moment)
    with history.database.read() as connection:
        return int(connection.execute(query).scalar_one())


def mark_seen(history: History, actions: Iterable[str], *, at: str) -> None:
    """Record that a person has seen these deeds."""
    change = update(DEEDS).where(_d.repository == history.repository, _d.id.in_(list(actions)), _d.seen_at == "")
    history.database.execute(change.values(seen_at=at))


def save_suggestion(history: History, said: Suggestion) -> None:
    """Store an agent's advice on an action."""
    row = history.row(DEED_STEPS, said, step=_SUGGESTED + said.verdict, written=None)
    with history.database.begin() as connection:
        insert(connection, DEED_STEPS, [row])


def suggestions(history: History) -> dict[str, Suggestion]:
    """Return the latest advice of agents, by action."""
    columns = (_s.action, _s.step, _s.by, _s.at, _s.reason)
    query = select(*columns).where(_s.repository == history.repository, _s.step.startswith(_SUGGESTED))
    rows = history.database.rows(query.order_by(_s.number))
    return {row.action: Suggestion(row.action, row.step.removeprefix(_SUGGESTED), *row[2:]) for row in rows}


def _standing(connection: Connection, history: History, action: str) -> Standing | None:
    query = select(_d.standing).where(_d.repository == history.repository, _d.id == action).with_for_update()
    found: Standing | None = connection.execute(query).scalar()
    return found


def _row(history: History, deed: Deed) -> dict[str, Any]:
    began = {"began_at": deed.at, "at": deed.at, "seen_at": ""}
    told = {"standing": deed.standing, "automatic": int(deed.automatic), "text": deed_document(deed)}
    return history.row(DEEDS, deed.action, **began, **told)


def _step(history: History, deed: Deed) -> dict[str, Any]:
    written = written_document(deed.written)
    return history.row(DEED_STEPS, deed, action=deed.action.id, step=deed.standing, written=written)


def _load(history: History, *conditions: Any) -> tuple[Deed, ...]:  # noqa: ANN401 - what SQL compares with
    query = select(_d.text).where(_d.repository == history.repository, *conditions).order_by(_d.number)
    return tuple(read_deed(text) for (text,) in history.database.rows(query))


_reconciled, _settled = RECONCILIATIONS.c, SETTLEMENTS.c


def save_reconciliation(history: History, proposal: ActionProposal) -> None:
    """Store a proposal as the newest; earlier ones are kept."""
    with history.database.begin() as connection:
        insert(connection, RECONCILIATIONS, [history.row(RECONCILIATIONS, proposal, text=encode_proposal(proposal))])


def find_reconciliation(history: History) -> ActionProposal | None:
    """Return the newest proposal, or None."""
    query = (
        select(_reconciled.text)
        .where(_reconciled.repository == history.repository)
        .order_by(_reconciled.number.desc())
        .limit(1)
    )
    text: str | None = history.database.scalar(query)
    return None if text is None else decode_proposal(text)


def save_settlement(history: History, answer: Answer) -> None:
    """Store an answer to a proposal's question; a later answer supersedes it, and the earlier is kept."""
    with history.database.begin() as connection:
        insert(connection, SETTLEMENTS, [history.row(SETTLEMENTS, answer)])


def settlements(history: History) -> dict[str, Answer]:
    """Return the current answer to each answered question."""
    query = select(SETTLEMENTS).where(_settled.repository == history.repository).order_by(_settled.number)
    return {
        row.question: Answer(row.question, row.value, row.answerer, row.by, row.at)
        for row in history.database.rows(query)
    }


_b = BOARD_LINES.c


@dataclass(frozen=True, slots=True)
class StoredLog:
    """The log of one board; a process that has lost its job can't append. Positions are row numbers."""

    database: Database
    board: str

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the board against other processes on any host until the block exits; raises BusyError."""
        taken = False
        try:
            with lease(self.database, f"board {self.board}", folder=Path()):
                taken = True
                yield
        except BusyError:
            if taken:
                raise
            raise BusyError(
                f"another process is writing to the board {self.board!r}; try again when it has finished"
            ) from None

    def append(self, line: Mapping[str, JsonValue]) -> None:
        """Append a line; raises HandedOver."""
        with self.database.begin() as connection:
            insert(connection, BOARD_LINES, [{"board": self.board, "line": dict(line)}])

    def after(self, position: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """Return the lines after a position, and the number of the last one."""
        query = select(_b.number, _b.line).where(_b.board == self.board, _b.number > position).order_by(_b.number)
        rows = self.database.rows(query)
        return [row.line for row in rows], rows[-1].number if rows else position


_NOW: Final = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
_TURN: Final = text(
    f"INSERT INTO paces (target, free_at) VALUES (:target, {_NOW} + :every) "  # noqa: S608 - a constant
    f"ON CONFLICT (target) DO UPDATE SET free_at = greatest(paces.free_at, {_NOW}) + :every "
    f"RETURNING free_at - :every - {_NOW}"
)
_HOLD: Final = text(
    f"INSERT INTO paces (target, free_at) VALUES (:target, {_NOW} + :every) "  # noqa: S608 - likewise
    f"ON CONFLICT (target) DO UPDATE SET free_at = greatest(paces.free_at, {_NOW} + :every)"
)


@dataclass(frozen=True, slots=True)
class SharedPace:
    """Rate limits shared through a history on a server; a process that has lost its job gets no turn."""

    database: Database

    def turn(self, target: str, every: float) -> float:
        """Reserve the next turn and return the seconds until it comes; raises HandedOver."""
        with self.database.begin() as connection:
            found = connection.execute(_TURN, {"target": target, "every": round(every * 1000)}).scalar()
        return max(0, found or 0) / 1000

    def hold(self, target: str, seconds: float) -> None:
        """Grant no turn for this many seconds."""
        self.database.execute(_HOLD, {"target": target, "every": round(seconds * 1000)})
