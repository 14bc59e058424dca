from pathlib import Path

import pytest

from pactkeeper.catalog.transaction import PactPlace
from tests.catalog.trees import make_place


@pytest.fixture
def place(tmp_path: Path) -> PactPlace:
    return make_place(tmp_path)
