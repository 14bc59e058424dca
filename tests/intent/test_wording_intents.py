"""Sentences that people wrote, as intents."""

import pytest

from pactkeeper.intent.claims import Call, Name, TestEvidence
from pactkeeper.intent.wording.intents import intent_of, unsaid


def titled(name, *suite, computed=()):
    return TestEvidence("src/cart.test.ts::x", suite, name, free_text_name=True, computed=computed)


def named(name, *suite, **rest):
    return TestEvidence("tests/test_cart.py::x", suite, name, **rest)


@pytest.mark.parametrize(
    ("evidence", "intent"),
    [
        (titled("should fully reload", "Router", "push()"), "Router: push(): should fully reload."),
        (titled("keeps `$` in names"), "Cart: keeps `$` in names."),
        (titled("returns the host", "$URL"), "$URL: returns the host."),
        (named("test_x", "ExactlyNTests", docstring="Counts each item once."), "ExactlyN: counts each item once."),
        (named("test_expired_token_is_rejected", "TestLogin"), "Expired token is rejected."),
        (named("test_rejects_an_expired_token", "TestLogin"), "Login: rejects an expired token."),
        (named("test_cannot_read_a_closed_file"), "Cart: cannot read a closed file."),
        (titled("when the form is empty then throw", "Form"), "Form: when the form is empty then throw."),
        (named("test_copies_are_mutable", "ImmutableDictTests"), "ImmutableDict: copies are mutable."),
        (named("test_mutable_dict_is_copied", "TestMutableDict"), "Mutable dict is copied."),
        (named("test_anyOf_is_traversed_first"), "anyOf is traversed first."),
        (named("test_x", docstring="Return values are kept."), "Return values are kept."),
        (named("test_that_drives_are_mounted_on_access"), "Drives are mounted on access."),
        (titled("that a token is kept once", "Login (unit)"), "Login: a token is kept once."),
        (titled("keeps the last value", "yargs dsl tests"), "Yargs dsl: keeps the last value."),
        (titled("find returns the first match", "Arrays", "find()"), "Arrays: find returns the first match."),
        (named("test_x", "PoolTests", docstring="Raises an error once closed."), "Pool: raises an error once closed."),
    ],
)
def test_only_case_separators_and_the_full_stop_change(evidence, intent):
    found = intent_of(evidence)

    assert found is not None
    assert found.text == intent


def test_what_the_test_uses_as_one_identifier_keeps_its_spelling():
    evidence = named("test_strip_ansi_is_idempotent", actions=(Call(Name("strip_ansi")),))

    found = intent_of(evidence)

    assert found is not None
    assert found.text == "strip_ansi is idempotent."


@pytest.mark.parametrize(("title", "is_one"), [("removes the todo from the list", True), ("TODO removes it", False)])
def test_a_marker_of_unfinished_work_is_no_word_of_the_product(title, is_one):
    assert (intent_of(titled(title)) is not None) is is_one


@pytest.mark.parametrize(
    "evidence",
    [
        titled("returns $expected for $input", computed=("returns $expected for $input",)),
        titled("returns the total", "with $name", computed=("with $name",)),
        titled("is fixed (#1234)"),
        titled("works"),
        titled("can detect a request of another method)"),
        titled("hooks are called in order / 2"),
        titled("combines with produce - 2"),
        TestEvidence("test/index.test.js::x", (), "accepts a string", free_text_name=True),
        named("test_basic"),
        named("test_total_is_kept_2"),
        named("test_gh_12_is_fixed_for_issue"),
        named("test_json_decimal"),
    ],
)
def test_what_no_person_wrote_as_a_statement_is_no_intent(evidence):
    assert intent_of(evidence) is None


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        (titled("adds ${one}", computed=("adds ${one}",)), "its title is built when the test runs"),
        (titled("adds", "$name", computed=("$name",)), "the title of a suite around it is built when the test runs"),
        (titled("hooks are called / 2"), "its title ends with a number"),
        (titled("keeps commands, post #1457"), "its title refers to an issue"),
        (titled("keeps commands)"), "its title has a bracket that is not closed"),
        (named("test_json"), "its name has fewer than 3 words"),
        (titled("parses dates correctly"), "its title leaves the result open with 'correctly'"),
        (
            named("test_json", docstring="The decoder."),
            "its docstring has no verb form such as 'is', 'stores' or 'stored'",
        ),
    ],
)
def test_the_reason_says_where_a_statement_was_looked_for(evidence, reason):
    assert unsaid(evidence) == reason
