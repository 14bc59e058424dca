"""Mirrors: what a clone contains does not run, one process at a time fetches, and nothing is left of the dead."""

import os
import signal
import subprocess
import sys
import textwrap
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pactkeeper.errors import GitFailed, RefusedError, UsageError
from pactkeeper.repo import fetching
from pactkeeper.repo.fetching import CloneLimits, Network, Source, checked_name, checked_url, fetch, is_url, make_mirror
from pactkeeper.repo.origin import Mirror
from tests.waiting import running

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ADA = "Ada Lovelace <ada@example.org>"


def git(folder, *arguments):
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(["git", *named, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder, name, text):
    (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", name)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def origin(tmp_path):
    """A repository that is cloned."""
    folder = tmp_path / "origin"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "trunk")
    commit(folder, "test_a.py", "def test_a(): assert 1\n")
    return folder


class Near(Source):
    """A source on this machine: tests reach no other, and users register such a folder by its path."""

    @property
    def protocol(self):
        return "file"


ROOMY = CloneLimits()


def mirror_of(origin, tmp_path, limits=ROOMY, **options):
    return Mirror.of_url(tmp_path / "shelf", Near(f"file://{origin}", **options), Network(limits))


def test_a_mirror_follows_its_origin(origin, tmp_path):
    mirror = mirror_of(origin, tmp_path)
    first = mirror.refresh()
    assert (mirror.tree / "test_a.py").read_text() == "def test_a(): assert 1\n"
    second = commit(origin, "test_b.py", "def test_b(): assert 2\n")
    assert mirror.refresh() == second != first
    assert git(mirror.tree, "rev-parse", "HEAD") == second
    assert sorted(one.name for one in mirror.tree.glob("*.py")) == ["test_a.py", "test_b.py"]


def test_a_branch_that_was_rewritten_or_removed_is_so_in_the_mirror(origin, tmp_path):
    git(origin, "branch", "old")
    mirror = mirror_of(origin, tmp_path)
    mirror.refresh()
    git(origin, "branch", "-D", "old")
    git(origin, "commit", "--amend", "-qm", "Another")
    assert mirror.refresh() == git(origin, "rev-parse", "HEAD")
    assert git(mirror.git, "branch", "--format=%(refname:short)").split() == ["trunk"]


@pytest.mark.parametrize("options", [{"depth": 1}, {"partial": True}])
def test_a_shallow_or_partial_mirror_can_be_read(origin, tmp_path, options):
    git(origin, "config", "uploadpack.allowFilter", "true")
    commit(origin, "test_b.py", "def test_b(): assert 2\n")
    mirror = mirror_of(origin, tmp_path, **options)
    mirror.refresh()
    with mirror.job("trunk") as tree:
        assert (tree / "test_b.py").read_text() == "def test_b(): assert 2\n"


def test_what_was_written_here_waits_until_it_is_pushed(origin, tmp_path):
    mirror = mirror_of(origin, tmp_path)
    mirror.refresh()
    (mirror.tree / "pact.toml").write_text("kept")
    newer = commit(origin, "test_b.py", "def test_b(): assert 2\n")
    with pytest.raises(RefusedError, match="1 files were written here and are not pushed; pk repos push shelf"):
        mirror.refresh()
    assert (mirror.tree / "pact.toml").read_text() == "kept"
    told: list[str] = []
    assert mirror.push("Accept", ADA, NOW, told.append) == "pactkeeper/20260102-030405"
    said = git(origin, "log", "-1", "--format=%an %ae", "pactkeeper/20260102-030405")
    assert (said, told) == ("Ada Lovelace ada@example.org", ["pactkeeper/20260102-030405"])
    assert git(mirror.tree, "rev-parse", "HEAD") == newer
    assert not (mirror.tree / "pact.toml").exists()
    with pytest.raises(UsageError, match="nothing to push"):
        mirror.push("Accept", ADA, NOW, told.append)


class Killed(BaseException):
    pass


@pytest.mark.parametrize("at", ["before", "behind"])
def test_a_push_that_was_killed_goes_on_with_its_commit(origin, tmp_path, monkeypatch, at):
    mirror = mirror_of(origin, tmp_path)
    mirror.refresh()
    (mirror.tree / "pact.toml").write_text("kept")

    def killed(*given):
        if at == "behind":
            fetching.push(*given)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("pactkeeper.repo.origin.push", killed)
        with pytest.raises(Killed):
            mirror.push("Accept", ADA, NOW, str)
    with pytest.raises(RefusedError, match="not pushed; pk repos push shelf"):
        mirror.refresh()
    assert mirror.push("Accept", ADA, NOW + timedelta(days=1), str) == "pactkeeper/20260102-030405"
    assert git(origin, "branch", "--list", "pactkeeper/*").split() == ["pactkeeper/20260102-030405"]
    assert git(origin, "show", "pactkeeper/20260102-030405:pact.toml") == "kept"
    mirror.refresh()


def test_a_check_out_that_was_killed_is_no_writing(origin, tmp_path):
    mirror = mirror_of(origin, tmp_path)
    first = mirror.refresh()
    (mirror.tree / "test_a.py").write_text("half")
    (mirror.shelf / "renewing").touch()
    assert mirror.refresh() == first
    assert (mirror.tree / "test_a.py").read_text() == "def test_a(): assert 1\n"


def test_a_job_has_a_tree_of_its_own_that_is_gone_afterwards(origin, tmp_path):
    mirror = mirror_of(origin, tmp_path)
    first = mirror.refresh()
    with mirror.job() as one, mirror.job(first) as other:
        (one / "test_a.py").write_text("changed")
        assert (other / "test_a.py").read_text() == "def test_a(): assert 1\n"
    assert list((tmp_path / "shelf/jobs").iterdir()) == []
    assert len(git(mirror.git, "worktree", "list").splitlines()) == 2


def test_a_folder_of_this_machine_gives_trees_to_jobs_and_stays_as_it_is(origin, tmp_path):
    (origin / "test_a.py").write_text("unsaved work")
    mirror = Mirror.of_folder(tmp_path / "shelf", origin)
    assert mirror.tree == origin
    assert mirror.refresh() == git(origin, "rev-parse", "HEAD")
    with mirror.job() as tree:
        assert (tree / "test_a.py").read_text() == "def test_a(): assert 1\n"
    assert (origin / "test_a.py").read_text() == "unsaved work"


def test_what_a_clone_contains_does_not_run(origin, tmp_path, monkeypatch):
    ran = tmp_path / "ran"
    account = tmp_path / "gitconfig"
    account.write_text(f'[filter "x"]\n\tsmudge = touch {ran}\n\trequired = true\n')
    commit(origin, ".gitattributes", "*.py filter=x\n")
    commit(origin, ".gitmodules", f'[submodule "s"]\n\tpath = s\n\turl = "ext::sh -c touch% {ran}"\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(account))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(_template(tmp_path, ran)))
    mirror = mirror_of(origin, tmp_path)
    mirror.refresh()
    with mirror.job() as tree:
        assert (tree / "test_a.py").is_file()
    assert not ran.exists()


def _template(tmp_path, ran):
    hook = tmp_path / "template/hooks/post-checkout"
    hook.parent.mkdir(parents=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    return tmp_path / "template"


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (CloneLimits(stored=100), "takes more than 100 bytes"),
        (CloneLimits(files=0), "1 files; the limit is 0"),
        (CloneLimits(checked_out=5), "23 bytes; the limit is 5"),
    ],
)
def test_what_is_too_large_is_refused_with_the_limit(origin, tmp_path, limits, words):
    with pytest.raises(RefusedError, match=words):
        mirror_of(origin, tmp_path, limits).refresh()


def test_an_origin_that_is_not_there_is_told(tmp_path):
    with pytest.raises(GitFailed, match="was not fetched"):
        mirror_of(tmp_path / "nowhere", tmp_path).refresh()


def test_another_protocol_than_the_sources_is_not_spoken(origin, tmp_path):
    source = Source(f"file://{origin}")
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    make_mirror(shelf / "mirror.git", source)
    git(shelf / "mirror.git", "config", "remote.origin.url", "ext::sh -c true")
    with pytest.raises(GitFailed, match="not allowed"):
        fetch(shelf / "mirror.git", source, Network())


def test_credentials_that_others_may_read_are_refused(origin, tmp_path):
    file = tmp_path / "credentials"
    file.write_text("https://ada:secret@git.example.org\n")
    file.chmod(0o644)
    mirror = Mirror.of_url(tmp_path / "shelf", Near(f"file://{origin}"), Network(credentials=file))
    with pytest.raises(UsageError, match="chmod 600"):
        mirror.refresh()
    file.chmod(0o600)
    mirror.refresh()


def test_what_a_killed_fetch_and_a_killed_job_left_is_cleared_away(origin, tmp_path):
    mirror = mirror_of(origin, tmp_path)
    mirror.refresh()
    code = textwrap.dedent(
        """
        import os, sys
        from pathlib import Path
        from pactkeeper.repo.origin import Mirror
        with Mirror.of_folder(Path(sys.argv[1]), Path(sys.argv[2])).job():
            print("ready", flush=True)
            sys.stdin.read()
        """
    )
    command = [sys.executable, "-c", code, str(mirror.shelf), str(mirror.tree)]
    with running(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None
        assert job.stdout.readline() == "ready\n"
        assert mirror.bury() == 0
        os.kill(job.pid, signal.SIGKILL)
    (mirror.git / "objects/pack").mkdir(exist_ok=True)
    (mirror.git / "objects/pack/tmp_pack_x").write_bytes(b"half")
    (mirror.git / "packed-refs.lock").touch()
    (mirror.git / "worktrees/tree/index.lock").touch()
    commit(origin, "test_b.py", "def test_b(): assert 2\n")
    mirror.refresh()
    assert list((mirror.shelf / "jobs").iterdir()) == []
    assert not (mirror.git / "objects/pack/tmp_pack_x").exists()


@pytest.mark.parametrize(
    "url",
    [
        "https://git.example.org/a.git",
        "ssh://git@git.example.org:22/a.git",
        "git@git.example.org:a/b.git",
        "http://localhost:1/a",
    ],
)
def test_a_url_that_git_may_fetch_from_is_taken(url):
    assert is_url(url)
    assert checked_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c id",
        "file:///etc",
        "http://git.example.org/a",
        "git://git.example.org/a",
        "https://ada:secret@git.example.org/a",
        "https://token@git.example.org/a",
        "--upload-pack=id",
        "ssh://-oProxyCommand=id/a",
        "https://git.example.org/a\nb",
        "https:///a",
    ],
)
def test_a_url_that_could_do_more_than_fetch_is_refused(url):
    with pytest.raises(UsageError) as said:
        checked_url(url)
    assert "secret" not in str(said.value)


@pytest.mark.parametrize("name", ["", "..", "a/b", "A", "-a", "a.git", "a..b", "a" * 65, "a.lock"])
def test_a_name_that_is_no_plain_word_is_refused(name):
    with pytest.raises(UsageError, match="not a valid name for a repository"):
        checked_name(name)


def test_a_folder_is_no_url(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not is_url(str(tmp_path))
    assert not is_url("some/folder")
    assert Path.cwd() == tmp_path
