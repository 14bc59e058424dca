"""The last known outcome of each test, and whether it still proves anything about the test as it is now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.results import FAILING, Outcome
from pactkeeper.intent.tests import Test

EvidenceState = Literal["proven", "failing", "stale", "none"]
EVIDENCE_STATES: Final[tuple[EvidenceState, ...]] = ("proven", "failing", "stale", "none")


@dataclass(frozen=True, slots=True)
class TestOutcomeRow:
    """One test's outcome at one moment, as stored in the history.

    `commit` is the full hash of the tested commit, empty if the working tree differed from every commit. `at` is ISO
    8601 with offset, `source` names the report. `file_blob` is the blob id of the test's file, empty if unknown. A
    skipped test has no row: it proves nothing and does not invalidate earlier proof.
    """

    __test__ = False

    test_id: str
    body_hash: str
    commit: str
    outcome: Outcome
    at: str
    source: str
    file_blob: str = ""


@dataclass(frozen=True, slots=True)
class TestEvidenceState:
    """What a test's last known outcome says about its current version; `reason` says why it is stale or none."""

    __test__ = False

    state: EvidenceState
    reason: str = ""
    row: TestOutcomeRow | None = None


@dataclass(frozen=True, slots=True)
class AtomEvidence:
    """Whether an atom holds as far as its tests tell, with the tests by their state, each list sorted."""

    atom: str
    state: EvidenceState
    tests: Mapping[EvidenceState, tuple[str, ...]]


def evidence_of(test: Test, row: TestOutcomeRow | None, blob: str | None) -> TestEvidenceState:
    """Judge one test; `blob` is the current blob id of its file, None if unknown.

    An outcome counts only while the test's body and its file are unchanged: a different fixture or helper in the same
    file can make it a different test.
    """
    if row is None:
        return TestEvidenceState("none", "no outcome is known")
    if row.body_hash != test.body_hash:
        return TestEvidenceState("stale", "its body changed since", row)
    if row.file_blob and blob is not None and row.file_blob != blob:
        return TestEvidenceState("stale", "its file changed since", row)
    return TestEvidenceState("failing" if row.outcome in FAILING else "proven", "", row)


def evidence_by_test(
    tests: Iterable[Test], rows: Mapping[str, TestOutcomeRow], blob_of: Callable[[str], str | None]
) -> dict[str, TestEvidenceState]:
    """Judge every test, by test id; `blob_of` gives the blob id of a path."""
    return {test.id: evidence_of(test, rows.get(test.id), blob_of(test.file)) for test in tests}


def evidence_by_atom(
    linked: Iterable[LinkedTest], states: Mapping[str, TestEvidenceState], pact: Pact
) -> dict[str, AtomEvidence]:
    """Judge every live atom of the pact by the tests that live links tie to it, by atom id.

    The atom gets the first state in the order failing, stale, proven, none that any of its tests has, so a test without
    an outcome, such as a skipped one, does not cancel what another proves.
    """
    tests: dict[str, dict[EvidenceState, list[str]]] = {
        name: {} for name in pact.atoms if pact.status_of(name) not in {"abandoned", "superseded"}
    }
    for entry in linked:
        state = states[entry.test.id].state
        for link in entry.links:
            if link.state in LIVE_LINKS and link.atom in tests:
                tests[link.atom].setdefault(state, []).append(entry.test.id)
    return {name: _judged(name, found) for name, found in tests.items()}


def _judged(atom: str, tests: Mapping[EvidenceState, list[str]]) -> AtomEvidence:
    order: tuple[EvidenceState, ...] = ("failing", "stale", "proven", "none")
    state: EvidenceState = next((one for one in order if tests.get(one)), "none")
    return AtomEvidence(atom, state, {one: tuple(sorted(tests[one])) for one in EVIDENCE_STATES if one in tests})


def state_counts(states: Iterable[EvidenceState]) -> dict[str, int]:
    """Count states, zeros included, in the order of `EVIDENCE_STATES`."""
    found = Counter(states)
    return {name: found[name] for name in EVIDENCE_STATES}
