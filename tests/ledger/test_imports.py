import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["finding", "policy"])
def test_what_check_reads_loads_neither_patches_nor_shapes(module: str):
    script = f"import sys; import pactkeeper.ledger.{module}; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert f"pactkeeper.ledger.{module}" in loaded
    assert not {"pactkeeper.ledger.shape", "pactkeeper.ledger.patch", "pactkeeper.ledger.op"} & set(loaded)
