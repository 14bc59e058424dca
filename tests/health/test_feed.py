"""The feed of a watch: one line a sweep, in a file that stays small."""

import json

import pytest

from pactkeeper.errors import WriteFailed
from pactkeeper.health.watching import Feed


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_feed_has_one_line_for_each(tmp_path):
    feed = Feed(str(tmp_path / "feed.jsonl"))
    feed.add({"a": "1\n2"})
    feed.add({"a": "é"})
    assert lines(tmp_path / "feed.jsonl") == [{"a": "1\n2"}, {"a": "é"}]


def test_a_feed_stays_below_its_bound_and_keeps_the_file_before(tmp_path):
    feed = Feed(str(tmp_path / "feed.jsonl"), most=100)
    for number in range(50):
        feed.add({"n": number})
    kept = [*lines(tmp_path / "feed.jsonl.1"), *lines(tmp_path / "feed.jsonl")]
    assert [one["n"] for one in kept] == list(range(kept[0]["n"], 50))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["feed.jsonl", "feed.jsonl.1"]
    assert max(one.stat().st_size for one in tmp_path.iterdir()) <= 100


def test_a_line_that_was_cut_short_does_not_spoil_the_next(tmp_path):
    file = tmp_path / "feed.jsonl"
    file.write_text('{"cut": ')
    Feed(str(file)).add({"whole": 1})
    assert json.loads(file.read_text().splitlines()[1]) == {"whole": 1}


def test_a_feed_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(WriteFailed, match="nowhere"):
        Feed(str(tmp_path / "nowhere/feed")).add({})
