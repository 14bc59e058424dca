"""What is still pending across runs: ops that a paused run proposes and that have not been applied.

Also what was applied and undone: one row per op of a journal entry, and one per undo. Every clone's journal numbers its
entries from 1, so here an entry is identified by time and number.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, func, or_, select, tuple_, update

from pactkeeper.intent.records import RECOMMENDATION_STATUSES
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.op import Aim
from pactkeeper.store.columns import instant
from pactkeeper.store.decisions import WITHDRAWN, holds
from pactkeeper.store.history import CHUNK, History, chunks, insert_new
from pactkeeper.store.tables.runs import APPLICATIONS, DECISIONS, OPS, PATCHES, RUN_PATCHES, RUNS, TIMERS, UNDOS


def waiting_ops(history: History) -> frozenset[str]:
    """Return the ids of unapplied ops in the patches of paused runs, decided or not."""
    with history.database.read() as connection:
        found = frozenset(connection.execute(_of_paused(history, OPS.c.id)).scalars())
        return found - applied_in(connection, history)


def _of_paused(history: History, *columns: Column[Any]) -> Select[Any]:
    return (
        select(*columns)
        .select_from(OPS)
        .join(PATCHES, PATCHES.c.number == OPS.c.patch)
        .join(RUNS, (RUNS.c.patch == PATCHES.c.id) & (RUNS.c.repository == PATCHES.c.repository))
        .where(RUNS.c.repository == history.repository, RUNS.c.status == "paused")
    )


def atoms_created(history: History, run: str) -> int:
    """Return how many atoms proposed in any of a run's patches were applied and not undone."""
    query = (
        select(OPS.c.id)
        .join(RUN_PATCHES, RUN_PATCHES.c.patch == OPS.c.patch)
        .join(RUNS, RUNS.c.number == RUN_PATCHES.c.run)
        .where(RUNS.c.repository == history.repository, RUNS.c.id == run, OPS.c.verb == "createAtom")
    )
    with history.database.read() as connection:
        return len(frozenset(connection.execute(query).scalars()) & applied_in(connection, history))


def proposed_by_waiting(history: History, *, of: Collection[str] | None = None) -> tuple[Aim, ...]:
    """Return the unapplied ops of paused runs, or those `of` these ids, with what a check of their targets needs."""
    query = _of_paused(history, OPS.c.id, OPS.c.text)
    asked = [query] if of is None else [query.where(OPS.c.id.in_(chunk)) for chunk in chunks(of)]
    with history.database.read() as connection:
        applied = applied_in(connection, history)
        rows = (row for one in asked for row in connection.execute(one))
        texts = {row.id: row.text for row in rows if row.id not in applied}
    return tuple(_aim(op, text) for op, text in texts.items())


def undecided_together(history: History) -> tuple[frozenset[str], ...]:
    """Return the unapplied ops of each paused run of which nobody has decided any: `pk apply --all` takes them all."""
    query = _of_paused(history, RUNS.c.number, OPS.c.id).add_columns(_is_decided().label("decided"))
    found: dict[int, set[str]] = {}
    begun: set[int] = set()
    with history.database.read() as connection:
        applied = applied_in(connection, history)
        for row in connection.execute(query):
            if row.id not in applied:
                found.setdefault(row.number, set()).add(row.id)
                begun |= {row.number} if row.decided else set()
    return tuple(frozenset(ops) for run, ops in found.items() if run not in begun)


def _aim(op: str, text: str) -> Aim:
    one = json.loads(text)
    return Aim(op, one["verb"], one["target"], one["precondition"], one["payload"], one["group"])


