"""docs/reference/ against the tables that it is written from."""

import subprocess
from pathlib import Path

from tests.doors.forking import SERVER

CHECK = "import runpy, sys; sys.argv = ['reference.py', '--check']; runpy.run_path('scripts/reference.py', run_name='__main__')"
ROOT = Path(__file__).parents[2]


def test_reference_is_what_the_tables_say():
    done = subprocess.run(SERVER.program("-c", CHECK), cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0), f"run `make docs` {done.stderr}"
