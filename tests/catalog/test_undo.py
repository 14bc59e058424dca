import os
import stat

import pytest

from pactkeeper.catalog.journal import FileEdit, entries
from pactkeeper.catalog.transaction import apply, undo
from pactkeeper.errors import CatalogError, InputError, StaleError, UnfinishedError
from tests.catalog.trees import EDITS, NEW, NOTE, OLD, files, folders


def test_undo_is_the_identity_down_to_modes_and_folders(place):
    before, modes = folders(place), stat.S_IMODE((place.root / "run.sh").stat().st_mode)
    apply(place, [*EDITS[:3], FileEdit("run.sh", OLD["run.sh"], None)], NOTE)
    undo(place, NOTE)
    assert files(place) == OLD
    assert folders(place) == before
    assert stat.S_IMODE((place.root / "run.sh").stat().st_mode) == modes == 0o750


def test_undo_keeps_what_was_changed_elsewhere_in_the_file(place):
    apply(place, EDITS, NOTE)
    (place.root / "tests/a.py").write_bytes(b"zero\none\n# new\ntwo\nTHREE\n")
    undo(place, NOTE)
    assert files(place)["tests/a.py"] == b"zero\none\ntwo\nTHREE\n"


def test_undo_refuses_whole_where_one_file_changed_in_the_written_lines(place):
    apply(place, EDITS, NOTE)
    (place.root / "tests/a.py").write_bytes(b"one\n# newer\ntwo\nthree\n")
    (place.root / "pact/old.toml").write_bytes(b"made again\n")
    before = files(place)
    with pytest.raises(StaleError, match=r"(?s)nothing was undone.*'pact/old\.toml'.*'tests/a\.py'"):
        undo(place, NOTE)
    assert files(place) == before


def test_undo_takes_the_latest_write_that_still_stands(place):
    apply(place, EDITS, NOTE)
    apply(place, [FileEdit("b.txt", None, b"b")], NOTE)
    undo(place, NOTE)
    assert files(place) == NEW
    undo(place, NOTE)
    assert files(place) == OLD
    with pytest.raises(StaleError, match="there is nothing to undo"):
        undo(place, NOTE)


def test_an_undo_can_be_undone(place):
    first = apply(place, EDITS, NOTE)
    second = undo(place, NOTE)
    assert first is not None
    assert second is not None
    assert entries(place.state_dir)[0].undone_by == second.id
    undo(place, NOTE, entry_id=second.id)
    assert files(place) == NEW
    assert entries(place.state_dir)[0].undone_by is None
    undo(place, NOTE)
    assert files(place) == OLD


def test_a_write_is_undone_once(place):
    entry = apply(place, EDITS, NOTE)
    assert entry is not None
    undo(place, NOTE)
    with pytest.raises(StaleError, match=f"entry {entry.id} is already undone, by entry 2"):
        undo(place, NOTE, entry_id=entry.id)
    with pytest.raises(StaleError, match="the journal has no entry 99"):
        undo(place, NOTE, entry_id=99)


def test_undo_of_what_was_taken_back_by_hand_counts_as_done(place):
    apply(place, EDITS[:1], NOTE)
    (place.root / "tests/a.py").write_bytes(OLD["tests/a.py"])
    undo(place, NOTE)
    assert files(place) == OLD
    with pytest.raises(StaleError, match="there is nothing to undo"):
        undo(place, NOTE)


def test_folders_that_hold_something_else_by_now_stay(place):
    apply(place, EDITS, NOTE)
    (place.root / "pact/links/mine.toml").write_bytes(b"mine\n")
    undo(place, NOTE)
    assert files(place) == {**OLD, "pact/links/mine.toml": b"mine\n"}
    assert "pact/links/deep" not in folders(place)


def test_a_damaged_journal_is_named_instead_of_believed(place):
    entry = apply(place, EDITS, NOTE)
    assert entry is not None
    (path,) = (place.state_dir / "journal").glob("*.done")
    path.write_bytes(path.read_bytes()[:-10] + b"damaged!\n")
    with pytest.raises(InputError, match="is damaged"):
        undo(place, NOTE)
    assert files(place) == NEW
    path.write_bytes(b"{")
    with pytest.raises(UnfinishedError, match="is damaged; move it away"):
        entries(place.state_dir)


OURS, NEWER = b"[pact]\nformat = 1\n", b"[pact]\nformat = 2\n"


def test_undo_leaves_a_pact_of_a_newer_format_alone(place):
    apply(place, EDITS, NOTE)
    (place.root / "pact/pact.toml").write_bytes(NEWER)
    before = files(place)
    with pytest.raises(CatalogError, match=r"pact/pact\.toml:2: format is 2; this version .* reads format 1; update"):
        undo(place, NOTE)
    assert files(place) == before
    assert len(entries(place.state_dir)) == 1


def test_undo_takes_back_the_write_that_brought_a_newer_format(place):
    apply(place, [FileEdit("pact/pact.toml", None, OURS)], NOTE)
    apply(place, [FileEdit("pact/pact.toml", OURS, NEWER)], NOTE)
    undo(place, NOTE)
    assert files(place)["pact/pact.toml"] == OURS


def test_undo_of_another_line_leaves_a_newer_format_alone(place):
    begun = OURS + b"[a]\n\n[b]\nc = 1\n"
    apply(place, [FileEdit("pact/pact.toml", None, begun)], NOTE)
    apply(place, [FileEdit("pact/pact.toml", begun, begun.replace(b"c = 1", b"c = 2"))], NOTE)
    newer = begun.replace(OURS, NEWER).replace(b"c = 1", b"c = 2")
    (place.root / "pact/pact.toml").write_bytes(newer)
    with pytest.raises(CatalogError, match="format is 2"):
        undo(place, NOTE)
    assert files(place)["pact/pact.toml"] == newer


@pytest.mark.parametrize(
    "settings",
    [b"[pact]\nformat = 0\n", b"[pact]\nformat = true\n", b"[pact]\nformat = 2\n[", b"pact = 2\n", b"\xff", b""],
)
def test_undo_goes_on_where_no_newer_format_can_be_read(place, settings):
    apply(place, EDITS, NOTE)
    (place.root / "pact/pact.toml").write_bytes(settings)
    undo(place, NOTE)
    assert files(place) == {**OLD, "pact/pact.toml": settings}


def test_undo_does_not_wait_for_a_pipe_in_place_of_the_settings(place):
    apply(place, EDITS, NOTE)
    os.mkfifo(place.root / "pact/pact.toml")
    undo(place, NOTE)
    assert files(place) == OLD
