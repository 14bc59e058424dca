import os
import resource
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from pactkeeper.catalog.journal import FileEdit
from pactkeeper.catalog.transaction import PactPlace, apply, ensure_settled, undo
from pactkeeper.errors import WriteFailed
from tests.catalog.trees import EDITS, NEW, NOTE, OLD, files, folders, make_place


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
    place = PactPlace(make_place(small_disk).root, tmp_path / "state")
    before = files(place)
    with pytest.raises(WriteFailed, match="nothing was written: No space left on device"):
        apply(place, [*EDITS, FileEdit("zz.txt", None, b"x" * 90_000)], NOTE)
    assert files(place) == before
    ensure_settled(place.state_dir)


def test_a_full_disk_under_the_journal_leaves_nothing_written(small_disk, tmp_path):
    place = PactPlace(make_place(tmp_path).root, small_disk / "state")
    (small_disk / "fill").write_bytes(b"x" * 40_000)
    with pytest.raises(WriteFailed, match="nothing was written: No space left on device"):
        apply(place, [*EDITS, FileEdit("zz.txt", None, b"x" * 30_000)], NOTE)
    assert files(place) == OLD
    ensure_settled(place.state_dir)
    (small_disk / "fill").unlink()
    apply(place, EDITS, NOTE)
    assert files(place) == NEW


def test_the_state_folder_may_lie_on_another_file_system(place):
    others = [Path(one) for one in ("/dev/shm", "/tmp", "/var/tmp") if Path(one).is_dir()]
    others = [one for one in others if one.stat().st_dev != place.root.stat().st_dev]
    if not others:
        pytest.skip("there is no other file system here")
    elsewhere = PactPlace(place.root, others[0] / f"pk-{os.getpid()}-{time.monotonic_ns()}")
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
