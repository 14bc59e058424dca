from typing import get_args

import pytest

from pactkeeper.intent.answers import Grounds, NamedSource, objections
from pactkeeper.intent.answers.names import invented
from pactkeeper.intent.claims import AmbiguityReason
from pactkeeper.intent.quality.values import QualityVocabulary
from pactkeeper.intent.wording.tokens import tokens
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.op import AMBIGUITY_REASONS
from pactkeeper.ledger.question import Question, answer_shape
from pactkeeper.ledger.shape import Choice, Items, misfits

SOURCE = """\
import requests
from shop import Basket, login


def test_expired_token_is_refused():
    \"\"\"See the login_flow.\"\"\"
    resp = login("old", user_id="u-1")
    assert resp.status_code == 401
    assert resp.json()["error_code"] == "expired"
"""
WORD = Question("word_test", "tests/test_a.py::test_1", {"file": "tests/test_a.py"})
GROUNDS = Grounds(NamedSource(SOURCE))
GOOD: dict[str, JsonValue] = {
    "intent": "A login with an expired token is refused.",
    "category": "security",
    "outcomes": ["The response status is 401.", "The error code is 'expired'."],
    "quotes": ["assert resp.status_code == 401"],
    "confidence": 85,
}


def against(grounds=GROUNDS, **changes):
    return objections(WORD, {**GOOD, **changes}, grounds)


def judged(kind, value, **options):
    question = Question(kind, "x", {"texts": []}, **options)
    assert not list(misfits(value, answer_shape(question)))
    return objections(question, value, GROUNDS)


def test_words_that_the_test_shows_pass():
    assert against() == ()


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The status_code is 401.", "'status_code' is a name from the code"),
        ("The response has resp.status_code 401.", "'resp.status_code' is a name from the code"),
        ("Calling login() gives 401.", "'login()' is a call"),
        ("The errorCode is 401.", "'errorCode' is a name from the code"),
        ("The status of the Basket is 401.", "'Basket' is a name that the test imports"),
        ("The login is refused via requests.", "'requests' is a module that the test imports"),
        ("The login of pytest is refused.", "'pytest' is test jargon"),
        ("The login uses mocks.", "'mocks' is test jargon"),
    ],
)
def test_names_of_the_program_and_its_tools_are_no_words_of_behaviour(sentence: str, reason: str):
    assert any(one.startswith(f"outcome 1: {reason}") for one in against(outcomes=[sentence]))


@pytest.mark.parametrize("sentence", ["The error_code is 'expired'.", "The token 'old' is refused.", "A login is 401."])
def test_values_that_the_test_writes_out_may_be_named(sentence: str):
    assert against(outcomes=[sentence]) == ()


def test_the_type_of_an_error_is_something_a_caller_sees():
    raised = Grounds(NamedSource("with raises(ExpiredTokenError):\n    login(1)\n"))
    assert against(raised, intent="A login fails.", outcomes=["A login raises ExpiredTokenError."]) == ()


@pytest.mark.parametrize(
    "source",
    ["with pytest.raises(shop.LockedOut, match='x'):\n    login(1)", "expect(() => login(1)).toThrow(LockedOut)"],
)
def test_error_is_named_by_its_type_whatever_it_is_called(source):
    said = {"intent": "A login fails.", "outcomes": ["A login raises LockedOut."]}
    assert against(Grounds(NamedSource(source)), **said) == ()


def test_type_that_is_not_raised_stays_a_name_from_the_code():
    source = Grounds(NamedSource("basket = LockedOut()\nassert login(basket)"))
    (reason,) = against(source, intent="A login fails.", outcomes=["A login gives LockedOut."])
    assert "'LockedOut' is a name from the code" in reason


def test_a_number_of_members_may_be_counted_from_what_is_written_out():
    many = Grounds(NamedSource('assert logins == ["a", "b", "c"]\n'))
    assert against(many, intent="All logins are kept.", outcomes=["The logins are 3 names."]) == ()
    found = against(many, intent="All logins are kept.", outcomes=["The logins are 45 names."])
    assert "'45' is not in the source" in found[0]


@pytest.mark.parametrize(
    ("sentence", "doubted"),
    [
        ("`shop list` fails at 12:30:45.", False),
        ("`shop purge` fails at 12:30:45.", True),
        ("`shop list` fails at 12:31:45.", True),
        ("The text is 'shop list'.", True),
    ],
)
def test_a_command_is_quoted_by_its_words_and_a_time_of_day_from_a_longer_one(sentence, doubted):
    source = NamedSource('assert run(shop, ["list"], at="2013-02-03T12:30:45+00:00").failed\n')
    assert bool(list(invented(tokens(sentence), source))) is doubted


def test_a_name_in_documentation_is_no_value():
    assert "login_flow" in against(outcomes=["The login_flow is refused."])[0]


