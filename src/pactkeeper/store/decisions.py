"""Decisions on ops: append-only; the latest on an op counts and may withdraw earlier ones.

Also agents' proposals for a patch, kept separate from decisions; patches, stored as a header and one row per op,
finding and question, from which the identical patch is rebuilt; and the decisions across patches, for audits.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Table, func, select

from pactkeeper.errors import InputError, PatchError
from pactkeeper.ledger.canonical import JsonValue, canonical_json, digest
from pactkeeper.ledger.decision import Decision, Review, decode_review, encode_review
from pactkeeper.ledger.health import Health
from pactkeeper.ledger.op import Op, encode_op, kept_op
from pactkeeper.ledger.patch import Patch, encode_finding, encode_question, read_finding, read_question
from pactkeeper.store.columns import from_row, key_of, row_of
from pactkeeper.store.database import is_server
from pactkeeper.store.history import CHUNK, History, chunks, insert, insert_new, renew_statistics
from pactkeeper.store.runs import number_of
from pactkeeper.store.tables.runs import DECISIONS, OPS, PARTS, PATCHES, PROPOSALS, RUN_PATCHES, RUNS

WITHDRAWN: Final = "withdraw"  # in place of a verdict: the op is open again
_d = DECISIONS.c


@contextmanager
def deciding(history: History) -> Iterator[None]:
    """Lock decisions of this repository against all other processes for the block.

    Reading first and saving afterwards are thereby atomic; they are stored or not as in `Database.begin`.
    """
    with history.database.begin() as connection:
        if connection.dialect.name == "postgresql":
            name = digest(["decisions", history.repository])
            connection.execute(select(func.pg_advisory_xact_lock(int(name[-15:], 16))))
        yield


def save_decisions(history: History, patch: str, decisions: Iterable[Decision]) -> None:
    """Store decisions on a patch's ops, all or none; a later one on an op supersedes the earlier, which is kept.

    A decision that already holds is not stored again. Raises InputError for an unknown patch, and listing all ops that
    are not part of it.
    """
    given = tuple(decisions)
    with history.database.begin() as connection:
        number = patch_number(connection, history, patch)
        _require_ops(connection, number, patch, given)
        held = _held(connection, number)
        rows = []
        for one in given:
            if held.get(one.op) != one:
                rows.append({"patch": number, **_row(one)})
                held[one.op] = one
        insert(connection, DECISIONS, rows)


def withdraw_decisions(history: History, patch: str, ops: Iterable[str], *, by: str, at: str) -> None:
    """Withdraw the decisions on these ops: they are open again, and the earlier decisions stay in the history.

    Undecided ops are left alone. Raises InputError for an unknown patch.
    """
    wanted = frozenset(ops)
    with history.database.begin() as connection:
        number = patch_number(connection, history, patch)
        taken = (one for name, one in _held(connection, number).items() if name in wanted)
        said = {"verdict": WITHDRAWN, "decided_by": by, "decided_at": at, "reason": "", "edited": None}
        insert(connection, DECISIONS, [{"patch": number, **_row(one), **said} for one in taken])


def decisions_of(history: History, patch: str) -> tuple[Decision, ...]:
    """Return the decisions that hold on a patch, in the order of its ops; none for an unknown patch."""
    with history.database.read() as connection:
        number = _number(connection, history, patch)
        return () if number is None else tuple(_held(connection, number).values())


def holds() -> ColumnElement[bool]:
    """Return an SQL condition: whether a decision is the latest on its op, withdrawals included."""
    other = DECISIONS.alias()
    latest = select(func.max(other.c.number)).where(other.c.patch == _d.patch, other.c.op == _d.op)
    return _d.number == latest.scalar_subquery()


def _held(connection: Connection, number: int) -> dict[str, Decision]:
    query = (
        select(DECISIONS)
        .join(OPS, (OPS.c.patch == _d.patch) & (OPS.c.id == _d.op))
        .where(_d.patch == number, holds(), _d.verdict != WITHDRAWN)
        .order_by(OPS.c.position)
    )
    rows = connection.execute(query)
    return {row.op: from_row(Decision, row, by=row.decided_by, at=row.decided_at) for row in rows}


def _require_ops(connection: Connection, number: int, patch: str, decisions: Iterable[Decision]) -> None:
    strangers: list[str] = []
    for chunk in chunks(dict.fromkeys(one.op for one in decisions)):
        known = set(connection.execute(select(OPS.c.id).where(OPS.c.patch == number, OPS.c.id.in_(chunk))).scalars())
        strangers.extend(op for op in chunk if op not in known)
    if strangers:
        raise InputError(f"patch {patch} has no op {', '.join(map(repr, strangers))}; nothing was decided")


def _row(one: Decision) -> Mapping[str, Any]:
    return row_of(DECISIONS, one, decided_by=one.by, decided_at=one.at)


_FINDING: Final = "finding"
_QUESTION: Final = "question"
MOST_OPS: Final = 10_000  # across all patches cached in memory
_lately: dict[tuple[str, str, str], Patch] = {}
_keeping: Final = Lock()


def save_patch(history: History, run: str, patch: Patch) -> None:
    """Store a patch as the newest of a run; an identical patch, of any run, is stored only once.

    Raises InputError for an unknown run.
    """
    with history.database.begin() as connection:
        owner = number_of(connection, history, run)
        number = _number(connection, history, patch.id)
        if number is None:
            number = _insert(connection, history, patch)
        insert_new(connection, RUN_PATCHES, [{"run": owner, "patch": number}])
        doubled = number.bit_count() == 1  # patches are numbered consecutively
        renew_statistics(connection, (OPS, RUN_PATCHES), grown=len(patch.ops), anyway=doubled)


def load_patch(history: History, patch: str) -> Patch | None:
    """Return a patch by id, or None. Raises PatchError for rows that were tampered with.

    A server caches recently read patches: a patch never changes.
    """
    key = (history.database.address.name, history.repository, patch)
    found = (_lately.get(key) if is_server() else None) or _load(history, patch)
    if found is not None and is_server():
        _keep(key, found)
    return found


def _keep(key: tuple[str, str, str], patch: Patch) -> None:
    """Cache a patch, evicting the least recently read ones."""
    with _keeping:
        _lately.pop(key, None)
        _lately[key] = patch
        while len(_lately) > 1 and sum(len(one.ops) for one in _lately.values()) > MOST_OPS:
            del _lately[next(iter(_lately))]


def _load(history: History, patch: str) -> Patch | None:
    query = select(PATCHES).where(*_is(history, patch))
    with history.database.read() as connection:
        header = connection.execute(query).first()
        if header is None:
            return None
        try:
            found = _patch(connection, header)
        except (ValueError, KeyError, TypeError) as error:
            raise PatchError(
                f"the rows of patch {patch} do not make a patch: {error}; run again for another"
            ) from error
    if found.hash != header.hash:
        raise PatchError(f"the rows of patch {patch} make {found.hash}, not {header.hash}; run again for another")
    return found


def run_of_patch(history: History, patch: str) -> str | None:
    """Return the newest run that made this patch, or None."""
    query = (
        select(RUNS.c.id)
        .join(RUN_PATCHES, RUN_PATCHES.c.run == RUNS.c.number)
        .join(PATCHES, PATCHES.c.number == RUN_PATCHES.c.patch)
        .where(*_is(history, patch))
        .order_by(RUN_PATCHES.c.number.desc())
        .limit(1)
    )
    found: str | None = history.database.scalar(query)
    return found


def patch_number(connection: Connection, history: History, patch: str) -> int:
    """Return the row number of a patch; raises InputError for an unknown one."""
    number = _number(connection, history, patch)
    if number is None:
        raise InputError(f"the history has no patch {patch!r}; list the runs with their patches with: pk runs list")
    return number


def _number(connection: Connection, history: History, patch: str) -> int | None:
    found: int | None = connection.execute(select(PATCHES.c.number).where(*_is(history, patch))).scalar()
    return found


def _is(history: History, patch: str) -> tuple[Any, ...]:
    return (PATCHES.c.repository == history.repository, PATCHES.c.id == patch)


def _insert(connection: Connection, history: History, patch: Patch) -> int:
    header = {
        "repository": history.repository,
        "id": patch.id,
        "hash": patch.hash,
        "base": patch.base,
        "sources": {name: {"status": one.status, "reason": one.reason} for name, one in patch.sources.items()},
        "summary": dict(patch.summary),
    }
    number: int = connection.execute(PATCHES.insert().values(header).returning(PATCHES.c.number)).scalar_one()
    insert(connection, OPS, ({"patch": number, **row} for row in _op_rows(patch.ops)))
    insert(connection, PARTS, ({"patch": number, **row} for row in _part_rows(patch)))
    return number


def _op_rows(ops: Iterable[Op]) -> Iterator[dict[str, Any]]:
    for position, op in enumerate(ops):
        test, body = _tested(op.payload)
        yield {
            "position": position,
            "id": op.id,
            "verb": op.verb,
            "shown_hash": op.shown_hash,
            "test_key": None if test is None else key_of(test),
            "body_hash": body,
            "atom": _text(op.payload.get("atomId")),
            "text": canonical_json(encode_op(op)).decode(),
        }


def _tested(payload: Mapping[str, JsonValue]) -> tuple[str | None, str | None]:
    """Return the test that an op is about, as (id, body hash)."""
    source = payload.get("sourceTest")
    named = source if isinstance(source, Mapping) else payload
    return _text(named.get("testId")), _text(named.get("bodyHash"))


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _part_rows(patch: Patch) -> Iterator[dict[str, Any]]:
    parts = (
        (_FINDING, (encode_finding(one) for one in patch.findings)),
        (_QUESTION, (encode_question(one) for one in patch.questions)),
    )
    for kind, members in parts:
        for position, member in enumerate(members):
            yield {"kind": kind, "position": position, "text": canonical_json(member).decode()}


def _patch(connection: Connection, header: Row[Any]) -> Patch:
    """Rebuild a patch from its rows; its content is verified by hashes, so shapes are not validated again."""
    findings, questions = (
        map(json.loads, _members(connection, PARTS, header.number, PARTS.c.kind == kind))
        for kind in (_FINDING, _QUESTION)
    )
    return Patch(
        header.base,
        tuple(map(kept_op, _members(connection, OPS, header.number))),
        tuple(map(read_finding, findings)),
        tuple(map(read_question, questions)),
        {name: Health(one["status"], one["reason"]) for name, one in header.sources.items()},
        header.summary,
    )


def _members(connection: Connection, table: Table, patch: int, *wanted: ColumnElement[bool]) -> Iterator[str]:
    """Yield the JSON texts of a table's rows in the patch's order, page by page."""
    columns = table.c
    query = select(columns.text).where(columns.patch == patch, *wanted).order_by(columns.position).limit(CHUNK)
    for start in itertools.count(0, CHUNK):
        page = connection.execute(query.where(columns.position >= start)).scalars().all()
        yield from page
        if len(page) < CHUNK:
            return


def save_proposal(history: History, patch: str, review: Review) -> None:
    """Store an agent's review of a patch as the current one; earlier ones are kept."""
    row = {"repository": history.repository, "patch": patch, "text": encode_review(review)}
    history.database.execute(PROPOSALS.insert().values(row))


