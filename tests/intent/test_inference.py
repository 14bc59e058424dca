"""What a test means: intent, outcomes, doubts and how far to trust it."""

from dataclasses import replace

import pytest

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Name, TestEvidence, Value
from pactkeeper.intent.inference import infer

STATUS = Claim("equals", Attribute(Name("resp"), "status_code"), Value("number", "401"))
EXPIRED = Claim(
    "raises",
    Name("AuthError"),
    Call(Name("verify")),
    qualifiers=(Argument(Value("regex", "expired"), "match"),),
    quote="with raises(AuthError, match='expired'): verify()",
)
LOGIN = TestEvidence(
    "tests/test_auth.py::TestLogin::test_expired_token_is_rejected",
    ("TestLogin",),
    "test_expired_token_is_rejected",
    claims=(STATUS, EXPIRED),
)


def named(name: str, *claims: Claim, **rest) -> TestEvidence:
    return TestEvidence(f"tests/test_x.py::{name}", (), name, claims=claims, **rest)


def test_a_login_test_says_what_a_person_would_write():
    said = infer(LOGIN)

    assert said.intent == "Expired token is rejected."
    assert said.outcomes == (
        "The response status is 401.",
        "AuthError is raised by `verify()` with a message matching 'expired'.",
    )
    assert said.falsified_by == ()
    assert said.category == "functional"
    assert said.confidence == 36
    assert said.reasons == ()


def test_a_call_count_alone_stays_below_the_threshold():
    said = infer(named("test_job_is_retried", Claim("called_times", Name("mock"), Value("number", "3"))))

    assert "call_count_assertion" in said.reasons
    assert said.confidence < 70


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        (named("test_token_is_rejected"), "no_assertion"),
        (named("test_mail_is_sent", Claim("called", Name("send"))), "mock_only"),
        (named("test_page_is_shown", Claim("snapshot", Name("page"))), "snapshot_only"),
        (named("test_basic", STATUS), "no_sentence"),
        (named("test_total_is_shown", STATUS, expects="fail"), "expected_failure"),
        (named("test_cache_is_cleared", Claim("empty", Attribute(Name("store"), "_cache"))), "private_access"),
        (named("test_total_is_shown", reasons=("unresolvable_value",)), "unresolvable_value"),
    ],
)
def test_each_doubt_has_its_reason(evidence, reason):
    assert reason in infer(evidence).reasons


@pytest.mark.parametrize(
    "evidence",
    [
        named("test_lookup_raises_key_error", EXPIRED),
        named("test_lookup_returns_404_for_strangers", replace(STATUS, object=Value("number", "404"))),
        named("test_token_is_rejected", STATUS),
    ],
)
def test_a_name_its_assertions_bear_out_raises_no_doubt(evidence):
    assert infer(evidence).reasons == ()


NEGATIVE = Claim(
    "raises", Name("FileNotFoundError"), Call(Name("load")), quote="with raises(FileNotFoundError): load()"
)


def test_a_sentence_that_names_an_error_the_test_does_not_expect_is_doubted():
    said = infer(named("test_x", NEGATIVE, docstring="Loading a file that is not there raises a KeyError at once."))

    assert "name_disagrees" in said.reasons
    assert said.confidence < 70
    assert said.reasoning.endswith("but it names an error that the test does not expect.")


@pytest.mark.parametrize("error", ["FileNotFoundError", "OSError"])
def test_a_sentence_may_name_the_expected_error_or_its_kind(error):
    said = infer(named("test_x", NEGATIVE, docstring=f"Loading a file that is not there raises an {error} at once."))

    assert said.reasons == ()


def test_a_sentence_may_name_an_error_that_the_test_only_works_with():
    made = (Call(Name("fail_with"), (Argument(Name("KeyError")),)),)
    said = infer(
        named("test_x", NEGATIVE, actions=made, docstring="A KeyError of the loader means that no file is there.")
    )

    assert "name_disagrees" not in said.reasons


def test_no_outcome_is_stated_that_no_assertion_states():
    said = infer(named("test_token_is_rejected", reasons=("unresolvable_value",)))

    assert said.outcomes == ()
    assert said.falsified_by == ()
    assert said.confidence < 70


