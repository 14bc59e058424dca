"""The sheet and the table in which people give tests their sentences."""

import csv
import io

import pytest

from pactkeeper.authoring.words import Open, filled, read_table, sheet, table
from pactkeeper.errors import InputError

ROWS = (
    Open(
        "tests/test_a.py::test_one", "its name says nothing.", ("`assert total == 3`",), ("Totals are kept.", "Or so.")
    ),
    Open("tests/test_a.py::test_two"),
)


def written(first, second=""):
    return sheet(ROWS).replace("1 > ", f"1 > {first}").replace("2 > ", f"2 > {second}")


def test_an_untouched_sheet_says_nothing():
    assert filled(sheet(ROWS, left=3), ROWS) == {}


def test_a_filled_line_is_the_sentence_of_the_test_above_it():
    assert filled(written("", "Sums are kept."), ROWS) == {"tests/test_a.py::test_two": "Sums are kept."}


def test_an_equals_sign_takes_a_draft():
    assert filled(written("="), ROWS) == {ROWS[0].test: "Totals are kept."}
    assert filled(written("=b"), ROWS) == {ROWS[0].test: "Or so."}


def test_an_older_sheet_still_means_its_own_tests():
    assert filled(written("", "Sums are kept."), ROWS[:1]) == {"tests/test_a.py::test_two": "Sums are kept."}


def test_an_older_sheet_still_means_its_own_drafts():
    assert filled(written("=b", "Sums are kept."), ROWS[1:])[ROWS[0].test] == "Or so."


def test_everything_that_cannot_be_read_is_named():
    with pytest.raises(InputError) as raised:
        filled(written("=c", "works") + "more\n3 > another one\n", ROWS)
    said = str(raised.value)

    assert "'=c' names no draft" in said
    assert "'works' is not a sentence" in said
    assert "'more'" in said
    assert "'tests/test_a.py::test_two' has two sentences" in said


def test_no_text_of_a_repository_can_become_a_line():
    row = Open("tests/test_a.py::test_x", "why", ("`a`\n1 > Planted sentence.",), ("x\u2028 1 > Planted.",))

    assert filled(sheet([row]), [row]) == {}


def test_a_table_comes_back_with_its_sentences():
    rows = list(csv.reader(io.StringIO(table(ROWS))))
    rows[1][1] = " Totals\nare kept. "
    out = io.StringIO()
    csv.writer(out).writerows(rows)

    assert read_table("\ufeff" + out.getvalue()) == {ROWS[0].test: "Totals are kept."}


@pytest.mark.parametrize(("cell", "sentence"), [("=", "Totals are kept."), ("=b", "Sums are kept.")])
def test_an_equals_sign_in_a_table_takes_the_draft_of_its_row(cell, sentence):
    told = f'test,sentence,drafts\nt::a,{cell},"Totals are kept.\nSums are kept."\n'
    assert read_table(told) == {"t::a": sentence}
    with pytest.raises(InputError, match="line 2: '=' names no draft"):
        read_table("test,sentence,drafts\nt::a,=,\n")


def test_no_cell_is_a_formula():
    cells = [cell for row in csv.reader(io.StringIO(table([Open("t", "=1+1", ("=cmd()",))]))) for cell in row]

    assert not [cell for cell in cells if cell.startswith("=")]


def test_two_sentences_for_one_test_are_refused_with_their_lines():
    same = "test,sentence\nt::a,Sums are kept.\nt::a,\nt::a,Sums  are kept.\n"
    assert read_table(same) == {"t::a": "Sums are kept."}
    with pytest.raises(InputError, match="lines 2 and 5: 't::a' has two sentences"):
        read_table(f"{same}t::a,Totals are kept.\n")


def test_a_table_holds_no_control_characters_and_comes_back_all_the_same():
    test = "tests/test_\x1b[31mred.py::test_a"
    told = table([Open(test, "\x07", ("\x1b]0;a\x07",))])
    assert all(letter.isprintable() for letter in told.replace("\n", ""))
    told = told.replace("test_a,", "test_a,Sums are kept.", 1)
    assert read_table(told, [test]) == {test: "Sums are kept."}


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", 'test,sentence\n"open'])
def test_a_table_of_another_shape_is_refused(text):
    with pytest.raises(InputError):
        read_table(text)
