"""What sweeps leave for repositories that are gone."""

import shutil

import pytest

from pactkeeper.health.tree import OWNER, SweepPlaces, clear_abandoned


@pytest.fixture
def caches(tmp_path):
    return tmp_path / "caches"


def used(root, caches):
    """The folder of a repository that was swept once."""
    (root / ".git").mkdir(parents=True)
    places = SweepPlaces(root / ".git/pact", caches / root.name)
    clear_abandoned(places)
    return places


def test_the_folder_of_a_repository_that_is_gone_goes_with_the_next_sweep_of_another(tmp_path, caches):
    gone, other = used(tmp_path / "gone", caches), used(tmp_path / "other", caches)
    shutil.rmtree(tmp_path / "gone")
    assert clear_abandoned(other) == 1
    assert (gone.folder.exists(), other.folder.exists()) == (False, True)


def test_the_folder_of_a_repository_that_is_there_stays(tmp_path, caches):
    one, other = used(tmp_path / "one", caches), used(tmp_path / "other", caches)
    assert clear_abandoned(other) == 0
    assert one.folder.exists()


def test_a_disk_that_is_away_costs_no_folder(tmp_path, caches):
    away, other = used(tmp_path / "disk/away", caches), used(tmp_path / "other", caches)
    shutil.rmtree(tmp_path / "disk")
    assert clear_abandoned(other) == 0
    assert away.folder.exists()


@pytest.mark.parametrize("note", [None, b"", b"relative/.git/pact", b"\0"])
def test_what_says_of_no_repository_that_it_is_its_own_stays(tmp_path, caches, note):
    strange = caches / "strange"
    strange.mkdir(parents=True)
    if note is not None:
        (strange / OWNER).write_bytes(note)
    assert clear_abandoned(used(tmp_path / "other", caches)) == 0
    assert strange.exists()