def test_a_docstring_that_states_behaviour_is_the_intent_of_a_topic():
    evidence = named("test_options_disabled", STATUS, docstring="Test that automatic options can be disabled.\n\nMore.")

    assert infer(evidence).intent == "Automatic options can be disabled."


@pytest.mark.parametrize("docstring", ["See GH-123", "TODO", "Regression test for issue 42 is here", ">>> f()", "x"])
def test_a_docstring_that_states_no_behaviour_is_left_out(docstring):
    evidence = named("test_json_decimal", STATUS, docstring=docstring)

    assert infer(evidence).intent == ""


def test_a_free_text_title_is_used_as_it_stands():
    evidence = TestEvidence(
        "u.ts::x", ("GET /users",), "returns 404 when the user is missing", claims=(STATUS,), free_text_name=True
    )

    assert infer(evidence).intent == "GET /users: returns 404 when the user is missing."


@pytest.mark.parametrize(
    ("markers", "category"), [(("slow", "security"), "security"), ((), "functional"), (("login",), "functional")]
)
def test_the_category_is_the_one_that_a_marker_names(markers, category):
    assert infer(named("test_csrf_token_is_required", STATUS, markers=markers)).category == category


def test_markers_that_steer_the_runner_are_no_tags():
    assert infer(named("test_total_is_shown", STATUS, markers=("slow", "xfail", "asyncio"))).tags == ("slow",)


def test_a_test_that_is_expected_to_fail_is_trusted_less():
    plain, failing = named("test_total_is_shown", STATUS), named("test_total_is_shown", STATUS, expects="fail")

    assert infer(failing).confidence < infer(plain).confidence


def test_a_skipped_test_stays_open_and_says_so():
    said = infer(replace(LOGIN, markers=("skip",)))

    assert said.confidence < 50
    assert said.reasoning == "only its name says what it is for, but the test is skipped."


def title(text, *suite):
    return TestEvidence(f"src/cli.test.ts::{text}", suite, text, free_text_name=True, claims=(STATUS,))


@pytest.mark.parametrize(
    ("evidence", "why"),
    [
        (title("uses size", "CLI"), "it has only 2 words"),
        (named("test_x", STATUS, docstring="Totals are kept twice."), "it has only 4 words"),
        (named("test_expired_token_is_rejected", STATUS), "a name counts only once a person confirms it"),
        (
            replace(title("sends one mail to every member", "CLI"), claims=(Claim("called", Name("send")),)),
            "it only checks how its fakes were called",
        ),
    ],
)
def test_a_sentence_below_the_bar_says_what_it_lacks(evidence, why):
    said = infer(evidence)

    assert said.confidence < 70
    assert said.reasoning.partition(", but ")[2] == f"{why}."


@pytest.mark.parametrize(
    ("evidence", "share"),
    [
        (title("keeps all six words of it"), 55),
        (title("returns 404 when the user is not there", "CLI"), 82),
        (title("keeps all seven words of the title"), 82),
        (named("test_x", STATUS, docstring="An expired token is exchanged for another."), 72),
    ],
)
def test_a_sentence_has_the_share_of_its_origin_and_length(evidence, share):
    assert infer(evidence).confidence == share


def test_the_same_evidence_gives_the_same_inference():
    assert infer(LOGIN) == infer(LOGIN)


NO_EXCEPTION = Claim("none", Attribute(Name("result"), "exception"))


def test_a_topic_of_which_only_no_failure_is_asserted_is_not_confident():
    assert infer(named("test_length_hint", NO_EXCEPTION)).confidence < 70


def test_a_docstring_that_tells_what_the_test_does_is_no_intent():
    said = "Windows-specific tests: verify ``Popen`` receives plain paths."
    claim = Claim("equals", Name("args"), Value("string", "a"))

    assert infer(named("test_editor_paths", claim, docstring=said)).intent == ""


def test_a_bare_topic_is_never_confident():
    far = Claim("contains", Attribute(Name("response"), "headers"), Value("string", "x" * 400))

    assert infer(named("test_json_decimal_" + "and_a_very_long_tail_" * 8, STATUS, far)).confidence < 70
