import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from pactkeeper.catalog.journal import FileEdit, edits_of, entries, unfinished
from pactkeeper.catalog.lock import writing
from pactkeeper.catalog.transaction import Note, Place, apply, ensure_settled, set_aside, settle, undo
from pactkeeper.errors import BusyError, InputError, RefusedError, StaleError, UnfinishedError, WriteFailed

NOTE = Note("2030-01-01T00:00:00+00:00", {"ops": ["op-1"], "patch": "p-1"})
OLD = {"tests/a.py": b"one\ntwo\nthree\n", "pact/old.toml": b"gone soon\n", "run.sh": b"#!/bin/sh\n"}
EDITS = (
    FileEdit("tests/a.py", OLD["tests/a.py"], b"one\n# new\ntwo\nthree\n"),
    FileEdit("pact/old.toml", OLD["pact/old.toml"], None),
    FileEdit("pact/links/deep/er/a.toml", None, b"made\n"),
    FileEdit("run.sh", OLD["run.sh"], b"#!/bin/sh\necho\n"),
)
NEW = {
    "tests/a.py": b"one\n# new\ntwo\nthree\n",
    "pact/links/deep/er/a.toml": b"made\n",
    "run.sh": b"#!/bin/sh\necho\n",
}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return make_place(tmp_path)


def make_place(folder: Path) -> Place:
    root = folder / "tree"
    for path, content in OLD.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    (root / "run.sh").chmod(0o750)
    return Place(root, folder / "state/pact")


def files(place: Place) -> dict[str, bytes]:
    return {
        path.relative_to(place.root).as_posix(): path.read_bytes() for path in place.root.rglob("*") if path.is_file()
    }


def folders(place: Place) -> set[str]:
    return {path.relative_to(place.root).as_posix() for path in place.root.rglob("*") if path.is_dir()}


def test_all_edits_are_written_and_noted(place):
    entry = apply(place, EDITS, NOTE)
    assert files(place) == NEW
    assert entry is not None
    assert entries(place.state_dir) == (entry,)
    assert entry.metadata == {"ops": ["op-1"], "patch": "p-1"}
    assert entry.paths == ("pact/links/deep/er/a.toml", "pact/old.toml", "run.sh", "tests/a.py")
    assert {edit.path: edit.after for edit in edits_of(place.state_dir, entry.id)} == {**NEW, "pact/old.toml": None}


def test_undo_is_the_identity_down_to_modes_and_folders(place):
    before, modes = folders(place), stat.S_IMODE((place.root / "run.sh").stat().st_mode)
    apply(place, [*EDITS[:3], FileEdit("run.sh", OLD["run.sh"], None)], NOTE)
    undo(place, NOTE)
    assert files(place) == OLD
    assert folders(place) == before
    assert stat.S_IMODE((place.root / "run.sh").stat().st_mode) == modes == 0o750


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
    with pytest.raises(StaleError, match=r"(?s)er/a\.toml': was not there.*'pact/old\.toml'.*'tests/a\.py'"):
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
        "out/x": "a symbolic link leads it out of the repository",
        "hooks/x": "a symbolic link leads it into git's own folder",
        "link.py": "it is a symbolic link",
        "loop/x": "it cannot be looked at",
        "pipe": "it is no regular file",
        "tests": "it is no regular file",
        "run.sh/x": "it cannot be looked at",
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
    with writing(place.state_dir), pytest.raises(BusyError, match=f"process {os.getpid()} is writing"):
        apply(place, EDITS, NOTE)
    assert files(place) == OLD


class Stop(BaseException):
    pass


def steps(folder: Path) -> list[str]:
    """Every step of applying EDITS, as the checkpoints name them."""
    seen: list[str] = []
    apply(make_place(folder / "steps"), EDITS, NOTE, checkpoint=seen.append)
    return seen


CHILD = textwrap.dedent(
    """
    import json, os, signal, sys
    from pathlib import Path
    from pactkeeper.catalog.transaction import Place, apply, settle, undo
    from tests.catalog.test_transaction import EDITS, NOTE

    def run(root, state, verb, step):
        place = Place(Path(root), Path(state))
        def die(now):
            if now == step:
                os.kill(os.getpid(), signal.SIGKILL)
        if verb == "apply":
            apply(place, EDITS, NOTE, checkpoint=die)
        elif verb == "undo":
            undo(place, NOTE, checkpoint=die)
        else:
            settle(place, checkpoint=die)

    for job in json.loads(sys.argv[1]):
        pid = os.fork()
        if not pid:
            run(*job)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """
)
PYTHONPATH = {**os.environ, "PYTHONPATH": os.pathsep.join(["src", "."])}


def killed(*jobs: tuple[Place, str, str]) -> None:
    """Run every (place, verb, step) in a process of its own, which kills itself with signal 9 at the step."""
    plain = json.dumps([[str(place.root), str(place.state_dir), verb, step] for place, verb, step in jobs])
    done = subprocess.run([sys.executable, "-c", CHILD, plain], env=PYTHONPATH, capture_output=True, check=True)
    assert done.stdout.split() == [b"-9"] * len(jobs)


