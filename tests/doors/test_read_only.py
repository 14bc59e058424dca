"""A disk that takes nothing: what only reads works, and what writes says why it does not."""

import os
import subprocess
import sys

import pytest

from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"'


@pytest.fixture
def frozen(adopted):
    """Runs `pk` where the repository cannot be written; by a mount where permissions do not bind, as for root."""
    folders = [adopted.root / ".git/pact", adopted.root / "pact", adopted.root]

    def pk(*arguments):
        command = [sys.executable, "-m", "pactkeeper", *arguments]
        if not os.geteuid():
            command = ["unshare", "--mount", "sh", "-c", READ_ONLY, str(adopted.root), *command]
        options = {"cwd": adopted.root, "capture_output": True, "text": True, "timeout": PATIENCE}
        return subprocess.run(command, check=False, **options)

    if os.geteuid():
        for folder in folders:
            folder.chmod(0o555)
    elif pk("--version").returncode:
        pytest.skip("root, and may not mount")
    yield pk
    for folder in folders:
        folder.chmod(0o755)


@pytest.mark.parametrize("command", ["status", "runs list", "next", "gaps", "log", "questions list"])
def test_what_only_reads_works_on_a_disk_that_takes_nothing(adopted, frozen, command):
    told = adopted.pk(*command.split(), code=None)
    done = frozen(*command.split())
    assert (done.returncode, done.stdout) == (told.code, told.out)


def test_what_writes_says_that_the_disk_takes_nothing(frozen):
    done = frozen("reconcile", "--all")
    assert done.returncode == 2
    assert "cannot be" in done.stderr
    assert "Traceback" not in done.stderr
