"""The text form of an attestation: written one way, read strictly, published as a JSON Schema from the same shapes."""

from __future__ import annotations

from typing import Any, Final

from pactkeeper.intent.attestation import (
    SCHEMA,
    TOOL,
    AtomProof,
    Attestation,
    CheckSaid,
    CoverageRead,
    ResultsRead,
    TestProof,
    content,
)
from pactkeeper.intent.evidence_state import EVIDENCE_STATES
from pactkeeper.intent.results import OUTCOMES
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.document import read_document, refuse, write_document
from pactkeeper.ledger.shape import Choice, Entries, Items, Keyed, Text, Truth, Whole, json_schema

Wire = dict[str, Any]  # a JSON object that has been found to fit its shape

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
    """The published JSON Schema: what the reader checks, except for the hash and the laws between parts."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA,
        "title": "Pactkeeper attestation",
        "description": "What a run vouches for about one commit. Numbers are whole.",
        **json_schema(ATTESTATION),
    }


def encode_attestation(attestation: Attestation, signature: str = "") -> str:
    """Write the document; reading the text back gives an equal attestation and signature."""
    said = content(attestation)
    document: dict[str, JsonValue] = {"schema": said["schema"], "hash": attestation.hash, **said}
    return write_document({**document, "signature": signature} if signature else document)


def decode_attestation(text: str) -> tuple[Attestation, str]:
    """Read a document with its signature, empty where it has none; raises PatchError with every problem."""
    document: Wire = dict(read_document(text, ATTESTATION, noun=NOUN))
    said, signature = document.pop("hash"), str(document.pop("signature", ""))
    problems: list[str] = []
    if said != digest(document):
        problems.append(f"$.hash: {said} is not the hash of the content, which is {digest(document)}")
    if document["tree"]["clean"] == bool(document["tree"]["changed"]):
        problems.append("$.tree: a clean tree has no changed paths, and one that is not clean names them")
    refuse(NOUN, problems)
    return _attestation(document), signature


def _attestation(said: Wire) -> Attestation:
    return Attestation(
        commit=said["commit"],
        at=said["at"],
        version=said["tool"]["version"],
        changed=tuple(said["tree"]["changed"]),
        claims=said["claims"],
        catalog=said["catalog"]["hash"],
        files=said["catalog"]["files"],
        tests=said["links"]["tests"],
        atoms=said["links"]["atoms"],
        evidence=said["evidence"]["tests"],
        proofs=tuple(_proof(one) for one in said["evidence"]["atoms"]),
        results=tuple(ResultsRead(**one) for one in said["results"]),
        coverage=tuple(CoverageRead(**one) for one in said["coverage"]),
        check=CheckSaid(**said["check"]),
    )


def _proof(said: Wire) -> AtomProof:
    return AtomProof(said["atom"], said["frozen"], said["state"], tuple(TestProof(**one) for one in said["tests"]))
