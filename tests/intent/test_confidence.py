"""The confidence of a sentence is the share of readers who accept such sentences."""

import re
from pathlib import Path

from pactkeeper.intent.wording.sureness import ACCEPTED

TABLE = Path(__file__).parents[2] / "bench" / "eval" / "wording.md"


def rows():
    """Origin, numbers of signs, read, accepted and confidence of each row."""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if found := re.fullmatch(r"\| ([a-z ]+) \| (\d)(?:–(\d))? \| (\d+) \| (\d+) \| (\d+) \|", line):
            origin, first, last, *numbers = found.groups()
            yield origin, range(int(first), int(last or first) + 1), *map(int, numbers)


def test_every_confidence_is_the_one_of_the_table():
    table = {(origin, signs): said for origin, several, _, _, said in rows() for signs in several}

    assert table == {(origin, signs): said for origin, shares in ACCEPTED.items() for signs, said in enumerate(shares)}


def test_every_confidence_is_what_was_counted():
    assert sum(read for _, _, read, _, _ in rows()) == 653
    assert [said for *_, said in rows()] == [round(100 * (yes + 1) / (read + 2)) for _, _, read, yes, _ in rows()]
