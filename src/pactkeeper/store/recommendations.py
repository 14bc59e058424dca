"""What runs recommend and what became of it: atoms as the ops that create them, molecules in rows of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, func, select, update

from pactkeeper.errors import InputError
from pactkeeper.intent.records import AtomRecommendation, MoleculeRecommendation, RecommendationStatus
from pactkeeper.ledger.op import op_id
from pactkeeper.store.applications import applied_in
from pactkeeper.store.bulk import upsert
from pactkeeper.store.columns import key_of
from pactkeeper.store.decisions import holds
from pactkeeper.store.history import History
from pactkeeper.store.runs import number_of
from pactkeeper.store.tables import DECISIONS, MOLECULE_RECOMMENDATIONS, OPS, RUN_PATCHES, RUNS

_CREATES: Final = "createAtom"
_DECIDED: Final[Mapping[str, RecommendationStatus]] = {"accept": "accepted", "edit": "accepted", "reject": "rejected"}
_m = MOLECULE_RECOMMENDATIONS.c
_MOLECULE: Final = tuple(field.name for field in fields(MoleculeRecommendation) if field.name != "run_id")


def atom_recommendations(
    history: History,
    *,
    run: str | None = None,
    status: RecommendationStatus | None = None,
    test: str | None = None,
    atom: str | None = None,
) -> tuple[AtomRecommendation, ...]:
    """The atoms that runs propose in their newest patches, in the order they were first proposed.

    One that several runs propose is there once, as the newest of them does. `test` is the id of the test it was made
    from, `atom` the id that it has or would get. An accepted edit is shown with the words of the reviewer.
    """
    query = _proposed(history)
    if run is not None:
        query = query.where(RUNS.c.id == run)
    if test is not None:
        query = query.where(OPS.c.test_key == key_of(test))
    if atom is not None:
        query = query.where(OPS.c.atom == atom)
    with history.database.read() as connection:
        latest = {row.id: row for row in connection.execute(query)}
        applied = applied_in(connection, history)
    found = (_recommendation(row, applied) for row in latest.values())
    return tuple(one for one in found if status is None or one.status == status)


def molecule_recommendations(
    history: History, *, run: str | None = None, status: RecommendationStatus | None = None
) -> tuple[MoleculeRecommendation, ...]:
    """The molecules that runs suggest, in the order they were first saved; of several runs, as the newest does.

    One that stood in a patch has the status of its op there.
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
        applied = applied_in(connection, history)
        atoms = _atoms_of(connection, {name for row in rows.values() for name in row.atom_recommendation_ids})
        said = _verdicts(connection, rows)
    found = (_molecule(row, atoms, said.get(row.id), applied=row.id in applied) for row in rows.values())
    return tuple(one for one in found if status is None or one.status == status)


def _atoms_of(connection: Connection, ops: Iterable[str]) -> Mapping[str, str]:
    """The atom that each of these ops creates."""
    found = connection.execute(select(OPS.c.id, OPS.c.atom).where(OPS.c.id.in_(list(ops))))
    return {row.id: row.atom for row in found if row.atom}


def _verdicts(connection: Connection, ops: Iterable[str]) -> Mapping[str, str]:
    """What people said about these ops, where they stood in a patch."""
    query = select(DECISIONS.c.op, DECISIONS.c.verdict).where(DECISIONS.c.op.in_(list(ops)), holds())
    return {row.op: row.verdict for row in connection.execute(query)}


def save_molecules(history: History, rows: Iterable[MoleculeRecommendation]) -> None:
    """Store what runs suggest; saved again it has its new words and keeps its status and time.

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
    """Say what became of a recommended molecule, in every run that suggests it.

    Raises InputError for one that no run suggests.
    """
    ours = select(RUNS.c.number).where(RUNS.c.repository == history.repository)
    change = update(MOLECULE_RECOMMENDATIONS).where(_m.id == recommendation, _m.run.in_(ours))
    with history.database.begin() as connection:
        if not connection.execute(change.values(status=status, molecule_id=molecule_id)).rowcount:
            raise InputError(f"no run recommends the molecule {recommendation!r}; list them with: pk recommendations")


def _proposed(history: History) -> Select[Any]:
    """Every op that creates an atom in the newest patch of each run, with the decision that holds on it."""
    other = RUN_PATCHES.alias()
    newest = select(func.max(other.c.number)).where(other.c.run == RUN_PATCHES.c.run).scalar_subquery()
    return (
        select(
            OPS.c.id, OPS.c.text, RUNS.c.id.label("run_id"), RUNS.c.created_at, DECISIONS.c.verdict, DECISIONS.c.edited
        )
        .join(RUN_PATCHES, RUN_PATCHES.c.patch == OPS.c.patch)
        .join(RUNS, RUNS.c.number == RUN_PATCHES.c.run)
        .join(
            DECISIONS,
            (DECISIONS.c.patch == OPS.c.patch) & (DECISIONS.c.op == OPS.c.id) & holds(),
            isouter=True,
        )
        .where(RUNS.c.repository == history.repository, RUN_PATCHES.c.number == newest, OPS.c.verb == _CREATES)
        .order_by(RUNS.c.number, OPS.c.position)
    )


def _recommendation(row: Row[Any], applied: frozenset[str]) -> AtomRecommendation:
    op: dict[str, Any] = json.loads(row.text)
    payload: dict[str, Any] = op["payload"] if row.edited is None else row.edited
    # What an op does gives it its id, so an edited one is applied under another.
    done = not applied.isdisjoint({row.id, op_id(op["verb"], op["target"], op["precondition"], payload)})
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
