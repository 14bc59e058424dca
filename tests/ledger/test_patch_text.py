import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from pactkeeper.errors import PatchError
from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.finding import Evidence, Finding
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.ledger.patch import Patch, decode_patch, encode_patch, patch_schema
from pactkeeper.ledger.question import Question
from tests.ledger.strategies import create, patches

SCHEMA_FILE = Path(__file__).parents[2] / "docs" / "patch.schema.json"
PATCH = Patch(
    "v1:base",
    (create("atom:IA-1", "Login: an expired token is refused."), create("atom:IA-2", "x")),
    (Finding("PK101", "t", "error", "no atom", (Evidence("mechanical", "tests/test_a.py", 3),), fix="# @atom IA-1"),),
    (Question("choose", "q", {"why": ["a"]}, options=("IA-1", "IA-2"), default="IA-1"),),
    {"tests": COMPLETE, "board": Health("partial", "page 2 is missing")},
    {"tests": 2},
)
Document = dict[str, Any]


def rewritten(change: Callable[[Document], object]) -> Document:
    document: Document = json.loads(encode_patch(PATCH))
    change(document)
    document["hash"] = digest({key: value for key, value in document.items() if key != "hash"})
    return document


def test_the_published_schema_is_the_one_the_reader_uses():
    assert json.loads(SCHEMA_FILE.read_text(encoding="utf-8")) == patch_schema(), (
        "write docs/patch.schema.json anew from patch_schema()"
    )
    Draft202012Validator.check_schema(patch_schema())


@given(patches())
def test_every_patch_that_can_be_made_validates_against_the_published_schema(patch: Patch):
    Draft202012Validator(patch_schema()).validate(json.loads(encode_patch(patch)))


MISSHAPEN: dict[str, Callable[[Document], object]] = {
    "another schema": lambda d: d.update(schema="pactkeeper.patch/2"),
    "an unknown key": lambda d: d.update(extra=1),
    "a missing key": lambda d: d.pop("summary"),
    "a negative count": lambda d: d["summary"].update(tests=-1),
    "an unknown verb": lambda d: d["ops"][0].update(verb="deleteAtom"),
    "a finding as an op": lambda d: d["ops"].append({**d["ops"][0], "verb": "invariantViolationFinding"}),
    "a lower risk": lambda d: d["ops"][0].update(risk="record"),
    "an unknown key of an op": lambda d: d["ops"][0].update(force=True),
    "an unknown key of a payload": lambda d: d["ops"][0]["payload"].update(x=1),
    "a payload of another verb": lambda d: d["ops"][0].update(verb="detachTest"),
    "a path out of the repository": lambda d: d["ops"][0]["payload"]["sourceTest"].update(filePath="../x"),
    "a confidence above one": lambda d: d["ops"][0].update(confidence="1.50"),
    "a confidence as a number": lambda d: d["ops"][0].update(confidence=1),
    "a precondition that is no hash": lambda d: d["ops"][0].update(precondition="HEAD"),
    "an unknown kind of evidence": lambda d: d["findings"][0]["evidence"][0].update(kind="felt"),
    "a finding code of somebody else": lambda d: d["findings"][0]["payload"].update(invariantId="E501"),
    "an unknown kind of question": lambda d: d["questions"][0].update(kind="guess"),
    "an unknown health": lambda d: d["sources"]["tests"].update(status="fine"),
}


@pytest.mark.parametrize("name", MISSHAPEN)
def test_schema_and_reader_refuse_the_same_misshapen_patches(name: str):
    document = rewritten(MISSHAPEN[name])
    assert not Draft202012Validator(patch_schema()).is_valid(document)
    with pytest.raises(PatchError):
        decode_patch(json.dumps(document))


