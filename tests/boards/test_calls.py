"""Calls of a web interface that fails in every way it can."""

import pytest

from pactkeeper.boards.calls import Calls, Clock, TargetAddress
from pactkeeper.boards.github import address
from pactkeeper.boards.port import CallLimits
from pactkeeper.errors import BoardUnavailable, InputError, RefusedError
from tests.boards.fake_jira import FakeJira
from tests.boards.fakes import TOKEN, FakeGitHub

REPOSITORY = "/repos/acme/shop"


@pytest.fixture
def fake():
    made = FakeGitHub()
    yield made
    made.close()


class Hands:
    """A clock that only moves when somebody sleeps."""

    def __init__(self):
        self.slept = []

    def sleep(self, seconds):
        self.slept.append(seconds)

    def clock(self):
        return Clock(sleep=self.sleep, today=lambda: 1000.0)


@pytest.fixture
def hands():
    return Hands()


@pytest.fixture
def calls(fake, hands):
    made = Calls(address(TOKEN, fake.url), CallLimits(call=0.3, total=30.0, rate=1000.0, tries=3), hands.clock())
    yield made
    made.close()


def posts(fake):
    return [one for one in fake.requests if one[0] == "POST"]


def create(calls):
    return calls.send("POST", f"{REPOSITORY}/issues", body={"title": "a", "body": "b", "labels": []})


def test_limit_is_waited_for_as_long_as_it_says(fake, calls, hands):
    fake.fault("status", status=429, headers={"Retry-After": "7"})
    assert calls.get(REPOSITORY).data["has_issues"]
    assert 7.0 in hands.slept


def test_limit_that_names_a_time_is_waited_for(fake, calls, hands):
    fake.fault("status", status=403, headers={"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1012"})
    calls.get(REPOSITORY)
    assert 12.0 in hands.slept


def test_limit_longer_than_the_total_is_an_error_that_names_it(fake, calls):
    fake.fault("status", status=429, headers={"Retry-After": "3600"})
    with pytest.raises(BoardUnavailable, match="3600 s"):
        calls.get(REPOSITORY)


def test_write_that_was_limited_is_repeated_as_nothing_was_done(fake, calls):
    fake.fault("status", status=429, method="POST", headers={"Retry-After": "1"})
    create(calls)
    assert len(fake.issues) == 1


def test_failing_server_is_asked_again_when_reading(fake, calls):
    fake.fault("status", status=502, times=2)
    assert calls.get(REPOSITORY).data["has_issues"]


def test_server_that_keeps_failing_is_unavailable(fake, calls):
    fake.fault("status", status=500, times=9)
    with pytest.raises(BoardUnavailable, match="3 times"):
        calls.get(REPOSITORY)
    assert len(fake.requests) == 3


@pytest.mark.parametrize("fault", [{"kind": "status", "status": 500}, {"kind": "drop after"}])
def test_write_of_unknown_end_is_never_repeated_here(fake, calls, fault):
    fake.fault(**fault, method="POST", times=9)
    with pytest.raises(BoardUnavailable, match="may have taken effect"):
        create(calls)
    assert len(posts(fake)) == 1


@pytest.mark.parametrize("part", ["slow head", "slow"])
def test_answer_that_trickles_in_is_given_up(fake, calls, part):
    calls.get(REPOSITORY)  # the connection is older than the exchange
    fake.fault(part, times=9)
    with pytest.raises(BoardUnavailable, match="no answer"):
        calls.get(REPOSITORY)


def test_endless_answer_is_given_up(fake, calls):
    fake.fault("huge", times=9)
    with pytest.raises(BoardUnavailable, match="larger than"):
        calls.get(REPOSITORY)


def test_answer_that_is_no_json_is_an_error(fake, calls):
    fake.fault("junk", times=9)
    with pytest.raises(BoardUnavailable, match="not JSON"):
        calls.get(REPOSITORY)


def test_redirect_is_not_followed(fake, calls):
    fake.fault("redirect")
    with pytest.raises(BoardUnavailable, match="base_url"):
        calls.get(REPOSITORY)


def test_token_that_is_not_set_is_named_by_its_variable(fake, hands):
    calls = Calls(address("", fake.url), CallLimits(rate=1000.0), hands.clock(), variable="TRACKER_TOKEN")
    with pytest.raises(BoardUnavailable, match="variable TRACKER_TOKEN is not set"):
        calls.get(REPOSITORY)
    calls.close()


def test_wrong_token_says_what_to_check_and_not_the_token(fake, hands):
    calls = Calls(address("wrong-secret", fake.url), CallLimits(rate=1000.0), hands.clock())
    with pytest.raises(BoardUnavailable, match="check the token") as caught:
        calls.get(REPOSITORY)
    calls.close()
    assert "wrong-secret" not in str(caught.value) + repr(calls)


def test_refusal_carries_the_words_of_the_target(calls):
    with pytest.raises(RefusedError, match="Validation Failed"):
        calls.send("POST", f"{REPOSITORY}/issues", body={"title": ""})


@pytest.fixture
def jira():
    made = FakeJira(cloud=False)
    yield made
    made.close()


def test_refusal_in_several_words_shows_them_all_with_their_fields(jira, hands):
    calls = Calls(address(TOKEN, jira.url), CallLimits(rate=1000.0), hands.clock())
    wrong = {"fields": {"project": {"key": "SHOP"}, "issuetype": {"name": "Task"}, "summary": ""}}
    with pytest.raises(RefusedError, match="summary: You must specify a summary"):
        calls.send("POST", "/rest/api/2/issue", body=wrong)
    with pytest.raises(RefusedError, match="Error in the JQL Query: x"):
        calls.get("/rest/api/2/search", jql="x ORDER BY key DESC", startAt=0, maxResults=1)
    calls.close()


def test_what_is_not_there_is_named(calls):
    with pytest.raises(InputError, match="does not exist"):
        calls.get("/repos/acme/nothing")


def test_total_time_counts_over_all_calls_of_a_session(fake):
    times = iter(range(0, 1000, 4))
    calls = Calls(
        address(TOKEN, fake.url), CallLimits(total=30.0, call=20.0, rate=1000.0), Clock(now=lambda: float(next(times)))
    )
    with calls.session(), pytest.raises(BoardUnavailable, match="30 s"):
        [calls.get(REPOSITORY) for _ in range(20)]
    calls.close()


def test_token_never_goes_over_plain_http():
    with pytest.raises(InputError, match="https"):
        TargetAddress("http://tracker.example", {})
