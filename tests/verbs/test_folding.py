"""An answer fits, and nothing of it is lost."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from pactkeeper.verbs.pages import fitting, fold, size

LEAVES = st.none() | st.booleans() | st.integers(0, 10**6) | st.text('aé"/~', max_size=400)
VALUES = st.recursive(
    LEAVES,
    lambda of: st.lists(of, max_size=8) | st.dictionaries(st.text("a/~", max_size=3), of, max_size=8),
    max_leaves=40,
)
DOCUMENTS = st.dictionaries(st.sampled_from(["ops", "text", "a/b", "counts"]), VALUES, min_size=1)
BUDGET = 600


def whole(folded):
    """The document with everything put back that was cut, deepest places first."""
    document = json.loads(json.dumps(folded.document))
    for rest in sorted(folded.rests, key=lambda one: one.at.count("/"), reverse=True):
        *way, last = [part.replace("~1", "/").replace("~0", "~") for part in rest.at.split("/")[1:]]
        place = document
        for part in way:
            place = place[int(part)] if isinstance(place, list) else place[part]
        last = int(last) if isinstance(place, list) else last
        place[last] = joined(place[last], rest.rows)
    return document


def joined(shown, rows):
    if isinstance(shown, str):
        return shown + "".join(rows)
    if isinstance(shown, list):
        return [*shown, *rows]
    return {**shown, **{name: one for row in rows for name, one in row.items()}}


@settings(deadline=None)
@given(DOCUMENTS)
def test_a_document_that_was_cut_can_be_put_together_again(document):
    assert whole(fold(document, BUDGET)) == document


@settings(deadline=None)
@given(DOCUMENTS)
def test_what_fits_is_left_alone(document):
    folded = fold(document, size(document))
    assert (folded.document, folded.rests) == (document, [])


def test_a_long_answer_is_cut_where_it_is_long():
    document = {"ops": [{"words": "x" * 900} for _ in range(1_000)], "summary": {"ops": 1_000}, "text": "y" * 100_000}
    folded = fold(document, 40_000)
    assert size(folded.document) <= 40_000
    assert folded.document["summary"] == {"ops": 1_000}
    assert {one.at for one in folded.rests} == {"/ops", "/text"}
    assert len(folded.document["ops"]) > 10


def test_at_least_one_member_is_always_given():
    assert (fitting(["x" * 100], 10), fitting([], 10), fitting([1, 2, 3], 4)) == (1, 0, 2)


def test_a_member_that_does_not_fit_is_cut_inside():
    folded = fold({"ops": [{"words": "x" * 100_000}, {"words": "y"}]}, 40_000)
    assert [(one.at, one.rows[-1] if one.at == "/ops" else "") for one in folded.rests] == [
        ("/ops", {"words": "y"}),
        ("/ops/0/words", ""),
    ]
    assert size(folded.document) <= 40_000
