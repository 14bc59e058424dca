import os
import re
import subprocess
import sys

import pytest

from tests.flows.collector import collector
from tests.operators.conftest import first_shop, shop

pytestmark = pytest.mark.slow

__all__ = ["first_shop", "shop"]


def pk(root, *arguments, **variables):
    command = [sys.executable, "-m", "pactkeeper", "-C", str(root), *arguments]
    return subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=True)


def reconcile(root, **variables):
    return pk(root, "reconcile", "--all", **variables)


@pytest.mark.parametrize(("switch", "hears"), [("true", True), ("false", False)])
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
        assert any(f'"name": "{node}", "agent": "reconciliation-agent"' in line for line in ended)


def test_spans_of_a_question_name_its_agent_its_nodes_and_its_tools(shop):
    messages = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    with collector() as (url, received):
        pk(shop.root, "ask", "how many tests are there?", OTEL_EXPORTER_OTLP_ENDPOINT=url)
    request = messages.ExportTraceServiceRequest()
    request.ParseFromString(b"".join(body for path, body in received if path == "/v1/traces"))
    spans = [span for one in request.resource_spans for scope in one.scope_spans for span in scope.spans]
    tools = [span for span in spans if span.name.startswith("execute_tool ")]
    assert tools
    for span in tools:
        said = {one.key: one.value.string_value for one in span.attributes}
        node = next(one for one in spans if one.span_id == span.parent_span_id)
        assert (said["pactkeeper.agent"], said["pactkeeper.node"]) == ("ask-agent", node.name)


def test_langsmith_hears_of_the_tools_of_a_question_by_agent_and_node(shop):
    variables = {"LANGSMITH_TRACING": "true", "LANGSMITH_API_KEY": "key", "LANGSMITH_PROJECT": "pk"}
    with collector() as (url, received):
        pk(shop.root, "ask", "how many tests are there?", LANGSMITH_ENDPOINT=url, **variables)
    heard = b"".join(body for _, body in received)
    assert re.search(rb'"name":"execute_tool get_statistics"[^}]*"tags":\["ask-agent","lookup.answer"\]', heard)
    assert b"how many" not in heard
