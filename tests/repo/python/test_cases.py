"""How many parameter sets a test runs with, as far as the source says it."""

import pytest

from tests.repo.python.snapshots import scan, scan_module


@pytest.mark.parametrize(
    ("values", "cases"),
    [
        ("[1, 2, 3]", 3),
        ("(1,)", 1),
        ("{1, 2}", 2),
        ("{'a': 1, 'b': 2}", 2),
        ("[]", 1),
        ("[(1, 2), pytest.param(3, 4, id='x'),  # one\n]", 2),
        ("range(4)", 4),
        ("list(range(4))", 4),
        ("ROWS", 3),
        ("ALIAS", 3),
        ("sorted(ROWS)", 3),
        ("TABLE.items()", 2),
        ("{'a': 1}.values()", 1),
        ("[*ROWS, 4]", None),
        ("[x for x in ROWS]", None),
        ("ROWS + ROWS", None),
        ("load()", None),
        ("UNKNOWN", None),
    ],
)
def test_values_are_counted(values, cases):
    text = "ROWS = [1, 2, 3]\nALIAS = ROWS\nTABLE = {'a': 1, 'b': 2}\n"
    found = scan_module(f"{text}@pytest.mark.parametrize('x', {values})\ndef test_a(x): pass\n")
    assert found["test_a"].cases == cases


def test_stacked_parameters_multiply():
    text = "@pytest.mark.parametrize('x', [1, 2])\n@parametrize(argnames='y', argvalues=[1, 2, 3])\ndef test_a(x, y): pass\n"
    assert scan_module(text)["test_a"].cases == 6


def test_parameters_of_class_and_module_multiply():
    text = (
        "pytestmark = [pytest.mark.slow, pytest.mark.parametrize('x', [1, 2])]\n"
        "@pytest.mark.parametrize('y', [1, 2, 3])\nclass TestA:\n    def test_a(self, x, y): pass\n"
    )
    assert scan_module(text)["test_a"].cases == 6


def test_values_of_another_file_are_counted():
    files = {
        "tests/data.py": "ROWS = [1, 2, 3]\n",
        "tests/test_a.py": "from data import ROWS as R\n@pytest.mark.parametrize('x', R)\ndef test_a(x): pass\n",
    }
    assert scan(files)["test_a"].cases == 3


def test_ordinary_test_has_one_case():
    assert scan_module("@given(st.integers())\n@pytest.mark.skip\ndef test_a(x): pass\n")["test_a"].cases == 1


def test_expanded_method_is_one_test_with_its_cases():
    text = (
        "from parameterized import parameterized\nimport unittest\nclass A(unittest.TestCase):\n"
        "    @parameterized.expand([(1,), (2,)])\n    def test_a(self, x): pass\n"
    )
    assert scan_module(text)["test_a"].cases == 2


def test_hook_that_parametrises_leaves_cases_unknown():
    text = "def pytest_generate_tests(metafunc): pass\ndef test_a(x): pass\ndef test_b(): pass\n"
    found = scan_module(text)
    assert (found["test_a"].cases, found["test_b"].cases) == (None, 1)


def test_hook_of_a_conftest_reaches_the_folders_below():
    files = {
        "a/conftest.py": "def pytest_generate_tests(metafunc): pass\n",
        "a/b/test_a.py": "def test_a(x): pass\n",
        "c/test_c.py": "def test_c(x): pass\n",
    }
    found = scan(files)
    assert (found["test_a"].cases, found["test_c"].cases) == (None, 1)
