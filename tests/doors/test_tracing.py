import os
import subprocess
import sys

import pytest

from tests.flows.collector import collector
from tests.operators.conftest import first_shop, shop

__all__ = ["first_shop", "shop"]


def reconcile(root, **variables):
    command = [sys.executable, "-m", "pactkeeper", "-C", str(root), "reconcile", "--all"]
    return subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=True)


@pytest.mark.parametrize(("switch", "hears"), [pytest.param("true", True, marks=pytest.mark.slow), ("false", False)])
def test_langsmith_hears_of_a_run_only_where_its_own_variable_says_so(shop, switch, hears):
    with collector() as (url, received):
        reconcile(
            shop.root, LANGSMITH_TRACING=switch, LANGSMITH_ENDPOINT=url, LANGSMITH_API_KEY="key", LANGSMITH_PROJECT="pk"
        )
    assert bool([path for path, _ in received if "runs" in path]) is hears


def test_log_of_a_run_names_every_node(shop, tmp_path):
    log = tmp_path / "log.jsonl"
    reconcile(shop.root, PACTKEEPER_LOG=str(log))
    ended = [line for line in log.read_text().splitlines() if '"ended"' in line]
    for node in ("structure", "discover", "context", "infer_atoms", "synthesize_molecules", "verify", "reconcile"):
        assert any(f'"name": "{node}"' in line for line in ended)
