"""What the work tree has that its commit has not."""

import subprocess

import pytest

from pactkeeper.repo.git import Repository, uncommitted


@pytest.fixture
def git(tmp_path):
    def run(*arguments):
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    run("init", "--quiet")
    for name in ("kept", "edited", "deleted", "moved"):
        (tmp_path / name).write_text(name)
    (tmp_path / ".gitignore").write_text("ignored\n")
    run("add", ".")
    run("commit", "--quiet", "--message=Start")
    return run


def changed(root):
    return uncommitted(Repository.open(root))


def test_tree_as_committed_has_nothing(git, tmp_path):
    (tmp_path / "ignored").write_text("x")
    assert changed(tmp_path) == ()


def test_every_kind_of_difference_is_named_by_path(git, tmp_path):
    (tmp_path / "edited").write_text("x")
    (tmp_path / "deleted").unlink()
    (tmp_path / "new folder").mkdir()
    (tmp_path / "new folder" / "über\n").write_text("x")
    git("mv", "moved", "there")
    assert changed(tmp_path) == ("deleted", "edited", "moved", "new folder/über\n", "there")


def test_change_that_is_staged_and_taken_back_counts(git, tmp_path):
    (tmp_path / "edited").write_text("x")
    git("add", "edited")
    (tmp_path / "edited").write_text("edited")
    assert changed(tmp_path) == ("edited",)
