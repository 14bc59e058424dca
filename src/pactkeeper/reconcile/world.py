"""The declared and the observed side at one moment, joined, with a hash for every node that an op can target."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.atoms import Atom, Molecule
from pactkeeper.intent.links import (
    FIRM_LINKS,
    IN_DOUBT,
    LIVE_LINKS,
    LinkedTest,
    gone_records,
    has_changed,
    last_proofs,
    link_tests,
)
from pactkeeper.intent.pact import LinkRecord, Pact, moved_ground
from pactkeeper.intent.tests import Scan, Test, file_of, hiding
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.reconcile.debt import in_place_of_debt
from pactkeeper.reconcile.heirs import heirs_of, lost_of
from pactkeeper.reconcile.weighing import (
    Weigh,
    compared,
    proven_by,
    together,
    weaker_since_baseline,
    weaker_since_review,
)

if TYPE_CHECKING:  # not needed to check an unchanged repository
    from pactkeeper.intent.strength.change import Change
    from pactkeeper.ledger.op import Aim, Op

TEST, ATOM, MOLECULE = "test:", "atom:", "molecule:"


@dataclass(frozen=True, slots=True)
class World:
    """Tests with their links and the pact; `unseen` are files that may contain unlisted tests.

    `gone` are the sorted ids of records without a test although every file it could be in was seen. `weigh` reads what
    tests prove.
    """

    scan: Scan
    pact: Pact
    linked: tuple[LinkedTest, ...]
    by_id: Mapping[str, LinkedTest] = field(repr=False)
    unseen: frozenset[str] = frozenset()
    gone: tuple[str, ...] = ()
    weigh: Weigh | None = field(default=None, repr=False, compare=False)

    @staticmethod
    def of(scan: Scan, pact: Pact, weigh: Weigh | None = None) -> World:
        """Join a scan with the pact of the same snapshot; `weigh` reads what tests changed since review prove."""
        stirred = frozenset() if weigh is None else moved_ground(pact.links.values(), weigh.snapshot.identity)
        linked = link_tests(scan.tests, pact, stirred=stirred)
        changed, off = ({}, {}) if weigh is None else weaker_since_review(linked, weigh, scan)
        unlinked: Mapping[str, tuple[str, ...]] = {}
        if changed and weigh is not None:
            linked = link_tests(scan.tests, pact, stirred=stirred, proven=proven_by(changed))
            if any(changed.values()):
                changed, unlinked = together(linked, changed, off, weigh)
                linked = link_tests(scan.tests, pact, stirred=stirred, proven=proven_by(changed))
        weaker = changed if weigh is None else {**changed, **weaker_since_baseline(linked, pact, weigh)}
        if weaker:
            linked = tuple(
                replace(one, weaker=weaker.get(one.test.id, ()), unlinked=unlinked.get(one.test.id, ()))
                for one in linked
            )
        indebted = {} if weigh is None else in_place_of_debt(linked, pact, weigh)
        linked = tuple(indebted.get(one.test.id, one) for one in linked) if indebted else linked
        unseen = hiding(scan.gaps)
        gone = gone_records(linked, pact, scan.gaps)
        world = World(scan, pact, linked, {entry.test.id: entry for entry in linked}, unseen, gone, weigh)
        told = gone or any(record.left for record in pact.links.values())
        return world._with_stand_ins() if told and weigh is not None else world

    def _with_stand_ins(self) -> World:
        """Mark tests that name an atom, were never reviewed, and prove less than the atom's vanished test did."""
        new = [one for one in self.linked if one.record is None and (one.state == "orphan" or one.links)]
        firm = [one for one in self.linked if one.record is not None and one.state in FIRM_LINKS]
        files, weigh = self.scan.by_file, self.weigh
        heirs = {} if weigh is None else heirs_of(self.gone, new, self.pact, firm=firm, files=files, weigh=weigh)
        linked = tuple(self._stand_in(heirs.get(entry.test.id, entry)) for entry in self.linked)
        return replace(self, linked=linked, by_id={entry.test.id: entry for entry in linked})

    def _stand_in(self, entry: LinkedTest) -> LinkedTest:
        reviewed = () if entry.record is None else (*entry.record.atoms, *entry.record.annotated)
        standing = {one.atom for one in entry.links if one.own and one.state in {"linked", "unreviewed"}}
        named = standing.difference(reviewed)
        lesser = {atom: found for atom in sorted(named) if (found := self.lesser(entry.test, atom))}
        if not lesser:
            return entry
        links = tuple(replace(one, state="suspect") if one.atom in lesser else one for one in entry.links)
        return replace(entry, state="suspect", links=links, weaker=next(iter(lesser.values())))

    def vanished(self, atom: str) -> tuple[LinkRecord, ...]:
        """Return the records of the atom's tests that are gone."""
        records = [self.pact.links[name] for name in self.gone]
        return tuple(one for one in records if atom in one.named)

    def _left(self, test: Test, atom: str) -> tuple[LinkRecord, ...]:
        """Return what this test proved of an atom before it left it; if nothing proves that now, what any test did."""
        own = self.record_of(test.id)
        others = [entry for entry in self.linked if entry.test.id != test.id and not entry.weaker]
        proven = any(atom in entry.atoms(LIVE_LINKS) for entry in others)
        records = [own] if proven else self.pact.links.values()
        found = (None if record is None or not record.left else record.once(atom) for record in records)
        return tuple(record for record in found if record is not None)

    def lesser(self, test: Test, atom: str, beside: Sequence[Test] = ()) -> tuple[Change, ...]:
        """Return what a test, and those beside it, fail to prove that each vanished or relinked test of an atom did."""
        if self.weigh is None:
            return ()
        least: tuple[Change, ...] = ()
        held = [*self.weigh.strengths(beside).values()] if beside else []
        for record in (*self.vanished(atom), *self._left(test, atom)):
            if not record.asserts:
                return ()
            less = lost_of([test], record, self.weigh, held)[test.id]
            found = tuple(one for one in less if one.kind not in IN_DOUBT)
            if not found:
                return ()
            least = min(least or found, found, key=len)
        return least

    def outdated(self, entries: Iterable[LinkedTest]) -> tuple[LinkedTest, ...]:
        """Return tests that changed since review, or rest on files that did, and prove no less."""
        firm = [one for one in entries if one.record is not None and one.links and one.state in FIRM_LINKS]
        if self.weigh is None or not firm:
            return ()
        from pactkeeper.intent.strength.review import reviewed  # noqa: PLC0415 - only where a person accepts tests

        now = self.weigh.strengths([one.test for one in firm])
        records = {one.test: one.record for one in firm if one.record is not None}
        stirred = moved_ground(records.values(), self.weigh.snapshot.identity)
        changed = {
            test
            for test, record in records.items()
            if record.test in stirred or has_changed(test, record) or record.asserts != reviewed(now[test.id])
        }
        return tuple(one for one in firm if one.test in changed)

    def weaker(self, entry: LinkedTest, beside: Sequence[Test]) -> tuple[Change, ...]:
        """Return what a test no longer proves of what was reviewed, apart from what those beside it prove."""
        if self.weigh is None or entry.record is None or not beside:
            return entry.weaker
        held = [*self.weigh.strengths(beside).values()]
        return compared({entry.test: entry.record}, self.weigh, held)[entry.test.id]

    def unproven(self, record: LinkRecord, atom: str, known: Container[str] = ()) -> tuple[str, ...]:
        """Return the assertions by which a record proved an atom and which none of the atom's tests proves now.

        Tests that were `known` when it was written are other ones, whatever their name.
        """
        if self.weigh is None or not record.asserts:
            return ()
        tests = [one.test for one in self.linked if atom in one.atoms(LIVE_LINKS)]
        found = lost_of(tests, record, self.weigh, known=known)
        lost = [{one.old for one in found[test.id] if one.kind not in IN_DOUBT} for test in tests]
        return tuple(sorted(set.intersection(*lost))) if lost else record.asserts

    def last_proofs(self) -> frozenset[str]:
        """Return the records of vanished tests that alone remember something of what proved an atom that keeps it."""
        alone = last_proofs(self.linked, self.pact, self.gone)
        others = (self.pact.links[name] for name in self.gone if name not in alone)
        return alone | {one.test for one in others if any(self.unproven(one, atom) for atom in self._promises(one))}

    def forgotten(self, earlier: Pact) -> Iterator[tuple[LinkRecord, str, tuple[str, ...]]]:
        """Yield what records of an earlier pact proved of committed atoms, if it is noted and proven no more.

        Each is the record, the atom and the lost assertions. Files that could not be read are passed over.
        """
        for record in earlier.links.values():
            now = self.pact.links.get(record.test)
            if now == record or file_of(record.test) in self.unseen:
                continue
            noted = now.named if now is not None and (now.body, now.asserts) == (record.body, record.asserts) else ()
            for atom in self._promises(record):
                if atom not in noted and earlier.status_of(atom) == "committed":
                    lost = self.unproven(record, atom, earlier.links)
                    if lost:
                        yield record, atom, lost

    def _promises(self, record: LinkRecord) -> list[str]:
        return [atom for atom in record.named if self.pact.status_of(atom) == "committed"]

    def node_hash(self, target: str) -> str | None:
        """Hash the current state of the node `target`; None if there is no such node.

        A test's node is its body with its links and their reviewed state, an atom's its table with its commitment and
        successor, a molecule's its table. Rejections are not included: whoever reconsiders decides on the same test.
        """
        kind, _, name = target.partition(":")
        if f"{kind}:" == TEST:
            return _hash(_test_node(self.by_id.get(name), self.record_of(name)))
        if f"{kind}:" == ATOM:
            return _hash(_atom_node(self.pact.atoms.get(name), self.pact))
        molecule = self.pact.molecules.get(name)
        return _hash(None if molecule is None else _molecule_node(molecule))

    def record_of(self, test: str) -> LinkRecord | None:
        """Return the record that applies to a test, wherever it is written; for a vanished one, the one with its id."""
        entry = self.by_id.get(test)
        return self.pact.links.get(test) if entry is None else entry.record

    def ids_in_use(self) -> set[str]:
        """Return every id declared in the pact or named by a test: a new atom must not pick up an old link."""
        named = {atom for entry in self.linked for atom in entry.atoms()}
        recorded = {atom for record in self.pact.links.values() for atom in (*record.atoms, *record.annotated)}
        frozen = {atom for one in self.pact.commitments.values() for atom in one.frozen}
        return {*self.pact.atoms, *named, *recorded, *frozen}

    def current(self, op: Op | Aim) -> str | None:
        """Hash the current state of what `op` was proposed for; a new atom is stale if its source test changed."""
        changed = self._changed_source(op)
        return self.node_hash(op.target) if changed is None else digest(["source changed", changed.get("testId")])

    def holds(self, op: Op | Aim) -> bool:
        """Whether what `op` was proposed for is unchanged."""
        return self._changed_source(op) is None and self.node_hash(op.target) == op.precondition

    def _changed_source(self, op: Op | Aim) -> Mapping[str, JsonValue] | None:
        """Return the source test of an atom to be created if that changed or is gone."""
        if op.verb != "createAtom" or op.target in self.pact.atoms:
            return None
        source = op.payload.get("sourceTest")
        if not isinstance(source, Mapping):
            return None
        name = source.get("testId")
        entry = self.by_id.get(name) if isinstance(name, str) else None
        return source if entry is None or entry.test.body_hash != source.get("bodyHash") else None


