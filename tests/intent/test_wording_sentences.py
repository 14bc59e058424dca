"""Claims as sentences with their exact opposites."""

from dataclasses import replace

import pytest

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Captured,
    Claim,
    Collection,
    Each,
    Expression,
    Item,
    Name,
    Opaque,
    Operation,
    Raised,
    TestEvidence,
    Value,
)
from pactkeeper.intent.wording.sentences import outcomes_of
from pactkeeper.intent.wording.vocabulary import Vocabulary

RESP = Name("resp")
STATUS = Attribute(RESP, "status_code")
COOKIES = Name("cookies")


def text(value: str) -> Value:
    return Value("string", value)


def number(value: str) -> Value:
    return Value("number", value)


def call(name: str, *arguments: Expression) -> Call:
    return Call(Name(name), tuple(Argument(one) for one in arguments))


def worded(*claims: Claim, **rest) -> list[tuple[str, str, bool]]:
    evidence = TestEvidence("t.py::test_x", (), "test_x", claims=claims, **rest)
    return [(one.sentence, one.falsifier, one.sure) for one in outcomes_of(evidence, Vocabulary())]


CASES = [
    (
        Claim("equals", STATUS, number("401")),
        "The response status code is 401.",
        "The response status code is not 401.",
    ),
    (
        Claim("equals", STATUS, number("401"), negated=True),
        "The response status code is not 401.",
        "The response status code is 401.",
    ),
    (
        Claim("equals", COOKIES, Collection("list")),
        "The cookies are an empty list.",
        "The cookies are not an empty list.",
    ),
    (
        Claim("equals", Name("total"), Name("limit")),
        "The total equals the limit.",
        "The total does not equal the limit.",
    ),
    (
        Claim("same", Name("first_user"), Name("owner")),
        "The first user is the owner.",
        "The first user is not the owner.",
    ),
    (
        Claim("equals", call("parse_url", text("x")), text("y")),
        "parse_url returns 'y' for 'x'.",
        "parse_url does not return 'y' for 'x'.",
    ),
    (Claim("none", call("find", text("x"))), "find returns None for 'x'.", "find does not return None for 'x'."),
    (
        Claim("truthy", call("is_valid", text("x"))),
        "is_valid returns a true value for 'x'.",
        "is_valid returns a false value for 'x'.",
    ),
    (
        Claim("approximately", Name("tax"), number("0.19"), qualifiers=(Argument(number("2"), "places"),)),
        "The tax is approximately 0.19 (to 2 decimal places).",
        "The tax is not approximately 0.19 (to 2 decimal places).",
    ),
    (
        Claim("contains", Attribute(RESP, "text"), text("x")),
        "The response text contains 'x'.",
        "The response text does not contain 'x'.",
    ),
    (
        Claim("contained_in", STATUS, Collection("tuple", (number("200"), number("204")))),
        "The response status code is 200 or 204.",
        "The response status code is not 200 or 204.",
    ),
    (
        Claim("contained_in", Name("user"), Name("members")),
        "The user is among the members.",
        "The user is not among the members.",
    ),
    (
        Claim("matches", Name("number"), Value("regex", r"^A-\d+$")),
        r"The number matches '^A-\d+$'.",
        r"The number does not match '^A-\d+$'.",
    ),
    (Claim("starts_with", Name("path"), text("/")), "The path starts with '/'.", "The path does not start with '/'."),
    (Claim("ends_with", Name("path"), text("/")), "The path ends with '/'.", "The path does not end with '/'."),
    (Claim("truthy", Attribute(RESP, "is_redirect")), "The response is a redirect.", "The response is not a redirect."),
    (
        Claim("truthy", Attribute(Name("session"), "modified")),
        "The session is modified.",
        "The session is not modified.",
    ),
    (
        Claim("truthy", Attribute(Name("user"), "has_avatar")),
        "The user has an avatar.",
        "The user does not have an avatar.",
    ),
    (Claim("truthy", COOKIES, negated=True), "There are no cookies.", "There are cookies."),
    (Claim("truthy", Name("buffer")), "The buffer is truthy.", "The buffer is falsy."),
    (Claim("falsy", Name("buffer")), "The buffer is falsy.", "The buffer is truthy."),
    (Claim("none", Name("buffer"), negated=True), "The buffer is not None.", "The buffer is None."),
    (Claim("undefined", Name("buffer")), "The buffer is undefined.", "The buffer is not undefined."),
    (Claim("instance_of", Name("item"), Name("Order")), "The item is an Order.", "The item is not an Order."),
    (
        Claim("instance_of", Name("item"), Collection("tuple", (Name("str"), Name("int")))),
        "The item is a string or integer.",
        "The item is not a string or integer.",
    ),
    (
        Claim("has_type", Name("item"), Name("Order")),
        "The item is exactly an Order.",
        "The item is not exactly an Order.",
    ),
    (Claim("less", Name("delay"), number("5")), "The delay is less than 5.", "The delay is not less than 5."),
    (Claim("at_most", Name("delay"), number("5")), "The delay is at most 5.", "The delay is not at most 5."),
    (Claim("greater", Name("delay"), number("5")), "The delay is greater than 5.", "The delay is not greater than 5."),
    (Claim("at_least", Name("delay"), number("5")), "The delay is at least 5.", "The delay is not at least 5."),
    (Claim("length", COOKIES, number("2")), "The number of cookies is 2.", "The number of cookies is not 2."),
    (
        Claim("length", Name("body"), number("2")),
        "The body has a length of 2.",
        "The body does not have a length of 2.",
    ),
    (Claim("empty", Name("body")), "The body is empty.", "The body is not empty."),
    (Claim("empty", COOKIES), "There are no cookies.", "There are cookies."),
    (
        Claim("has_property", Name("user"), text("name"), qualifiers=(Argument(text("Ann"), "value"),)),
        "The user has a property 'name' with the value 'Ann'.",
        "The user does not have a property 'name' with the value 'Ann'.",
    ),
    (
        Claim("has_attribute", Name("user"), text("name")),
        "The user has an attribute 'name'.",
        "The user does not have an attribute 'name'.",
    ),
    (
        Claim("raises", Name("AuthError"), qualifiers=(Argument(Value("regex", "expired"), "match"),)),
        "AuthError is raised with a message matching 'expired'.",
        "AuthError is not raised with a message matching 'expired'.",
    ),
    (
        Claim("raises", Name("Error"), qualifiers=(Argument(text("no"), "message"),)),
        "An error is raised with the message 'no'.",
        "No error is raised with the message 'no'.",
    ),
    (Claim("raises", Name("Exception"), negated=True), "No exception is raised.", "An exception is raised."),
    (
        Claim("raises", Collection("tuple", (Name("KeyError"), Name("ValueError")))),
        "KeyError or ValueError is raised.",
        "KeyError or ValueError is not raised.",
    ),
    (Claim("warns", Name("DeprecationWarning")), "DeprecationWarning is issued.", "DeprecationWarning is not issued."),
    (
        Claim("logs", text("shop"), qualifiers=(Argument(text("INFO"), "level"),)),
        "An info message is logged to 'shop'.",
        "No info message is logged to 'shop'.",
    ),
    (Claim("completes", call("load_all")), "load_all completes without an error.", "load_all fails with an error."),
    (Claim("called", Name("on_close")), "on_close is called.", "on_close is not called."),
    (
        Claim("called_times", Name("callback"), number("2")),
        "The callback is called twice.",
        "The callback is not called twice.",
    ),
    (Claim("called_times", Name("callback"), number("0")), "The callback is not called.", "The callback is called."),
    (
        Claim(
            "called_with",
            Attribute(Name("mailer"), "send"),
            call("send", text("a")),
            qualifiers=(Argument(number("1"), "times"),),
        ),
        "The mailer's send is called once with 'a'.",
        "The mailer's send is not called once with 'a'.",
    ),
    (
        Claim("snapshot", Name("page")),
        "The page matches the stored snapshot.",
        "The page does not match the stored snapshot.",
    ),
    (Claim("returned", Name("spy"), number("3")), "The spy returns 3.", "The spy does not return 3."),
    (Claim("visible", Name("dialog")), "The dialog is visible.", "The dialog is not visible."),
    (Claim("exists", Name("dialog")), "The dialog exists.", "The dialog does not exist."),
    (Claim("state", Name("button"), text("disabled")), "The button is disabled.", "The button is not disabled."),
    (
        Claim("has_text", Name("heading"), text("Hi")),
        "The heading has the text 'Hi'.",
        "The heading does not have the text 'Hi'.",
    ),
    (
        Claim("equals", Item(Attribute(RESP, "headers"), text("ETag")), text("x")),
        "The 'ETag' header of the response is 'x'.",
        "The 'ETag' header of the response is not 'x'.",
    ),
    (
        Claim("equals", Item(Name("links"), number("0")), text("x")),
        "The first link is 'x'.",
        "The first link is not 'x'.",
    ),
    (
        Claim("equals", Item(Name("links"), number("-1")), text("x")),
        "The last link is 'x'.",
        "The last link is not 'x'.",
    ),
    (Claim("contains", Captured("log"), text("x")), "The log contains 'x'.", "The log does not contain 'x'."),
    (
        Claim("equals", Attribute(Raised(Name("AuthError")), "code"), number("7")),
        "The code of the AuthError is 7.",
        "The code of the AuthError is not 7.",
    ),
    (
        Claim("equals", STATUS, number("1"), alternatives=(Claim("none", Name("error")),)),
        "The response status code is 1 or the error is None.",
        "The response status code is not 1 and the error is not None.",
    ),
    (
        Claim("truthy", Attribute(Name("link"), "id"), each=Each("every", Name("link"), Name("links"))),
        "For every link in the links, the link ID is truthy.",
        "For at least one link in the links, the link ID is falsy.",
    ),
    (
        Claim("equals", Name("mode"), number("1"), condition=Operation("==", (Name("platform"), text("win")))),
        "When the platform is 'win', the mode is 1.",
        "When the platform is 'win', the mode is not 1.",
    ),
]


