"""`pk repos` as a process."""

import subprocess
import sys

import pytest


@pytest.fixture
def server(tmp_path):
    """Where the data of a server goes."""
    return {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def test_a_repository_is_added_listed_fetched_and_removed(project, server):
    added = project.pk("repos", "add", "shop", ".", env=server).out
    assert added.startswith(f"shop: {project.root} at ")
    (listed,) = project.pk("repos", "list", "--json", env=server).document["repositories"]
    assert (listed["name"], listed["commit"]) == ("shop", project.git("rev-parse", "HEAD"))
    assert project.pk("repos", "fetch", "shop", env=server).out == f"shop is at {listed['commit'][:12]}\n"
    project.pk("repos", "remove", "shop", env=server)
    assert project.pk("repos", "list", env=server).out == "0 repositories\n"


def test_a_repository_that_is_not_there_is_told_with_what_to_do(project, server):
    said = project.pk("repos", "fetch", "shop", env=server, code=2).err
    assert said == "pk: this server has no repository 'shop'; pk repos list names all\n"


@pytest.mark.parametrize("shared_database", [True, False])
def test_a_closed_repository_shares_its_history_with_no_other(project, server, tmp_path, shared_database):
    for name in ("open", "closed"):
        subprocess.run(["git", "clone", "-q", str(project.root), str(tmp_path / name)], check=True)
    database = {"PACTKEEPER_DATABASE_URL": f"sqlite:///{tmp_path}/shared.db"} if shared_database else {}
    project.pk("repos", "add", "open", str(tmp_path / "open"), env={**server, **database})
    said = project.pk(
        *("repos", "add", "closed", str(tmp_path / "closed"), "--members-only"),
        env={**server, **database},
        code=2 if shared_database else 0,
    )
    assert ("both have one history" in said.err) is shared_database


def test_without_the_extra_of_the_queue_its_commands_name_it(project, tmp_path):
    code = "import sys; sys.modules['croniter'] = None\nfrom pactkeeper.doors.cli.main import run\nrun()"
    done = subprocess.run(
        [sys.executable, "-c", code, "jobs", "list"], cwd=project.root, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "pip install 'pactkeeper[workers]'" in done.stderr) == (2, True)