FORGED: dict[str, tuple[Callable[[Document], object], str]] = {
    "an op id": (lambda d: d["ops"][0].update(id="op-000000000000"), r"\$\.ops\[0\]\.id"),
    "a shown hash": (lambda d: d["ops"][0].update(shown_hash="v1:" + "0" * 64), r"\$\.ops\[0\]\.shown_hash"),
    "the words under an id": (lambda d: d["ops"][0]["payload"].update(description="y"), r"\$\.ops\[0\]\.id"),
    "the target under an id": (lambda d: d["ops"][0].update(target="atom:IA-9"), r"\$\.ops\[0\]\.id"),
    "evidence under a shown hash": (lambda d: d["ops"][0].update(confidence="0.99"), r"\$\.ops\[0\]\.shown_hash"),
    "a fingerprint": (lambda d: d["findings"][0].update(fingerprint="fp-" + "0" * 16), r"\$\.findings\[0\]\.finger"),
    "a location": (lambda d: d["findings"][0]["payload"]["location"].update(line=9), r"\$\.findings\[0\]\.payload"),
    "a question's id": (lambda d: d["questions"][0].update(id="qu-000000000000"), r"\$\.questions\[0\]\.id"),
    "a default that is no option": (lambda d: d["questions"][0].update(default="IA-9"), r"\$\.questions\[0\]"),
    "a complete source with a reason": (lambda d: d["sources"]["tests"].update(reason="x"), r"\$\.sources\.tests"),
    "an order of dependencies": (lambda d: d["ops"][0].update(depends_on=[d["ops"][1]["id"]]), "shown_hash"),
    "a repeated op": (lambda d: d["ops"].append(d["ops"][0]), "is there 2 times"),
}


@pytest.mark.parametrize("name", FORGED)
def test_the_reader_finds_out_what_a_schema_cannot(name: str):
    change, place = FORGED[name]
    with pytest.raises(PatchError, match=place):
        decode_patch(json.dumps(rewritten(change)))


def test_a_hash_that_is_not_the_contents_is_refused():
    with pytest.raises(PatchError, match="is not the hash of the content"):
        decode_patch(encode_patch(PATCH).replace('"v1:base"', '"v1:bass"'))


def test_all_problems_are_told_at_once():
    def spoil(document: Document) -> None:
        for op in document["ops"]:
            op["risk"] = "none"
        document["extra"] = 1

    with pytest.raises(PatchError, match="3 problems") as error:
        decode_patch(json.dumps(rewritten(spoil)))
    assert all(place in str(error.value) for place in ("$.ops[0].risk", "$.ops[1].risk", "$.extra"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value"),
        ("[]", "not an object"),
        ('{"schema": 1, "schema": 2}', "'schema' is given twice"),
        ('{"base": 1.5}', "1.5 is not whole"),
        ('{"base": NaN}', "NaN is not whole"),
        ('{"base": "\\ud800"}', "not a valid character"),
        ('{"a":' * 200 + "1" + "}" * 200, "nested"),
        ("[" * 100_000, "nested"),
        ('{"base": ' + "9" * 5000 + "}", "4300"),
        ("\ufeff{}", "BOM"),
        (encode_patch(PATCH)[:-20], "Expecting|Unterminated"),
    ],
)
def test_text_that_is_no_strict_json_is_refused(text: str, message: str):
    with pytest.raises(PatchError, match=message):
        decode_patch(text)


def test_a_finding_stands_in_the_patch_under_its_wire_verb():
    (finding,) = json.loads(encode_patch(PATCH))["findings"]
    assert finding["verb"] == "invariantViolationFinding"
    assert finding["payload"] == {
        "invariantId": "PK101",
        "message": "no atom",
        "severity": "error",
        "location": {"path": "tests/test_a.py", "line": 3},
    }


def test_a_broken_rule_stands_in_the_patch_under_its_own_id_beside_the_code():
    found = Finding("ACME101", "IA-1", "warning", "one test", about="INV-101", invariant="INV-101")
    text = encode_patch(Patch("v1:base", findings=(found,)))
    (written,) = json.loads(text)["findings"]
    assert (written["code"], written["payload"]["invariantId"]) == ("ACME101", "INV-101")
    assert decode_patch(text).findings == (found,)


def test_the_id_of_a_rule_alone_is_no_code_of_a_finding():
    with pytest.raises(PatchError, match="'R001'"):
        decode_patch(json.dumps(rewritten(lambda d: d["findings"][0]["payload"].update(invariantId="R001"))))
