import pytest

from tests.conformance.threads.home import Home
from tests.conformance.threads.slack import SlackStage


@pytest.fixture
def begin(tmp_path):
    """Begin to serve a workspace; further lines of slack.toml may be given."""
    begun = []

    def begin(more=""):
        begun.append(SlackStage(Home(tmp_path), more=more))
        return begun[-1]

    yield begin
    for one in begun:
        one.close()


@pytest.fixture
def stage(begin):
    return begin()
