"""Which test realises which atom, and in what state each link is; computed from tests and the pact alone, no history.

The states and which of them fail are DESIGN's link model: annotations in code and records under `pact/links/` are two
carriers of one meaning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pactkeeper.intent.pact import LinkRecord, Pact
from pactkeeper.intent.tests import Annotation, Carrier, Scope, Test

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
FAILING_LINKS: frozenset[LinkState] = frozenset({"superseded", "abandoned", "unknown", "malformed"})
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


@dataclass(frozen=True, slots=True)
class LinkedTest:
    """A test with its links and the one state that sums them up."""

    test: Test
    state: TestState
    links: tuple[Link, ...] = ()
    record: LinkRecord | None = None


def link_tests(tests: Iterable[Test], pact: Pact) -> tuple[LinkedTest, ...]:
    """Give every test its links and state, in the order of `tests`."""
    found = list(tests)
    indebted = _debt_holders(found, pact)
    return tuple(_link_test(test, pact, indebted) for test in found)


def _link_test(test: Test, pact: Pact, indebted: frozenset[str]) -> LinkedTest:
    record = pact.links.get(test.id)
    links = tuple(_links_of(test, record, pact)) if record is not None or test.annotations else ()
    if links:
        worst = max(links, key=lambda link: SEVERITY_ORDER.index(link.state)).state
        return LinkedTest(test, worst, links, record)
    return LinkedTest(test, _unlinked_state(test, record, indebted, pact), (), record)


def _unlinked_state(test: Test, record: LinkRecord | None, indebted: frozenset[str], pact: Pact) -> TestState:
    if record is not None and record.rejected is not None and record.body == test.body_hash:
        return "rejected"
    if test.id in indebted:
        return "debt"
    if test.id in pact.debt.by_test:
        return "changed_debt"
    return "orphan"


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
            changed = record is not None and record.body not in {None, test.body_hash}
            state = "suspect" if changed and state in LIVE_LINKS else state
            yield Link(atom, state, "sidecar", "test", test.line, pact.successor_of(atom))


def _annotated(test: Test, atom: str, annotation: Annotation, *, record: LinkRecord | None, pact: Pact) -> Link:
    state = _state(atom, pact)
    if state in LIVE_LINKS:
        if record is not None and atom in record.annotated:
            state = "suspect" if record.body not in {None, test.body_hash} else state
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


def _debt_holders(tests: list[Test], pact: Pact) -> frozenset[str]:
    """The ids of tests that a debt line covers.

    A line covers the test of its own id first; a line whose test is gone covers one other test of the same body, so a
    moved test stays debt while a copy of it does not become debt.
    """
    lines = pact.debt.by_test
    if not lines:
        return frozenset()
    present = {test.id for test in tests}
    held = {test.id for test in tests if lines.get(test.id) == test.body_hash}
    free = Counter(body for name, body in lines.items() if name not in present)
    for test in tests:
        if test.id not in lines and free[test.body_hash] > 0:
            free[test.body_hash] -= 1
            held.add(test.id)
    return frozenset(held)


def realisers_by_atom(linked: Iterable[LinkedTest]) -> Mapping[str, tuple[LinkedTest, ...]]:
    """Every atom that some test names, with those tests in order; malformed words are left out."""
    found: dict[str, list[LinkedTest]] = {}
    for entry in linked:
        for link in entry.links:
            if link.state != "malformed":
                found.setdefault(link.atom, []).append(entry)
    return {atom: tuple(entries) for atom, entries in found.items()}
