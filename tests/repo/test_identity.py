"""Whose history a clone reads and writes where several share a database."""

import subprocess

import pytest

from pactkeeper.repo.git import Repository
from pactkeeper.repo.identity import identity

TEAM = "https://git.example.org/team/shop.git"


def git(folder, *arguments):
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *named, *arguments], cwd=folder, check=True, capture_output=True)


def made(folder, origin=""):
    """A repository of one commit, which is the same in all that are made."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    stamp = "2030-01-01T00:00:00+00:00"
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    command = ["git", *named, "commit", "-q", "--allow-empty", "-m", "First"]
    dates = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
    subprocess.run(["env", *(f"{name}={value}" for name, value in dates.items()), *command], cwd=folder, check=True)
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder


def id_of(folder):
    repository = Repository.open(folder)
    return identity(repository, repository.common_dir / "pact")


@pytest.mark.parametrize("other", [
    "git@git.example.org:team/shop.git", "ssh://git@git.example.org/team/shop", "https://ci:token@git.example.org/team/shop",
])  # fmt: skip
def test_clones_of_one_place_share_an_id_whatever_the_protocol(tmp_path, other):
    assert id_of(made(tmp_path / "a", TEAM)) == id_of(made(tmp_path / "b", other))


def test_forks_have_ids_of_their_own_although_their_first_commit_is_the_same(tmp_path):
    original, fork, nowhere, elsewhere = (
        made(tmp_path / name, origin)
        for name, origin in (("a", TEAM), ("b", TEAM.replace("team", "ada")), ("c", ""), ("d", ""))
    )
    assert len({Repository.open(one).resolve("HEAD") for one in (original, fork, nowhere, elsewhere)}) == 1
    assert len({id_of(one) for one in (original, fork, nowhere, elsewhere)}) == 4


def test_clones_of_one_folder_share_an_id_and_those_of_its_copy_another(tmp_path):
    place, copy = made(tmp_path / "origin"), made(tmp_path / "copy")
    for name, source in (("a", place), ("b", f"file://{place}"), ("c", place), ("d", copy)):
        git(tmp_path, "clone", "-q", str(source), name)
    git(tmp_path / "c", "remote", "set-url", "origin", "../origin")
    first, second, third, other = (id_of(tmp_path / name) for name in "abcd")
    assert first == second == third
    assert first not in {other, id_of(place)}


def test_worktrees_share_the_id_and_it_stays_when_the_remote_moves(tmp_path):
    place = made(tmp_path / "a", TEAM)
    before = id_of(place)
    git(place, "worktree", "add", "-q", "../tree")
    git(place, "remote", "set-url", "origin", "https://new.example.org/team/shop.git")
    assert id_of(tmp_path / "tree") == id_of(place) == before


def test_an_empty_or_shallow_clone_of_a_url_has_the_id_of_every_other(tmp_path):
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "-q")
    git(tmp_path / "empty", "remote", "add", "origin", TEAM)
    place = made(tmp_path / "a", TEAM)
    git(place, "commit", "-q", "--allow-empty", "-m", "Second")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{place}", "shallow")
    git(tmp_path / "shallow", "remote", "set-url", "origin", TEAM)
    assert Repository.open(tmp_path / "shallow").shallow
    assert id_of(tmp_path / "empty") == id_of(tmp_path / "shallow") == id_of(place)
