"""Which vanished record a test continues: the same body under another id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pactkeeper.intent.links import LinkedTest, TestState
from pactkeeper.intent.pact import LinkRecord, Pact
from pactkeeper.intent.tests import file_of

# States that need words.
WITHOUT_INTENT: frozenset[TestState] = frozenset({"orphan", "debt", "changed_debt"})


def moves(linked: Sequence[LinkedTest], pact: Pact, gone: Iterable[str]) -> Mapping[str, str]:
    """Test id → id of the vanished record that it continues; a record is continued by one test at most.

    A test whose annotations moved along continues a record of the same atoms. Where several share a body, those of the
    same name belong together. Of the rest one record, or records that all say the same, go to the tests in order;
    records that differ go to none, since nothing tells which is whose.
    """
    records = _records(pact, gone)
    tests: dict[tuple[str, frozenset[str]], list[str]] = {}
    for entry in linked if records else ():
        key = (entry.test.body_hash, frozenset(link.atom for link in entry.links))
        if key in records and (entry.state in WITHOUT_INTENT or entry.record is None):
            tests.setdefault(key, []).append(entry.test.id)
    found: dict[str, str] = {}
    for key, names in tests.items():
        taken = set(found.values())
        found.update(_paired(names, [record for record in records[key] if record.test not in taken]))
    return found


def changed_along(
    linked: Sequence[LinkedTest], pact: Pact, gone: Iterable[str], moved: Mapping[str, str]
) -> Mapping[str, str]:
    """Test id → id of the vanished record of its name, for tests that changed while their file moved.

    Nobody reviewed the new body, so such a test is not followed: a person names the atom again.
    """
    left = {*gone} - {*moved.values()}
    if not left:
        return {}
    files = {file_of(new): file_of(old) for new, old in (*moved.items(), *_moved_before(linked, pact))}
    found = {
        entry.test.id: f"{files[entry.test.file]}::{_name(entry.test.id)}"
        for entry in linked
        if entry.test.file in files and entry.state in WITHOUT_INTENT and entry.test.id not in moved
    }
    return {new: old for new, old in found.items() if old in left}


def _moved_before(linked: Sequence[LinkedTest], pact: Pact) -> Iterator[tuple[str, str]]:
    """Tests that were followed already: they have the name that their atom came from, in another file."""
    for entry in linked:
        for link in entry.links:
            origin = pact.atoms[link.atom].origin if link.atom in pact.atoms else None
            if origin and file_of(origin) != entry.test.file and _name(origin) == _name(entry.test.id):
                yield entry.test.id, origin


def _records(pact: Pact, gone: Iterable[str]) -> dict[tuple[str, frozenset[str]], list[LinkRecord]]:
    """Vanished records by body and by the atoms that a test of that body may be annotated with, none included."""
    found: dict[tuple[str, frozenset[str]], list[LinkRecord]] = {}
    for name in gone:
        record = pact.links[name]
        if record.body and (record.atoms or record.annotated):
            found.setdefault((record.body, frozenset()), []).append(record)
            found.setdefault((record.body, frozenset((*record.atoms, *record.annotated))), []).append(record)
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
