"""Who a person is where no repository is at hand."""

import os
from pwd import getpwuid

import pytest

from pactkeeper.personal import open_personal
from pactkeeper.workspace import open_workspace
from tests.repo.repositories import create


@pytest.fixture
def configured(tmp_path, monkeypatch):
    def configure(text):
        (tmp_path / "gitconfig").write_text(text)
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))

    return configure


def person():
    with open_personal(notice=lambda _: None) as personal:
        return personal.person()


def test_a_person_is_the_same_in_and_out_of_a_repository(configured, tmp_path):
    configured("[user]\nname = Uma User\nemail = uma@example.org\n")
    create(tmp_path / "shop", {"a.txt": ""})
    with open_workspace(tmp_path / "shop", notice=lambda _: None) as workspace:
        assert person() == workspace.person() == "Uma User <uma@example.org>"


@pytest.mark.parametrize("text", ["", "[user]\nemail = uma@example.org\n", "[user\n"])
def test_a_person_whom_git_does_not_name_is_the_account(configured, text):
    configured(text)
    assert person() == getpwuid(os.getuid()).pw_name
