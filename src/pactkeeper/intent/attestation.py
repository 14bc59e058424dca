"""Attestations: what a run of CI vouches for about one commit.

An attestation holds for exactly its commit. It says what was declared there, which tests realise it, what came of them
in the reports that were handed in, and what `pk check` found. Who made it is a claim of the surroundings; only a
signature proves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

from pactkeeper.intent.evidence_state import EvidenceState
from pactkeeper.intent.results import Outcome
from pactkeeper.ledger.canonical import JsonValue, canonical_json, digest, digest_bytes

SCHEMA: Final = "pactkeeper.attestation/1"
NAMESPACE: Final = "pactkeeper-attestation"
TOOL: Final = "pactkeeper"


@dataclass(frozen=True, slots=True)
class TestProof:
    """One test that realises an atom: its body hash, and what came of it."""

    __test__ = False

    test: str
    body: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class AtomProof:
    """One committed atom with its frozen hash, whether it held, and the tests that have an outcome."""

    atom: str
    frozen: str
    state: EvidenceState
    tests: tuple[TestProof, ...]


@dataclass(frozen=True, slots=True)
class ResultsRead:
    """One report of results that was read: name, format, hash of its bytes, cases by outcome, and how many fit none."""

    name: str
    form: str
    hash: str
    counts: Mapping[str, int]
    unmatched: int


@dataclass(frozen=True, slots=True)
class CoverageRead:
    """One report of coverage that was read: `hit` of `lines` lines of code ran in `files` files."""

    name: str
    form: str
    hash: str
    files: int
    lines: int
    hit: int


@dataclass(frozen=True, slots=True)
class CheckSaid:
    """What `pk check` says of the commit: findings by code, rules by status, commitments by assurance.

    Waived findings are counted apart.
    """

    agrees: bool
    findings: Mapping[str, int]
    errors: int
    warnings: int
    waived: int
    rules: Mapping[str, int]
    commitments: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Attestation:
    """All that is vouched for.

    `commit` is a full hash, `at` ISO 8601 with offset. `changed` are the paths in which the work tree that was looked
    at differed from the commit. `catalog` hashes the `files` files under `pact/`. `claims` are what the surroundings
    say of who makes this and where. `tests` counts tests by link state, `atoms` atoms by status, `evidence` tests by
    what `results` say of them.
    """

    commit: str
    at: str
    version: str
    changed: tuple[str, ...]
    claims: Mapping[str, str]
    catalog: str
    files: int
    tests: Mapping[str, int]
    atoms: Mapping[str, int]
    evidence: Mapping[str, int]
    proofs: tuple[AtomProof, ...]
    results: tuple[ResultsRead, ...]
    coverage: tuple[CoverageRead, ...]
    check: CheckSaid

    @property
    def hash(self) -> str:
        """The digest of everything said here."""
        return digest(content(self))


def content(attestation: Attestation) -> dict[str, JsonValue]:
    """The document without its hash and signature."""
    said = attestation
    document: dict[str, JsonValue] = {
        "schema": SCHEMA,
        "commit": said.commit,
        "at": said.at,
        "tool": {"name": TOOL, "version": said.version},
        "tree": {"clean": not said.changed, "changed": list(said.changed)},
        "claims": dict(said.claims),
        "catalog": {"hash": said.catalog, "files": said.files},
        "links": {"tests": dict(said.tests), "atoms": dict(said.atoms)},
        "results": [asdict(one) for one in said.results],
        "evidence": {"tests": dict(said.evidence), "atoms": [asdict(one) for one in said.proofs]},
        "coverage": [asdict(one) for one in said.coverage],
        "check": asdict(said.check),
    }
    return document


def signed_bytes(attestation: Attestation) -> bytes:
    """What a signature is over: the canonical form of the document without the signature."""
    return canonical_json({**content(attestation), "hash": attestation.hash})


def catalog_hash(files: Mapping[str, bytes]) -> str:
    """Hash the files under `pact/` as they are, byte by byte, by path.

    Bytes rather than meaning: a commit has fixed them already, anybody can hash them again with any version of any
    program, and a comment that a reviewer relies on is part of what was attested.
    """
    return digest({path: digest_bytes(data) for path, data in files.items()})
