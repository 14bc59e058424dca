"""Which test realises which atom, and the state of each link, computed from tests and the pact without history.

The states and which of them fail follow DESIGN's link model: annotations in code and records under `pact/links/` are
two carriers of one meaning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from pactkeeper.intent.pact import LinkRecord, Pact
from pactkeeper.intent.tests import Annotation, Carrier, Gap, Scope, Test, file_of, hiding
from pactkeeper.ledger.canonical import by_key

if TYPE_CHECKING:
    from pactkeeper.intent.strength.change import Change

LinkState = Literal[
    "linked",
    "unratified",
    "inherited",
    "unreviewed",
    "suspect",
    "superseded",
    "abandoned",
    "unknown",
    "malformed",
]
TestState = Literal[LinkState, "rejected", "debt", "changed_debt", "orphan"]

# From harmless to worst: a test is in the worst state of its links.
SEVERITY_ORDER: tuple[LinkState, ...] = get_args(LinkState)
LIVE_LINKS: frozenset[LinkState] = frozenset({"linked", "unratified", "inherited", "unreviewed", "suspect"})
ASSERTED_OTHERWISE = frozenset({"loosened", "expectation", "subject", "changed"})  # kinds of changes
# kinds of changes that may leave what was reviewed as it was: another reader noted it, or a table has more entries now
IN_DOUBT = frozenset({"unread", "grown"})
FIRM_LINKS: frozenset[LinkState] = LIVE_LINKS - {"suspect", "unreviewed"}  # the test is as it was reviewed


@dataclass(frozen=True, slots=True)
class Link:
    """The link of one test to one atom, written at `line`; `atom` is the word as written if the state is malformed.

    An annotation of a test that names a committed atom is `unreviewed` until somebody looked at what the test asserts:
    there is nothing yet that it could be compared with.
    """

    atom: str
    state: LinkState
    carrier: Carrier
    scope: Scope
    line: int
    successor: str | None = None

    @property
    def own(self) -> bool:
        """Whether it belongs to this test alone and apply can write it: in the sidecar or in the test's own comment."""
        return self.carrier == "sidecar" or (self.carrier == "comment" and self.scope == "test")


@dataclass(frozen=True, slots=True)
class LinkedTest:
    """A test with its links and the one state that sums them up.

    `record` is the test's own, even if it is stored under another number of the same name, or the rejection of a
    removed test with the same body. `weaker` says what a test with a suspect link no longer proves. `instead_of`
    names a vanished test of its file that proved no more than a new test does, or than several do: the new ones that
    are then `unlinked`. Of a changed test, `unlinked` are tests of its file that would prove the rest if they were
    linked to its atoms. `unlike` names a vanished test of a committed atom, of which a new one expects something else,
    or one with its very body that proves less. `also` names further vanished tests that proved no more, as where
    several became one. `debt_of` names the vanished debt test that one continues.
    """

    test: Test
    state: TestState
    links: tuple[Link, ...] = ()
    record: LinkRecord | None = None
    weaker: tuple[Change, ...] = ()
    instead_of: str = ""
    unlinked: tuple[str, ...] = ()
    unlike: str = ""
    also: tuple[str, ...] = ()
    debt_of: str = ""

    def atoms(self, states: Container[LinkState] = SEVERITY_ORDER) -> tuple[str, ...]:
        """Return the atoms that links in one of these states name, in order."""
        return tuple(link.atom for link in self.links if link.state in states)

    @property
    def expects_otherwise(self) -> bool:
        """Whether what it no longer proves has another assertion in its place, as where a behaviour was changed."""
        return any(change.kind in ASSERTED_OTHERWISE for change in self.weaker)

    @property
    def proves_less(self) -> bool:
        """Whether it certainly got weaker, which nobody can confirm under a committed atom."""
        return any(change.kind not in IN_DOUBT for change in self.weaker)

    @property
    def only_given_more(self) -> bool:
        """Whether it asserts what was reviewed, and only the tables that it is tried with have more entries."""
        return bool(self.weaker) and all(change.kind == "grown" for change in self.weaker)

    @property
    def proves_otherwise(self) -> bool:
        """Whether it proves something else in place of what was reviewed, and nothing less."""
        return bool(self.weaker) and all(change.kind in {"expectation", "subject"} for change in self.weaker)

    @property
    def lost_proof(self) -> bool:
        """Whether it is so much weaker that only a person's explicit word confirms it."""
        return any(change.severity == "error" for change in self.weaker)