@pytest.mark.parametrize(("claim", "sentence", "falsifier"), CASES)
def test_a_claim_reads_as_a_sentence_and_its_falsifier_says_the_opposite(claim, sentence, falsifier):
    assert worded(claim) == [(sentence, falsifier, True)]


@pytest.mark.parametrize("claim", [case[0] for case in CASES])
def test_a_negated_claim_swaps_sentence_and_falsifier(claim):
    ((sentence, falsifier, _),) = worded(claim)
    plain = not claim.alternatives and claim.each is None and claim.condition is None

    if plain:
        assert worded(replace(claim, negated=not claim.negated)) == [(falsifier, sentence, True)]


@pytest.mark.parametrize(
    "claim",
    [
        Claim("equals", Name("x_value"), Opaque("lambda: 1")),
        Claim("equals", Opaque("[x for x in y if z]"), number("1")),
        Claim("satisfies", Operation("and", (Name("a"), Name("b")))),
        Claim("raises", Opaque("errors[0]")),
        Claim("same", Name("field"), Name("field")),
    ],
)
def test_what_has_no_words_is_marked_and_never_invented(claim):
    assert [sure for _, _, sure in worded(claim)] == [False]


def test_a_name_that_says_little_is_followed_to_what_it_holds():
    response = Call(Attribute(Name("client"), "get"), (Argument(text("/")),))

    assert worded(Claim("equals", Attribute(Name("rv"), "data"), text("x")), definitions=(("rv", response),)) == [
        ("The response data is 'x'.", "The response data is not 'x'.", True)
    ]


