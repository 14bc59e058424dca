"""What a job's process leaves behind."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from pactkeeper.jobs.job import TEMPORARY, Job, bury_temporary, started


def test_temporary_files_of_a_job_go_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with started(Job("tick", "git-1", str(tmp_path), "abc"), "token", tmp_path) as running:
        (place,) = tmp_path.glob(f"{TEMPORARY}*")
        (place / "left").touch()
        running.end()
    assert not place.exists()


def test_what_a_killed_worker_left_is_removed_and_what_a_living_one_uses_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = [Path(tmp_path, f"{TEMPORARY}{one}-x") for one in (dead.pid, os.getpid(), "elsewhere")]
    for one in left:
        (one / "tree").mkdir(parents=True)
    bury_temporary()
    assert [one.exists() for one in left] == [False, True, True]
