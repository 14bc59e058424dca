"""The page of jobs, on a real queue."""

import pytest

from pactkeeper.operators.jobs import JobRequest, add_job
from pactkeeper.workspace import open_workspace
from tests.doors.conftest import first_adopted, first_project  # noqa: F401 - fixtures of the doors serve here as well
from tests.doors.web.page.conftest import app_for, reader_of
from tests.repo.repositories import create

pytestmark = pytest.mark.slow


@pytest.fixture
def reader(first_adopted, tmp_path, url, queue, monkeypatch):  # noqa: F811 - the fixture of that name
    monkeypatch.setenv("PACTKEEPER_DATABASE_URL", url)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    project = first_adopted.copy(tmp_path / "shop")
    made = reader_of(app_for(project), project, "told once")
    with made.client:
        yield made


def added(root, kind="check"):
    with open_workspace(root, notice=print) as workspace:
        return add_job(workspace, JobRequest(kind)).row.id


def test_a_job_is_listed_cancelled_and_run_again(reader):
    assert "No worker is running" in reader.open("/jobs")
    assert "No job yet" in reader.text
    job = added(reader.project.root)
    assert job in reader.open("/jobs")
    assert "waiting" in reader.open(f"/jobs/{job}")
    reader.send(f"/jobs/{job}", [*reader.forms('value="cancel"')[0], ("do", "cancel")])
    assert "cancelled" in reader.text
    reader.send(f"/jobs/{job}", [*reader.forms('value="retry"')[0], ("do", "retry")])
    assert "waiting" in reader.text


def test_a_job_of_another_repository_is_not_there(reader, tmp_path):
    create(tmp_path / "other", {"tests/test_a.py": "def test_a(): ...\n"})
    job = added(tmp_path / "other")
    assert job not in reader.open("/jobs")
    assert "of this repository" in reader.client.get(f"/page/jobs/{job}").text


def test_without_postgres_the_page_is_not_offered(reader, monkeypatch, tmp_path):
    monkeypatch.delenv("PACTKEEPER_DATABASE_URL")
    assert ">Jobs<" not in reader.open("/runs")
    monkeypatch.setenv("PACTKEEPER_DATABASE_URL", f"sqlite:///{tmp_path}/history.db")
    assert ">Jobs<" not in reader.open("/runs")
    assert "jobs need Postgres" in reader.client.get("/page/jobs").text
