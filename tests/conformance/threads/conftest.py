import pytest

from tests.conformance.threads.home import Home
from tests.conformance.threads.stages import STAGES


@pytest.fixture(params=STAGES)
def stage(request, tmp_path):
    made = STAGES[request.param](Home(tmp_path))
    yield made
    made.close()
