"""Free-text titles and their suites as clauses."""

import pytest

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Name, TestEvidence, Value
from pactkeeper.intent.inference import infer
from pactkeeper.intent.wording.titles import stated, title_phrase, title_words, titled_suites

PASSES = Claim("equals", Attribute(Name("order"), "total"), Value("number", "3"))


def titled(title: str, *claims: Claim, suite: tuple[str, ...] = ()) -> str:
    return infer(TestEvidence("a.ts::x", suite, title, claims=claims or (PASSES,), free_text_name=True)).intent


@pytest.mark.parametrize(
    ("title", "parameters", "text"),
    [
        ("takes %i percent off the total", ("percent",), "takes <percent> percent off the total"),
        ("adds %d to %d", ("left", "right"), "adds <left> to <right>"),
        ("accepts %s", ("_label", "n"), "accepts <label>"),
        ("accepts %s", (), "accepts each value"),
        ("translates each %s key", (), "translates each value key"),
        ("takes 50%% off", (), "takes 50% off"),
        ("case %# is closed", ("x",), "case <number> is closed"),
        ("greets $user.name", ("user",), "greets <user name>"),
        ("resolves $ref", (), "resolves $ref"),
        ("keeps ${count} items", ("count",), "keeps <count> items"),
        ("keeps ${items.map((x) => x.id)}", (), "keeps each value"),
        ("'sends ETag to ' + method.toUpperCase() + ' request'", ("method",), "sends ETag to <method> request"),
        ("name", ("name",), "each name"),
        ("accepts output (issue #5714)", (), "accepts output"),
    ],
)
def test_a_hole_in_a_title_is_named_after_what_fills_it(title, parameters, text):
    assert title_words(title, parameters) == text


def test_a_hole_is_not_named_where_a_table_further_out_fills_holes_too():
    assert title_words("counts %s", ("language", "count"), nested=True) == "counts each value"


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("should return 404", "returns 404"),
        ("it should return 404", "returns 404"),
        ("should not throw", "does not throw"),
        ("shouldn't throw", "does not throw"),
        ("should be empty", "is empty"),
        ("should not be empty", "is not empty"),
        ("should only call once", "only calls once"),
        ("should parse and return data", "parses and returns data"),
        ("should have a header but should not have a body", "has a header but does not have a body"),
        ("errors should be kept", "errors are kept"),
        ("should lookup the file", "looks up the file"),
        ("should 404 on a missing user", "should 404 on a missing user"),
        ("should next(err)", "should next(err)"),
        ("should no set cookie", "should no set cookie"),
    ],
)
def test_should_becomes_a_statement_where_a_verb_follows(title, text):
    assert stated(title) == text


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("returns the first function", "sentence"),
        ("an absent key stays absent", "sentence"),
        ("surfaces an explicit input", "sentence"),
        ("doesn’t throw", "sentence"),
        ("allow undefined values", "action"),
        ("type inference", "topic"),
        ("z.lt", "topic"),
        ("default when property is null", "topic"),
    ],
)
def test_a_title_states_behaviour_only_with_a_verb_of_its_own(title, kind):
    assert title_phrase(title).kind == kind


def test_a_title_that_is_a_topic_says_what_is_asserted():
    assert titled("type inference") == "Type inference: the order total is 3."


@pytest.mark.parametrize(
    ("suites", "topic"),
    [
        (("Basket", "with a wrong quantity"), "Basket, with a wrong quantity"),
        (("res", ".set(field, values)"), "res.set(field, values)"),
        (("express.json()", "when strict"), "express.json(), when strict"),
        (("createStore",), "createStore"),
        (("TodosReducer", "Basket"), "Todos reducer: Basket"),
        (("Basket", "Basket"), "Basket"),
        (("%s prices", "rounding"), "<currency> prices: Rounding"),
    ],
)
def test_suites_read_as_one_topic(suites, topic):
    assert titled_suites(suites, ("currency",)) == topic


def test_a_suite_and_a_title_make_one_sentence():
    said = titled("should throw a RangeError", suite=("Basket", "with a wrong quantity"))

    assert said == "Basket, with a wrong quantity: throws a RangeError."


def test_calls_that_fail_alike_are_told_apart():
    calls = [Call(Name("parse"), (Argument(Value("number", text)),)) for text in ("1", "2")]
    said = infer(TestEvidence("a.ts::x", (), "x", claims=tuple(Claim("raises", Name("Error"), one) for one in calls)))

    assert said.outcomes == ("parse raises an error for 1.", "parse raises an error for 2.")
    assert said.falsified_by == ("parse does not raise an error for 1.", "parse does not raise an error for 2.")


def test_a_title_that_is_computed_from_names_is_read_by_its_holes():
    assert title_words('u1 + " == " + u2', ()) == "<u1> == <u2>"


@pytest.mark.parametrize(
    "title",
    ['u1 + " == " + u2', "t.input.toString()", 'JSON.stringify(t.a) + "-" + JSON.stringify(t.b)', "${t.input}"],
)
def test_a_title_of_nothing_but_holes_and_code_of_rows_says_nothing(title):
    assert title_phrase(title, ("t", "u1", "u2")).kind == "empty"


@pytest.mark.parametrize(
    "title", ["accepts port + hostname", "list.nonempty()", "the detached schema.optional() returns a schema"]
)
def test_a_title_that_a_person_wrote_with_code_in_it_says_what_it_says(title):
    assert title_phrase(title, ("t",)).text == title