def fates(history: History, patches: Iterable[str]) -> Mapping[str, Mapping[str, int]]:
    """Count the pending, accepted, rejected and applied ops per patch, in that order; zeros for an unknown patch.

    Only decided or applied ops are read: the rest are pending, and the last position gives the total. An edited op is
    applied under another id, so the original counts as accepted.
    """
    found: dict[str, Counter[str]] = {name: Counter() for name in patches}
    last = select(func.max(OPS.c.position)).where(OPS.c.patch == PATCHES.c.number).scalar_subquery()
    said = select(PATCHES.c.id, DECISIONS.c.op, DECISIONS.c.verdict).join(
        DECISIONS, DECISIONS.c.patch == PATCHES.c.number
    )
    with history.database.read() as connection:
        applied = applied_in(connection, history)
        for chunk in chunks(found):
            here = (PATCHES.c.repository == history.repository, PATCHES.c.id.in_(chunk))
            for name, end in connection.execute(select(PATCHES.c.id, last).where(*here)):
                found[name]["pending"] = 0 if end is None else end + 1
            for name, op, verdict in connection.execute(said.where(*here, holds(), DECISIONS.c.verdict != WITHDRAWN)):
                if op not in applied:
                    found[name]["rejected" if verdict == "reject" else "accepted"] += 1
            for some in chunks(applied):
                ops = select(PATCHES.c.id, func.count()).join(OPS, OPS.c.patch == PATCHES.c.number)
                rows = connection.execute(ops.where(*here, OPS.c.id.in_(some)).group_by(PATCHES.c.id))
                for name, count in rows:
                    found[name]["applied"] += count
    return {name: _with_pending(counted) for name, counted in found.items()}


def _with_pending(counted: Counter[str]) -> dict[str, int]:
    """The counts of a patch in order, without zeros; `pending` counts all of its ops before."""
    counted["pending"] -= counted["applied"] + counted["accepted"] + counted["rejected"]
    return {fate: counted[fate] for fate in RECOMMENDATION_STATUSES if counted[fate]}


def open_ops(history: History) -> Mapping[str, frozenset[str]]:
    """Map each paused run to the ids of its undecided ops, without those that a newer run replaced.

    A newer run replaces an older one's proposal about a test by proposing something else about it.
    """
    found: dict[str, set[str]] = {}
    for run, row, is_open in _open(history):
        members = found.setdefault(run, set())
        if is_open:
            members.add(row.id)
    return {name: frozenset(members) for name, members in found.items()}


def newest_open(history: History) -> str | None:
    """Return the newest paused run with an undecided op, or None."""
    with closing(_open(history)) as rows:
        return next((run for run, _, is_open in rows if is_open), None)


Proposed = tuple[str | None, Aim]  # the key of the test that an op concerns, and its aim
Aims = dict[int, tuple[Proposed, ...]]  # by patch number; patches never change


def open_ops_by_test(
    history: History, holds: Callable[[Aim], bool], kept: Aims, *, accepted: bool = False
) -> Mapping[str, tuple[str, ...]]:
    """Map each test to the ids of the undecided ops about it, or of those accepted and not applied, if all still hold.

    What is read from patches is cached in `kept` while they are pending.
    """
    found: dict[str, list[str]] = {}
    stale: set[str] = set()
    newest: dict[str, int] = {}
    runs, aims, decided = _proposed(history, kept, _AGREED if accepted else None)
    for row in runs:
        for test, op in aims[row.of]:
            later = newest.setdefault(test, row.number) if test else row.number
            if row.status != "paused" or later != row.number or ((row.of, op.id) in decided) is not accepted:
                continue
            about = op.group or op.id
            found.setdefault(about, []).append(op.id)
            if about not in stale and not holds(op):
                stale.add(about)
    return {test: tuple(ops) for test, ops in found.items() if test not in stale}


_AGREED: Final = ("accept", "edit")


def _proposed(
    history: History, kept: Aims, verdicts: Sequence[str] | None = None
) -> tuple[Sequence[Row[Any]], Aims, frozenset[tuple[int, str]]]:
    """Return the runs since the oldest paused one, their proposals by patch, and the decided (patch, op) pairs.

    With `verdicts`, only these count as decided.
    """
    runs = _runs_since_the_oldest_that_waits(history).add_columns(PATCHES.c.number.label("of"))
    ours = (PATCHES.c.id == RUNS.c.patch) & (PATCHES.c.repository == RUNS.c.repository)
    with history.database.read() as connection:
        rows = connection.execute(runs.join(PATCHES, ours)).all()
        wanted = {row.of for row in rows}
        aims = {number: one for number, one in list(kept.items()) if number in wanted}
        for chunk in chunks(sorted(wanted - aims.keys())):
            aims |= _aims_of(connection, chunk)
        said = select(DECISIONS.c.patch, DECISIONS.c.op).where(holds(), DECISIONS.c.verdict != WITHDRAWN)
        said = said if verdicts is None else said.where(DECISIONS.c.verdict.in_(verdicts))
        decided = {
            (row.patch, row.op)
            for chunk in chunks(sorted(wanted))
            for row in connection.execute(said.where(DECISIONS.c.patch.in_(chunk)))
        }
    kept.clear()
    kept.update(aims)
    return rows, aims, frozenset(decided)


