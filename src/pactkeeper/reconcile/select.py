"""Selects the tests a run examines: the mechanical step before any inference.

Also determines which vanished record a test continues: the same body under another id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace

from pactkeeper.intent.links import LinkedTest, TestState, lost_annotations
from pactkeeper.intent.pact import LinkRecord, Pact
from pactkeeper.intent.quality import QualityVocabulary
from pactkeeper.intent.records import TestRecord
from pactkeeper.intent.tests import file_of, leaf, under, within
from pactkeeper.ledger.canonical import JsonValue, by_key, digest
from pactkeeper.ledger.op import Aim, Op
from pactkeeper.reconcile.world import TEST, World

# Incremented whenever the same source may be worded differently: earlier results are then re-examined.
WORDING = 10

# States that lack only a person's confirmation.
TO_CONFIRM: frozenset[TestState] = frozenset({"inherited", "unreviewed", "suspect", "superseded"})


@dataclass(frozen=True, slots=True)
class Selection:
    """The tests to infer from, those to confirm, records of vanished tests, and what was left out and why.

    `beyond` are the ids of tests that a limit cut off.
    """

    infer: tuple[LinkedTest, ...]
    confirm: tuple[LinkedTest, ...]
    gone: tuple[str, ...]
    left_out: tuple[tuple[str, int], ...]
    beyond: tuple[str, ...] = ()

    def leaving_out(self, reason: str, number: int) -> Selection:
        """Return the selection with `number` more left out for a reason."""
        counts = dict(self.left_out)
        counts[reason] = counts.get(reason, 0) + number
        return replace(self, left_out=tuple(row for row in counts.items() if row[1]))

    def first(self, most: int | None) -> Selection:
        """Return the selection with inference limited to at most `most` tests; None sets no limit."""
        if most is None:
            return self
        beyond = tuple(entry.test.id for entry in self.infer[most:])
        return replace(self, infer=self.infer[:most], beyond=beyond).leaving_out("beyond_max_tests", len(beyond))


@dataclass(frozen=True, slots=True)
class Memory:
    """What earlier runs know: the record of each test by id, and the ids of their unsettled ops.

    `answered` are tests that somebody answered a question about: a delta includes them even if unchanged. `proposed`
    are the waiting ops; `together` are those of one run that would be applied at once, all or none.
    """

    records: Mapping[str, TestRecord] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()
    answered: frozenset[str] = frozenset()
    proposed: tuple[Op | Aim, ...] = ()
    together: tuple[frozenset[str], ...] = ()

    def stale(self, world: World) -> frozenset[str]:
        """Return the waiting ops whose target has changed since, and those that can't be applied because of them.

        A changed test that still lacks something is proposed anew, and its older op waits no longer. One that somebody
        settled or deleted isn't, so everything that would be applied together with its op has to be proposed anew.
        """
        changed = [op for op in self.proposed if not world.holds(op)]
        for_good = {op.id for op in changed if op.verb in _OF_TESTS and not _lacks_something(op.group, world)}
        return frozenset(op.id for op in changed).union(*(ops for ops in self.together if ops & for_good))

    def without_stale(self, world: World) -> Memory:
        """Return the memory without stale ops; their tests are to be examined again."""
        stale = self.stale(world)
        again = {op.group for op in self.proposed if op.id in stale}
        return replace(self, waiting=self.waiting - stale, answered=self.answered | again)

    def knows(self, test: str, seen_as: str) -> bool:
        """Whether a run examined the test exactly as it is now, and its proposal, if any, still waits."""
        record = self.records.get(test)
        if record is None or record.node != seen_as:
            return False
        return record.outcome != "proposed" or record.recommendation in self.waiting


_OF_TESTS = frozenset({"createAtom", "attachTestToAtom"})


def _lacks_something(test: str, world: World) -> bool:
    return test in world.by_id and world.by_id[test].state in WITHOUT_INTENT | TO_CONFIRM


def leave_known(selection: Selection, world: World, memory: Memory) -> Selection:
    """Leave out tests that an earlier run examined as they are."""

    def news(entries: Sequence[LinkedTest]) -> tuple[LinkedTest, ...]:
        return tuple(one for one in entries if not memory.knows(one.test.id, seen_as(one, world)))

    infer, confirm = news(selection.infer), news(selection.confirm)
    known = len(selection.infer) - len(infer) + len(selection.confirm) - len(confirm)
    return replace(selection, infer=infer, confirm=confirm).leaving_out("looked_at_before", known)


def seen_as(entry: LinkedTest, world: World) -> str:
    """Digest what a run's view of a test depends on: the test with its links, its atoms, the rules and the settings."""
    settings = world.pact.settings
    states: list[JsonValue] = [[link.state, link.successor] for link in entry.links]
    node = world.node_hash(TEST + entry.test.id)
    bar = f"{settings.inference_threshold:.2f}"
    quality: list[JsonValue] = [str(part) for part in astuple(QualityVocabulary.of(settings))]
    return digest([node, entry.test.words, states, WORDING, bar, settings.link_carrier, quality])


