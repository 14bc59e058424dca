import shutil

import pytest

from tests.conformance.threads.home import Home
from tests.conformance.threads.slack import SlackStage
from tests.slack.fake import FakeSlack


@pytest.fixture
def fake():
    with FakeSlack() as found:
        yield found


@pytest.fixture
def begin(tmp_path, empty_history):
    """Begin to serve a workspace; further lines of slack.toml may be given."""
    begun = []
    home = Home(tmp_path)
    home.kept.mkdir(parents=True)
    shutil.copy(empty_history, home.kept)

    def begin(more=""):
        begun.append(SlackStage(home, more=more))
        return begun[-1]

    yield begin
    for one in reversed(begun):  # each puts back what it found
        one.close()


@pytest.fixture
def stage(begin):
    return begin()
