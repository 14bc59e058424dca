"""The confidence of a sentence is the share of readers who accept such sentences."""

from pathlib import Path

from pactkeeper.intent.wording.intents import ACCEPTED

TABLE = Path(__file__).parents[2] / "bench" / "eval" / "wording.md"


def rows():
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def origins(said):
    return ("docstring", "title", "name") if said == "any" else (said,)


def test_every_confidence_is_the_one_of_the_table():
    assert {(origin, row[1]): int(row[4]) for row in rows() for origin in origins(row[0])} == ACCEPTED


def test_every_confidence_is_what_was_counted():
    assert sum(int(row[2]) for row in rows()) == 400
    assert all(abs(int(row[4]) - 100 * int(row[3]) / int(row[2])) <= 0.75 for row in rows())
