"""Outcomes: plain words in a few certain forms, code everywhere else."""

from dataclasses import replace

import pytest

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Captured,
    Claim,
    Name,
    Raised,
    Subscript,
    TestEvidence,
    Value,
)
from pactkeeper.intent.quality import AtomWords, assess
from pactkeeper.intent.wording.outcomes import is_read, outcomes_of, quoted

COUNTED = "It holds in each of the 18 cases that the test lists."  # as written before
CASES = "Each case that the test lists holds."
ONE, TEXT = Value("number", "1"), Value("string", "a")
STATUS = Attribute(Name("response"), "status_code")


def said(*claims, **rest):
    return outcomes_of(TestEvidence("tests/test_x.py::x", (), "test_x", claims=claims, **rest))


@pytest.mark.parametrize(
    ("block", "outcome"),
    [
        ("with pytest.raises(IndexError):\n        s[100]", "`with pytest.raises(IndexError): s[100]`"),
        ("with raises(E):\n  a = b(\n    1\n  )\n  # once\n  c(a)", "`with raises(E): a = b( 1 ); c(a)`"),
        ("with self.raises_os_error(errno.EEXIST):\n  a(b)", "`with self.raises_os_error(errno.EEXIST): a(b)`"),
        ("expect(() => compose(undefined)(1)).toThrow()", "`expect(() => compose(undefined)(1)).toThrow()`"),
    ],
)
def test_an_error_of_no_call_that_is_known_is_shown_as_the_code_that_raises(block, outcome):
    assert said(Claim("raises", Name("KeyError"), quote=block)) == (outcome,)


def test_an_error_of_a_block_that_has_blocks_is_left_to_the_test():
    assert said(Claim("raises", Name("KeyError"), quote="with raises(KeyError):\n  for a in b:\n    c(a)")) == ()


CALLED = Call(Name("parse"), (Argument(ONE),))
PARSED = Claim("raises", Name("ParseError"), CALLED, quote="with raises(ParseError): parse(1)")
SHOWN = "`with raises(ParseError): parse(1)`"
MATCHING = "An error is raised by `parse(1)` with a message matching 'a'."


@pytest.mark.parametrize(
    ("claim", "rest", "outcome"),
    [
        (PARSED, {}, "ParseError is raised by `parse(1)`."),
        (PARSED, {"actions": (CALLED,)}, "ParseError is raised by `parse(1)`."),
        (PARSED, {"actions": (CALLED, CALLED)}, SHOWN),
        (PARSED, {"actions": (Call(Name("parse")), CALLED)}, SHOWN),
        (replace(PARSED, subject=Name("Error")), {}, SHOWN),
        (replace(PARSED, subject=Name("Error"), qualifiers=(Argument(TEXT, "match"),)), {}, MATCHING),
        (replace(PARSED, quote="expect(() => new parse(1)).toThrow()"), {}, "`expect(() => new parse(1)).toThrow()`"),
        (replace(PARSED, quote="expect(parse).toThrow()"), {}, "`expect(parse).toThrow()`"),
    ],
)
def test_an_error_is_in_words_where_it_has_a_name_or_message_and_one_call_that_is_written_there(claim, rest, outcome):
    assert said(claim, **rest) == (outcome,)


def test_the_message_of_one_of_several_errors_is_shown_as_code():
    message = Claim("contains", Call(Name("str"), (Argument(Raised(Name("E"))),)), TEXT, quote="assert 'a' in str(e)")

    assert said(PARSED, message)[1] == "The error message contains 'a'."
    assert said(PARSED, replace(PARSED, line=9), message)[-1] == "`assert 'a' in str(e)`"


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (Claim("equals", STATUS, Value("number", "401")), "The response status is 401."),
        (Claim("equals", STATUS, Value("number", "401"), negated=True), "The response status is not 401."),
        (Claim("equals", Attribute(Name("result"), "exit_code"), ONE), "The exit code is 1."),
        (Claim("contains", Captured("output"), TEXT), "The output contains 'a'."),
        (
            Claim("equals", Subscript(Attribute(Name("resp"), "headers"), Value("string", "etag")), TEXT),
            "The response header 'etag' is 'a'.",
        ),
    ],
)
def test_a_certain_form_is_put_into_words(claim, sentence):
    assert said(claim) == (sentence,)


@pytest.mark.parametrize(
    "claim",
    [
        Claim("equals", Name("total"), ONE),
        Claim("equals", Attribute(Name("user"), "status"), TEXT),
        Claim("equals", STATUS, Name("expected")),
        Claim("equals", STATUS, ONE, condition=Name("flag")),
        Claim("equals", STATUS, ONE, via="check"),
        Claim("raises", Name("errors")),
        Claim("raises", Name("KeyError"), negated=True),
    ],
)
def test_everything_else_is_quoted_as_code(claim):
    assert said(Claim(**{**_fields(claim), "quote": "assert  it"})) == ("`assert  it`",)


def _fields(claim):
    return {name: getattr(claim, name) for name in claim.__slots__}


def test_of_two_statuses_nobody_could_tell_which_is_whose():
    first = Claim("equals", STATUS, Value("number", "200"), quote="assert r.status_code == 200", line=1)
    second = Claim("equals", STATUS, Value("number", "404"), quote="assert r.status_code == 404", line=2)

    assert said(first, second) == ("`assert r.status_code == 200`", "`assert r.status_code == 404`")


def test_what_is_asserted_inside_an_expected_failure_is_no_outcome():
    assert said(Claim("equals", STATUS, ONE, inverted=True)) == ()


def test_cases_are_shown_as_a_table():
    rows = ((ONE, TEXT), (Value("number", "2"), TEXT))

    assert said(parameters=("given", "wanted"), rows=rows) == ("`(given, wanted) = (1, 'a') | (2, 'a')`",)


@pytest.mark.parametrize("number", [13, 14])
def test_many_cases_are_not_counted_since_their_number_grows(number):
    assert said(parameters=("given",), rows=((ONE,),) * number) == (CASES,)


@pytest.mark.parametrize("cases", [COUNTED, CASES])
def test_a_sentence_about_cases_is_read_from_the_test_also_one_of_before(cases):
    assert is_read(cases)


@pytest.mark.parametrize("cases", [COUNTED, CASES])
def test_what_is_said_of_many_cases_costs_an_atom_nothing(cases):
    words = AtomWords("A number is returned with its ordinal suffix.", (cases,))
    assert assess(words).deductions == ()


def test_code_is_whole_or_missing():
    assert quoted("assert f(\n    1\n) == 2;") == "`assert f( 1 ) == 2`"
    assert quoted("expect(`a`)") == "`` expect(`a`) ``"
    assert quoted("x" * 501) == ""
