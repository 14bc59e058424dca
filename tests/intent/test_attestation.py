"""The document of an attestation."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pactkeeper.errors import PatchError
from pactkeeper.intent.signatures import (
    AtomProof,
    Attestation,
    CheckSaid,
    CoverageRead,
    ResultsRead,
    TestProof,
    attestation_schema,
    catalog_hash,
    decode_attestation,
    encode_attestation,
    signed_bytes,
)
from pactkeeper.ledger.canonical import digest

SCHEMA_FILE = Path(__file__).parents[2] / "docs" / "attestation.schema.json"
HASH = digest("x")
SAID = Attestation(
    commit="a" * 40,
    at="2026-01-01T00:00:00+00:00",
    version="1.0",
    changed=(),
    claims={"ci": "github", "actor": "ada"},
    catalog=HASH,
    files=3,
    tests={"linked": 2},
    atoms={"committed": 1},
    evidence={"proven": 1, "failing": 0, "stale": 0, "none": 1},
    proofs=(AtomProof("IA-1", HASH, "proven", (TestProof("tests/a.py::test_x", "b1:1", "passed"),)),),
    results=(ResultsRead("junit.xml", "junit", HASH, {"passed": 2}, 1),),
    coverage=(CoverageRead("cov.json", "coverage.py", HASH, 2, 10, 7),),
    check=CheckSaid(
        agrees=True,
        findings={"PK101": 1},
        errors=0,
        warnings=1,
        waived=0,
        rules={"passed": 3},
        commitments={"signed": 1},
    ),
)


def rewritten(change):
    """The document with a change, under its right hash."""
    document = json.loads(encode_attestation(SAID))
    change(document)
    document["hash"] = digest({key: value for key, value in document.items() if key not in {"hash", "signature"}})
    return json.dumps(document)


def test_the_published_schema_is_the_one_the_reader_uses():
    assert json.loads(SCHEMA_FILE.read_text(encoding="utf-8")) == attestation_schema(), (
        "write docs/attestation.schema.json anew from attestation_schema()"
    )
    Draft202012Validator.check_schema(attestation_schema())


@pytest.mark.parametrize("signature", ["", "-----BEGIN SSH SIGNATURE-----"])
def test_reading_what_was_written_gives_the_same_back(signature):
    text = encode_attestation(SAID, signature)
    assert decode_attestation(text) == (SAID, signature)
    Draft202012Validator(attestation_schema()).validate(json.loads(text))


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(schema="pactkeeper.attestation/2"),
        lambda d: d.update(extra=1),
        lambda d: d.pop("check"),
        lambda d: d.update(commit="main"),
        lambda d: d.update(at="yesterday"),
        lambda d: d["check"].update(agrees="yes"),
        lambda d: d["links"]["tests"].update(linked=-1),
        lambda d: d["evidence"]["atoms"][0].update(state="true"),
        lambda d: d["evidence"]["atoms"][0]["tests"][0].update(outcome="ok"),
        lambda d: d["coverage"][0].update(lines=1.5),
    ],
)
def test_misshapen_document_is_refused_by_reader_and_schema(change):
    text = rewritten_loosely(change)
    with pytest.raises(PatchError, match="the attestation cannot be used"):
        decode_attestation(text)
    assert not Draft202012Validator(attestation_schema()).is_valid(json.loads(text))


def rewritten_loosely(change):
    document = json.loads(encode_attestation(SAID))
    change(document)
    return json.dumps(document)


def test_changed_word_is_found_by_the_hash():
    with pytest.raises(PatchError, match="is not the hash of the content"):
        decode_attestation(encode_attestation(SAID).replace('"agrees": true', '"agrees": false'))


@pytest.mark.parametrize("tree", [{"clean": True, "changed": ["a"]}, {"clean": False, "changed": []}])
def test_tree_cannot_be_clean_and_changed(tree):
    with pytest.raises(PatchError, match="a clean tree has no changed paths"):
        decode_attestation(rewritten(lambda document: document.update(tree=tree)))


def test_signature_takes_no_part_in_what_is_signed_and_the_hash_does():
    said, _ = decode_attestation(encode_attestation(SAID, "signature"))
    assert signed_bytes(said) == signed_bytes(SAID)
    assert SAID.hash.encode() in signed_bytes(SAID)


def test_another_moment_is_another_attestation():
    assert replace(SAID, at="2026-01-02T00:00:00+00:00").hash != SAID.hash


@pytest.mark.parametrize("files", [{"pact/a": b"1 "}, {"pact/b": b"1"}, {"pact/a": b"1", "pact/b": b""}, {}])
def test_catalog_hash_tells_every_byte_and_name_apart(files):
    assert catalog_hash(files) != catalog_hash({"pact/a": b"1"})