def unmarked(world: World) -> list[Test]:
    """Return the tests that are debt under their own name and whose strength at the time is not recorded."""
    debt = world.pact.debt
    own = [entry.test for entry in world.linked if entry.state == "debt" and entry.test.id in debt.by_test]
    return [test for test in own if test.id not in debt.baselines]


def _molecule_node(molecule: Molecule) -> JsonValue:
    node: list[JsonValue] = [molecule.name, molecule.description, list(molecule.atoms)]
    if molecule.lens or molecule.molecules or molecule.tests:
        node += [molecule.lens, list(molecule.molecules), list(molecule.tests)]
    return node


def _hash(node: JsonValue) -> str | None:
    return None if node is None else digest(node)


def _test_node(entry: LinkedTest | None, record: LinkRecord | None) -> JsonValue:
    if entry is None and record is None:
        return None
    links: list[JsonValue] = [] if entry is None else [[one.atom, one.carrier, one.scope] for one in entry.links]
    node: dict[str, JsonValue] = {
        "body": None if entry is None else entry.test.body_hash,
        "links": links,
        "record": _record_node(record),
    }
    if entry is not None and entry.test.helpers:
        node["helpers"] = entry.test.helpers
    return node


def _record_node(record: LinkRecord | None) -> JsonValue:
    if record is None or not (record.atoms or record.annotated):
        return None
    reviewed: list[JsonValue] = [] if record.helpers is None else [record.helpers]
    return [list(record.atoms), list(record.annotated), record.body, *reviewed]


def _atom_node(atom: Atom | None, pact: Pact) -> JsonValue:
    if atom is None:
        return None
    return {
        "frozen": atom.frozen_hash(),
        "status": atom.status if pact.abandonment_of(atom.id) is None else "abandoned",
        "origin": atom.origin,
        "source": atom.source,
        "tags": list(atom.tags),
        "supersedes": atom.supersedes,
        "committed": pact.is_committed(atom.id),
        "successor": next(iter(pact.claimants_of(atom.id)), None),
    }
