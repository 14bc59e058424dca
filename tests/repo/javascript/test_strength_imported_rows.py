"""Tables that a test takes from a module or a JSON file of the test side."""

import json

import pytest

from tests.repo.javascript.strength_cases import HEAD, became

ROWS = [["a", 1], ["b", 2], ["c", 3]]
LOOP = "for (const [given, wanted] of rows) it(`${given}`, () => { expect(price(given)).toBe(wanted); });\n"
EACH = "it.each(rows)('%s', (given, wanted) => { expect(price(given)).toBe(wanted); });\n"
MODULE, DATA = "import { rows } from './fixture/rows';\n", "import rows from './fixture/rows.json';\n"


def moved(test: str, imported: str, rows: list[list[object]]) -> str:
    listed = json.dumps(rows)
    others = {"test/fixture/rows.ts": f"export const rows = {listed};\n", "test/fixture/rows.json": listed}
    return became(f"{HEAD}const rows = {json.dumps(ROWS)};\n{test}", f"{imported}{HEAD}{test}", others=others)


@pytest.mark.parametrize("imported", [MODULE, DATA])
@pytest.mark.parametrize("test", [LOOP, EACH])
def test_a_table_moved_word_for_word_is_silent(test, imported):
    assert moved(test, imported, ROWS) == "silent"


@pytest.mark.parametrize("imported", [MODULE, DATA])
@pytest.mark.parametrize("test", [LOOP, EACH])
def test_a_row_lost_on_the_way_is_an_error(test, imported):
    assert moved(test, imported, ROWS[1:]) == "error removed"


def test_a_table_with_more_rows_than_are_compared_is_only_named():
    many = [[str(at), at] for at in range(200)]
    assert moved(LOOP, MODULE, many).startswith("warning")
