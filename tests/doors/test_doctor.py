"""`pk doctor`."""

import sqlite3
from contextlib import closing

import pytest

from tests.doors.projects import Project


@pytest.fixture
def surroundings(tmp_path):
    """Folders of a person who has used nothing yet."""
    return {"XDG_DATA_HOME": str(tmp_path / "d"), "XDG_CACHE_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}


def lines_of(project, code=0, **env):
    found = project.pk("doctor", "--json", code=code, env=env).document["lines"]
    return {one["name"]: one for one in found}


def test_a_sound_installation_is_told_line_by_line(project, surroundings):
    found = lines_of(project, **surroundings)
    assert found["git"]["state"] == found["data folder"]["state"] == found["clock"]["state"] == "ok"
    assert found["repository"]["found"] == str(project.root)
    assert (found["pact"]["state"], found["pact"]["todo"]) == ("optional", "pk init")
    assert found["extra postgres"]["found"].startswith("langgraph-checkpoint-postgres ")
    assert project.pk("doctor", env=surroundings).out.startswith("ok       Python: 3.")


@pytest.mark.parametrize("pointer", ['folder = "gone/away"', "folder = 3"])
def test_a_pointer_to_no_pact_is_told_and_the_rest_is_looked_at(project, surroundings, pointer):
    project.write(".pactkeeper.toml", pointer)
    found = lines_of(project, 1, **surroundings)
    assert (found["pact"]["state"], found["pact"]["todo"]) == ("wrong", "mend .pactkeeper.toml")
    assert found["state folder"]["state"] == "ok"


def test_nothing_is_left_behind(project, surroundings):
    lines_of(project, **surroundings)
    assert not (project.root.parent / "d").exists()
    assert project.status() == ""


def test_what_is_wrong_is_told_with_what_to_do_and_in_the_exit_code(project, surroundings, tmp_path):
    secret = tmp_path / "pactkeeper/git-credentials"
    secret.parent.mkdir()
    secret.write_text("https://a:b@git.example.org\n")
    secret.chmod(0o644)
    found = lines_of(project, 1, **surroundings, PACTKEEPER_DATABASE_URL="postgresql://x:secret@127.0.0.1:1/y")
    assert found["git credentials"]["todo"] == f"chmod 600 {secret}"
    assert found["database"]["state"] == "wrong"
    assert "secret" not in found["database"]["found"]


def test_a_database_is_looked_at_and_not_changed(project, surroundings, postgres):
    with postgres.database() as url:
        found = lines_of(project, **surroundings, PACTKEEPER_DATABASE_URL=url)
        assert found["database"]["found"].endswith(", empty")
        assert found["database clock"]["state"] == "ok"
        assert postgres.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", url) == [(0,)]


def test_outside_of_a_repository_the_rest_is_looked_at(surroundings, tmp_path):
    found = lines_of(Project(tmp_path), **surroundings)
    assert found["repository"]["state"] == "optional"


# @atom IA-E89244V
def test_a_history_of_a_newer_version_is_wrong(project, surroundings):
    project.pk("init", env=surroundings)
    project.pk("reconcile", "tests", env=surroundings)
    assert lines_of(project, **surroundings)["history"]["state"] == "ok"
    with closing(sqlite3.connect(project.root / ".git/pact/history.db")) as history:
        history.execute("UPDATE pactkeeper_revision SET version_num = '9999'")
        history.commit()
    found = lines_of(project, 1, **surroundings)["history"]
    assert (found["state"], found["todo"]) == ("wrong", "upgrade Pactkeeper; a newer one wrote this")
    assert "'9999' is unknown" in found["found"]


# @atom IA-PKHFY50
def test_a_history_that_is_no_database_is_wrong(project, surroundings):
    project.write(".git/pact/history.db", "junk " * 500)
    assert lines_of(project, 1, **surroundings)["history"]["state"] == "wrong"
