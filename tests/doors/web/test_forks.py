"""Two forks share their first commits and a database; neither sees what the other's history holds."""

import shutil

import pytest

from pactkeeper.operators.team import add_repository
from pactkeeper.store.team import Registered
from tests.doors.projects import Project
from tests.doors.web.team_server import client_of, opened, token_of

pytestmark = pytest.mark.slow

RUNS = "agents/reconciliation"
READ = (
    f"{RUNS}/runs", f"{RUNS}/recommendations", f"{RUNS}/pending", "questions", "findings", "fix-tasks",
    "health/main", "health/sweeps", "evidence", "gaps", "statistics", "threads", "page/", "page/runs",
)  # fmt: skip


@pytest.fixture
def forks(project, tmp_path, monkeypatch):
    """The original and a members-only fork of it, on a server whose repositories share a database."""
    monkeypatch.setenv("PACTKEEPER_DATABASE_URL", f"sqlite:///{tmp_path}/team.db")
    project.pk("init")
    project.commit("Begin")
    fork = Project(shutil.copytree(project.root, tmp_path / "fork"))
    shutil.rmtree(fork.root / ".git/pact", ignore_errors=True)
    for one, name in ((project, "team"), (fork, "secret")):
        one.git("remote", "add", "origin", f"https://git.example.org/{name}/shop.git")
    with opened(project.root) as (team, app):
        add_repository(team, Registered("fork", str(fork.root), shared=False))
        yield team, app, fork


def test_what_a_fork_did_is_not_seen_by_the_other(forks):
    team, app, fork = forks
    fork.write("tests/test_secret.py", "def test_secret_discount():\n    assert 1 + 1 == 2\n")
    report = (
        '<testsuite><testcase file="tests/test_secret.py" classname="tests.test_secret" name="test_secret_discount"/>'
    )
    fork.write("report.xml", f"{report}</testsuite>")
    fork.commit("Discount")
    fork.pk("evidence", "import", "report.xml")
    fork.pk("thread", "new", "Title: A secret discount")
    admin, reader = (client_of(app, token_of(team, role)) for role in ("admin", "reader"))
    run = admin.post(f"/repos/fork/{RUNS}/start", json={"everything": True}).json()["run"]
    assert admin.get(f"/repos/fork/{RUNS}/runs/{run}").status_code == 200
    assert "secret" in admin.get("/repos/fork/evidence").text
    assert reader.get(f"/repos/shop/{RUNS}/runs/{run}").status_code == 404
    assert reader.get("/repos/fork/").status_code == 404
    for path in READ:
        answer = reader.get(f"/repos/shop/{path}")
        assert answer.status_code == 200, path
        assert run not in answer.text, path
        assert "secret" not in answer.text, path
