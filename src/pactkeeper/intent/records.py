"""What a run stores about tests, atoms and molecules: the entities of seed 000, appendix C, as values.

Tests are identified by id and body hash. Lines are for display and never part of a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

# `inferred` is work in progress; the others are final outcomes of a test.
TestOutcome = Literal["inferred", "proposed", "needs_words", "settled"]
RecommendationStatus = Literal["pending", "accepted", "rejected", "applied"]
RECOMMENDATION_STATUSES: Final[tuple[RecommendationStatus, ...]] = get_args(RecommendationStatus)


@dataclass(frozen=True, slots=True)
class TestRecord:
    """One test that a run analysed.

    `node` is the digest of the test with its links as the run saw them, `inference` the JSON text of what the rules
    inferred, `recommendation` the id of the first op about it.
    """

    __test__ = False

    run: str
    test_id: str
    file_path: str
    test_name: str
    line_number: int
    body_hash: str
    node: str
    outcome: TestOutcome
    inference: str
    created_at: str
    recommendation: str | None = None


@dataclass(frozen=True, slots=True)
class AtomRecommendation:
    """One atom that a run proposes, with its status; `atom_id` is set once it is applied."""

    id: str
    run_id: str
    description: str
    category: str
    confidence: str
    reasoning: str
    source_test_file_path: str
    source_test_name: str
    source_test_line_number: int
    source_test_id: str
    source_test_body_hash: str
    observable_outcomes: tuple[str, ...]
    related_docs: tuple[str, ...]
    ambiguity_reasons: tuple[str, ...]
    quality_score: int | None
    status: RecommendationStatus
    atom_id: str | None
    created_at: str


@dataclass(frozen=True, slots=True)
class MoleculeRecommendation:
    """A group of proposed atoms that a run suggests naming; `molecule_id` is the molecule that it is or would be.

    `atom_ids` are all atoms that belong to it, including those already in the pact that the run added.
    """

    id: str
    run_id: str
    name: str
    description: str
    atom_recommendation_ids: tuple[str, ...]
    atom_ids: tuple[str, ...]
    confidence: str
    status: RecommendationStatus
    molecule_id: str | None
    created_at: str

    @property
    def reasoning(self) -> str:
        """Why these atoms belong together; rules group them by the location of their tests."""
        return f"the tests of {len(self.atom_recommendation_ids)} new atoms stand together"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A filter for recommendations; None matches all.

    `test` is the id of the test that one was made from, `atom` the id of the atom that it creates or would create.
    """

    run: str | None = None
    status: RecommendationStatus | None = None
    test: str | None = None
    atom: str | None = None
