"""How far the rules agree with sentences that were labelled by hand; `bench/quality.md` holds the figures."""

import pytest

from bench.quality import SETS, agreement, labelled
from pactkeeper.intent.quality.values import MOST

# What each set must reach at least. Nothing was tuned on the held-out one: its figures are the honest ones.
LEAST: dict[str, dict[str, float]] = {
    "tuned": {
        **dict.fromkeys(map(str, MOST), 0.85),
        "verdict": 0.77,
        "approved or not": 0.88,
        "atomic or not": 0.88,
        "not judged": 1.0,
    },
    "held_out": {
        **dict.fromkeys(map(str, MOST), 0.85),
        "verdict": 0.75,
        "approved or not": 0.82,
        "atomic or not": 0.88,
        "not judged": 0.7,
    },
}
SHARES = {name: agreement(labelled(name)) for name in SETS}


@pytest.mark.parametrize(("name", "criterion"), [(name, key) for name in SETS for key in LEAST[name]])
def test_rules_agree_with_the_labels(name, criterion):
    assert SHARES[name][criterion] >= LEAST[name][criterion]


def test_labels_cover_many_domains_and_every_answer():
    every = [one for name in SETS for one in labelled(name)]
    assert len(every) >= 300
    assert len({one.domain for one in every}) >= 20
    assert {one.verdict for one in every} == {"approve", "revise", "reject", "not judged"}
    assert {flaw for one in every for flaw in one.flawed} == set(MOST)


def test_no_sentence_is_in_both_sets():
    tuned, held_out = ({one.words.intent for one in labelled(name)} for name in SETS)
    assert not tuned & held_out
