import subprocess
import sys


def test_the_settings_of_tools_can_be_read_where_no_test_file_was_parsed_before():
    done = subprocess.run(
        [sys.executable, "-c", "import pactkeeper.repo.strength.switches"], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
