"""Which vanished record a test without links continues: the same body under another id."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.intent.links import LinkedTest, TestState
from pactkeeper.intent.pact import LinkRecord
from pactkeeper.reconcile.world import World

# States that need words.
WITHOUT_INTENT: frozenset[TestState] = frozenset({"orphan", "debt", "changed_debt"})


def moves(world: World) -> Mapping[str, str]:
    """Test id → id of the vanished record that it continues; a record is continued by one test at most.

    Where several share a body, those of the same name belong together. Of the rest one record, or records that all say
    the same, go to the tests in order; records that differ go to none, since nothing tells which is whose.
    """
    records = _records_by_body(world)
    tests: dict[str, list[LinkedTest]] = {}
    for entry in world.linked:
        if entry.state in WITHOUT_INTENT and entry.test.body_hash in records:
            tests.setdefault(entry.test.body_hash, []).append(entry)
    found: dict[str, str] = {}
    for body, entries in tests.items():
        found.update(_paired([entry.test.id for entry in entries], records[body]))
    return found


def _records_by_body(world: World) -> dict[str, list[LinkRecord]]:
    found: dict[str, list[LinkRecord]] = {}
    for name in world.gone:
        record = world.pact.links[name]
        if record.body and (record.atoms or record.annotated):
            found.setdefault(record.body, []).append(record)
    return found


def _paired(tests: list[str], records: list[LinkRecord]) -> dict[str, str]:
    found: dict[str, str] = {}
    for record in records:
        same = [test for test in tests if test not in found and _name(test) == _name(record.test)]
        if len(same) == 1:
            found[same[0]] = record.test
    taken = set(found.values())
    left = [record for record in records if record.test not in taken]
    if len({(*record.atoms, "", *record.annotated) for record in left}) == 1:
        free = [test for test in tests if test not in found]
        found.update(zip(free, (record.test for record in left), strict=False))
    return found


def _name(test: str) -> str:
    return test.partition("::")[2]
