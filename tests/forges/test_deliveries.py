"""Webhooks: only a forge's own deliveries count, and what each asks for."""

import pytest

from pactkeeper.errors import InputError
from pactkeeper.forges.deliveries import Heard, distrusted, heard_from
from tests.forges import events
from tests.forges.events import BASE, HEAD, SECRET, SIGNING, URL, signed

NOW = 1_780_000_000.0
ASKS = f"/pk accept --at {HEAD[:12]} tests/test_a.py::test_a"
SCHEMES = [("github", SECRET), ("gitlab", SECRET), ("gitlab", SIGNING)]


@pytest.mark.parametrize(("forge", "secret"), SCHEMES)
def test_a_delivery_with_the_secret_is_the_forges_own(forge, secret):
    headers, body = signed(forge, "push", {"ref": "x"}, secret=secret, at=NOW)
    assert distrusted(forge, headers, body, secret=secret, now=NOW + 2) == ""


@pytest.mark.parametrize(("forge", "secret"), [("github", SECRET), ("gitlab", SIGNING)])
def test_a_body_that_was_changed_is_refused(forge, secret):
    headers, body = signed(forge, "push", {"ref": "x"}, secret=secret, at=NOW)
    assert "does not match" in distrusted(forge, headers, body + b" ", secret=secret, now=NOW)


@pytest.mark.parametrize(("forge", "secret"), SCHEMES)
def test_a_delivery_without_or_with_another_signature_is_refused(forge, secret):
    _, body = signed(forge, "push", {"ref": "x"}, secret=secret, at=NOW)
    assert distrusted(forge, {}, body, secret=secret, now=NOW)
    other, body = signed(forge, "push", {"ref": "x"}, secret=secret[:-4] + "AAA=", at=NOW)
    assert distrusted(forge, other, body, secret=secret, now=NOW)


@pytest.mark.parametrize("late", [301, -301])
def test_a_signed_delivery_that_comes_again_later_is_refused(late):
    headers, body = signed("gitlab", "", {}, secret=SIGNING, at=NOW)
    assert "not within 300 seconds" in distrusted("gitlab", headers, body, secret=SIGNING, now=NOW + late)
    assert "not within" in distrusted("gitlab", headers | {"webhook-timestamp": "x"}, body, secret=SIGNING, now=NOW)


def test_a_signing_token_does_not_count_as_a_plain_secret():
    assert distrusted("gitlab", {"x-gitlab-token": SIGNING}, b"{}", secret=SIGNING, now=NOW)


@pytest.mark.parametrize(
    ("forge", "event", "wanted"),
    [
        ("github", events.github_request("opened"), Heard("pull-request", (), f"{HEAD} on {BASE}", ("7",))),
        ("github", events.github_request("synchronize"), Heard("pull-request", (), f"{HEAD} on {BASE}", ("7",))),
        ("github", events.github_check(), Heard("pull-request", (), "instead of check 5", ("7",))),
        ("github", events.github_comment(9, ASKS), Heard("answer", (), "comment 9", ("7", "9"))),
        ("github", events.github_push(), Heard("propose", (), HEAD)),
        ("gitlab", events.gitlab_request("open"), Heard("pull-request", (), f"{HEAD} on main", ("7",))),
        ("gitlab", events.gitlab_request("update", oldrev=BASE), Heard("pull-request", (), f"{HEAD} on main", ("7",))),
        ("gitlab", events.gitlab_note(9, ASKS), Heard("answer", (), "comment 9", ("7", "9"))),
        ("gitlab", events.gitlab_push(), Heard("propose", (), HEAD)),
    ],
)
def test_an_event_asks_for_a_job(forge, event, wanted):
    found = heard_from(forge, *event)
    assert found is not None
    assert (found.kind, found.occasion, found.takes) == (wanted.kind, wanted.occasion, wanted.takes)
    assert found.urls[0] == URL


def test_a_new_target_branch_asks_for_a_report():
    assert heard_from("github", *events.github_request("edited", changes={"base": {}}))
    assert heard_from("gitlab", *events.gitlab_request("update", changes={"target_branch": {}}))


@pytest.mark.parametrize(
    ("forge", "event"),
    [
        ("github", ("ping", {"zen": "Design for failure."})),
        ("github", events.github_request("labeled")),
        ("github", events.github_request("edited", changes={"title": {}})),
        ("github", events.github_comment(9, "Nice! How about `/pk accept`?")),
        ("github", events.github_comment(9, ASKS, action="edited")),
        ("github", events.github_comment(9, ASKS, pull=False)),
        ("github", events.github_push("topic")),
        ("github", events.github_push(after="0" * 40)),
        ("github", events.github_check("Another")),
        ("gitlab", events.gitlab_request("approved")),
        ("gitlab", events.gitlab_request("update")),
        ("gitlab", events.gitlab_note(9, "Nice!")),
        ("gitlab", events.gitlab_note(9, ASKS, on="Issue")),
        ("gitlab", events.gitlab_note(9, ASKS, system=True)),
        ("gitlab", ("", {"object_kind": "pipeline"})),
    ],
)
def test_other_events_ask_for_nothing(forge, event):
    assert heard_from(forge, *event) is None


@pytest.mark.parametrize("said", [[], "x", {"action": "opened"}, {"action": "opened", "pull_request": []}])
def test_an_event_in_another_form_is_an_error(said):
    with pytest.raises(InputError, match="the event"):
        heard_from("github", "pull_request", said)


@pytest.mark.parametrize("number", ["7", None, {"x": 1}])
def test_a_number_that_is_none_reaches_no_job(number):
    with pytest.raises(InputError, match="number"):
        heard_from("github", *events.github_request(number=number))
