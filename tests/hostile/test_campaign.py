"""The standing campaign with a fixed seed; inputs that once broke something stay in `inputs/` and are tried first."""

from pathlib import Path

import pytest

from bench.hostile.fuzzing import KEPT, failures
from bench.hostile.readers import READERS, tried

KNOWN = sorted(path for path in KEPT.rglob("*") if path.is_file())
INPUTS = 400


@pytest.mark.parametrize("path", KNOWN, ids=lambda path: "/".join(Path(path).parts[-2:]))
def test_an_input_that_once_broke_a_reader_does_so_no_more(path):
    tried(READERS[path.parent.name.replace("_", " ")], path.read_bytes())


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize("name", READERS)
def test_no_hostile_input_breaks_a_reader(name):
    assert [(found.place, found.data) for found in failures(name, inputs=INPUTS, seed=1)] == []
