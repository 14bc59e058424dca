"""Where pytest's settings are found, and what they do to the choice of files and names."""

import pytest

from tests.repo.python.snapshots import scan

TEST = "def test_a(): pass\n"
CHECK = "def check_a(): pass\nclass CheckB:\n    def check_b(self): pass\n"


def test_defaults_of_pytest_choose_files_by_name():
    files = dict.fromkeys(
        ["test_a.py", "b_test.py", "tests/test_c.py", "tests/helper.py", "mytest.py", "d_tests.py"], TEST
    )
    assert scan(files).source.candidates == ["b_test.py", "test_a.py", "tests/test_c.py"]


@pytest.mark.parametrize(
    "folder", ["build", "dist", "node_modules", "venv", ".hidden", "x.egg", "_darcs", "CVS", "a/.tox/b", "{arch}"]
)
def test_folders_that_pytest_does_not_enter_have_no_tests(folder):
    assert scan({f"{folder}/test_a.py": TEST}).ids == []


def test_virtual_environment_has_no_tests():
    assert scan({"env/pyvenv.cfg": "", "env/lib/test_a.py": TEST}).ids == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\npython_files = check_*.py\npython_functions = check_\npython_classes = Check\n"),
        (
            ".pytest.ini",
            "[pytest]\npython_files =\n    check_*.py\npython_functions = check_*\npython_classes = Check*\n",
        ),
        (
            "pytest.toml",
            "[pytest]\npython_files = ['check_*.py']\npython_functions = ['check_']\npython_classes = ['Check']\n",
        ),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\npython_files = 'check_*.py'\npython_functions = ['check_']\npython_classes='Check'\n",
        ),
        (
            "pyproject.toml",
            "[tool.pytest]\npython_files = ['check_*.py']\npython_functions = ['check_']\npython_classes=['Check']\n",
        ),
        (
            "tox.ini",
            "[tox]\nenvlist = a\n[pytest]\npython_files = check_*.py\npython_functions=check_\npython_classes=Check\n",
        ),
        ("setup.cfg", "[tool:pytest]\npython_files: check_*.py\npython_functions: check_\npython_classes: Check\n"),
    ],
)
def test_settings_are_read_from_every_file_that_pytest_reads(name, text):
    assert scan({name: text, "check_it.py": CHECK, "test_no.py": TEST}).names == ["check_a", "CheckB::check_b"]


@pytest.mark.parametrize("name", ["tox.ini", "setup.cfg", "pyproject.toml"])
def test_file_without_a_section_for_pytest_says_nothing(name):
    text = "[tool.other]\nx = 1\n" if name.endswith("toml") else "[flake8]\nx = 1\n"
    assert scan({name: text, "test_a.py": TEST, "tests.py": TEST}).ids == ["test_a.py::test_a"]


def test_first_file_in_the_order_of_pytest_wins():
    files = {
        "pytest.ini": "",
        "pyproject.toml": "[tool.pytest.ini_options]\npython_files = 'check_*.py'\n",
        "test_a.py": TEST,
        "check_a.py": TEST,
    }
    assert scan(files).ids == ["test_a.py::test_a"]


def test_section_pytest_of_setup_cfg_is_not_read():
    files = {"setup.cfg": "[pytest]\npython_files = check_*.py\n", "test_a.py": TEST}
    assert scan(files).ids == ["test_a.py::test_a"]


@pytest.mark.parametrize("name", ["pyproject.toml", "pytest.ini"])
def test_unreadable_settings_are_a_gap(name):
    found = scan({name: "[tool.pytest\n", "test_a.py": TEST})
    assert found.ids == ["test_a.py::test_a"]
    assert "so pytest's settings in it are unknown" in found.reasons[0]


def test_testpaths_limit_where_tests_are():
    files = {"pytest.ini": "[pytest]\ntestpaths = tests more/*/checks\n"}
    places = [
        "test_a.py",
        "tests/test_b.py",
        "more/x/checks/test_c.py",
        "more/x/y/checks/test_d.py",
        "tests2/test_e.py",
    ]
    assert scan({**files, **dict.fromkeys(places, TEST)}).source.candidates == [
        "more/x/checks/test_c.py",
        "tests/test_b.py",
    ]


def test_testpaths_that_are_not_there_limit_nothing():
    assert scan({"pytest.ini": "[pytest]\ntestpaths = gone\n", "test_a.py": TEST}).ids == ["test_a.py::test_a"]


def test_testpath_out_of_the_repository_names_nothing():
    assert scan({"pytest.ini": "[pytest]\ntestpaths = ../../etc\n", "test_a.py": TEST}).ids == ["test_a.py::test_a"]


def test_file_named_by_testpaths_needs_no_matching_name():
    files = {"pytest.ini": "[pytest]\ntestpaths = checks.py build/x\n", "checks.py": TEST, "build/x/test_a.py": TEST}
    assert scan(files).ids == ["build/x/test_a.py::test_a", "checks.py::test_a"]