def link_tests(
    tests: Iterable[Test], pact: Pact, *, stirred: Container[str] = (), proven: Container[str] = ()
) -> tuple[LinkedTest, ...]:
    """Compute links and state for every test, in the order of `tests`.

    `stirred` are tests that rely on another file which changed since review, `proven` tests that changed since and
    still prove everything they proved then: their links are not suspect.
    """
    found = list(tests)
    records = {**pact.links, **shifted_records(found, pact)}
    links = [_links(test, _as_reviewed(records.get(test.id), test, stirred, proven), pact) for test in found]
    free = [test for test, own in zip(found, links, strict=True) if not own]
    present = {test.id for test in found}
    unlinked = _Unlinked(_debt_holders(free, present, pact), _moved_rejections(free, present, pact), pact)
    return tuple(_linked(test, own, records.get(test.id), unlinked) for test, own in zip(found, links, strict=True))


def _as_reviewed(
    record: LinkRecord | None, test: Test, stirred: Container[str], proven: Container[str]
) -> LinkRecord | None:
    """Return the record with the current body if the test is `proven`, and with no body if it is `stirred`."""
    if record is None or (test.id not in proven and test.id not in stirred):
        return record
    if test.id in proven:
        return replace(record, body=test.body_hash, helpers=test.helpers or None)
    return replace(record, body="")


@dataclass(frozen=True, slots=True)
class _Unlinked:
    """What decides the state of unlinked tests: which are in debt, and which rejections moved with a test."""

    indebted: frozenset[str]
    rejections: Mapping[str, LinkRecord]
    pact: Pact


def _linked(test: Test, links: tuple[Link, ...], record: LinkRecord | None, unlinked: _Unlinked) -> LinkedTest:
    if links:
        worst = max(links, key=lambda link: SEVERITY_ORDER.index(link.state)).state
        return LinkedTest(test, worst, links, record)
    record = record or unlinked.rejections.get(test.id)
    return LinkedTest(test, _unlinked_state(test, record, unlinked), (), record)


def _unlinked_state(test: Test, record: LinkRecord | None, unlinked: _Unlinked) -> TestState:
    if record is not None and record.rejected is not None and record.body == test.body_hash:
        return "rejected"
    if test.id in unlinked.indebted:
        return "debt"
    if test.id in unlinked.pact.debt.by_test:
        return "changed_debt"
    return "orphan"


def has_changed(test: Test, record: LinkRecord) -> bool:
    """Whether a test differs from its reviewed version: its body, or the helpers in its file that assert for it."""
    return record.body not in {None, test.body_hash} or record.helpers not in {None, test.helpers}


def what_changed(test: Test, record: LinkRecord | None) -> str:
    """Name what changed in a test with a suspect link, in words that can start a sentence."""
    if record is None or record.body not in {None, test.body_hash}:
        return "the body"
    same = record.helpers in {None, test.helpers}
    return "a file of the tests that it rests on" if same else "what its helpers in the file assert"


def _links(test: Test, record: LinkRecord | None, pact: Pact) -> tuple[Link, ...]:
    return tuple(_links_of(test, record, pact)) if record is not None or test.annotations else ()


def _links_of(test: Test, record: LinkRecord | None, pact: Pact) -> Iterator[Link]:
    seen: set[str] = set()
    for annotation in test.annotations:
        for atom in annotation.atoms:
            if atom not in seen:
                seen.add(atom)
                yield _annotated(test, atom, annotation, record=record, pact=pact)
        for word in annotation.malformed:
            yield Link(word, "malformed", annotation.carrier, annotation.scope, annotation.line)
    for atom in record.atoms if record else ():
        if atom not in seen:
            seen.add(atom)
            state = _state(atom, pact)
            changed = record is not None and has_changed(test, record)
            state = "suspect" if changed and state in LIVE_LINKS else state
            yield Link(atom, state, "sidecar", "test", test.line, pact.successor_of(atom))


def _annotated(test: Test, atom: str, annotation: Annotation, *, record: LinkRecord | None, pact: Pact) -> Link:
    state = _state(atom, pact)
    if state in LIVE_LINKS:
        if record is not None and (atom in record.annotated or atom in record.atoms):
            state = "suspect" if has_changed(test, record) else state
        elif annotation.scope != "test":
            state = "inherited"
        elif state == "linked":
            state = "unreviewed"
    return Link(atom, state, annotation.carrier, annotation.scope, annotation.line, pact.successor_of(atom))


def _state(atom: str, pact: Pact) -> LinkState:
    match pact.status_of(atom):
        case None:
            return "unknown"
        case "superseded" if pact.status_of(pact.successor_of(atom) or "") == "abandoned":
            return "abandoned"
        case "superseded":
            return "superseded"
        case "abandoned":
            return "abandoned"
        case "committed":
            return "linked"
        case _:
            return "unratified"


