"""Signatures and attestations: whose a signature is, or why it proves nothing, and what CI vouches for.

An attestation holds for exactly one commit. It says what was declared there, which tests realise it, their outcomes in
the reports that were handed in, and what `pk check` found. Who made it is a claim by the environment; only a signature
proves it.

The text form of an attestation is written one way, parsed strictly, and published as a JSON Schema from the same
shapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from pactkeeper.intent.evidence_state import EVIDENCE_STATES, EvidenceState
from pactkeeper.intent.results import OUTCOMES, Outcome
from pactkeeper.ledger.canonical import JsonValue, canonical_json, digest, digest_bytes
from pactkeeper.ledger.documents import read_document, refuse, write_document
from pactkeeper.ledger.shape import Choice, Entries, Items, Keyed, Text, Truth, Whole, json_schema

Flaw = Literal[
    "forged",  # no signature over these bytes, or no signature at all
    "wrong namespace",  # a signature over these bytes that was made for another purpose
    "unknown signer",  # the key is not listed for anyone
    "other signer",  # the key is listed for somebody else
    "expired",  # the key is listed, but was not valid at that time
    "not checked",  # nothing is known: a program or the list of signers is missing
]


@dataclass(frozen=True, slots=True)
class Verified:
    """A good signature: `principal` is the signer's name in the list of allowed signers.

    `key` is the fingerprint of the key, as `ssh-keygen -l` prints it.
    """

    principal: str
    key: str


@dataclass(frozen=True, slots=True)
class Unverified:
    """A signature that proves nothing, and why; `key` is the fingerprint if one could be read."""

    flaw: Flaw
    reason: str
    key: str = ""


Examined = Verified | Unverified


SCHEMA: Final = "pactkeeper.attestation/1"
NAMESPACE: Final = "pactkeeper-attestation"
TOOL: Final = "pactkeeper"


@dataclass(frozen=True, slots=True)
class TestProof:
    """One test that realises an atom: its body hash and its outcome."""

    __test__ = False

    test: str
    body: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class AtomProof:
    """One committed atom with its frozen hash, whether it held, and its tests that have an outcome."""

    atom: str
    frozen: str
    state: EvidenceState
    tests: tuple[TestProof, ...]


@dataclass(frozen=True, slots=True)
class ResultsRead:
    """One results report: name, format, hash of its bytes, cases by outcome, and the number of unmatched cases."""

    name: str
    form: str
    hash: str
    counts: Mapping[str, int]
    unmatched: int


@dataclass(frozen=True, slots=True)
class CoverageRead:
    """One coverage report: `hit` of `lines` lines of code ran in `files` files."""

    name: str
    form: str
    hash: str
    files: int
    lines: int
    hit: int


@dataclass(frozen=True, slots=True)
class CheckSaid:
    """The result of `pk check` at the commit: findings by code, rules by status, commitments by assurance.

    Waived findings are counted separately.
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
    """Everything that is vouched for.

    `commit` is a full hash, `at` ISO 8601 with offset. `changed` are the paths in which the examined working tree
    differed from the commit. `catalog` hashes the `files` files under `pact/`. `claims` are what the environment says
    about who made this and where. `tests` counts tests by link state, `atoms` atoms by status, `evidence` tests by
    their outcome in `results`.
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
        """The digest of the whole content."""
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
    """Return the bytes a signature covers: the canonical form of the document without the signature."""
    return canonical_json({**content(attestation), "hash": attestation.hash})


def catalog_hash(files: Mapping[str, bytes]) -> str:
    """Hash the files under `pact/` byte by byte, by path.

    Bytes rather than meaning: a commit has already fixed them, anyone can hash them again with any version of any
    program, and a comment that a reviewer relies on is part of what was attested.
    """
    return digest({path: digest_bytes(data) for path, data in files.items()})


Wire = dict[str, Any]  # a JSON object already checked against its shape

NOUN: Final = "attestation"
COUNT: Final = Whole(least=0)
COUNTS: Final = Entries(COUNT)
HASH: Final = Text(pattern="v1:[0-9a-f]{64}")
WORDS: Final = Text(least=1)
TIME: Final = Text(pattern=r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})")

TEST_PROOF: Final = Keyed({"test": WORDS, "body": WORDS, "outcome": Choice(OUTCOMES)})
ATOM_PROOF: Final = Keyed({"atom": WORDS, "frozen": HASH, "state": Choice(EVIDENCE_STATES), "tests": Items(TEST_PROOF)})
RESULTS: Final = Keyed({"name": WORDS, "form": WORDS, "hash": HASH, "counts": COUNTS, "unmatched": COUNT})
COVERAGE: Final = Keyed({"name": WORDS, "form": WORDS, "hash": HASH, "files": COUNT, "lines": COUNT, "hit": COUNT})
CHECK: Final = Keyed(
    {
        "agrees": Truth(),
        "findings": COUNTS,
        "errors": COUNT,
        "warnings": COUNT,
        "waived": COUNT,
        "rules": COUNTS,
        "commitments": COUNTS,
    }
)

ATTESTATION: Final = Keyed(
    {
        "schema": Choice((SCHEMA,)),
        "hash": HASH,
        "commit": Text(pattern="[0-9a-f]{40}|[0-9a-f]{64}"),
        "at": TIME,
        "tool": Keyed({"name": Choice((TOOL,)), "version": WORDS}),
        "tree": Keyed({"clean": Truth(), "changed": Items(WORDS)}),
        "claims": Entries(Text()),
        "catalog": Keyed({"hash": HASH, "files": COUNT}),
        "links": Keyed({"tests": COUNTS, "atoms": COUNTS}),
        "results": Items(RESULTS),
        "evidence": Keyed({"tests": COUNTS, "atoms": Items(ATOM_PROOF)}),
        "coverage": Items(COVERAGE),
        "check": CHECK,
    },
    {"signature": WORDS},
)


def attestation_schema() -> dict[str, JsonValue]:
    """Return the published JSON Schema: what the reader checks, except the hash and the laws between parts."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA,
        "title": "Pactkeeper attestation",
        "description": "What a run vouches for about one commit. Numbers are whole.",
        **json_schema(ATTESTATION),
    }


