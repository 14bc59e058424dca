from pathlib import Path

import pytest
from tests.catalog.trees import make_place

from pactkeeper.catalog.transaction import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)
