"""Rows of a loop that an edit cuts off."""

import pytest

from tests.repo.javascript.strength_cases import became, body

ROWS = "const rows = [[1, true], [2, false], [3, true]];\n"
LOOP = f"{ROWS}for (const [n, ok] of rows) {{\n  expect(price(n)).toBe(ok);\n}}"
EACH = f"{ROWS}rows.forEach(([n, ok]) => {{ expect(price(n)).toBe(ok); }});"
MANY = "for (const row of load()) {\n  expect(price(row)).toBe(1);\n}"


@pytest.mark.parametrize(
    ("before", "old", "new"),
    [
        (LOOP, "(ok);", "(ok);\n  break;"),
        (LOOP, "(ok);", "(ok);\n  if (n > 1) break;"),
        (MANY, "(1);", "(1);\n  break;"),
        (LOOP, "for (", "rows.length = 0;\nfor ("),
        (LOOP, "for (", "rows.length = 2;\nfor ("),
        (LOOP, "of rows", "of rows.slice(0, 2)"),
        (EACH, "rows.forEach", "rows.slice(1).forEach"),
    ],
)
def test_rows_that_a_loop_no_longer_reaches_are_lost(before, old, new):
    assert became(body(before), body(before.replace(old, new))).startswith("error")


@pytest.mark.parametrize(
    ("before", "old", "new"),
    [
        (LOOP, "of rows", "of rows.filter(([, ok]) => ok)"),
        (LOOP, "for (", "rows.splice(2);\nfor ("),
        (LOOP, "for (", "rows[Symbol.iterator] = [][Symbol.iterator].bind([]);\nfor ("),
    ],
)
def test_rows_that_may_be_left_out_stand_for_none_of_those_written(before, old, new):
    assert became(body(before), body(before.replace(old, new))) != "silent"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LOOP, LOOP.replace("(ok);", "(ok);\n  continue;")),
        (LOOP, LOOP.replace("(ok);", "(ok);\n  switch (n) { case 1: { break; } }")),
        (EACH, EACH.replace("rows.forEach", "rows.slice(0).forEach")),
    ],
)
def test_a_loop_that_still_reaches_every_row_keeps_them(before, after):
    assert became(body(before), body(after)) == "silent"


@pytest.mark.parametrize("cut", [".slice(0, 1e999)", ".slice(NaN)", "; rows.length = 1e999", "; rows.length = -1"])
def test_an_end_that_is_no_whole_number_is_read(cut):
    rows, _, after = cut.partition("; ")
    given = body(f"const rows = [1, 2]; {after}\nfor (const row of rows{rows}) expect(price(row)).toBe(2);")
    assert became(given, given) == "silent"