def test_path_among_added_options_takes_the_place_of_testpaths():
    files = {"pytest.ini": "[pytest]\naddopts = -v tests\ntestpaths = other\n"}
    assert scan({**files, "tests/test_a.py": TEST, "other/test_b.py": TEST}).ids == ["tests/test_a.py::test_a"]


def test_value_of_an_option_is_no_path():
    files = {"pytest.ini": "[pytest]\naddopts = --cov src -k tests -m 'not slow'\n", "src/a.py": "", "test_a.py": TEST}
    assert scan(files).ids == ["test_a.py::test_a"]


@pytest.mark.parametrize(
    "options",
    ["--ignore=old", "--ignore old", "--ignore=old/test_a.py", "--ignore-glob=o*", "--ignore-glob='*/test_a.py'"],
)
def test_ignored_path_has_no_tests(options):
    assert scan({"pytest.ini": f"[pytest]\naddopts = {options}\n", "old/test_a.py": TEST, "test_b.py": TEST}).ids == [
        "test_b.py::test_a"
    ]


def test_setting_among_added_options_wins():
    files = {"pytest.ini": "[pytest]\naddopts = -o python_files=check_*.py\n", "check_a.py": TEST, "test_b.py": TEST}
    assert scan(files).ids == ["check_a.py::test_a"]


def test_deselected_test_is_still_declared():
    files = {"pytest.ini": "[pytest]\naddopts = --deselect test_a.py::test_a -k'not a'\n", "test_a.py": TEST}
    found = scan(files)
    assert found.gaps[0].options == ("--deselect", "test_a.py::test_a", "-k", "not a")
    assert found.ids == ["test_a.py::test_a"]
    assert found.reasons == ["tests that a plain run leaves out (--deselect test_a.py::test_a -k not a) are listed too"]


def test_doctests_are_a_gap():
    found = scan({"pytest.ini": "[pytest]\naddopts = --doctest-modules\n"})
    assert found.reasons == ["doctests are collected too (--doctest-modules); they are not discovered"]


def test_conftest_takes_files_out():
    files = {
        "tests/conftest.py": "import sys\ncollect_ignore = ['test_a.py', 'deep']\ncollect_ignore_glob = ['*_old.py']\n",
        "tests/test_a.py": TEST,
        "tests/deep/test_b.py": TEST,
        "tests/test_old.py": TEST,
        "tests/test_c.py": TEST,
    }
    found = scan(files)
    assert found.source.candidates == ["tests/test_c.py"]
    assert found.gaps == []


def test_conftest_may_add_to_what_it_takes_out():
    text = "collect_ignore = []\ncollect_ignore.append('test_a.py')\ncollect_ignore += ['test_b.py']\ncollect_ignore.extend(['test_c.py'])\n"
    files = dict.fromkeys(["test_a.py", "test_b.py", "test_c.py", "test_d.py"], TEST)
    assert scan({"conftest.py": text, **files}).source.candidates == ["test_d.py"]


def test_what_a_conftest_takes_out_under_a_condition_is_counted_and_a_gap():
    found = scan({"conftest.py": "if x:\n    collect_ignore = ['test_a.py']\n", "test_a.py": TEST})
    assert found.ids == ["test_a.py::test_a"]
    assert found.reasons == ["collect_ignore depends on a condition; what it would ignore is counted"]


def test_what_a_conftest_computes_is_a_gap():
    found = scan({"conftest.py": "collect_ignore = ['test_a.py', *more()]\n", "test_a.py": TEST})
    assert found.ids == []
    assert found.reasons == ["a part of collect_ignore is computed; those files may not be collected"]


def test_each_package_follows_its_own_settings():
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['tests']\n",
        "tests/test_a.py": TEST,
        "test_outside.py": TEST,
        "packages/web/pytest.ini": "[pytest]\npython_files = check_*.py\n",
        "packages/web/check_b.py": TEST,
        "packages/web/test_no.py": TEST,
        "packages/jobs/pyproject.toml": "[project]\nname = 'jobs'\n",
        "packages/jobs/tests/test_c.py": TEST,
    }
    assert scan(files).source.candidates == ["packages/web/check_b.py", "tests/test_a.py"]


def test_settings_in_a_folder_that_is_not_entered_count_nothing():
    files = {
        "pytest.ini": "[pytest]\nnorecursedirs = samples\n",
        "tests/samples/one/pytest.ini": "[pytest]\n",
        "tests/samples/one/test_a.py": TEST,
    }
    assert scan(files).ids == []


def test_without_settings_the_files_of_unittest_are_searched_for_testcases():
    case = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n" + TEST
    files = dict.fromkeys(["app/tests.py", "testmain.py", "app/tests/__init__.py"], case)
    assert scan(files).ids == ["app/tests.py::A::test_a", "app/tests/__init__.py::A::test_a", "testmain.py::A::test_a"]
    assert scan({"pytest.ini": "", **files}).ids == []


def test_functions_named_otherwise_have_their_own_facts():
    plain = scan({"test_a.py": TEST})
    other = scan({"test_a.py": TEST, "pytest.ini": "[pytest]\npython_functions = it_*\n"})
    assert plain.source.key != other.source.key
