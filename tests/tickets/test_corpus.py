"""The scripted threads of bench/threads: what must never happen, whatever share of the fields rules read."""

import pytest

from bench.threads.measure import matched, pairs, play, wrong_previews
from bench.threads.scripts import HALVES, scripts

READ = [script for half in ("development", "held_out", "unseen", "fresh_open") for script in scripts(half)]
THREADS = [script for half in HALVES for script in scripts(half)]


@pytest.mark.parametrize("script", THREADS, ids=lambda one: one.name)
def test_no_preview_lacks_a_field_or_hides_a_contradiction(script):
    played = play(script)
    assert wrong_previews(played) == []
    assert not played.early


def test_most_of_what_people_said_is_read_and_little_else():
    played = [play(script) for script in READ]
    found = [list(pairs(one.read)) for one in played]
    hits = sum(len(matched(read, one.script.labels)) for read, one in zip(found, played, strict=True))
    assert hits >= 0.95 * sum(len(read) for read in found)
    assert hits >= 0.95 * sum(len(one.script.labels) for one in played)


def test_there_are_threads_in_many_domains_and_six_languages():
    assert len(THREADS) >= 100
    assert len({one.domain for one in THREADS}) >= 60
    assert {one.language for one in THREADS} == {"en", "de", "fr", "es", "nl", "ja"}