def test_a_domain_term_of_the_project_is_no_name_of_the_program():
    words = Grounds(GROUNDS.source, QualityVocabulary(domain_terms=("status_code", "mocks")))
    for sentence in ("The status_code is 401.", "The login uses mocks."):
        assert against(words, outcomes=[sentence]) == ()


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The response status is 402.", "'402' is not in the source"),
        ("The login fails with a PermissionError.", "'PermissionError' is not in the source"),
        ("The error code is 'revoked'.", "'revoked' is not in the source"),
        ("An e-mail goes to the owner.", "nothing the test asserts or does is about it"),
    ],
)
def test_an_invented_outcome_is_named(sentence: str, reason: str):
    assert f"outcome 1: {reason}" in against(outcomes=[sentence])[0]


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The refused login.", "states nothing"),
        ("The login works correctly.", "names no value"),
        ("It is 401.", "'It' refers to nothing"),
    ],
)
def test_an_outcome_that_nobody_can_look_for_is_named(sentence: str, reason: str):
    assert any(reason in one for one in against(outcomes=[sentence]))


@pytest.mark.parametrize(
    ("confidence", "ambiguity", "saw", "reason"),
    [
        (95, ["generic_name"], (), "doesn't fit with generic_name"),
        (40, [], (), "needs a reason"),
        (80, [], ("no_assertion", "generic_name"), "rules saw no_assertion"),
        (None, [], (), "the confidence is missing"),
    ],
)
def test_certainty_that_does_not_hold_together_is_named(confidence, ambiguity, saw, reason: str):
    found = against(Grounds(GROUNDS.source, saw=saw), confidence=confidence, ambiguity=ambiguity)
    assert reason in found[0]


@pytest.mark.parametrize(
    ("confidence", "ambiguity", "saw"),
    [(91, [], ()), (90, ["generic_name"], ()), (40, ["mock_only"], ("mock_only", "no_assertion"))],
)
def test_certainty_that_holds_together_passes(confidence, ambiguity, saw):
    assert against(Grounds(GROUNDS.source, saw=saw), confidence=confidence, ambiguity=ambiguity) == ()


def test_every_outcome_has_one_falsifier_or_none_has():
    assert "1 falsifiers for 2 outcomes" in against(falsified_by=["The response status is not 401."])[0]


def test_words_in_a_language_that_rules_do_not_read_are_not_judged_as_observations():
    found = against(intent="Eine Anmeldung mit einem abgelaufenen Token wird abgelehnt.", outcomes=["Login 401."])
    assert not any("states nothing" in one for one in found)


def test_the_parts_of_a_sentence_are_judged_each():
    part = {"intent": GOOD["intent"], "outcomes": ["The status_code is 401."]}
    found = judged("split_intent", {"parts": [part, part], "quotes": ["x"], "confidence": 80})
    assert "outcome 1: 'status_code'" in found[0]
    assert "two parts say the same" in found


@pytest.mark.parametrize(("verdict", "objects"), [("yes", True), ("no", True), ("unsure", False)])
def test_a_verdict_about_a_test_needs_a_line_that_shows_it(verdict, objects):
    found = judged("realises", {"verdict": verdict, "quotes": [], "confidence": 80})
    assert bool(found) == objects


@pytest.mark.parametrize(("verdict", "objects"), [("contradict", True), ("compatible", True), ("unsure", False)])
def test_a_verdict_about_two_atoms_needs_words_of_both(verdict, objects):
    found = judged("contradiction", {"verdict": verdict, "quotes": ["one"], "confidence": 80})
    assert bool(found) == objects


def test_a_name_for_a_molecule_is_free_of_code():
    assert (
        "name: 'user_login'" in judged("name_molecule", {"name": "user_login", "description": "", "confidence": 9})[0]
    )
    assert judged("name_molecule", {"name": "Login", "description": "", "confidence": 9}) == ()


def test_a_missing_behaviour_rests_on_its_quotes():
    def found(behaviour, complete=False):
        missing = [{"behaviour": behaviour, "quotes": ['resp = login("old", user_id="u-1")']}]
        return judged("molecule_complete", {"complete": complete, "missing": missing, "confidence": 80})

    assert found("A login with the token 'old' is possible.") == ()
    assert "nothing the test asserts" in found("An invoice is paid.")[0]
    assert "exactly if nothing is missing" in found("A login is possible.", complete=True)[0]


def test_kinds_without_words_are_judged_by_their_shape_alone():
    assert objections(Question("confirm", "x", {}), value=True, grounds=GROUNDS) == ()


def test_answers_name_the_ambiguity_that_rules_know():
    assert Items(Choice(get_args(AmbiguityReason))) == AMBIGUITY_REASONS


BASKET = """\
def test_items_are_kept():
    assert basket.items == ["a", "b", "c"]
"""
OTHER = """\
def test_price_is_shown():
    assert price == 7
"""


def test_a_number_of_another_test_is_no_value_of_this_one():
    grounds = Grounds(NamedSource(BASKET + OTHER, BASKET, BASKET))

    assert any("'7'" in one for one in against(grounds, intent="A basket of 7 euros keeps its items."))
    assert not any("'3'" in one for one in against(grounds, intent="A basket keeps its 3 items."))


@pytest.mark.parametrize("count", ["2", "12"])
def test_a_count_that_the_test_does_not_write_out_is_an_invention(count):
    said = against(Grounds(NamedSource(BASKET)), outcomes=[f"The basket holds {count} items."])

    assert any(f"'{count}'" in one for one in said)