def select(world: World, *, changed: Collection[str] | None, paths: Sequence[str] = ()) -> Selection:
    """Select tests by state, then by `changed` (None means all, the full scan) and by paths.

    The record of a moved test is examined together with the test, wherever that is now, and a test whose atom was
    superseded is examined even if unchanged. Debt that moved or was adapted to a rename of the product, under its own
    name, is not among what `changed`.
    """
    inside = [entry for entry in world.linked if not paths or under(entry.test.file, paths)]
    wanted = [one for one in inside if changed is None or (one.test.id in changed and not _is_same_debt(one))]
    gone = tuple(name for name in world.gone if not paths or under(file_of(name), paths))
    damaged = damaged_tests(world)
    wordless = _wordless(world, inside, wanted, gone) - damaged
    waiting = _to_confirm(inside, wanted) - damaged
    left_out = [
        ("rejected_before", sum(entry.state == "rejected" for entry in wanted)),
        ("damaged_by_a_syntax_error", sum(entry.test.id in damaged for entry in wanted)),
    ]
    return Selection(
        tuple(entry for entry in world.linked if entry.test.id in wordless),
        tuple(entry for entry in inside if entry.test.id in waiting),
        gone,
        tuple(row for row in left_out if row[1]),
    )


def _wordless(
    world: World, inside: Iterable[LinkedTest], wanted: Iterable[LinkedTest], gone: Collection[str]
) -> set[str]:
    """Return the tests that need words: those without intent, those that moved, and those that lost an annotation."""
    found = {entry.test.id for entry in wanted if entry.state in WITHOUT_INTENT}
    found |= {test for test, old in continued(world.linked, world.pact, world.gone).items() if old in gone}
    return found | {one.test.id for one in inside if one.state not in TO_CONFIRM and lost_annotations(one, world.pact)}


def _to_confirm(inside: Iterable[LinkedTest], wanted: Iterable[LinkedTest]) -> set[str]:
    """Return the tests with links that somebody has to confirm, or whose own atom was superseded."""
    replaced = (one.test.id for one in inside for link in one.links if link.own and link.state == "superseded")
    return {entry.test.id for entry in wanted if entry.state in TO_CONFIRM}.union(replaced)


def _is_same_debt(entry: LinkedTest) -> bool:
    return entry.state == "debt" and within(entry.debt_of) == within(entry.test.id)


def damaged_tests(world: World) -> frozenset[str]:
    """Return tests with a gap between their first and last line: their statements can't be read reliably."""
    lines = by_key((gap.file, gap.line) for gap in world.scan.gaps)
    return frozenset(
        entry.test.id
        for entry in world.linked
        if any(entry.test.line <= line <= entry.test.end_line for line in lines.get(entry.test.file, ()))
    )


# States that need an intent.
WITHOUT_INTENT: frozenset[TestState] = frozenset({"orphan", "debt", "changed_debt"})


