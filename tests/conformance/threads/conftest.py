import shutil
from pathlib import Path

import pytest

from tests.conformance.threads.home import Home
from tests.conformance.threads.stages import STAGES

# What these find is decided behind the channel. They talk in Slack; the terminal and files prove in `test_done` and
# `test_approvals` that every kind of turn gets in and every kind of answer out.
BEHIND_THE_CHANNEL = {"test_conflicts", "test_talk", "test_events"}


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items):
    for one in items:
        stage = getattr(one, "callspec", None) and one.callspec.params.get("stage")
        if (
            stage in {"files", "terminal"}
            and one.path.parent == Path(__file__).parent
            and one.path.stem in BEHIND_THE_CHANNEL
        ):
            one.add_marker(pytest.mark.slow)


@pytest.fixture
def home(tmp_path, empty_history):
    made = Home(tmp_path)
    made.kept.mkdir(parents=True)
    shutil.copy(empty_history, made.kept)
    return made


@pytest.fixture(params=STAGES)
def stage(request, home):
    made = STAGES[request.param](home)
    yield made
    made.close()
