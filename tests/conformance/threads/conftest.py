import shutil

import pytest

from tests.conformance.threads.home import Home
from tests.conformance.threads.stages import STAGES


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
