"""The declared and the observed side at one moment, joined, with a hash for every node that an op can target."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.atoms import Atom, Molecule
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest, gone_records, last_proofs, link_tests
from pactkeeper.intent.pact import LinkRecord, Pact, files_of, moved_ground, reader_of, shaken, unnamed_conftests
from pactkeeper.intent.tests import Scan, Test, file_of, hiding
from pactkeeper.ledger.canonical import JsonValue, digest

if TYPE_CHECKING:  # not needed to check an unchanged repository
    from pactkeeper.intent.claims import Claim
    from pactkeeper.intent.strength.change import Change
    from pactkeeper.intent.strength.facts import Strength
    from pactkeeper.ledger.op import Aim, Op
    from pactkeeper.repo.cache import Marks

TEST, ATOM, MOLECULE = "test:", "atom:", "molecule:"


@dataclass(frozen=True, slots=True)
class Weigh:
    """Look-ups of what tests prove now, the current id of a file's content, and which files depend on others.

    `reader` names the reader of test strengths; `then` returns the body and strength of tests in an earlier state of
    their files (id → path → digits), as read by this reader, except those whose text git lacks. `proven` remembers
    which reviewed tests were found to prove as much as at review in this state of the code.
    """

    strengths: Callable[[Sequence[Test]], Mapping[str, Strength]]
    identity: Callable[[str], str]
    resting_on: Callable[[Collection[str], Collection[str]], Collection[str]]
    reader: Callable[[], str]
    then: Callable[[Mapping[str, Mapping[str, str]]], Mapping[str, tuple[str, Strength]]]
    proven: Callable[[], Marks]


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
        stirred = frozenset() if weigh is None else moved_ground(pact.links.values(), weigh.identity)
        linked = link_tests(scan.tests, pact, stirred=stirred)
        changed = {} if weigh is None else _since_review(linked, weigh)
        unlinked: Mapping[str, tuple[str, ...]] = {}
        if changed and weigh is not None:
            linked = link_tests(scan.tests, pact, stirred=stirred, proven=_proven(changed))
            if any(changed.values()):
                changed, unlinked = _together(linked, changed, weigh)
                linked = link_tests(scan.tests, pact, stirred=stirred, proven=_proven(changed))
        weaker = changed if weigh is None else {**changed, **_since_baseline(linked, pact, weigh)}
        if weaker:
            linked = tuple(
                replace(one, weaker=weaker.get(one.test.id, ()), unlinked=unlinked.get(one.test.id, ()))
                for one in linked
            )
        indebted = frozenset() if weigh is None else _in_place_of_debt(linked, pact, weigh)
        if indebted:
            linked = tuple(replace(one, state="debt") if one.test.id in indebted else one for one in linked)
        unseen = hiding(scan.gaps)
        gone = gone_records(linked, pact, scan.gaps)
        world = World(scan, pact, linked, {entry.test.id: entry for entry in linked}, unseen, gone, weigh)
        told = gone or any(record.left for record in pact.links.values())
        return world._with_stand_ins() if told and weigh is not None else world

    def _with_stand_ins(self) -> World:
        """Mark tests that name an atom, were never reviewed, and prove less than the atom's vanished test did."""
        heirs = self._heirs()
        linked = tuple(self._stand_in(heirs.get(entry.test.id, entry)) for entry in self.linked)
        return replace(self, linked=linked, by_id={entry.test.id: entry for entry in linked})

    def _heirs(self) -> Mapping[str, LinkedTest]:
        """Return new tests that prove all that a vanished test of their file did, each for another one."""
        new = [one for one in self.linked if one.state == "orphan" and one.record is None]
        found: dict[str, LinkedTest] = {}
        for record in (self.pact.links[name] for name in self.gone) if self.weigh is not None else ():
            near = {e.test: e for e in new if e.test.file == file_of(record.test) and e.test.id not in found}
            if record.asserts and record.named and self.weigh is not None:
                lost = _compared(dict.fromkeys(near, record), self.weigh)
                heir = next((one for test, one in near.items() if lost.get(test.id) == ()), None)
                found |= {} if heir is None else {heir.test.id: replace(heir, instead_of=record.test)}
        return found

    def _stand_in(self, entry: LinkedTest) -> LinkedTest:
        reviewed = () if entry.record is None else (*entry.record.atoms, *entry.record.annotated)
        named = {one.atom for one in entry.links if one.own and one.state == "linked"}.difference(reviewed)
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
        proven = any(link.atom == atom and link.state in LIVE_LINKS for entry in others for link in entry.links)
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
            if not record.asserts or record.body == test.body_hash:
                return ()
            found = tuple(one for one in _compared({test: record}, self.weigh, held)[test.id] if one.kind != "unread")
            if not found:
                return ()
            least = min(least or found, found, key=len)
        return least

    def unproven(self, record: LinkRecord, atom: str) -> tuple[str, ...]:
        """Return the assertions by which a record proved an atom and which none of the atom's tests proves now."""
        if self.weigh is None or not record.asserts:
            return ()
        tests = [one.test for one in self.linked if any(x.atom == atom and x.state in LIVE_LINKS for x in one.links)]
        found = _compared(dict.fromkeys(tests, record), self.weigh)
        lost = [{one.old for one in found[test.id] if one.kind != "unread"} for test in tests]
        return tuple(sorted(set.intersection(*lost))) if lost else record.asserts

    def last_proofs(self) -> frozenset[str]:
        """Return the records of vanished tests that alone remember something of what proved a committed atom."""
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
                    lost = self.unproven(record, atom)
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
        named = {link.atom for entry in self.linked for link in entry.links}
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


