"""Rows that say themselves whether they run: `{ skip: true }`, where the declaration reads it."""

import pytest

from tests.repo.javascript.strength_cases import HEAD, became

CHAIN = "if (only) it.only(title, run);\n  else if (skip) it.skip(title, run);\n  else it(title, run);"
ROWS = "const rows = {{\n  one: {{ input: 1, output: 2{one} }},\n  two: {{ input: 2, output: 3{two} }},\n}};\n"


def declared(declaration: str = CHAIN, *, one: str = "", two: str = "", skip: str = "skip = false") -> str:
    loop = f"for (const [title, {{ input, output, only = false, {skip} }}] of Object.entries(rows)) {{\n"
    body = f"  const run = () => {{ expect(price(input)).toBe(output); }};\n  {declaration}\n}}\n"
    return HEAD + ROWS.format(one=one, two=two) + loop + body


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({"one": ", skip: true"}, "error removed"),
        ({"one": ", only: true"}, "error skipped"),
        ({"one": ", skip: true", "two": ", skip: true"}, "error skipped"),
        ({"skip": "skip = true"}, "error skipped"),
        ({"one": ", skip: false"}, "silent"),
        ({"one": ", only: false"}, "silent"),
        ({"one": ", skip: process.env.CI"}, "warning skipped"),
    ],
)
def test_a_row_that_keeps_itself_or_others_from_running_is_an_error(edit, said):
    assert became(declared(), declared(**edit)) == said


@pytest.mark.parametrize(
    "declaration",
    [
        "(skip ? it.skip : it)(title, run);",
        "const maybe = skip ? it.skip : it;\n  maybe(title, run);",
        "it[skip ? 'skip' : 'concurrent'](title, run);",
        "it[skip ? 'skip' : only ? 'only' : 'it'](title, run);",
        "const how = !skip ? 'concurrent' : 'skip';\n  it[how](title, run);",
    ],
)
def test_a_flag_counts_wherever_the_declaration_reads_it(declaration):
    assert became(declared(declaration), declared(declaration, one=", skip: true")).startswith("error")


def test_a_flag_of_a_row_that_is_not_taken_apart_counts():
    text = "for (const row of rows) {\n  if (row.skip) it.skip(row.name, () => {});\n  else it(row.name, () => { expect(price(row.a)).toBe(row.b); });\n}\n"
    rows = "const rows = [{ name: 'x', a: 1, b: 2 }, { name: 'y', a: 2, b: 3 }];\n"
    assert became(HEAD + rows + text, HEAD + rows.replace("a: 1", "skip: true, a: 1") + text) == "error removed"


def test_a_row_that_runs_again_is_silent():
    assert became(declared(one=", skip: true"), declared()) == "silent"
    assert became(declared(one=", only: true"), declared()) == "silent"
