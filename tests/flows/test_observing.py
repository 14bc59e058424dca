import json

import pytest

from pactkeeper.errors import WriteFailed
from pactkeeper.flows.observing import watching
from tests.flows.collector import collector

messages = pytest.importorskip(
    "opentelemetry.proto.collector.trace.v1.trace_service_pb2", reason="the extra otel is not installed"
)


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


def test_spans_are_sent_with_their_parents_and_counts(monkeypatch):
    with collector() as (url, received):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        with watching(log=None, spans=True, now=str) as watchers:
            work(watchers)
    (path, body) = received[0]
    request = messages.ExportTraceServiceRequest()
    request.ParseFromString(body)
    spans = {span.name: span for scope in request.resource_spans[0].scope_spans for span in scope.spans}
    assert path == "/v1/traces"
    assert spans["verify"].parent_span_id == spans["reconcile"].span_id
    assert {one.key: one.value.int_value for one in spans["verify"].attributes}["pactkeeper.ops"] == 3


def test_a_field_that_has_the_name_of_a_convention_keeps_it(monkeypatch):
    with collector() as (url, received):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        with (
            watching(log=None, spans=True, now=str) as watchers,
            watchers.stretch("chat m", {"gen_ai.request.model": "m", "run": "REC-1"}) as tell,
        ):
            tell({"gen_ai.usage.input_tokens": 7})
    request = messages.ExportTraceServiceRequest()
    request.ParseFromString(received[0][1])
    (span,) = request.resource_spans[0].scope_spans[0].spans
    assert {one.key for one in span.attributes} == {
        "gen_ai.request.model",
        "gen_ai.usage.input_tokens",
        "pactkeeper.run",
    }
