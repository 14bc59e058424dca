"""The confidence of a sentence is the share of readers who accept such sentences."""

import re
from pathlib import Path

from pactkeeper.intent.inference import ACCEPTED

TABLE = Path(__file__).parents[2] / "bench" / "eval" / "wording.md"
ROW = re.compile(r"\| (docstring|title|name)(, short)? \| (\d+) \| (\d+) \| (\d+) \|")


def rows():
    """Origin, whether short, how many sentences were read and accepted, and the confidence of each row."""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if found := ROW.fullmatch(line):
            origin, short, *numbers = found.groups()
            yield (origin, bool(short)), *map(int, numbers)


def test_every_confidence_is_the_one_of_the_table():
    said = {kind: confidence for kind, _, _, confidence in rows()}
    assert said | {("name", True): said["name", False]} == ACCEPTED


def test_every_confidence_is_what_readers_accepted():
    counted = list(rows())

    assert sum(read for _, read, _, _ in counted) == 374
    assert [said for *_, said in counted] == [round(100 * (yes + 1) / (read + 2)) for _, read, yes, _ in counted]
