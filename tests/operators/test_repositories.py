"""Repositories of a server: registered, fetched, closed to strangers, and gone."""

import subprocess

import pytest

from pactkeeper.errors import GitFailed, NotARepository, UsageError
from pactkeeper.ledger.policy import Principal
from pactkeeper.operators.team import (
    add_repository,
    change_member,
    fetch_repository,
    list_repositories,
    open_team,
    principal_in,
    remove_repository,
)
from pactkeeper.store.database import audit
from pactkeeper.store.team import Account, Registered, add_account, repository_named


@pytest.fixture
def team(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("PACTKEEPER_DATABASE_URL", raising=False)
    with open_team() as opened:
        yield opened


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "shop"
    place.mkdir()
    for words in (
        ("init", "-q", "-b", "trunk"),
        ("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "First"),
    ):
        subprocess.run(["git", *words], cwd=place, check=True)
    return place


def test_a_folder_is_registered(team, folder):
    found = add_repository(team, Registered("shop", str(folder)))
    assert list_repositories(team) == (found,)
    assert (found.place, len(found.commit)) == (str(folder), 40)


def test_a_server_whose_repositories_would_share_one_history_is_not_opened(team, monkeypatch):
    monkeypatch.setenv("PACTKEEPER_REPOSITORY", "git-1")
    with pytest.raises(UsageError, match=r"PACTKEEPER_REPOSITORY is 'git-1'.* the same history; unset it"), open_team():
        pass


def test_what_cannot_be_fetched_is_not_registered(team):
    with pytest.raises(GitFailed, match="was not fetched"):
        add_repository(team, Registered("shop", "http://127.0.0.1:9/shop.git"))
    assert list_repositories(team) == ()


def test_what_went_wrong_is_kept_beside_the_repository(team, folder):
    add_repository(team, Registered("shop", str(folder)))
    folder.rename(folder.with_name("moved"))
    with pytest.raises(NotARepository, match="not inside a git repository"):
        fetch_repository(team, "shop")
    assert "not inside a git repository" in repository_named(team.database, "shop").trouble


def test_a_name_is_taken_once(team, folder):
    add_repository(team, Registered("shop", str(folder)))
    with pytest.raises(UsageError, match="already"):
        add_repository(team, Registered("shop", str(folder)))


def test_a_repository_that_is_removed_is_forgotten_and_its_folder_stays(team, folder):
    add_repository(team, Registered("shop", str(folder)))
    remove_repository(team, "shop")
    assert list_repositories(team) == ()
    assert (folder / ".git").is_dir()
    assert [one.action for one in audit(team.database)] == ["repos remove", "repos add"]


def test_members_have_the_role_of_the_repository_up_to_its_most(team, folder):
    shop = add_repository(team, Registered("shop", str(folder), shared=False, most="reviewer"))
    add_account(team.database, Account("ada", "Ada <a@b>", "reader"))
    ada = Principal("Ada <a@b>", "reader", "person", "ada")
    assert principal_in(team, ada, shop) is None
    assert change_member(team, "shop", "ada", "committer") == {"ada": "committer"}
    found = principal_in(team, ada, shop)
    assert found is not None
    assert found.role == "reviewer"
    assert change_member(team, "shop", "ada", None) == {}
    with pytest.raises(UsageError, match="no account 'eve'"):
        change_member(team, "shop", "eve", "reader")
    with pytest.raises(UsageError, match="pk users role ada admin"):
        change_member(team, "shop", "ada", "admin")