def encode_attestation(attestation: Attestation, signature: str = "") -> str:
    """Serialize the document; reading the text back returns an equal attestation and signature."""
    said = content(attestation)
    document: dict[str, JsonValue] = {"schema": said["schema"], "hash": attestation.hash, **said}
    return write_document({**document, "signature": signature} if signature else document)


def decode_attestation(text: str) -> tuple[Attestation, str]:
    """Parse a document and its signature, empty if it has none; raises PatchError with every problem."""
    document: Wire = dict(read_document(text, ATTESTATION, noun=NOUN))
    said, signature = document.pop("hash"), str(document.pop("signature", ""))
    problems: list[str] = []
    if said != digest(document):
        problems.append(f"$.hash: {said} is not the hash of the content, which is {digest(document)}")
    if document["tree"]["clean"] == bool(document["tree"]["changed"]):
        problems.append("$.tree: a clean tree has no changed paths, and one that is not clean names them")
    refuse(NOUN, problems)
    return Attestation(
        commit=document["commit"],
        at=document["at"],
        version=document["tool"]["version"],
        changed=tuple(document["tree"]["changed"]),
        claims=document["claims"],
        catalog=document["catalog"]["hash"],
        files=document["catalog"]["files"],
        tests=document["links"]["tests"],
        atoms=document["links"]["atoms"],
        evidence=document["evidence"]["tests"],
        proofs=tuple(_proof(one) for one in document["evidence"]["atoms"]),
        results=tuple(ResultsRead(**one) for one in document["results"]),
        coverage=tuple(CoverageRead(**one) for one in document["coverage"]),
        check=CheckSaid(**document["check"]),
    ), signature


def _proof(said: Wire) -> AtomProof:
    return AtomProof(said["atom"], said["frozen"], said["state"], tuple(TestProof(**one) for one in said["tests"]))
