"""Which files a command of unittest runs, and files that no such command runs under their new name."""

from typing import cast

import pytest

from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.switches.given import renamed_away, run_files
from tests.repo.strength.states import State

PATHS = ("tests/test_a.py", "tests/test_b.py", "tests/a_test.py", "other/test_c.py", "tests/data.txt")


@pytest.mark.parametrize(("line", "found"), [
    ("", {0, 1, 3}),
    ("discover", {0, 1, 3}),
    ("discover -s tests -t .", {0, 1}),
    ("discover tests", {0, 1}),
    ("discover tests *_test.py", {2}),
    ("discover -s ./tests/ -p test_[b-z]*.py -v", {1}),
    ("discover --start-directory=tests --pattern=*.py", {0, 1, 2}),
    ("tests.test_a other.test_c.ShopTest.test_x", {0, 3}),
    ("-v tests/test_b.py", {1}),
    ("discover -s tests $@", {0, 1}),
])  # fmt: skip
def test_the_files_that_unittest_runs_follow_from_its_words(line, found):
    assert run_files(line.split(), PATHS) == {PATHS[at] for at in found}


@pytest.mark.parametrize(("script", "severities"), [
    ("python -m unittest discover -s tests\n", ["error"]),
    ("python -m unittest discover -s tests -p '*test*.py'\n", []),
    ("python -m unittest\npytest\n", []),
    ("echo nothing\n", []),
], ids=["left-out", "other-pattern", "another-runner", "no-command"])  # fmt: skip
def test_tests_renamed_out_of_discovery_are_an_error_where_only_unittest_runs(script, severities):
    before, after = (State({"check.sh": script, path: ""}) for path in ("tests/test_a.py", "tests/a_test.py"))
    moved = {"tests/test_a.py": "tests/a_test.py"}
    found = renamed_away(moved, cast("Snapshot", before), cast("Snapshot", after))
    assert [one.severity for one in found] == severities
