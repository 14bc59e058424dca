"""`pk boards` as a process."""

import pytest

from tests.boards.fakes import TOKEN, FakeGitHub
from tests.doors.projects import Project


@pytest.fixture
def at(tmp_path):
    """Somewhere outside of any repository."""
    (tmp_path / "away").mkdir()
    return Project(tmp_path / "away")


def set_up(person, text):
    Project(at_folder(person)).write("pactkeeper/boards.toml", text)


def at_folder(person):
    from pathlib import Path  # noqa: PLC0415 - one line of set-up

    return Path(person["XDG_CONFIG_HOME"])


def test_board_of_ones_own_is_there_without_any_settings(at, person, tmp_path):
    Project(tmp_path / "data/pactkeeper/board").write("tasks/milk.md", "---\nstatus: doing\n---\nTwo litres.\n")
    assert [one["name"] for one in at.pk("boards", "list", "--json", env=person).document["boards"]] == ["local"]
    shown = at.pk("boards", "show", "--json", env=person).document["snapshot"]
    assert [(task["title"], task["status"]) for task in shown["tasks"]] == [("milk", "doing")]
    assert shown["health"] == {"status": "complete", "reason": ""}
    assert "Two litres." in at.pk("boards", "show", "--item", "tasks/milk.md", env=person).out


def test_view_that_is_not_complete_exits_1_and_says_why(at, person, tmp_path):
    Project(tmp_path / "data/pactkeeper/board").write("tasks/broken.md", b"\xff")
    assert "broken.md: is not UTF-8" in at.pk("boards", "show", env=person, code=1).out


def test_broken_settings_exit_2_with_their_line(at, person):
    set_up(person, "[boards.home]\nkind = 'local'\nfolder = 1\n")
    assert "boards.toml:3: folder" in at.pk("boards", "list", env=person, code=2).err


def test_board_that_works_is_tried_without_showing_the_token(at, person):
    fake = FakeGitHub()
    try:
        set_up(
            person, f"[boards.team]\nkind = 'github'\nrepository = 'acme/shop'\nbase_url = '{fake.url}'\nrate = 100\n"
        )
        done = at.pk("boards", "test", env={**person, "GITHUB_TOKEN": TOKEN})
        failed = at.pk("boards", "test", "--json", env={**person, "GITHUB_TOKEN": "wrong-secret"}, code=1)
    finally:
        fake.close()
    assert "ok  read acme/shop" in done.out
    assert failed.document["works"] is False
    assert TOKEN not in done.out + done.err
    assert "wrong-secret" not in failed.out + failed.err
