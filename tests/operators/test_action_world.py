"""One view of everything, each source with how much of it was seen."""

import threading

import pytest

from pactkeeper.operators.actions import _repositories, within
from pactkeeper.transcripts.reconciling import GIT, Place
from tests.doors.projects import Project


def test_reading_that_takes_too_long_gives_nothing():
    never = threading.Event()
    try:
        assert within(0.05, never.wait) is None
    finally:
        never.set()


def test_what_reading_raises_is_raised():
    def fail():
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        within(5, fail)


def test_a_folder_that_is_no_repository_is_no_source(tmp_path):
    assert _repositories([str(tmp_path), str(tmp_path / "gone"), ""]) == ({}, {}, {})


def test_the_commits_of_a_repository_are_seen_whole(tmp_path):
    project = Project(tmp_path)
    project.git("init", "-q", "-b", "main")
    project.write("a.txt", "a")
    project.commit("Renew the passport")
    commits, places, health = _repositories([str(tmp_path)])
    assert [one.subject for one in commits[str(tmp_path)]] == ["Renew the passport"]
    assert health[GIT + str(tmp_path)].status == "complete"
    assert places[str(tmp_path)] == Place(str(tmp_path), "", "main")


def test_a_repository_that_git_cannot_read_is_unavailable(tmp_path):
    project = Project(tmp_path)
    project.git("init", "-q")
    project.write("a.txt", "a")
    project.commit("Renew the passport")
    for path in (tmp_path / ".git/objects").rglob("*"):
        if path.is_file():
            path.unlink()
    commits, places, health = _repositories([str(tmp_path)])
    assert (commits, places) == ({}, {})
    assert health[GIT + str(tmp_path)].status == "unavailable"
