from dataclasses import replace

from pactkeeper.ledger.canonical import Observation, Span

SEEN = Observation("test", Span("git", "tests/test_a.py", 3, 9), "2026-11-20T12:00:00+00:00", {"name": "x"}, "machine")


def test_the_same_thing_seen_twice_is_one_observation():
    assert SEEN.id == replace(SEEN).id
    assert SEEN.id != replace(SEEN, trust="model").id
