"""Sentences that were misread are told by their looks."""

import pytest

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Collection, Name, TestEvidence, Value
from pactkeeper.intent.inference import infer
from pactkeeper.intent.wording.flaws import is_flawed, is_opaque
from pactkeeper.intent.wording.intents import MAX_INTENT


@pytest.mark.parametrize(
    "sentence",
    [
        "Getting a method on a g.",
        "The the total is 3.",
        "The warnings are is captured.",
        "The 'request' meta value of the result equals the result and the result is the result.",
        "An a token is rejected.",
        "Takes %i percent.",
        "Keeps ${count} items.",
        "The jar jar is empty.",
        "when 'utf8' is not None, the encoding is 'utf8'.",
        "Adding a rule with.",
    ],
)
def test_a_misread_sentence_is_told_by_its_looks(sentence):
    assert is_flawed(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The 'the the' header of the response is 'a a %s'.",
        'Settings, when "trust proxy" is enabled: defaults to the host.',
        "The total is a z.ZodString.",
        "encode returns 'x' for A and an empty string.",
        "The log contains '${name}'.",
    ],
)
def test_what_is_quoted_or_named_is_not_judged(sentence):
    assert not is_flawed(sentence)


def test_a_chain_of_calls_is_opaque():
    assert is_opaque("dump of the result of string returns the result of dump for the result of string.")
    assert not is_opaque("The result of dump for 'x' is 3.")


def test_a_flawed_sentence_is_never_confident():
    claim = Claim("equals", Attribute(Name("order"), "total"), Value("number", "3"))
    said = infer(TestEvidence("t.py::test_x", (), "test_the_the_total_is_three", claims=(claim, claim)))

    assert said.confidence < 70
    assert "mistaken" in said.reasoning


def test_a_long_sentence_leaves_its_outcomes_to_the_list_below():
    claims = tuple(
        Claim("contains", Attribute(Name("response"), "headers"), Value("string", f"{letter * 70}")) for letter in "ab"
    )
    said = infer(TestEvidence("t.py::test_x", (), "test_json_decimal_headers", claims=claims))

    assert len(said.intent) <= MAX_INTENT
    assert len(said.outcomes) == 2


@pytest.mark.parametrize("builder", ["dict", "list", "set", "Decimal", "Path"])
def test_what_a_test_builds_is_never_said_to_be_returned(builder):
    made = Call(Name(builder), (Argument(Value("string", "login"), "page"),))
    claim = Claim("equals", made, Collection("mapping", (Value("string", "page"), Value("string", "login"))))
    evidence = TestEvidence("t.py::test_x", (), "test_url_defaults", claims=(claim,))

    assert not [one for one in infer(evidence).outcomes if "returns" in one]


def test_keyword_arguments_of_dict_are_its_entries():
    built = Call(Name("dict"), (Argument(Value("string", "login"), "page"),))
    claim = Claim("equals", Name("values"), Name("expected"))
    held = (("values", Call(Name("dict"))), ("expected", built))
    evidence = TestEvidence("t.py::test_x", (), "test_url_defaults", claims=(claim,), definitions=held)

    assert infer(evidence).outcomes == ("The values are a mapping of 'page' to 'login'.",)
