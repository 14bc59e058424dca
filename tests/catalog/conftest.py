from pathlib import Path

import pytest

from pactkeeper.catalog.transaction import Place
from tests.catalog.trees import make_place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)
