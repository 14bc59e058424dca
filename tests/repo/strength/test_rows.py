"""Rows that tests take from other files count, although no test changes when they go."""

from collections.abc import Mapping
from typing import cast

import pytest

from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.stored import row_changes, unseen_rows
from tests.repo.strength.edits import judged
from tests.repo.strength.states import State

PYTHON, SCRIPT = "tests/test_f.py", "test/f.test.ts"
THREE, ONE = "[[1, 1], [2, 2], [3, 3]]", "[[1, 1]]"
READS = "CASES = json.loads((HERE / 'cases.json').read_text())\nfor a, b in CASES:\n    check(a, b)\n"


def sides(test: str, path: str, old: str, new: str, **others: str) -> tuple[Snapshot, Snapshot, set[str], set[str]]:
    """Two states of a file next to a test; `others` are more files of the later state, `_` for the dot."""
    file = PYTHON if path.startswith("tests/") else SCRIPT
    more = {f"tests/{name.replace('_', '.')}": text for name, text in others.items()}
    before, after = State({file: test, path: old}), State({file: test, path: new, **more})
    return cast("Snapshot", before), cast("Snapshot", after), {path, *more}, {file}


def lost(*given: str, **others: str) -> list[tuple[str, str]]:
    return [(one.severity, one.test) for one in row_changes(*sides(*given, **others))]


@pytest.mark.parametrize(("test", "path", "old", "one", "none"), [
    ("import rows from './rows.json';", "test/rows.json", THREE, ONE, "[]"),
    ("import data from './data/rows';", "test/data/rows.json", f'{{"cases": {THREE}}}', f'{{"cases": {ONE}}}', '{"cases": []}'),
    ("import names from './rows.json';", "test/rows.json", '{"a": 1, "b": 2}', '{"a": 1}', "{}"),
    ("load('rows.yaml')", "tests/rows.yaml", "- 1\n- 2\n", "- 1\n", "[]\n"),
    ("load('rows.toml')", "tests/rows.toml", "rows = [1, 2]\n", "rows = [1]\n", "rows = []\n"),
    ("open('tests/rows.csv')", "tests/rows.csv", "1,1\n2,2\n", "1,1\n", ""),
    ("open('tests/rows.tsv')", "tests/rows.tsv", "1\t1\n2\t2\n", "1\t1\n", ""),
    ("open('tests/rows.jsonl')", "tests/rows.jsonl", "[1]\n[2]\n", "[1]\n", ""),
], ids=["list", "in-a-key", "mapping", "yaml", "toml", "csv", "tsv", "lines"])  # fmt: skip
def test_fewer_rows_of_a_data_file_are_a_warning_and_none_an_error(test, path, old, one, none):
    assert lost(test, path, old, one) == [("warning", path)]
    assert lost(test, path, old, none) == [("error", path)]


@pytest.mark.parametrize(("test", "path", "text"), [
    ("import { rows } from './rows';\nfor (const [a, b] of rows) test(a, () => {});", "test/rows.ts", "export const rows = {} as const;"),
    ("import { rows } from './rows';\ntest.each(rows)('f', () => {});", "test/rows.mjs", "export const rows = {};"),
    ("from tests.rows import rows\n@pytest.mark.parametrize('a', rows)", "tests/rows.py", "rows: list = {}"),
], ids=["loop", "each", "parametrize"])  # fmt: skip
def test_fewer_rows_of_an_imported_table_are_a_warning_and_none_an_error(test, path, text):
    assert lost(test, path, text.replace("{}", THREE), text.replace("{}", ONE)) == [("warning", f"{path}::rows")]
    assert lost(test, path, text.replace("{}", THREE), text.replace("{}", "[]")) == [("error", f"{path}::rows")]


def test_a_list_that_no_loop_goes_through_may_be_emptied_with_a_warning():
    test = "from tests.known import ALLOWED\nassert name in ALLOWED\n"
    assert lost(test, "tests/known.py", "ALLOWED = ['a']\n", "ALLOWED = []\n") == [
        ("warning", "tests/known.py::ALLOWED")
    ]