def _since_review(linked: Iterable[LinkedTest], weigh: Weigh) -> Mapping[str, tuple[Change, ...]]:
    """Return what became weaker in each test that changed since its review; empty if nothing did."""
    changed = {
        entry.test: entry.record
        for entry in linked
        if entry.record is not None and entry.record.asserts and any(one.state == "suspect" for one in entry.links)
    }
    if not changed:
        return {}
    marks = {test: _mark(record, test.body_hash) for test, record in changed.items()}
    proven = weigh.proven()
    known = proven.known(marks.values())
    found = _compared({test: record for test, record in changed.items() if marks[test] not in known}, weigh)
    proven.note(marks[test] for test in changed if found.get(test.id, (None,)) == ())
    return {test.id: () for test in changed if marks[test] in known} | found


def _proven(changed: Mapping[str, tuple[Change, ...]]) -> set[str]:
    return {name for name, found in changed.items() if not found}


def _together(
    linked: Sequence[LinkedTest], changed: Mapping[str, tuple[Change, ...]], weigh: Weigh
) -> tuple[Mapping[str, tuple[Change, ...]], Mapping[str, tuple[str, ...]]]:
    """Return what got weaker, counting all tests of the same atoms, and which unlinked tests would make up for it."""
    from pactkeeper.reconcile.together import together  # noqa: PLC0415 - only where a test got weaker

    def compare(entry: LinkedTest, others: Sequence[Strength]) -> tuple[Change, ...]:
        return () if entry.record is None else _compared({entry.test: entry.record}, weigh, others)[entry.test.id]

    found = together(linked, changed, weigh.strengths, compare)
    return {**changed, **found.weaker}, found.unlinked


def _mark(record: LinkRecord, body: str) -> str:
    """Return a digest of all that the comparison of a test with its review depends on besides the code."""
    return digest([record.test, record.body, body, list(record.asserts), list(record.rests)])


def _compared(
    changed: Mapping[Test, LinkRecord], weigh: Weigh, beside: Sequence[Strength] = ()
) -> dict[str, tuple[Change, ...]]:
    """Compare each test with what was reviewed.

    The reviewed text is read again if another reader noted what it proves, or if something may keep the test from
    failing: the record doesn't say what did so then. What one of the tests `beside` proves isn't asked of it.
    """
    if not changed:
        return {}
    from pactkeeper.intent.strength.change import unsure  # noqa: PLC0415 - most checks find nothing changed
    from pactkeeper.intent.strength.review import (  # noqa: PLC0415 - likewise
        apart_from,
        excused,
        is_shortened,
        needs_both,
        reviewed,
        since,
        since_review,
    )

    now = weigh.strengths(list(changed))
    lines = {test.id: record.asserts for test, record in changed.items()}
    found = {name: since_review(lines[name], strength, test=name, others=beside) for name, strength in now.items()}
    by_others = {record.test for record in changed.values() if reader_of(record.rests) != weigh.reader()}
    short = {one.test for test, one in changed.items() if is_shortened((*one.asserts, *reviewed(now[test.id])))}
    both = by_others | short
    others = {test: record for test, record in changed.items() if record.test in both or needs_both(now[test.id])}
    files = {record.test: _files_then(record) for record in others.values()}
    then = weigh.then({name: paths for name, paths in files.items() if paths}) if others else {}
    for test, record in others.items():
        body, old = then.get(record.test, ("", None))
        if old is None or body != record.body:  # its text is not the one that was reviewed
            found[test.id] = unsure(found[test.id]) if record.test in by_others else found[test.id]
            continue
        new = now[test.id]
        if record.test in both:
            again = record.test in short or since_review(reviewed(old), new, test=test.id, others=beside)
            found[test.id] = since(apart_from(beside, old, new), new, test=test.id) if again else ()
        found[test.id] = found[test.id] or excused(old, new, test=test.id)
    return found


