"""Variables that tests ask for, where nothing sets them any more."""

import pytest

from tests.repo.strength.states import severities, switched

ASKS = {
    "tests/test_threads.py": 'import os\nimport unittest\n\n\n@unittest.skipUnless(os.environ.get("SLOW_TESTS"), "slow")\n'
    "class ThreadTest(unittest.TestCase):\n    def test_it(self):\n        assert run()\n"
}
CI = ".github/workflows/ci.yml"
SET = [
    ("tox.ini", "[testenv]\nsetenv =\n    SLOW_TESTS = 1\ncommands = pytest\n", ("    SLOW_TESTS = 1\n", "    OTHER_ONE = 1\n")),
    ("tox.ini", "[testenv]\nsetenv = SLOW_TESTS=1\ncommands = pytest\n", ("setenv = SLOW_TESTS=1\n", "")),
    ("tox.ini", "[testenv]\nsetenv = SLOW_TESTS=1\ncommands = pytest\n", ("TESTS=1", "TESTS=")),
    ("tox.toml", "[env_run_base]\nset_env.SLOW_TESTS = '1'\ncommands = [['pytest']]\n", ("set_env.SLOW_TESTS = '1'\n", "")),
    ("tox.toml", "[env_run_base]\nset_env = { SLOW_TESTS = '1' }\ncommands = [['pytest']]\n", ("SLOW_TESTS = '1'", "")),
    (CI, "on: push\njobs:\n  a:\n    steps:\n      - run: pytest\n        env: {SLOW_TESTS: 1}\n", ("SLOW_TESTS: 1", "")),
    (CI, "on: push\njobs:\n  a:\n    steps:\n      - run: SLOW_TESTS=1 pytest\n", ("SLOW_TESTS=1 ", "")),
    ("Makefile", "test:\n\tSLOW_TESTS=1 pytest\n", ("SLOW_TESTS=1 ", "")),
    ("package.json", '{"scripts": {"test": "SLOW_TESTS=1 jest"}}', ("SLOW_TESTS=1 ", "")),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "edit"), SET)
def test_a_variable_that_tests_ask_for_is_a_warning_if_it_goes(path, text, edit):
    assert severities({**ASKS, path: text}, {**ASKS, path: text.replace(*edit)}) == {"warning"}
    assert severities({path: text}, {path: text.replace(*edit)}) <= {"note"}


def test_a_variable_that_no_test_asks_for_is_a_note_in_the_settings_of_tox():
    text = "[testenv]\nsetenv = COLOURS=1\ncommands = pytest\n"
    (change,) = switched({**ASKS, "tox.ini": text}, {**ASKS, "tox.ini": text.replace("setenv = COLOURS=1\n", "")})
    assert (change.severity, change.old) == ("note", "COLOURS = 1")
    assert change.message == "tests run without COLOURS"
    (change,) = switched({"tox.ini": text}, {"tox.ini": text.replace("COLOURS=1", "COLOURS=2")})
    assert (change.message, change.line) == ("tests run with another value of COLOURS", 2)


def test_a_variable_may_move_or_be_spelled_otherwise():
    old = {"tox.ini": "[testenv]\nsetenv =\n    SLOW_TESTS = 1\ncommands = pytest\n", CI: "on: push\njobs: {}\n"}
    new = {"tox.ini": "[testenv]\ncommands = pytest\n", CI: "on: push\nenv:\n  SLOW_TESTS: '1'\njobs: {}\n"}
    assert severities({**ASKS, **old}, {**ASKS, **new}) == set()
    inline = {"tox.ini": "[testenv]\ncommands = SLOW_TESTS=1 pytest\n"}
    assert severities({**ASKS, "tox.ini": old["tox.ini"]}, {**ASKS, **inline}) == set()


def test_options_in_a_variable_are_judged_as_options():
    text = "[testenv]\nsetenv = PYTEST_ADDOPTS=-k fast\ncommands = pytest\n"
    assert (
        severities(
            {**ASKS, "tox.ini": text}, {**ASKS, "tox.ini": text.replace("setenv = PYTEST_ADDOPTS=-k fast\n", "")}
        )
        == set()
    )


@pytest.mark.parametrize("line", ["A" * 500_000, "ABC=" * 120_000, "'ABC' " * 80_000])
def test_lines_that_nobody_wrote_are_read_in_time(line):
    assert severities({"check.sh": line}, {"check.sh": ""}) <= {"note"}