@pytest.mark.parametrize(("old", "new"), [
    (ONE, THREE), (THREE, "[[3, 3], [2, 2], [1, 1]]"), (THREE, f'{{"cases": {THREE}}}'), ("[[1, 1], [1, 1]]", ONE),
    ('[{"a": 1, "b": 2}]', '[{"a": 1}]'),
], ids=["more", "order", "in-a-key", "twice", "columns"])  # fmt: skip
def test_rows_that_are_still_there_are_no_loss(old, new):
    assert lost(READS, "tests/cases.json", old, new) == []


def test_rows_that_move_to_another_file_are_no_loss():
    assert lost(READS, "tests/cases.json", THREE, ONE, more_json="[[2, 2], [3, 3]]") == []
    assert lost(READS, "tests/cases.json", THREE, ONE, more_json="[[2, 2]]") != []


def test_the_pact_of_a_test_file_is_no_table_of_its_rows():
    test, old, new = "from tests import test_shop\n", "a.body = 1\nb.body = 2\n", "a.body = 1\n"
    assert lost(test, "tests/links/test_shop.py.toml", old, new)
    assert not lost(test, "pact/links/tests/test_shop.py.toml", old, new)


def test_a_data_file_that_no_test_names_is_left_alone():
    assert lost("check()", "tests/cases.json", THREE, ONE) == []


def test_a_workflow_that_is_called_like_a_test_holds_no_rows():
    steps = "steps: [{run: build}, {run: test}]"
    assert lost("open('test.yml')", ".github/workflows/test.yml", steps, "steps: [{run: test}]") == []


def test_a_data_file_whose_rows_cannot_be_read_is_said_not_to_be_seen():
    def unseen(path: str, old: str, new: str) -> Mapping[str, str]:
        return {gap.file: gap.reason for gap in unseen_rows(*sides("load('cases')", path, old, new))}

    assert unseen("tests/cases.xlsx", "a", "b") == {
        "tests/cases.xlsx": "its rows cannot be read, so fewer of them would go unnoticed"
    }
    assert set(unseen("tests/cases.json", THREE, "[[1, 1],")) == {"tests/cases.json"}
    assert unseen("tests/cases.json", THREE, ONE) == {}


@pytest.mark.parametrize(
    "test",
    [
        "import top from '../scripts/top.json' with { type: 'json' };\nObject.entries(top).forEach(([k, v]) => {});",
        "import * as top from '../scripts/top.json';\nfor (const [k, v] of Object.entries(top)) it(k, () => {});",
        "const top = require('../scripts/top.json');\ntest.each(top)('f', () => {});",
    ],
)
def test_a_data_file_outside_of_the_tests_counts_where_a_test_goes_through_it(test):
    old, one = '{"a": "1", "b": "2"}', '{"a": "1"}'
    assert lost(test, "scripts/top.json", old, one) == [("warning", "scripts/top.json")]
    assert lost(test, "scripts/top.json", old, "{}") == [("error", "scripts/top.json")]


@pytest.mark.parametrize(
    "test",
    [
        "import top from '../scripts/top.json';\nit('has a version', () => expect(load()).toBe(top.version));",
        "import top from './top.json';\nObject.entries(top).forEach(([k, v]) => {});",
    ],
)
def test_a_data_file_of_the_product_that_no_test_goes_through_is_none_of_its_rows(test):
    assert lost(test, "scripts/top.json", '{"a": "1", "b": "2"}', '{"a": "1"}') == []


def test_rows_of_a_mark_that_has_a_name_are_read():
    rows = "pytest.mark.parametrize(('given', 'wanted'), [(1, 2), (3, 4)])"
    test = "def test_it(given, wanted):\n    assert total(given) == wanted\n"
    written, named = f"@{rows}\n{test}", f"PAIRS = {rows}\n\n\n@PAIRS\n{test}"
    assert judged(written, named) == []
    assert {one.severity for one in judged(named, named.replace(", (3, 4)", ""))} == {"error"}
