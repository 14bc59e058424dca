"""A name is for people, and the id behind it is who somebody is."""

import pytest
from slack_sdk import WebClient

from pactkeeper.doors.slack.door import Recent
from pactkeeper.doors.slack.events import People, author, user_of
from tests.slack.fake import BOT_TOKEN


@pytest.fixture
def people(fake):
    return People(WebClient(BOT_TOKEN, base_url=fake.url, timeout=60, retry_handlers=[]), lambda _line: None)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ada", "Ada (U0EVE)"),
        ("", "U0EVE"),
        ("()", "U0EVE"),
        ("Ada (U0ADA)", "Ada U0ADA (U0EVE)"),
        ("Ada\n<!channel> *now*", "Ada !channel now (U0EVE)"),
        ("\u202eadA\u200b", "adA (U0EVE)"),
        ("a" * 500, f"{'a' * 60} (U0EVE)"),
    ],
)
def test_no_name_makes_somebody_somebody_else(name, shown):
    assert author("U0EVE", name) == shown
    assert user_of(shown) == "U0EVE"


@pytest.mark.parametrize("named", ["", "Ada", "Ada (ada)", "(U0ADA) Ada", "U0ADA or so"])
def test_what_ends_in_no_id_is_nobody(named):
    assert user_of(named) == ""


def test_a_name_is_asked_for_once(fake, people):
    assert [people.author("U0ADA", ()) for _ in range(3)] == ["Ada (U0ADA)"] * 3
    assert len(fake.called("users.info")) == 1
    assert people.names == {"U0ADA": "Ada"}


def test_whoever_spoke_before_is_called_as_before(fake, people):
    assert people.author("U0ADA", ("Bob (U0BOB)", "Miss Lovelace (U0ADA)")) == "Miss Lovelace (U0ADA)"
    assert fake.called("users.info") == []


def test_a_name_that_slack_did_not_tell_is_asked_for_again(fake, people):
    fake.fault("users.info", "cut")
    assert people.author("U0ADA", ()) == "U0ADA"
    assert people.author("U0ADA", ()) == "Ada (U0ADA)"


def test_the_same_click_within_a_second_is_one_and_others_are_their_own():
    recent = Recent()
    assert not recent.again(("TH-1", "U0ADA", "v"), 5_000_000)
    assert recent.again(("TH-1", "U0ADA", "v"), 5_999_999)
    assert not recent.again(("TH-1", "U0BOB", "v"), 5_500_000)
    assert not recent.again(("TH-1", "U0ADA", "w"), 5_500_000)
    assert not recent.again(("TH-1", "U0ADA", "v"), 6_000_000)


def test_a_click_that_is_delivered_again_is_left_to_its_id():
    recent = Recent()
    assert [recent.again(("TH-1", "U0ADA", "v"), 5_000_000) for _ in range(2)] == [False, False]


@pytest.mark.parametrize("body", ["[]", "null", '{"ok": true, "user": "Ada"}', '{"ok": true, "user": {"profile": []}}'])
def test_a_person_of_another_making_goes_by_the_id(fake, people, body):
    fake.fault("users.info", "foreign", body=body, status=200)
    assert people.author("U0ADA", ()) == "U0ADA"