def _files_then(record: LinkRecord) -> Mapping[str, str]:
    """Return the files that a reviewed test rested on with the digits of their content; "" for none."""
    files = files_of(record.rests)
    return {**files, **dict.fromkeys(unnamed_conftests(record), "")} if files else {}


def _since_baseline(linked: Iterable[LinkedTest], pact: Pact, weigh: Weigh) -> Mapping[str, tuple[Change, ...]]:
    """Return what became weaker in each test that is debt and changed, or depends on a file that did."""
    marks, readers, bodies = pact.debt.baselines, pact.debt.readers, pact.debt.by_test
    own = [entry for entry in linked if entry.state in {"debt", "changed_debt"} and entry.test.id in marks]
    changed = shaken(pact.debt.grounds, weigh.identity) if own else ()
    files = weigh.resting_on(changed, {entry.test.file for entry in own}) if changed else ()
    tests = [entry.test for entry in own if entry.state == "changed_debt" or entry.test.file in files]
    if not tests:
        return {}
    from pactkeeper.intent.strength.change import baseline, since_baseline, unsure  # noqa: PLC0415 - likewise
    from pactkeeper.intent.strength.review import since  # noqa: PLC0415 - likewise

    now = weigh.strengths(tests)
    found = {name: since_baseline(marks[name], strength, test=name) for name, strength in now.items()}
    by_others = {name for name in now if readers.get(name) != weigh.reader()}
    asked = {name: pact.debt.grounds for name in now if found[name] or name in by_others}
    then = weigh.then(asked) if asked and pact.debt.grounds else {}
    for name in asked:
        body, old = then.get(name, ("", None))
        if old is not None and body == bodies[name]:
            found[name] = since_baseline(baseline(old), now[name], test=name)
            found[name] = found[name] if since(old, now[name], test=name) else ()  # fewer assertions may say as much
        elif name in by_others:
            found[name] = unsure(found[name])
    return found


def _in_place_of_debt(linked: Sequence[LinkedTest], pact: Pact, weigh: Weigh) -> frozenset[str]:
    """Return new tests that only assert what vanished debt tests of their file did: merged, split or renamed ones."""
    new = [one.test for one in linked if one.state == "orphan" and one.record is None]
    if not new or not pact.debt.by_test:
        return frozenset()
    known = {one.test.id for one in linked} | {one.test.body_hash for one in linked}
    grounds = {test.file: pact.debt.grounds[test.file] for test in new if test.file in pact.debt.grounds}
    vanished = {
        name: body
        for name, body in pact.debt.by_test.items()
        if file_of(name) in grounds and known.isdisjoint((name, body))
    }
    if not vanished:
        return frozenset()
    then = weigh.then({name: {file_of(name): grounds[file_of(name)]} for name in vanished})
    offered: defaultdict[str, Counter[Claim]] = defaultdict(Counter)
    for name, (body, strength) in then.items():
        if body == vanished[name]:
            offered[file_of(name)].update(fact.claim for fact in strength.facts)
    now = weigh.strengths([test for test in new if test.file in offered])
    return frozenset(test.id for test in new if test.id in now and _taken(now[test.id], offered[test.file]))


def _taken(strength: Strength, offered: Counter[Claim]) -> bool:
    """Take all assertions of a test from those offered; False if there are others, or none."""
    own = Counter(fact.claim for fact in strength.facts)
    if not own or not strength.runs or not own <= offered:
        return False
    offered.subtract(own)
    return True


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
        "status": atom.status,
        "origin": atom.origin,
        "source": atom.source,
        "tags": list(atom.tags),
        "supersedes": atom.supersedes,
        "committed": pact.is_committed(atom.id),
        "successor": next(iter(pact.claimants_of(atom.id)), None),
    }
