"""What GitHub lets a token do, and what is done where it does not."""

import pytest

from pactkeeper.boards.calls import Calls
from pactkeeper.boards.github import address
from pactkeeper.boards.port import CallLimits
from pactkeeper.errors import InputError
from pactkeeper.forges.github import ACTIONS, GitHub
from pactkeeper.forges.port import Annotation, Status
from tests.boards.fakes import TOKEN
from tests.forges.fakes import FakeGitHubPulls

MARKED = "<!-- pactkeeper:change -->\n\nx"
NOTE = Annotation("error", "PK605", "a.py", 0, "a.py::test\x1b[31m", "an assertion says less", ("- a", "+ b"))


@pytest.fixture
def fake(tmp_path):
    made = FakeGitHubPulls(tmp_path)
    made.at("b" * 40, "a" * 40)
    yield made
    made.close()


@pytest.fixture
def forge(fake):
    made = GitHub("acme/shop", Calls(address(TOKEN, fake.url), CallLimits(rate=1000.0)))
    yield made
    made.close()


def test_the_token_of_a_workflow_knows_its_own_comments(fake, forge):
    fake.fault("status", path="/user", status=403, times=1)
    fake.write("mallory", MARKED)
    fake.write(ACTIONS, MARKED)
    assert [one.author for one in forge.own_comments(7)] == [ACTIONS]


def test_the_token_of_a_person_sets_a_status_where_it_may_make_no_check_run(fake, forge):
    fake.fault("status", path="/check-runs", status=403, times=1)
    forge.show(forge.pull_request(7), Status(holds=False, title="Pact: 1 weakening", summary="x", notes=()))
    assert fake.statuses == [("a" * 40, "failure", "Pact: 1 weakening")]


def test_annotations_are_fifty_at_most_on_lines_that_exist_and_without_escapes(fake, forge):
    forge.show(forge.pull_request(7), Status(holds=False, title="t", summary="s", notes=(NOTE,) * 60))
    assert len(fake.annotations) == 50
    assert (fake.annotations[0]["start_line"], fake.annotations[0]["annotation_level"]) == (1, "failure")
    assert "\x1b" not in fake.annotations[0]["message"]


def test_a_comment_below_another_pull_request_is_refused(fake, forge):
    comment = fake.write("ada", "x")
    with pytest.raises(InputError, match="does not stand below pull request 8"):
        forge.comment(8, comment)


@pytest.mark.parametrize(("person", "may"), [("ada", True), ("mallory", False), ("../../x", False), ("a/b?c", False)])
def test_permission_is_asked_for_one_account_whatever_it_is_called(fake, forge, person, may):
    assert forge.may_write(person) is may