def continued(linked: Sequence[LinkedTest], pact: Pact, gone: Collection[str]) -> Mapping[str, str]:
    """Map test ids to the vanished record they continue; a record is continued by at most one test.

    It has the same body or proves all that was reviewed: the product's names may have changed. A test whose annotations
    moved along continues a record of the same atoms. Among several with one body, equal names belong together. Of the
    rest, one record, or records with equal content, go to the tests in order; differing records go to none, since
    nothing tells which belongs to which.
    """
    found = _with_the_same_body(linked, _records(pact, gone))
    alike = Counter(pact.links[name].asserts for name in gone)  # of records that hold the same only a name tells more
    for one in (each for each in linked if each.instead_of and not (each.unlinked or each.weaker)):
        test, old = one.test.id, one.instead_of
        certain = one.links or leaf(test) == leaf(old) or alike[pact.links[old].asserts] == 1
        if certain and test not in found and old not in found.values():
            found[test] = old
    return found


_Key = tuple[str, frozenset[str]]  # a body, and the atoms that a test with it names


def _with_the_same_body(linked: Sequence[LinkedTest], records: Mapping[_Key, Sequence[LinkRecord]]) -> dict[str, str]:
    tests: dict[_Key, list[str]] = {}
    for entry in linked if records else ():
        key = (entry.test.body_hash, frozenset(entry.atoms()))
        less = entry.unlike or entry.unlinked  # its helpers or tables say less than those of the vanished test did
        if key in records and not less and (entry.state in WITHOUT_INTENT or entry.record is None):
            tests.setdefault(key, []).append(entry.test.id)
    found: dict[str, str] = {}
    for key, names in tests.items():
        taken = set(found.values())
        found.update(_paired(names, [record for record in records[key] if record.test not in taken]))
    return found


def moves(linked: Sequence[LinkedTest], pact: Pact, gone: Collection[str]) -> Mapping[str, str]:
    """Map those tests that continue a vanished record without a change of name and body in the same place."""
    bodies = {one.test.id: one.test.body_hash for one in linked if not one.links}
    return {
        test: old
        for test, old in continued(linked, pact, gone).items()
        if file_of(test) != file_of(old) or leaf(test) == leaf(old) or bodies.get(test) in {None, pact.links[old].body}
    }


def changed_along(
    linked: Sequence[LinkedTest], pact: Pact, gone: Iterable[str], moved: Mapping[str, str]
) -> Mapping[str, str]:
    """Map test ids to the vanished record with their name, for tests that changed while their file moved.

    Nobody reviewed the new body, so such a test is not followed: a person has to name the atom again.
    """
    left = {*gone} - {*moved.values()}
    if not left:
        return {}
    files = {file_of(new): file_of(old) for new, old in (*moved.items(), *_moved_before(linked, pact))}
    found = {
        entry.test.id: f"{files[entry.test.file]}::{within(entry.test.id)}"
        for entry in linked
        if entry.test.file in files and entry.state in WITHOUT_INTENT and entry.test.id not in moved
    }
    return {new: old for new, old in found.items() if old in left}


def _moved_before(linked: Sequence[LinkedTest], pact: Pact) -> Iterator[tuple[str, str]]:
    """Yield tests that were already followed: they have their atom's origin's name, in another file."""
    for entry in linked:
        for link in entry.links:
            origin = pact.atoms[link.atom].origin if link.atom in pact.atoms else None
            if origin and file_of(origin) != entry.test.file and within(origin) == within(entry.test.id):
                yield entry.test.id, origin


def _records(pact: Pact, gone: Iterable[str]) -> dict[_Key, list[LinkRecord]]:
    """Map vanished records by body and by the atoms a test with that body may be annotated with, including none."""
    found: dict[_Key, list[LinkRecord]] = {}
    for name in gone:
        record = pact.links[name]
        if record.body and (record.atoms or record.annotated):
            found.setdefault((record.body, frozenset()), []).append(record)
            found.setdefault((record.body, frozenset((*record.atoms, *record.annotated))), []).append(record)
    return found


def _paired(tests: list[str], records: list[LinkRecord]) -> dict[str, str]:
    found: dict[str, str] = {}
    for record in records:
        same = [test for test in tests if test not in found and within(test) == within(record.test)]
        if len(same) == 1:
            found[same[0]] = record.test
    taken = set(found.values())
    left = [record for record in records if record.test not in taken]
    if len({(*record.atoms, "", *record.annotated) for record in left}) == 1:
        free = [test for test in tests if test not in found]
        found.update(zip(free, (record.test for record in left), strict=False))
    return found