def newest_proposed(history: History) -> str | None:
    """Return the id of the patch that an agent reviewed last; None if no agent ever did."""
    query = (
        select(PROPOSALS.c.patch)
        .where(PROPOSALS.c.repository == history.repository)
        .order_by(PROPOSALS.c.number.desc())
        .limit(1)
    )
    found: str | None = history.database.scalar(query)
    return found


def proposal_of(history: History, patch: str) -> Review | None:
    """Return the current review of a patch by an agent, or None."""
    query = (
        select(PROPOSALS.c.text)
        .where(PROPOSALS.c.repository == history.repository, PROPOSALS.c.patch == patch)
        .order_by(PROPOSALS.c.number.desc())
        .limit(1)
    )
    text: str | None = history.database.scalar(query)
    return None if text is None else decode_review(text)


@dataclass(frozen=True, slots=True)
class DecidedOp:
    """One verdict on one op: the op's verb and target, and the atoms it concerns."""

    at: str
    by: str
    verdict: str
    reason: str
    verb: str
    target: str
    atoms: tuple[str, ...]
    patch: str


def decided_ops(history: History, *, most: int) -> tuple[DecidedOp, ...]:
    """Return the latest decisions in a repository, newest first."""
    query = (
        select(
            DECISIONS.c.decided_at,
            DECISIONS.c.decided_by,
            DECISIONS.c.verdict,
            DECISIONS.c.reason,
            OPS.c.verb,
            OPS.c.text,
            PATCHES.c.id,
        )
        .select_from(DECISIONS)
        .join(PATCHES, PATCHES.c.number == DECISIONS.c.patch)
        .join(OPS, (OPS.c.patch == DECISIONS.c.patch) & (OPS.c.id == DECISIONS.c.op))
        .where(PATCHES.c.repository == history.repository)
        .order_by(DECISIONS.c.number.desc())
        .limit(most)
    )
    return tuple(_decided(*row) for row in history.database.rows(query))


def _decided(*row: Any) -> DecidedOp:  # noqa: ANN401 - the columns of the query above
    at, by, verdict, reason, verb, text, patch = row
    op: dict[str, Any] = json.loads(text)
    payload = op["payload"]
    named = (payload.get(key) for key in ("atomId", "oldAtomId", "newAtomId"))
    return DecidedOp(at, by, verdict, reason, verb, op["target"], tuple(name for name in named if name), patch)