def _aims_of(connection: Connection, patches: Sequence[int]) -> Aims:
    query = select(OPS.c.patch, OPS.c.id, OPS.c.test_key, OPS.c.text).where(OPS.c.patch.in_(patches))
    found: dict[int, list[Proposed]] = {number: [] for number in patches}
    for row in connection.execute(query.order_by(OPS.c.patch, OPS.c.position)):
        found[row.patch].append((row.test_key, _small(_aim(row.id, row.text))))
    return {number: tuple(one) for number, one in found.items()}


def _small(aim: Aim) -> Aim:
    """Return an aim without what a check of its target doesn't need, so that many can be cached."""
    source = aim.payload.get("sourceTest")
    part = {name: source.get(name) for name in ("testId", "bodyHash")} if isinstance(source, Mapping) else source
    return replace(aim, payload={} if part is None else {"sourceTest": part})


def _open(history: History) -> Generator[tuple[str, Row[Any], bool]]:
    """Yield the ops of paused runs, newest first, each with its run and whether it still waits.

    It doesn't once it is decided, replaced, or applied by whatever else proposed the same.

    Older runs are only read on demand.
    """
    newest: dict[str, int] = {}
    with history.database.read() as connection:
        query = _ops_of_runs().add_columns(
            or_(_is_decided(), is_applied(connection, history, OPS.c.id)).label("settled")
        )
        runs = connection.execute(_runs_since_the_oldest_that_waits(history)).all()
        waiting = {row.number: row.id for row in runs if row.status == "paused"}
        left, most = [row.number for row in runs], 1
        while left:
            for row in connection.execute(query.where(RUNS.c.number.in_(left[:most]))):
                number, test = row.run, row.test_key
                later = newest.setdefault(test, number) if test else number
                if number in waiting:
                    yield waiting[number], row, later == number and not row.settled
            left, most = left[most:], min(2 * most, CHUNK)


def _is_decided() -> ColumnElement[bool]:
    """Return an SQL condition: an op has a decision that holds."""
    said = select(DECISIONS.c.op).where(DECISIONS.c.patch == OPS.c.patch, DECISIONS.c.op == OPS.c.id)
    return said.where(holds(), DECISIONS.c.verdict != WITHDRAWN).exists()


def _runs_since_the_oldest_that_waits(history: History) -> Select[Any]:
    """Select the paused runs and all runs after the first of them, newest first."""
    ours = select(RUNS.c.number, RUNS.c.id, RUNS.c.status).where(RUNS.c.repository == history.repository)
    first = ours.with_only_columns(func.min(RUNS.c.number)).where(RUNS.c.status == "paused").scalar_subquery()
    since = ours.where(RUNS.c.number >= first, RUNS.c.status.in_(("paused", "completed")))
    return since.order_by(RUNS.c.number.desc())


def _ops_of_runs() -> Select[Any]:
    return (
        select(RUNS.c.number.label("run"), OPS.c.id, OPS.c.test_key)
        .select_from(OPS)
        .join(PATCHES, PATCHES.c.number == OPS.c.patch)
        .join(RUNS, (RUNS.c.patch == PATCHES.c.id) & (RUNS.c.repository == PATCHES.c.repository))
        .order_by(RUNS.c.number.desc(), OPS.c.position)
    )


def undecided_ops(history: History, *, besides: str = "") -> frozenset[str]:
    """Return the ops that await a decision, leaving out the run `besides`."""
    return frozenset().union(*(members for name, members in open_ops(history).items() if name != besides))


def entry_name(number: int, at: str) -> str:
    """Return the name of a journal entry in a history shared by several clones."""
    return f"{at}#{number}"


def note_applied(history: History, entry: str, patch: str, op_ids: Iterable[str], *, at: str) -> None:
    """Record that a journal entry applied these ops; idempotent."""
    row = {"repository": history.repository, "entry": entry, "patch": patch, "applied_at": at}
    with history.database.begin() as connection:
        insert_new(connection, APPLICATIONS, ({**row, "op": op} for op in op_ids))