def test_a_process_killed_at_any_step_leaves_old_or_new_after_the_next_writer(tmp_path):
    places = {step: make_place(tmp_path / str(number)) for number, step in enumerate(steps(tmp_path))}
    made = folders(places["done"])
    killed(*((place, "apply", step) for step, place in places.items()))
    outcomes = {}
    for step, place in places.items():
        outcomes[step] = settle(place)
        assert files(place) == (OLD if outcomes[step] == "rolled back" else NEW), step
        assert files(place) == NEW or folders(place) == made, step
        ensure_settled(place.state_dir)
    assert outcomes["journalled"] == outcomes["staged tests/a.py"] == "rolled back"
    assert outcomes["swapped run.sh"] == outcomes["synced"] == "finished"
    assert outcomes["done"] is None


def test_an_undo_killed_at_any_step_leaves_old_or_new_after_the_next_writer(tmp_path):
    seen: list[str] = []
    place = make_place(tmp_path / "seen")
    apply(place, EDITS, NOTE)
    undo(place, NOTE, checkpoint=seen.append)
    places = {step: make_place(tmp_path / str(number)) for number, step in enumerate(seen)}
    for place in places.values():
        apply(place, EDITS, NOTE)
    killed(*((place, "undo", step) for step, place in places.items()))
    for step, place in places.items():
        settle(place)
        assert files(place) in (OLD, NEW), step
        undone = entries(place.state_dir)[0].undone_by is not None
        assert undone == (files(place) == OLD), step


def test_a_settling_killed_at_any_step_is_settled_by_the_next(tmp_path):
    cut = ("swapped run.sh", "swapped tests/a.py", "synced")
    places = {step: make_place(tmp_path / str(number)) for number, step in enumerate(cut)}
    killed(*((place, "apply", "swapped pact/links/deep/er/a.toml") for place in places.values()))
    killed(*((place, "settle", step) for step, place in places.items()))
    for place in places.values():
        assert settle(place) == "finished"
        assert files(place) == NEW


def interrupted(place: Place, step: str) -> None:
    killed((place, "apply", step))


def test_a_reader_stops_at_an_interrupted_write_and_says_what_to_do(place):
    interrupted(place, "swapped run.sh")
    with pytest.raises(UnfinishedError, match=r"2030-01-01.*was interrupted; run `pk settle`"):
        ensure_settled(place.state_dir)


def test_a_reader_is_told_to_wait_while_a_write_is_under_way(place):
    def look(step: str) -> None:
        if step == "journalled":
            with pytest.raises(BusyError, match="is writing to this repository's pact"):
                ensure_settled(place.state_dir)

    apply(place, EDITS, NOTE, checkpoint=look)


def test_the_next_write_settles_first(place):
    interrupted(place, "swapped run.sh")
    apply(place, [FileEdit("more.txt", None, b"x")], NOTE)
    assert files(place) == {**NEW, "more.txt": b"x"}
    assert len(entries(place.state_dir)) == 2


def test_a_file_that_somebody_changed_meanwhile_is_never_overwritten(place):
    interrupted(place, "swapped run.sh")
    (place.root / "tests/a.py").write_bytes(b"mine\n")
    before = files(place)
    for _ in range(2):
        with pytest.raises(UnfinishedError, match=r"somebody else changed 'tests/a\.py'"):
            settle(place)
        assert files(place) == before
    set_aside(place)
    ensure_settled(place.state_dir)
    assert files(place)["tests/a.py"] == b"mine\n"
    assert not [path for path in files(place) if ".pk-" in path]


def test_a_change_by_somebody_else_does_not_hinder_rolling_back_what_never_began(place):
    interrupted(place, "staged run.sh")
    (place.root / "tests/a.py").write_bytes(b"mine\n")
    assert settle(place) == "rolled back"
    assert files(place) == {**OLD, "tests/a.py": b"mine\n"}


def test_a_file_changed_between_reading_and_swapping_stops_the_write(place):
    def meddle(step: str) -> None:
        if step == "staged tests/a.py":
            (place.root / "tests/a.py").write_bytes(b"mine\n")

    with pytest.raises(StaleError, match="tests/a"):
        apply(place, EDITS, NOTE, checkpoint=meddle)
    assert files(place) == {**OLD, "tests/a.py": b"mine\n"}
    ensure_settled(place.state_dir)


def test_an_interrupt_at_any_step_gives_the_old_state_back(tmp_path):
    for number, step in enumerate(steps(tmp_path)):
        place = make_place(tmp_path / str(number))
        before = folders(place)

        def stop(now: str, step: str = step) -> None:
            if now == step:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            apply(place, EDITS, NOTE, checkpoint=stop)
        if step != "done":
            assert (files(place), folders(place)) == (OLD, before), step
        assert unfinished(place.state_dir) is None, step


