from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.intent.actions import BOARD_VERBS, HIGH, Action, Confidence, action_fingerprint
from pactkeeper.ledger.op import VERBS, Op

POINTS = st.integers(0, 100)


def task(title="Renew the passport", body="It ends in May."):
    payload = {"board": "home", "title": title, "body": body}
    return Op("createTask", "task:home:renew", None, payload)


def test_every_verb_of_boards_is_a_verb_of_ops():
    assert set(BOARD_VERBS) <= set(VERBS)


def test_what_a_tool_answered_yesterday_is_sure():
    assert Confidence(95, 100, 100, 60).level == "high"


@given(POINTS, POINTS)
def test_hearsay_does_not_become_sure_by_being_fresh_and_repeated(strength, explicitness):
    found = Confidence(min(strength, 75), explicitness, 100, 100)
    assert found.points <= HIGH


@given(POINTS, POINTS, POINTS, POINTS)
def test_more_of_any_input_never_makes_less_sure(strength, explicitness, recency, corroboration):
    found = Confidence(strength, explicitness, recency, corroboration)
    for name in ("strength", "explicitness", "recency", "corroboration"):
        values = {one: getattr(found, one) for one in ("strength", "explicitness", "recency", "corroboration")}
        assert Confidence(**{**values, name: 100}).points >= found.points


def test_a_no_is_remembered_however_the_proposal_is_worded():
    first, second = (
        Action(task(body=body), "fp-1", Confidence(90, 90, 90, 90), 2, "why") for body in ("It ends.", "It ends soon.")
    )
    assert first.id != second.id
    assert first.fingerprint == second.fingerprint == action_fingerprint("createTask", "task:home:renew")
