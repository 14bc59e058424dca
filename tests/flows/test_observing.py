import asyncio
import json

import pytest

from pactkeeper.errors import WriteFailed
from pactkeeper.flows.observing import Spans, Watching, tagged, watching

sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="the extra otel is not installed")
export = pytest.importorskip("opentelemetry.sdk.trace.export")
memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")


@pytest.fixture
def spans():
    """Watchers, and a function that gives the attributes of every span that ended, by its name."""
    kept, provider = memory.InMemorySpanExporter(), sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(kept))
    return Watching((Spans(provider.get_tracer("tests")),)), kept.get_finished_spans


def work(watchers):
    with watchers.stretch("reconcile", {"run": "REC-1"}), watchers.stretch("verify", {"run": "REC-1"}) as ended:
        ended({"ops": 3})


def test_log_has_a_line_for_both_ends_of_every_stretch(tmp_path):
    place = tmp_path / "log.jsonl"
    with watching(log=place, spans=False, now=lambda: "now") as watchers:
        work(watchers)
    lines = [json.loads(line) for line in place.read_text().splitlines()]
    assert [(line["event"], line["name"]) for line in lines] == [
        ("began", "reconcile"),
        ("began", "verify"),
        ("ended", "verify"),
        ("ended", "reconcile"),
    ]
    assert lines[2] == {"at": "now", "event": "ended", "name": "verify", "run": "REC-1", "ops": 3}


def test_log_names_the_error_of_a_stretch_that_fails(tmp_path):
    place = tmp_path / "log.jsonl"
    with (
        pytest.raises(KeyError),
        watching(log=place, spans=False, now=lambda: "now") as watchers,
        watchers.stretch("verify", {}),
    ):
        raise KeyError("secret")
    assert json.loads(place.read_text().splitlines()[-1])["error"] == "KeyError"
    assert "secret" not in place.read_text()


def test_log_that_cannot_be_written_is_an_error(tmp_path):
    with (
        pytest.raises(WriteFailed, match="PACTKEEPER_LOG"),
        watching(log=tmp_path / "missing" / "log", spans=False, now=str),
    ):
        pass


def test_nobody_watches_where_nothing_is_asked_for():
    with watching(log=None, spans=False, now=str) as watchers:
        assert watchers.watchers == ()
        work(watchers)


def test_spans_have_their_parents_and_counts(spans):
    watchers, ended = spans
    work(watchers)
    inner, outer = ended()
    assert (inner.name, outer.name) == ("verify", "reconcile")
    assert inner.parent.span_id == outer.context.span_id
    assert inner.attributes["pactkeeper.ops"] == 3


def test_a_field_that_has_the_name_of_a_convention_keeps_it(spans):
    watchers, ended = spans
    with watchers.stretch("chat m", {"gen_ai.request.model": "m", "run": "REC-1"}) as tell:
        tell({"gen_ai.usage.input_tokens": 7})
    (span,) = ended()
    assert set(span.attributes) == {"gen_ai.request.model", "gen_ai.usage.input_tokens", "pactkeeper.run"}


def test_calls_of_tools_and_models_carry_the_agent_and_node_that_they_happen_in(spans):
    watchers, ended = spans
    with watchers.node("ask-agent", "search", {"thread": "ASK-1"}):
        with watchers.tool("search_files"):
            pass
        with watchers.stretch("chat m", {"gen_ai.operation.name": "chat"}):
            pass
    with watchers.tool("list_atoms"):
        pass
    tool, model, node, alone = (dict(span.attributes) for span in ended())
    inside = {"pactkeeper.agent": "ask-agent", "pactkeeper.node": "search"}
    called = {"gen_ai.operation.name": "execute_tool"}
    assert tool == {**inside, **called, "gen_ai.tool.name": "search_files"}
    assert model == {**inside, "gen_ai.operation.name": "chat"}
    assert node == {**inside, "pactkeeper.thread": "ASK-1"}
    assert alone == {**called, "gen_ai.tool.name": "list_atoms"}


def test_tags_reach_tasks_and_threads_that_are_begun_inside(spans):
    watchers, ended = spans

    def call():
        with watchers.tool("here"):
            pass

    async def both():
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.to_thread(call))
            with tagged(node="other"):
                group.create_task(asyncio.to_thread(call))

    with tagged(agent="health-agent", node="sweep"):
        asyncio.run(both())
    found = [(span.attributes["pactkeeper.agent"], span.attributes["pactkeeper.node"]) for span in ended()]
    assert sorted(found) == [("health-agent", "other"), ("health-agent", "sweep")]