def test_a_real_interrupt_signal_gives_the_old_state_back(place):
    child = textwrap.dedent(
        """
        import sys, time
        from pathlib import Path
        from pactkeeper.catalog.transaction import Place, apply
        from tests.catalog.test_transaction import EDITS, NOTE
        def wait(now):
            if now == "swapped run.sh":
                print("here", flush=True)
                time.sleep(30)
        apply(Place(Path(sys.argv[1]), Path(sys.argv[2])), EDITS, NOTE, checkpoint=wait)
        """
    )
    command = [sys.executable, "-c", child, str(place.root), str(place.state_dir)]
    with subprocess.Popen(command, env=PYTHONPATH, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(10) != 0
    assert files(place) == OLD
    ensure_settled(place.state_dir)


def test_two_processes_at_once_write_one_after_the_other_or_are_refused(tmp_path):
    place = make_place(tmp_path)
    child = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from pactkeeper.catalog.transaction import Note, Place, apply
        from pactkeeper.catalog.journal import FileEdit
        from pactkeeper.errors import BusyError, StaleError
        place, name, done = Place(Path(sys.argv[1]), Path(sys.argv[2])), sys.argv[3], 0
        while done < 20:
            path = place.root / "count.txt"
            before = path.read_bytes() if path.exists() else None
            try:
                apply(place, [FileEdit("count.txt", before, (before or b"") + name.encode())], Note("t", {}))
                done += 1
            except (BusyError, StaleError):
                pass
        """
    )
    running = [
        subprocess.Popen([sys.executable, "-c", child, str(place.root), str(place.state_dir), name], env=PYTHONPATH)
        for name in "ab"
    ]
    assert [process.wait(60) for process in running] == [0, 0]
    written = (place.root / "count.txt").read_bytes()
    assert (written.count(b"a"), written.count(b"b")) == (20, 20)
    assert len(entries(place.state_dir)) == 40


def limited(size: int, work: Callable[[], object]) -> None:
    """Do the work where no file may grow beyond the size."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        work()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size", [10, 1000, 3000, 5000])
def test_a_file_that_cannot_grow_leaves_nothing_half_written(place, size):
    big = (*EDITS, FileEdit("zz.txt", None, b"x" * 9000))
    before = folders(place)
    with pytest.raises(WriteFailed, match="nothing was written: File too large"):
        limited(size, lambda: apply(place, big, NOTE))
    assert (files(place), folders(place)) == (OLD, before)
    ensure_settled(place.state_dir)
    apply(place, big, NOTE)
    assert files(place) == {**NEW, "zz.txt": b"x" * 9000}


def full_disks(tmp_path: Path) -> Iterable[Path]:
    """A file system of 64 kB, where this process may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no tmpfs may be mounted here: {done.stderr.decode().strip()}")
    return [disk]


@pytest.fixture
def small_disk(tmp_path):
    (disk,) = full_disks(tmp_path)
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk_under_the_tree_leaves_nothing_half_written(small_disk, tmp_path):
    place = Place(make_place(small_disk).root, tmp_path / "state")
    before = files(place)
    with pytest.raises(WriteFailed, match="nothing was written: No space left on device"):
        apply(place, [*EDITS, FileEdit("zz.txt", None, b"x" * 90_000)], NOTE)
    assert files(place) == before
    ensure_settled(place.state_dir)


def test_a_full_disk_under_the_journal_leaves_nothing_written(small_disk, tmp_path):
    place = Place(make_place(tmp_path).root, small_disk / "state")
    (small_disk / "fill").write_bytes(b"x" * 40_000)
    with pytest.raises(WriteFailed, match="nothing was written: No space left on device"):
        apply(place, [*EDITS, FileEdit("zz.txt", None, b"x" * 30_000)], NOTE)
    assert files(place) == OLD
    ensure_settled(place.state_dir)
    (small_disk / "fill").unlink()
    apply(place, EDITS, NOTE)
    assert files(place) == NEW


def test_the_state_folder_may_lie_on_another_file_system(place):
    shared = Path("/dev/shm")
    if not shared.is_dir() or shared.stat().st_dev == place.root.stat().st_dev:
        pytest.skip("/dev/shm is no other file system here")
    elsewhere = Place(place.root, shared / f"pk-{os.getpid()}-{time.monotonic_ns()}")
    try:
        apply(elsewhere, EDITS, NOTE)
        undo(elsewhere, NOTE)
        assert files(elsewhere) == OLD
    finally:
        shutil.rmtree(elsewhere.state_dir)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_gives_one_clear_error(place):
    (place.root / "tests").chmod(0o500)
    with pytest.raises(WriteFailed, match="nothing was written: Permission denied"):
        apply(place, EDITS, NOTE)
    (place.root / "tests").chmod(0o700)
    assert files(place) == OLD


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
    with pytest.raises(StaleError, match=f"entry {entry.id} is undone already, by entry 2"):
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


def test_what_a_process_left_that_died_while_writing_the_journal_is_in_nobodys_way(place):
    (place.state_dir / "journal").mkdir(parents=True)
    (place.state_dir / "journal/000001.new").write_bytes(b'{"torn')
    ensure_settled(place.state_dir)
    apply(place, EDITS, NOTE)
    assert files(place) == NEW


def test_very_long_names_are_written(place):
    name = "n" * 250 + ".toml"
    apply(place, [FileEdit(name, None, b"x"), FileEdit("n" * 249 + "m.toml", None, b"y")], NOTE)
    assert files(place)[name] == b"x"
