"""Which test realises which atom, and in what state each link is; computed from tests and the pact alone, no history.

The states and which of them fail are DESIGN's link model: annotations in code and records under `pact/links/` are two
carriers of one meaning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from pactkeeper.intent.pact import LinkRecord, Pact
from pactkeeper.intent.tests import Annotation, Carrier, Gap, Scope, Test, file_of, shifted_records

if TYPE_CHECKING:
    from pactkeeper.intent.strength.change import Change

LinkState = Literal["linked", "unratified", "inherited", "suspect", "superseded", "abandoned", "unknown", "malformed"]
TestState = Literal[
    "linked",
    "unratified",
    "inherited",
    "suspect",
    "superseded",
    "abandoned",
    "unknown",
    "malformed",
    "rejected",
    "debt",
    "changed_debt",
    "orphan",
]

# From harmless to worst: a test is in the worst state of its links.
SEVERITY_ORDER: tuple[LinkState, ...] = (
    "linked",
    "unratified",
    "inherited",
    "suspect",
    "superseded",
    "abandoned",
    "unknown",
    "malformed",
)
LIVE_LINKS: frozenset[LinkState] = frozenset({"linked", "unratified", "inherited", "suspect"})


@dataclass(frozen=True, slots=True)
class Link:
    """One test's tie to one atom, written at `line`; `atom` is the word as written where the state is malformed."""

    atom: str
    state: LinkState
    carrier: Carrier
    scope: Scope
    line: int
    successor: str | None = None

    @property
    def own(self) -> bool:
        """Whether it is written for this test alone where an apply can write: in the sidecar or in its own comment."""
        return self.carrier == "sidecar" or (self.carrier == "comment" and self.scope == "test")


@dataclass(frozen=True, slots=True)
class LinkedTest:
    """A test with its links and the one state that sums them up.

    `record` is the test's own, also where it is written under another number of the same name, or the rejection of a
    test that is gone and had the same body. `weaker` says what a test with a suspect link proves no longer.
    """

    test: Test
    state: TestState
    links: tuple[Link, ...] = ()
    record: LinkRecord | None = None
    weaker: tuple[Change, ...] = ()


def link_tests(
    tests: Iterable[Test], pact: Pact, *, stirred: Container[str] = (), proven: Container[str] = ()
) -> tuple[LinkedTest, ...]:
    """Give every test its links and state, in the order of `tests`.

    `stirred` are tests that rest on another file which changed since review, `proven` tests that changed since and
    still prove all that they proved then: their links are not suspect.
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
    """The record with the present body for a test that proves what it proved, and with none where it may not."""
    if record is None or (test.id not in proven and test.id not in stirred):
        return record
    if test.id in proven:
        return replace(record, body=test.body_hash, helpers=test.helpers or None)
    return replace(record, body="")


@dataclass(frozen=True, slots=True)
class _Unlinked:
    """What decides the state of a test without links: who is in debt, and which rejections moved along."""

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
    """Whether a test says something else than it did at review: its body, or what asserts for it in its file."""
    return record.body not in {None, test.body_hash} or record.helpers not in {None, test.helpers}


def what_changed(test: Test, record: LinkRecord | None) -> str:
    """Of a test with a suspect link what is not as it was at review, in words that a sentence begins with."""
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
    return Link(atom, state, annotation.carrier, annotation.scope, annotation.line, pact.successor_of(atom))


def _state(atom: str, pact: Pact) -> LinkState:
    match pact.status_of(atom):
        case None:
            return "unknown"
        case "superseded":
            return "superseded"
        case "abandoned":
            return "abandoned"
        case "committed":
            return "linked"
        case _:
            return "unratified"


def _debt_holders(tests: Sequence[Test], present: Container[str], pact: Pact) -> frozenset[str]:
    """The ids of tests without links that a debt line covers.

    A line covers the test of its own id first; a line whose test is gone covers one other test of the same body, so a
    moved test stays debt while a copy of it does not become debt.
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
    """The rejections of tests that are gone, by the one test without links and record that has the same body now."""
    free: dict[str, list[LinkRecord]] = {}
    for name, record in pact.links.items():
        if record.rejected and record.body and not (record.atoms or record.annotated) and name not in present:
            free.setdefault(record.body, []).append(record)
    if not free:
        return {}
    takers = [test for test in tests if test.id not in pact.links and free.get(test.body_hash)]
    return {test.id: free[test.body_hash].pop(0) for test in takers if free[test.body_hash]}


def lost_annotations(entry: LinkedTest, pact: Pact) -> list[str]:
    """Live atoms whose annotation was reviewed for this test and stands in the code no longer."""
    if entry.record is None:
        return []
    written = {link.atom for link in entry.links}
    settled = {None, "superseded", "abandoned"}
    return [atom for atom in entry.record.annotated if atom not in written and pact.status_of(atom) not in settled]


def realisers_by_atom(linked: Iterable[LinkedTest]) -> Mapping[str, tuple[LinkedTest, ...]]:
    """Every atom that some test names, with those tests in order; malformed words are left out."""
    found: dict[str, list[LinkedTest]] = {}
    for entry in linked:
        for link in entry.links:
            if link.state != "malformed":
                found.setdefault(link.atom, []).append(entry)
    return {atom: tuple(entries) for atom, entries in found.items()}


def held_records(linked: Iterable[LinkedTest]) -> frozenset[str]:
    """The test ids of all records that belong to a test which is there."""
    return frozenset(entry.record.test for entry in linked if entry.record is not None)


def gone_records(linked: Iterable[LinkedTest], pact: Pact, gaps: Iterable[Gap]) -> tuple[str, ...]:
    """The test ids of records that belong to no test although every file it could be in was seen, sorted."""
    held, unseen = held_records(linked), {gap.file for gap in gaps}
    return tuple(sorted(name for name in pact.links if name not in held and file_of(name) not in unseen))