def unnoted(history: History, entries: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the journal entries, each given with one of its ops, that are not recorded yet."""
    wanted = tuple(entries)
    noted: set[str] = set()
    with history.database.read() as connection:
        for chunk in chunks(wanted):
            here = tuple_(APPLICATIONS.c.entry, APPLICATIONS.c.op).in_(chunk)
            query = select(APPLICATIONS.c.entry).where(APPLICATIONS.c.repository == history.repository, here)
            noted |= set(connection.execute(query).scalars())
    return frozenset(entry for entry, _ in wanted if entry not in noted)


def undone_entries(history: History) -> frozenset[tuple[str, str]]:
    """Return every undone entry with the entry that undid it."""
    query = select(UNDOS.c.entry, UNDOS.c.by_entry).where(UNDOS.c.repository == history.repository)
    return frozenset((entry, by) for entry, by in history.database.rows(query))


def note_undone(history: History, entry: str, by_entry: str, *, at: str) -> None:
    """Record that `by_entry` undid an entry; if that was itself an undo, what it had undone holds again."""
    row = {"repository": history.repository, "entry": entry, "by_entry": by_entry, "undone_at": at}
    with history.database.begin() as connection:
        insert_new(connection, UNDOS, [row])


def applied_in(connection: Connection, history: History, *, of: Sequence[str] | None = None) -> frozenset[str]:
    """Return the ids of ops that were applied and not undone since, optionally only those `of` these ids."""
    gone = _taken_back(connection, history)
    query = select(APPLICATIONS.c.op, APPLICATIONS.c.entry).where(APPLICATIONS.c.repository == history.repository)
    asked = [query] if of is None else [query.where(APPLICATIONS.c.op.in_(chunk)) for chunk in chunks(of)]
    return frozenset(op for one in asked for op, entry in connection.execute(one) if entry not in gone)


def is_applied(connection: Connection, history: History, op: ColumnElement[str]) -> ColumnElement[bool]:
    """Return an SQL condition, valid in this transaction: the op was applied and not undone since."""
    a, gone = APPLICATIONS.c, _taken_back(connection, history)
    return select(a.op).where(a.repository == history.repository, a.op == op, a.entry.not_in(gone)).exists()


def _taken_back(connection: Connection, history: History) -> frozenset[str]:
    """Return the entries that don't hold: undone by one that holds."""
    query = select(UNDOS.c.entry, UNDOS.c.by_entry).where(UNDOS.c.repository == history.repository)
    takers: dict[str, list[str]] = {}
    for entry, by_entry in connection.execute(query):
        takers.setdefault(entry, []).append(by_entry)
    known: dict[str, bool] = {}
    return frozenset(entry for entry in takers if not _holds(entry, takers, known))


def _holds(entry: str, takers: Mapping[str, list[str]], known: dict[str, bool]) -> bool:
    """Whether no entry that holds undid this one; terminates because only later entries undo earlier ones."""
    if entry not in known:
        known[entry] = True
        known[entry] = not any(_holds(one, takers, known) for one in takers.get(entry, ()))
    return known[entry]


@dataclass(frozen=True, slots=True)
class Timer:
    """Something due at a time (ISO 8601 with offset): its kind says what to do, its subject to what."""

    id: str
    kind: str
    subject: str
    due_at: str
    payload: Mapping[str, JsonValue] = field(default_factory=dict)


def add_timer(history: History, timer: Timer) -> None:
    """Set a timer; an existing one with the same id, pending or done, is left alone."""
    row = history.row(TIMERS, timer, due_at=instant(timer.due_at), done_at="")
    with history.database.begin() as connection:
        insert_new(connection, TIMERS, [row])


def due(history: History, *, now: str) -> tuple[Timer, ...]:
    """Return the timers that are due, longest overdue first; their times are in UTC."""
    t = TIMERS.c
    query = (
        select(t.id, t.kind, t.subject, t.due_at, t.payload)
        .where(t.repository == history.repository, t.done_at == "", t.due_at <= instant(now))
        .order_by(t.due_at, t.id)
    )
    return tuple(Timer(*row) for row in history.database.rows(query))


def advance(history: History, timer: Timer, *, at: str) -> bool:
    """Mark a timer as done; return False if another tick has already done so.

    Only the caller that gets True carries out what the timer asks for.
    """
    t = TIMERS.c
    change = update(TIMERS).where(
        t.repository == history.repository, t.id == timer.id, t.due_at == instant(timer.due_at), t.done_at == ""
    )
    with history.database.begin() as connection:
        return bool(connection.execute(change.values(done_at=instant(at))).rowcount)
