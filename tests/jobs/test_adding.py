"""What a job is about when it is added: a repository, a person's things, or one pull request."""

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.operators.jobs import PERSONAL, JobRequest, add_job, schedule_job
from pactkeeper.workspace import open_workspace
from tests.repo.repositories import create

pytestmark = pytest.mark.slow


@pytest.fixture
def add(tmp_path, url, queue, monkeypatch):
    """Adds a job for a repository of that name."""
    monkeypatch.setenv("PACTKEEPER_DATABASE_URL", url)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("shop", "bank"):
        create(tmp_path / name, {"tests/test_a.py": f"def test_{name}(): ...\n"})

    def adding(name, kind, *files, **said):
        with open_workspace(tmp_path / name, notice=print) as workspace:
            return add_job(workspace, JobRequest(kind, files=files, **said))

    return adding


def test_what_belongs_to_a_person_is_one_subject_in_whichever_repository_it_was_added(add):
    jobs = [add(name, kind).row.job for name in ("shop", "bank") for kind in ("standup", "threads", "ingest")]
    assert {one.subject for one in jobs} == {PERSONAL}
    assert len({add(name, "check").row.job.subject for name in ("shop", "bank")}) == 2


def test_a_schedule_of_such_a_kind_has_that_subject_too(add, queue, tmp_path):
    with open_workspace(tmp_path / "shop", notice=print) as workspace:
        schedule_job(workspace, "standup", "0 7 * * *", "standup")
    (found,) = queue.client.list_schedules()
    assert found["context"]["subject"] == PERSONAL


def test_a_job_of_a_pull_request_is_told_from_others_by_its_occasion_and_not_by_the_commit(add, tmp_path):
    first = add("shop", "pull-request", "7", occasion="abc on main")
    (tmp_path / "shop/README.md").write_text("A shop.\n")
    again = add("shop", "pull-request", "7", occasion="abc on main")
    assert (first.new, again.new, again.row.id) == (True, False, first.row.id)
    assert add("shop", "pull-request", "8", occasion="abc on main").new
    assert add("shop", "pull-request", "7", occasion="def on main").new


@pytest.mark.parametrize(
    ("kind", "files"), [("pull-request", ()), ("pull-request", ("--x",)), ("pull-request", ("７",)), ("answer", ("7",))]
)
def test_a_job_of_a_pull_request_needs_its_numbers(add, kind, files):
    with pytest.raises(UsageError, match="needs NUMBER"):
        add("shop", kind, *files)


def test_a_kind_that_needs_numbers_cannot_be_scheduled(add, tmp_path):
    with open_workspace(tmp_path / "shop", notice=print) as workspace, pytest.raises(UsageError, match="needs NUMBER"):
        schedule_job(workspace, "x", "* * * * *", "pull-request")


def test_a_job_that_is_added_within_a_span_belongs_to_its_trace(add, monkeypatch):
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="the extra otel is not installed")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    with sdk.TracerProvider().get_tracer("tests").start_as_current_span("webhook") as span:
        added = add("shop", "check").row.job
    assert added.trace.split("-")[1:3] == [f"{one:0{width}x}" for one, width in _ids(span)]


def _ids(span):
    said = span.get_span_context()
    return (said.trace_id, 32), (said.span_id, 16)
