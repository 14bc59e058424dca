"""The last known outcome of each test, and whether it still proves anything about the test as it is now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from pactkeeper.intent.links import FIRM_LINKS, LIVE_LINKS, Link, LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.results import FAILING, Outcome
from pactkeeper.intent.tests import Test, file_of, homes
from pactkeeper.ledger.canonical import counted, digest

EvidenceState = Literal["proven", "failing", "stale", "none"]
MOST_NAMED: Final = 3  # tests named by a reason
EVIDENCE_STATES: Final[tuple[EvidenceState, ...]] = get_args(EvidenceState)


@dataclass(frozen=True, slots=True)
class TestOutcomeRow:
    """One test's outcome at one moment, as stored in the history.

    `commit` is the full hash of the tested commit, empty if the working tree differed from every commit. `at` is ISO
    8601 with offset, `source` names the report. `file_blob` is what `blob_of_files` gave, empty if unknown. A
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


@dataclass(frozen=True, slots=True)
class Backing:
    """The tests that back an atom, sorted; if there is none, `lacks` says what became of those that should.

    A test backs it if its link is live, it checks as much as at review, and its last known run did not fail. `state` is
    the evidence on the atom, `earlier` the commit at which its tests passed if other files have changed since.
    """

    tests: tuple[str, ...]
    lacks: str = ""
    state: EvidenceState = "none"
    earlier: str = ""

    @property
    def backed(self) -> bool:
        """Whether any test backs it."""
        return not self.lacks

    @property
    def mark(self) -> str:
        """Say in a few words how the atom stands."""
        if self.state == "failing" or not self.backed:
            return "failed" if self.state == "failing" else "not backed"
        passed = f"passed at {self.earlier[:12]}, before other files changed" if self.earlier else "passed"
        return {"proven": passed, "stale": "backed, its test or file changed since the last run"}.get(
            self.state, "backed, never run"
        )


def evidence_of(test: Test, row: TestOutcomeRow | None, blob: str | None, *, clean: bool = False) -> TestEvidenceState:
    """Judge one test; `blob` is what `blob_of_files` gives now, None if unknown.

    An outcome counts only while the test's body and its files are unchanged: a different fixture or helper in the same
    file can make it a different test. A failure among uncommitted changes says nothing once the working tree is `clean`
    again; whether it was mended or committed, only the next run can tell.
    """
    if row is None:
        return TestEvidenceState("none", "no result is known")
    if row.body_hash != test.body_hash:
        return TestEvidenceState("stale", "its body changed since", row)
    if row.file_blob and blob is not None and row.file_blob != blob:
        return TestEvidenceState("stale", "its file changed since", row)
    if clean and failed_uncommitted(row):
        return TestEvidenceState("stale", "it failed with uncommitted changes that are gone", row)
    return TestEvidenceState("failing" if row.outcome in FAILING else "proven", "", row)


def blob_of_files(test: Test, blob_of: Callable[[str], str | None]) -> str | None:
    """Return the blob id of a test's file, or one digest if classes in other files run it too; None if unknown."""
    files = sorted(homes(test)) if test.runs_in else [test.file]
    return digest([blob_of(file) for file in files]) if len(files) > 1 else blob_of(test.file)


def failed_uncommitted(row: TestOutcomeRow) -> bool:
    """Whether a test failed in a working tree that no commit holds."""
    return row.outcome in FAILING and not row.commit


def evidence_by_test(
    tests: Iterable[Test],
    rows: Mapping[str, TestOutcomeRow],
    blob_of: Callable[[str], str | None],
    *,
    clean: bool = False,
) -> dict[str, TestEvidenceState]:
    """Judge every test, by test id; `blob_of` gives the blob id of a path."""
    return {test.id: evidence_of(test, rows.get(test.id), blob_of_files(test, blob_of), clean=clean) for test in tests}


def evidence_by_atom(
    linked: Iterable[LinkedTest], states: Mapping[str, TestEvidenceState], pact: Pact
) -> dict[str, AtomEvidence]:
    """Judge every live atom of the pact by the tests that live links tie to it, by atom id.

    The atom gets the first state in the order failing, stale, proven, none that any of its tests has, so a test without
    an outcome, such as a skipped one, does not cancel what another proves.
    """
    tests: dict[str, dict[EvidenceState, list[str]]] = {atom.id: {} for atom in pact.live_atoms}
    for entry in linked:
        state = states[entry.test.id].state
        for atom in filter(tests.__contains__, entry.atoms(LIVE_LINKS)):
            tests[atom].setdefault(state, []).append(entry.test.id)
    return {name: _judged(name, found) for name, found in tests.items()}


def _judged(atom: str, tests: Mapping[EvidenceState, list[str]]) -> AtomEvidence:
    order: tuple[EvidenceState, ...] = ("failing", "stale", "proven", "none")
    state: EvidenceState = next((one for one in order if tests.get(one)), "none")
    return AtomEvidence(atom, state, {one: tuple(sorted(tests[one])) for one in EVIDENCE_STATES if one in tests})


def backing_by_atom(
    linked: Collection[LinkedTest], states: Mapping[str, TestEvidenceState], pact: Pact, unseen: Collection[str]
) -> dict[str, Backing]:
    """Say of every live atom which tests back it, by atom id; `unseen` are files whose tests may be incomplete."""
    held = evidence_by_atom(linked, states, pact)
    faults: dict[str, dict[str, str]] = {name: {} for name in held}
    for entry in linked:
        for link in entry.links:
            if link.state in LIVE_LINKS and link.atom in faults:
                faults[link.atom][entry.test.id] = _fault(link, entry, states[entry.test.id])
    return {
        name: replace(_proof(found, pact.tests_of(name), unseen), state=held[name].state)
        for name, found in faults.items()
    }


def _proof(faults: Mapping[str, str], reviewed: Sequence[str], unseen: Collection[str]) -> Backing:
    proving = tuple(sorted(name for name, fault in faults.items() if not fault))
    if proving:
        return Backing(proving)
    if faults:
        return Backing((), _few([f"{name} {fault}" for name, fault in sorted(faults.items())]))
    unread = [name for name in reviewed if file_of(name) in unseen]
    if unread:
        return Backing((), f"the file of {unread[0]} could not be read completely")
    return Backing((), f"{_few(reviewed)} is gone" if reviewed else "no test is linked to it")


def _few(said: Sequence[str]) -> str:
    more = f"; and {len(said) - MOST_NAMED:,} more" if len(said) > MOST_NAMED else ""
    return "; ".join(said[:MOST_NAMED]) + more


def _fault(link: Link, entry: LinkedTest, state: TestEvidenceState) -> str:
    if state.state == "failing":
        return "failed in its last known run"
    if link.state in FIRM_LINKS:
        return ""
    if link.state == "unreviewed":
        return "was never reviewed for it"
    if entry.proves_otherwise:
        return "asserts something else than was reviewed"
    return "got weaker since it was reviewed" if entry.proves_less else "changed since it was reviewed"


def state_counts(states: Iterable[EvidenceState]) -> dict[str, int]:
    """Count states, zeros included, in the order of `EVIDENCE_STATES`."""
    return counted(states, EVIDENCE_STATES)