def _debt_holders(tests: Sequence[Test], present: Container[str], pact: Pact) -> frozenset[str]:
    """Return the ids of unlinked tests that a debt line covers.

    A line covers the test with its own id first; if that test is gone, the line covers one other test with the same
    body, so a moved test stays debt while a copy of it does not become debt.
    """
    lines = pact.debt.by_test
    if not lines:
        return frozenset()
    held = {test.id for test in tests if lines.get(test.id) == test.body_hash}
    free = Counter(body for name, body in lines.items() if name not in present)
    for test in tests:
        if test.id not in lines and free[test.body_hash] > 0:
            free[test.body_hash] -= 1
            held.add(test.id)
    return frozenset(held)


def _moved_rejections(tests: Sequence[Test], present: Container[str], pact: Pact) -> Mapping[str, LinkRecord]:
    """Match rejections of removed tests to the one test without links and record that has the same body."""
    free: dict[str, list[LinkRecord]] = {}
    for name, record in pact.links.items():
        if record.rejected and record.body and not (record.atoms or record.annotated) and name not in present:
            free.setdefault(record.body, []).append(record)
    if not free:
        return {}
    takers = [test for test in tests if test.id not in pact.links and free.get(test.body_hash)]
    return {test.id: free[test.body_hash].pop(0) for test in takers if free[test.body_hash]}


def lost_annotations(entry: LinkedTest, pact: Pact) -> list[str]:
    """Return live atoms whose annotation was reviewed for this test and is no longer in the code."""
    if entry.record is None:
        return []
    written = entry.atoms()
    return [atom for atom in entry.record.annotated if atom not in written and pact.is_live(atom)]


def realisers_by_atom(linked: Iterable[LinkedTest]) -> Mapping[str, Sequence[LinkedTest]]:
    """Map every atom that some test names to those tests, in order; malformed words are left out."""
    return by_key((link.atom, entry) for entry in linked for link in entry.links if link.state != "malformed")


def gone_records(linked: Iterable[LinkedTest], pact: Pact, gaps: Iterable[Gap]) -> tuple[str, ...]:
    """Return the sorted test ids of records whose test is gone, provided every file it could be in was seen."""
    held, unseen = frozenset(entry.record.test for entry in linked if entry.record is not None), hiding(gaps)
    return tuple(sorted(name for name in pact.links if name not in held and file_of(name) not in unseen))


def last_proofs(linked: Sequence[LinkedTest], pact: Pact, gone: Iterable[str]) -> frozenset[str]:
    """Return those records of vanished tests that alone remember what proved a committed atom, or a person's."""
    records = {name: pact.links[name] for name in gone}
    named = {name: (*one.named, *(line.split(" ")[0] for line in one.left)) for name, one in records.items()}
    of_people = {one.id for one in pact.live_atoms if one.source == "person"}
    every = {atom for atoms in named.values() for atom in atoms}
    kept = {atom for atom in every if pact.status_of(atom) == "committed" or atom in of_people}
    if not kept:
        return frozenset()
    proven = {link.atom for entry in linked for link in entry.links if link.state in LIVE_LINKS and not entry.weaker}
    return frozenset(name for name, atoms in named.items() if not proven.issuperset(kept.intersection(atoms)))


_NUMBER = re.compile(r"#([2-9]|[1-9]\d+)\Z")


def shifted_records(tests: Iterable[Test], pact: Pact) -> Mapping[str, LinkRecord | None]:
    """Return the record of each test, by id, whose record is not the one under its own id; None if it has none."""
    if not any("#" in name for name in pact.links) and not any("#" in test.id for test in tests):
        return {}
    families = by_key((_NUMBER.sub("", test.id), test) for test in tests)
    records = by_key((_NUMBER.sub("", name), record) for name, record in pact.links.items())
    found: dict[str, LinkRecord | None] = {}
    for name, members in families.items():
        if len({test.id for test in members} | {record.test for record in records.get(name, ())}) > 1:
            found.update(_shifts(members, records.get(name, ())))
    return found


def _shifts(members: Sequence[Test], records: Sequence[LinkRecord]) -> Mapping[str, LinkRecord | None]:
    """Give every record that lost its number to the one sibling with the same body that has no better record."""
    bodies = {test.id: test.body_hash for test in members}
    settled = {record.test for record in records if bodies.get(record.test) == record.body}
    found: dict[str, LinkRecord] = {}
    for record in records:
        if record.test in settled or record.body is None:
            continue
        takers = [
            test.id for test in members if test.body_hash == record.body and test.id not in settled | found.keys()
        ]
        if len(takers) == 1:
            found[takers[0]] = record
    left = {record.test: None for record in found.values() if record.test in bodies}
    return {**left, **found}
