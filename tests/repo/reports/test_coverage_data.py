"""The data file of coverage.py."""

import sqlite3

import pytest

from pactkeeper.errors import ReportError
from pactkeeper.intent.results import Case
from pactkeeper.repo.reports import read_coverage
from tests.repo.reports.reading import report

TABLES = """
CREATE TABLE meta (key text, value text);
CREATE TABLE file (id integer primary key, path text);
CREATE TABLE context (id integer primary key, context text);
CREATE TABLE line_bits (file_id integer, context_id integer, numbits blob);
CREATE TABLE arc (file_id integer, context_id integer, fromno integer, tono integer);
INSERT INTO file VALUES (1, '/home/ada/shop/a.py'), (2, '/home/ada/shop/b.py');
INSERT INTO context VALUES (1, ''), (2, 'tests/t.py::test_x[1]|run'), (3, 'tests/t.py::test_x[1]|setup');
"""
CASE = Case(("test_x[1]",), "tests/t.py")


def data(tmp_path, *statements, tables=TABLES):
    place = tmp_path / "coverage.db"
    with sqlite3.connect(place) as database:
        database.executescript(tables)
        for statement in statements:
            database.execute(statement)
    database.close()
    return report(place.read_bytes(), ".coverage")


def by_test(given):
    return {one.case: one.files for one in read_coverage(given).by_test}


def test_bits_are_the_lines_that_a_test_ran(tmp_path):
    given = data(tmp_path, "INSERT INTO line_bits VALUES (1, 2, x'0a01'), (2, 2, x'02')")
    assert by_test(given) == {CASE: {"/home/ada/shop/a.py": ((1, 1), (3, 3), (8, 8)), "/home/ada/shop/b.py": ((1, 1),)}}


def test_phases_of_a_test_are_taken_together(tmp_path):
    given = data(tmp_path, "INSERT INTO line_bits VALUES (1, 2, x'02'), (1, 3, x'04')")
    assert by_test(given) == {CASE: {"/home/ada/shop/a.py": ((1, 2),)}}


def test_branches_are_lines_too_without_the_ways_in_and_out(tmp_path):
    given = data(tmp_path, "INSERT INTO arc VALUES (1, 2, -1, 3), (1, 2, 3, 5), (1, 2, 5, -1)")
    assert by_test(given) == {CASE: {"/home/ada/shop/a.py": ((3, 3), (5, 5))}}


def test_what_ran_without_a_test_is_left_out(tmp_path):
    assert by_test(data(tmp_path, "INSERT INTO line_bits VALUES (1, 1, x'02')")) == {}


def test_nothing_is_said_of_which_lines_are_code(tmp_path):
    assert read_coverage(data(tmp_path)).files == {}


def test_other_database_is_refused(tmp_path):
    with pytest.raises(ReportError, match="it has no table arc, context"):
        read_coverage(data(tmp_path, tables="CREATE TABLE file (id integer); CREATE TABLE line_bits (id integer);"))


def test_view_in_place_of_a_table_is_refused(tmp_path):
    view = "DROP TABLE arc; CREATE VIEW arc AS SELECT 1 AS file_id, 2 AS context_id, 1 AS fromno, 1 AS tono;"
    with pytest.raises(ReportError, match="it has no table arc"):
        read_coverage(data(tmp_path, tables=TABLES + view))


@pytest.mark.parametrize(
    "damage", [lambda data: data[:100], lambda data: data[:-5000], lambda data: data[:200] + b"x" * 9000]
)
def test_damaged_file_is_refused(tmp_path, damage):
    given = data(tmp_path, "INSERT INTO line_bits VALUES (1, 2, zeroblob(20000))")
    with pytest.raises(ReportError, match=r"coverage\.py"):
        read_coverage(report(damage(given.data)))


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO line_bits VALUES (1, 2, 1000000000000)",
        "INSERT INTO line_bits VALUES (1, 2, NULL)",
        "INSERT INTO line_bits VALUES (1, 2, 'text')",
    ],
)
def test_bits_of_another_type_are_refused(tmp_path, statement):
    with pytest.raises(ReportError, match="instead of bits"):
        read_coverage(data(tmp_path, statement))