def test_two_responses_are_told_apart():
    claims = [
        Claim(
            "equals",
            Attribute(Name("rv"), "data"),
            text(data),
            holds=(("rv", Call(Attribute(Name("client"), "get"), (Argument(text(path)),))),),
        )
        for path, data in (("/a", "x"), ("/b", "y"))
    ]

    assert [sentence for sentence, _, _ in worded(*claims)] == [
        "The data of the response to GET '/a' is 'x'.",
        "The data of the response to GET '/b' is 'y'.",
    ]


def test_what_changes_between_two_assertions_is_said_in_turn():
    claims = [Claim("length", Name("queue"), number(one)) for one in ("1", "2")]

    assert worded(*claims) == [
        (
            "The queue has a length of 1, then a length of 2.",
            "The queue does not have a length of 1, then a length of 2.",
            True,
        )
    ]


def test_a_list_that_is_filled_later_is_not_taken_for_empty():
    claim = Claim("equals", Name("results"), number("1"))

    ((sentence, _, _),) = worded(claim, definitions=(("results", Collection("list")),))
    assert "empty" not in sentence


def test_a_long_value_stands_whole_in_its_sentence():
    ((sentence, falsifier, sure),) = worded(Claim("equals", Name("body"), text("ab" * 60)))

    assert (sentence, sure) == (f"The body is '{'ab' * 60}'.", True)
    assert "ab" * 60 in falsifier


