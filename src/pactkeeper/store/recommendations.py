"""What runs recommend, and the status of it: atoms as ops that create them, molecules as separate rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, FromClause, Row, Select, bindparam, func, select, true, update

from pactkeeper.errors import InputError
from pactkeeper.intent.records import AtomRecommendation, MoleculeRecommendation, RecommendationStatus, Wanted
from pactkeeper.ledger.decision import VERDICTS
from pactkeeper.ledger.op import op_id
from pactkeeper.ledger.shape import Slice, cursor_of, numbers_of
from pactkeeper.store.columns import key_of
from pactkeeper.store.database import is_server
from pactkeeper.store.decisions import WITHDRAWN, holds
from pactkeeper.store.history import CHUNK, History, upsert
from pactkeeper.store.runs import number_of
from pactkeeper.store.tables.runs import DECISIONS, MOLECULE_RECOMMENDATIONS, OPS, RUN_PATCHES, RUNS
from pactkeeper.store.waiting import applied_in, is_applied

_CREATES: Final = "createAtom"
_DECIDED: Final[Mapping[str, RecommendationStatus]] = {"accept": "accepted", "edit": "accepted", "reject": "rejected"}
_m = MOLECULE_RECOMMENDATIONS.c
_MOLECULE: Final = tuple(field.name for field in fields(MoleculeRecommendation) if field.name != "run_id")


def atom_recommendations(history: History, wanted: Wanted | None = None) -> tuple[AtomRecommendation, ...]:
    """Return the atoms proposed in the newest patch of each run, in the order last proposed.

    One proposed by several runs appears once, as in the newest. An accepted edit shows the reviewer's wording.
    """
    latest: dict[str, Row[Any]] = {}
    wanted = wanted or Wanted()
    with history.database.read() as connection:
        for row in connection.execute(_in_order(_meant(_proposed(history), wanted))):
            latest.pop(row.id, None)
            latest[row.id] = row
        applied = applied_in(connection, history)
    found = (_recommendation(row, applied) for row in latest.values())
    return tuple(one for one in found if wanted.status is None or one.status == wanted.status)


def recommended_slice(history: History, wanted: Wanted, *, cursor: str = "", limit: int) -> Slice:
    """Return at most `limit` of `atom_recommendations` from a cursor on, reading no further.

    Only the first slice has a total. Raises UsageError for an invalid cursor.
    """
    run, position = numbers_of(cursor, 2)
    after = (RUNS.c.number > run) | ((RUNS.c.number == run) & (OPS.c.position >= position))
    with history.database.read() as connection:
        query = _meant(_proposed(history), wanted)
        done: ColumnElement[bool] = true()
        if wanted.status is not None:
            done = is_applied(connection, history, OPS.c.id)
        has = _has(connection, history, query, status=wanted.status, applied=done)
        alone = true() if wanted.run is not None else _is_newest(history)
        runs = _runs_from(connection, history, wanted, run)
        rows = _first(connection, query.where(after, has, alone), runs, limit + 1)
        total = 0 if cursor else _total(connection, history, wanted, has=has, applied=done)
        applied = applied_in(connection, history, of=_also_edited(rows))
    members = [_recommendation(row, applied) for row in rows[:limit]]
    return Slice(members, [cursor_of(one.run, one.position + 1) for one in rows], total, len(rows) > limit)


def _runs_from(connection: Connection, history: History, wanted: Wanted, first: int) -> list[Sequence[int]]:
    """Return run numbers from `first` on, in growing portions: unfiltered results fill up from the first few."""
    query = select(RUNS.c.number).where(RUNS.c.repository == history.repository, RUNS.c.number >= first)
    query = query if wanted.run is None else query.where(RUNS.c.id == wanted.run)
    left: Sequence[int] = connection.execute(query.order_by(RUNS.c.number)).scalars().all()
    portions, most = [], CHUNK if wanted.test is not None or wanted.atom is not None else 1
    while left:
        portions.append(left[:most])
        left, most = left[most:], min(4 * most, CHUNK)
    return portions


def _first(connection: Connection, query: Select[Any], runs: Iterable[Sequence[int]], count: int) -> list[Row[Any]]:
    """Return the first rows of a query, portion by portion; sorting the rows of all runs takes a second."""
    rows: list[Row[Any]] = []
    for portion in runs:
        rows += connection.execute(_in_order(query.where(RUNS.c.number.in_(portion))).limit(count - len(rows)))
        if len(rows) == count:
            break
    return rows


def _total(
    connection: Connection, history: History, wanted: Wanted, *, has: ColumnElement[bool], applied: ColumnElement[bool]
) -> int:
    """Return how many recommendations match and satisfy `has`, each counted once."""
    created = _meant(_created(history), wanted)
    proposed = _said(created)
    whole = wanted.run is None and wanted.test is None and wanted.atom is None
    every, twice = _proposed_in_all(connection, history) if whole else (-1, True)

    if wanted.status == "pending":  # few are not, and an index finds those
        said = DECISIONS.c.verdict
        undecided = said.is_(None) | (said == WITHDRAWN)
        found = every if whole else _count(connection, created)
        found -= _count(connection, proposed.where(said.in_(VERDICTS)))
        found -= _count(connection, proposed.where(applied, undecided))
    else:
        found = _count(connection, created if wanted.status is None else proposed.where(has))
    if wanted.run is not None or not twice:
        return found
    again = proposed.where(has, ~_is_newest(history))
    return found - _count(connection, again.where(OPS.c.id.in_(_in_several_patches())) if whole else again)


def _count(connection: Connection, query: Select[Any]) -> int:
    return int(connection.execute(query.with_only_columns(func.count())).scalar_one())


_counted: dict[tuple[str, str], tuple[object, tuple[int, bool]]] = {}  # by history: the patches counted, and the result


def _proposed_in_all(connection: Connection, history: History) -> tuple[int, bool]:
    """Return how many ops create atoms in the newest patches of all runs, and whether any op is in several patches.

    A server caches this until a run makes another patch: patches neither change nor disappear.
    """
    made = select(func.count(), func.max(RUN_PATCHES.c.number)).join(RUNS, RUNS.c.number == RUN_PATCHES.c.run)
    patches = tuple(connection.execute(made.where(RUNS.c.repository == history.repository)).one())
    key = (history.database.address.name, history.repository)
    kept = _counted.get(key)
    if kept is None or kept[0] != patches or not is_server():
        twice = connection.execute(_in_several_patches().limit(1)).first() is not None
        kept = _counted[key] = (patches, (_count(connection, _created(history)), twice))
    return kept[1]


def _meant(query: Select[Any], wanted: Wanted) -> Select[Any]:
    if wanted.run is not None:
        query = query.where(RUNS.c.id == wanted.run)
    if wanted.test is not None:
        query = query.where(OPS.c.test_key == key_of(wanted.test))
    return query if wanted.atom is None else query.where(OPS.c.atom == wanted.atom)


def _is_newest(history: History) -> ColumnElement[bool]:
    """Return an SQL condition: no newer run proposes the same op."""
    ops, runs, made = OPS.alias(), RUNS.alias(), RUN_PATCHES.alias()
    newer = (
        select(ops.c.id)
        .join(made, made.c.patch == ops.c.patch)
        .join(runs, runs.c.number == made.c.run)
        .where(ops.c.id == OPS.c.id, ops.c.verb == _CREATES, runs.c.number > RUNS.c.number)
        .where(runs.c.repository == history.repository, _is_last(made))
    )
    return ~newer.exists()


def _in_several_patches() -> Select[Any]:
    """Select the few ops that a newer run may propose too: in several patches, or a patch of several runs."""
    ops, made = OPS.alias(), RUN_PATCHES.alias()
    return select(ops.c.id).join(made, made.c.patch == ops.c.patch).group_by(ops.c.id).having(func.count() > 1)


def _in_order(query: Select[Any]) -> Select[Any]:
    return query.order_by(RUNS.c.number, OPS.c.position)


def _has(
    connection: Connection,
    history: History,
    query: Select[Any],
    *,
    status: RecommendationStatus | None,
    applied: ColumnElement[bool],
) -> ColumnElement[bool]:
    """Return an SQL condition for the status, if one is requested."""
    if status is None:
        return true()
    said = DECISIONS.c.verdict
    if status == "pending":
        return ~applied & (said.is_(None) | (said == WITHDRAWN))
    if status == "rejected":
        return ~applied & (said == "reject")
    edits = connection.execute(query.where(said == "edit")).all()
    done = applied_in(connection, history, of=_also_edited(edits))
    names = [one.id for one in edits if _applied_as(one) in done]
    edited = OPS.c.id.in_(bindparam("edited", names, expanding=True, literal_execute=True))
    if status == "applied":
        return applied | edited if names else applied  # a single condition can use an index
    return ~applied & ~edited & said.in_(("accept", "edit"))


def _also_edited(rows: Iterable[Row[Any]]) -> list[str]:
    """Return the ids under which these may have been applied."""
    return [name for row in rows for name in (row.id, _applied_as(row))]


def _applied_as(row: Row[Any]) -> str:
    """Return the id under which an op is applied: it is derived from the content, so an edited one differs."""
    if row.edited is None:
        return str(row.id)
    op: dict[str, Any] = json.loads(row.text)
    return op_id(op["verb"], op["target"], op["precondition"], row.edited)


def molecule_recommendations(
    history: History, *, run: str | None = None, status: RecommendationStatus | None = None
) -> tuple[MoleculeRecommendation, ...]:
    """Return the molecules that runs suggest, in the order first saved; of several runs, the newest one's version.

    One that was part of a patch has the status of its op there.
    """
    query = (
        select(RUNS.c.id.label("run_id"), *(_m[name] for name in _MOLECULE))
        .join(RUNS, RUNS.c.number == _m.run)
        .where(RUNS.c.repository == history.repository)
        .order_by(_m.run, _m.position)
    )
    if run is not None:
        query = query.where(RUNS.c.id == run)
    with history.database.read() as connection:
        rows = {row.id: row for row in connection.execute(query)}
        if not rows:
            return ()
        applied = applied_in(connection, history)
        atoms = _atoms_of(connection, {name for row in rows.values() for name in row.atom_recommendation_ids})
        said = _verdicts(connection, rows)
    found = (_molecule(row, atoms, said.get(row.id), applied=row.id in applied) for row in rows.values())
    return tuple(one for one in found if status is None or one.status == status)


def _atoms_of(connection: Connection, ops: Iterable[str]) -> Mapping[str, str]:
    """Map each of these ops to the atom it creates."""
    found = connection.execute(select(OPS.c.id, OPS.c.atom).where(OPS.c.id.in_(list(ops))))
    return {row.id: row.atom for row in found if row.atom}


def _verdicts(connection: Connection, ops: Iterable[str]) -> Mapping[str, str]:
    """Return the verdicts on these ops, if they were part of a patch."""
    query = select(DECISIONS.c.op, DECISIONS.c.verdict).where(DECISIONS.c.op.in_(list(ops)), holds())
    return {row.op: row.verdict for row in connection.execute(query)}


def save_molecules(history: History, rows: Iterable[MoleculeRecommendation]) -> None:
    """Store suggested molecules; saving one again updates its text but keeps its status and time.

    Raises InputError for an unknown run.
    """
    with history.database.begin() as connection:
        upsert(
            connection,
            MOLECULE_RECOMMENDATIONS,
            _molecule_rows(connection, history, rows),
            key=("run", "id"),
            keep=("position", "status", "molecule_id", "created_at"),
        )


def set_molecule_status(
    history: History, recommendation: str, status: RecommendationStatus, molecule_id: str | None = None
) -> None:
    """Set the status of a recommended molecule in every run that suggests it.

    Raises InputError for one that no run suggests.
    """
    ours = select(RUNS.c.number).where(RUNS.c.repository == history.repository)
    change = update(MOLECULE_RECOMMENDATIONS).where(_m.id == recommendation, _m.run.in_(ours))
    with history.database.begin() as connection:
        if not connection.execute(change.values(status=status, molecule_id=molecule_id)).rowcount:
            raise InputError(f"no run recommends the molecule {recommendation!r}; list them with: pk recommendations")


def _is_last(made: FromClause) -> ColumnElement[bool]:
    """Return an SQL condition: the run made no later patch."""
    later = RUN_PATCHES.alias()
    return ~select(later.c.number).where(later.c.run == made.c.run, later.c.number > made.c.number).exists()


def _created(history: History) -> Select[Any]:
    """Select every op that creates an atom in the newest patch of each run."""
    shown = (OPS.c.id, OPS.c.text, OPS.c.position, RUNS.c.number.label("run"), RUNS.c.id.label("run_id"))
    return (
        select(*shown, RUNS.c.created_at)
        .join(RUN_PATCHES, RUN_PATCHES.c.patch == OPS.c.patch)
        .join(RUNS, RUNS.c.number == RUN_PATCHES.c.run)
        .where(RUNS.c.repository == history.repository, OPS.c.verb == _CREATES, _is_last(RUN_PATCHES))
    )


def _said(query: Select[Any]) -> Select[Any]:
    """Add the current decision on each op to a query."""
    on_it = (DECISIONS.c.patch == OPS.c.patch) & (DECISIONS.c.op == OPS.c.id) & holds()
    return query.add_columns(DECISIONS.c.verdict, DECISIONS.c.edited).join(DECISIONS, on_it, isouter=True)


def _proposed(history: History) -> Select[Any]:
    return _said(_created(history))


def _recommendation(row: Row[Any], applied: frozenset[str]) -> AtomRecommendation:
    op: dict[str, Any] = json.loads(row.text)
    payload: dict[str, Any] = op["payload"] if row.edited is None else row.edited
    done = not applied.isdisjoint({row.id, _applied_as(row)})
    source = payload.get("sourceTest", {})
    return AtomRecommendation(
        id=row.id,
        run_id=row.run_id,
        description=payload["description"],
        category=payload["category"],
        confidence=payload["confidence"],
        reasoning=payload.get("reasoning", ""),
        source_test_file_path=source.get("filePath", ""),
        source_test_name=source.get("testName", ""),
        source_test_line_number=source.get("testLineNumber", 0),
        source_test_id=source.get("testId", ""),
        source_test_body_hash=source.get("bodyHash", ""),
        observable_outcomes=tuple(payload["observableOutcomes"]),
        related_docs=tuple(payload.get("relatedDocs", ())),
        ambiguity_reasons=tuple(payload.get("ambiguityReasons", ())),
        quality_score=payload.get("qualityScore"),
        status="applied" if done else _DECIDED.get(row.verdict, "pending"),
        atom_id=payload.get("atomId") if done else None,
        created_at=row.created_at,
    )


def _molecule_rows(
    connection: Connection, history: History, rows: Iterable[MoleculeRecommendation]
) -> Iterator[Mapping[str, Any]]:
    numbers: dict[str, int] = {}
    for position, one in enumerate(rows, start=connection.execute(select(func.count(_m.id))).scalar_one()):
        if one.run_id not in numbers:
            numbers[one.run_id] = number_of(connection, history, one.run_id)
        fields_of = {name: getattr(one, name) for name in _MOLECULE}
        yield {"run": numbers[one.run_id], "position": position, **fields_of}


def _molecule(row: Row[Any], atoms: Mapping[str, str], said: str | None, *, applied: bool) -> MoleculeRecommendation:
    found = dict(row._mapping)  # noqa: SLF001 - the public name of a row as a mapping
    created = tuple(found["atom_recommendation_ids"])
    new = (atoms[name] for name in created if name in atoms)
    found |= {"atom_recommendation_ids": created, "atom_ids": tuple(dict.fromkeys((*new, *found["atom_ids"])))}
    if applied:
        found["status"] = "applied"
    elif said is not None and found["status"] == "pending":
        found["status"] = _DECIDED.get(said, "pending")
    return MoleculeRecommendation(**found)
