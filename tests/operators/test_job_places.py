"""Where jobs run: the folder of a host, or a throw-away tree of a repository that the server fetches."""

import subprocess
from functools import partial
from http.server import SimpleHTTPRequestHandler

import pytest

from pactkeeper.errors import InputError
from pactkeeper.jobs.job import Job
from pactkeeper.operators.team import folder_of, open_team, repository_of, tree_of
from pactkeeper.store.team import Registered, register
from pactkeeper.workspace import open_workspace
from tests.repo.repositories import create
from tests.waiting import served


def git(folder, *words):
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def shop(tmp_path, monkeypatch):
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("PACTKEEPER_DATABASE_URL", raising=False)
    create(tmp_path / "shop", {"tests/test_a.py": "def test_a(): ...\n"})
    return tmp_path / "shop"


def test_job_that_reads_files_runs_where_nobody_works(shop):
    (shop / "tests/test_a.py").write_text("not committed\n")
    with folder_of(Job("reconcile", "git-1", str(shop), "k", "HEAD")) as folder:
        assert folder != shop
        assert (folder / "tests/test_a.py").read_text() == "def test_a(): ...\n"
    assert not folder.exists()
    assert git(shop, "worktree", "list").count("\n") == 0


def test_job_that_looks_at_a_commit_runs_in_the_folder(shop):
    with folder_of(Job("check", "git-1", str(shop), "k", "HEAD")) as folder:
        assert folder == shop


def test_folder_that_is_not_on_this_host_is_named(tmp_path):
    missing = Job("check", "git-1", str(tmp_path / "gone"), "k")
    with pytest.raises(InputError, match="gone"), folder_of(missing):
        pass


def test_folder_of_a_person_is_no_repository_of_the_server(shop):
    with open_workspace(shop, notice=print) as opened:
        assert not repository_of(opened)


@pytest.fixture
def url(shop, tmp_path):
    """The repository over HTTP, as any host of a team sees it."""
    git(tmp_path, "clone", "--quiet", "--bare", str(shop), "web/shop.git")
    git(tmp_path / "web/shop.git", "update-server-info")
    files = partial(_Quiet, directory=str(tmp_path / "web"))
    with served(files) as found:
        yield f"{found}/shop.git"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def test_host_that_has_never_seen_a_repository_of_the_server_fetches_it(shop, url):
    commit = git(shop, "rev-parse", "HEAD")
    with open_team() as team:
        register(team.database, Registered("shop", url))
    job = Job("check", "git-1", "elsewhere", "k", commit, repository="shop")
    for _ in range(2):
        with folder_of(job) as folder:
            assert git(folder, "rev-parse", "HEAD") == commit
            assert folder.parent.name == "jobs"
        assert not folder.exists()
    with open_workspace(tree_of("shop"), notice=print) as opened:
        assert repository_of(opened) == "shop"