def test_a_value_too_long_for_a_sentence_is_not_stated_as_an_outcome():
    ((_, _, sure),) = worded(Claim("equals", Name("body"), text("ab" * 100)))

    assert not sure


def test_blanks_inside_a_value_stay_as_they_are():
    ((sentence, falsifier, _),) = worded(Claim("equals", Name("line"), text(" 50%  00:02")))

    assert (sentence, falsifier) == ("The line is ' 50%  00:02'.", "The line is not ' 50%  00:02'.")


def test_a_control_character_is_written_as_the_one_it_is():
    ((sentence, _, _),) = worded(Claim("equals", Name("body"), text("\x1b[0m\u2028")))

    assert sentence == "The body is '\\x1b[0m\\u2028'."


def test_the_vocabulary_of_the_project_wins():
    evidence = TestEvidence("t", (), "test_x", claims=(Claim("equals", Name("acct"), number("1")),))

    (said,) = outcomes_of(evidence, Vocabulary({"acct": "account"}))
    assert said.sentence == "The account is 1."


def test_a_deeply_nested_expression_ends_somewhere():
    one: Expression = Name("root")
    for _ in range(200):
        one = Attribute(one, "next")

    assert [sure for _, _, sure in worded(Claim("equals", one, number("1")))] == [False]


def run_with(value: str) -> Call:
    return call("run", Name("command"), text(value))


def of_output(relation, value: str, turn: int, held: Expression) -> Claim:
    said = Claim(relation, Attribute(Name("result"), "output"), text(value), holds=(("result", held),))
    return replace(said, turns=(("result", turn),)) if turn > 1 else said


def test_a_name_that_is_assigned_anew_is_worded_with_the_call_each_claim_follows():
    found = worded(of_output("contains", "Invalid", 1, run_with("-1")), of_output("equals", "42", 2, run_with("42")))

    assert [(sentence, sure) for sentence, _, sure in found] == [
        ("The output of the result of run for the command and '-1' contains 'Invalid'.", True),
        ("The output of the result of run for the command and '42' is '42'.", True),
    ]


def test_two_names_for_results_are_told_apart_as_well():
    first = Claim("contains", Name("r1"), text("a"), holds=(("r1", run_with("1")),))
    second = Claim("contains", Name("r2"), text("b"), holds=(("r2", run_with("2")),))

    assert [sentence for sentence, _, _ in worded(first, second)] == [
        "The result of run for the command and '1' contains 'a'.",
        "The result of run for the command and '2' contains 'b'.",
    ]


def test_claims_about_several_values_that_no_words_tell_apart_are_not_sure():
    unknown = Opaque("lambda: 1")
    found = worded(of_output("contains", "a", 1, unknown), of_output("equals", "b", 2, unknown))

    assert [sure for _, _, sure in found] == [False, False]


def test_what_is_claimed_of_every_value_of_a_name_is_said_once_in_plain_words():
    found = worded(of_output("contains", "a", 1, Opaque("…")), of_output("contains", "a", 2, Opaque("…")))

    assert [(sentence, sure) for sentence, _, sure in found] == [("The result output contains 'a'.", True)]


def test_two_names_with_the_same_words_are_one_thing_where_one_of_them_is_not_known():
    given = Claim("equals", Attribute(Name("req"), "url"), text("/a"))
    made = Claim("equals", Attribute(Name("request"), "hit"), number("1"), holds=(("request", run_with("1")),))

    assert [sure for _, _, sure in worded(given, made)] == [True, True]
