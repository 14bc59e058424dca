import os
import stat
import subprocess
import textwrap

import pytest

from pactkeeper.catalog.journal import FileEdit, edits_of, entries, unfinished
from pactkeeper.catalog.placement import alone
from pactkeeper.catalog.transaction import apply, ensure_settled
from pactkeeper.errors import BusyError, RefusedError, StaleError
from tests.catalog.trees import EDITS, NEW, NOTE, OLD, PYTHONPATH, files, make_place
from tests.doors.forking import SERVER
from tests.waiting import PATIENCE


def test_all_edits_are_written_and_noted(place):
    entry = apply(place, EDITS, NOTE)
    assert files(place) == NEW
    assert entry is not None
    assert entries(place.state_dir) == (entry,)
    assert entry.metadata == {"ops": ["op-1"], "patch": "p-1"}
    assert entry.paths == ("pact/links/deep/er/a.toml", "pact/old.toml", "run.sh", "tests/a.py")
    assert {edit.path: edit.after for edit in edits_of(place.state_dir, entry.id)} == {**NEW, "pact/old.toml": None}


def test_a_written_file_keeps_its_mode(place):
    apply(place, EDITS, NOTE)
    assert stat.S_IMODE((place.root / "run.sh").stat().st_mode) == 0o750


def test_edits_that_change_nothing_leave_no_entry(place):
    assert apply(place, [FileEdit("run.sh", OLD["run.sh"], OLD["run.sh"])], NOTE) is None
    assert entries(place.state_dir) == ()


def test_a_stale_file_stops_everything_and_all_stale_files_are_named(place):
    (place.root / "tests/a.py").write_bytes(b"other\n")
    (place.root / "pact/old.toml").unlink()
    (place.root / "pact/links/deep/er").mkdir(parents=True)
    (place.root / "pact/links/deep/er/a.toml").write_bytes(b"theirs\n")
    before = files(place)
    with pytest.raises(StaleError, match=r"(?s)er/a\.toml': did not exist.*'pact/old\.toml'.*'tests/a\.py'"):
        apply(place, EDITS, NOTE)
    assert files(place) == before
    assert unfinished(place.state_dir) is None


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "a/../../x", "", "a//b", "./a", ".git/hooks/x", "sub/.GIT/x", "a\0b", ".git. /x", "a/"]
)
def test_a_path_that_leads_elsewhere_is_refused(place, path):
    with pytest.raises(RefusedError, match="nothing was written"):
        apply(place, [FileEdit("ok.txt", None, b"x"), FileEdit(path, None, b"x")], NOTE)
    assert files(place) == OLD


def test_links_out_of_the_tree_into_git_and_over_files_are_refused(place, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (place.root / ".git").mkdir()
    (place.root / "out").symlink_to(outside)
    (place.root / "hooks").symlink_to(".git")
    (place.root / "link.py").symlink_to("tests/a.py")
    (place.root / "loop").symlink_to("loop")
    os.mkfifo(place.root / "pipe")
    for path, reason in {
        "out/x": "a symbolic link takes it out of the repository",
        "hooks/x": "a symbolic link takes it into git's folder",
        "link.py": "it is a symbolic link",
        "loop/x": "it cannot be read",
        "pipe": "it is not a regular file",
        "tests": "it is not a regular file",
        "run.sh/x": "it cannot be read",
    }.items():
        with pytest.raises(RefusedError, match=f"'{path}': {reason}"):
            apply(place, [FileEdit(path, None, b"x")], NOTE)
    assert list(outside.iterdir()) == []
    assert list((place.root / ".git").iterdir()) == []


def test_two_paths_to_one_file_are_refused(place):
    (place.root / "same").symlink_to("tests")
    with pytest.raises(RefusedError, match="the same file as another path"):
        apply(place, [EDITS[0], FileEdit("same/a.py", OLD["tests/a.py"], b"x")], NOTE)


def test_a_second_writer_is_told_who_holds_the_pact(place):
    with alone(place.state_dir), pytest.raises(BusyError, match=f"process {os.getpid()} is writing"):
        apply(place, EDITS, NOTE)
    assert files(place) == OLD


def test_a_reader_is_told_to_wait_while_a_write_is_under_way(place):
    def look(step: str) -> None:
        if step == "journalled":
            with pytest.raises(BusyError, match="is writing to this repository's pact"):
                ensure_settled(place.state_dir)

    apply(place, EDITS, NOTE, checkpoint=look)


def test_a_file_changed_between_reading_and_swapping_stops_the_write(place):
    def meddle(step: str) -> None:
        if step == "staged tests/a.py":
            (place.root / "tests/a.py").write_bytes(b"mine\n")

    with pytest.raises(StaleError, match="tests/a"):
        apply(place, EDITS, NOTE, checkpoint=meddle)
    assert files(place) == {**OLD, "tests/a.py": b"mine\n"}
    ensure_settled(place.state_dir)


def test_two_processes_at_once_write_one_after_the_other_or_are_refused(tmp_path):
    place = make_place(tmp_path)
    child = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from pactkeeper.catalog.transaction import PactPlace, WriteNote, apply
        from pactkeeper.catalog.journal import FileEdit
        from pactkeeper.errors import BusyError, StaleError
        place, name, done = PactPlace(Path(sys.argv[1]), Path(sys.argv[2])), sys.argv[3], 0
        while done < 20:
            path = place.root / "count.txt"
            before = path.read_bytes() if path.exists() else None
            try:
                apply(place, [FileEdit("count.txt", before, (before or b"") + name.encode())], WriteNote("t", {}))
                done += 1
            except (BusyError, StaleError):
                pass
        """
    )
    running = [
        subprocess.Popen(SERVER.program("-c", child, place.root, place.state_dir, name), env=PYTHONPATH)
        for name in "ab"
    ]
    assert [process.wait(PATIENCE) for process in running] == [0, 0]
    written = (place.root / "count.txt").read_bytes()
    assert (written.count(b"a"), written.count(b"b")) == (20, 20)
    assert len(entries(place.state_dir)) == 40


def test_very_long_names_are_written(place):
    name = "n" * 250 + ".toml"
    apply(place, [FileEdit(name, None, b"x"), FileEdit("n" * 249 + "m.toml", None, b"y")], NOTE)
    assert files(place)[name] == b"x"
