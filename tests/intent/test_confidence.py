"""The confidence of a sentence is the share of readers who accept such sentences."""

import re
from pathlib import Path

from pactkeeper.intent.wording.sureness import ACCEPTED

TABLE = Path(__file__).parents[2] / "bench" / "eval" / "wording.md"
ROW = re.compile(r"\| (docstring|title|name)(, full)? \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|")


def rows():
    """Origin, whether full, read and accepted by the first readers, by the stricter ones, and confidence of each row."""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if found := ROW.fullmatch(line):
            origin, full, *numbers = found.groups()
            yield (origin, bool(full)), *map(int, numbers)


def test_every_confidence_is_the_one_of_the_table():
    assert {kind: said for kind, *_, said in rows()} == ACCEPTED


def test_every_confidence_is_the_mean_of_what_both_kinds_of_readers_accepted():
    counted = [(read, yes, strict, taken) for _, read, yes, strict, taken, _ in rows()]

    assert sum(read + strict for read, _, strict, _ in counted) == 752
    assert [said for *_, said in rows()] == [
        round(50 * ((yes + 1) / (read + 2) + (taken + 1) / (strict + 2))) for read, yes, strict, taken in counted
    ]
