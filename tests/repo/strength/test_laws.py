"""Laws of strength over generated tests: what goes back and forth, and what adds up."""

from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.intent.strength.codec import read, written
from pactkeeper.intent.strength.facts import compare
from pactkeeper.intent.strength.review import changes, reviewed, since_review
from tests.repo.strength.edits import body, judged, paired, strengths

CALLS = st.sampled_from(["f(1)", "f(2)", "g('a')", "h(x=1).items", "k()[0]"])
VALUES = st.sampled_from(["1", "-2", "'ab'", "[1, 2]", "{'a': 1}", "None", "True", "3.5"])
LINES = st.one_of(
    st.builds("assert {} == {}".format, CALLS, VALUES),
    st.builds("assert {} != {}".format, CALLS, VALUES),
    st.builds("assert {}".format, CALLS),
    st.builds("assert {} is not None".format, CALLS),
    st.builds("assert {} > {}".format, CALLS, st.integers(0, 5)),
    st.builds("assert {} in {}".format, VALUES, CALLS),
    st.builds("assert len({}) == {}".format, CALLS, st.integers(0, 3)),
    st.builds("assert isinstance({}, int)".format, CALLS),
    st.builds("if {}:\n    assert {} == {}".format, CALLS, CALLS, VALUES),
    st.builds(
        "with pytest.raises({}):\n    {}".format, st.sampled_from(["ValueError", "Exception", "KeyError"]), CALLS
    ),
    st.builds("for n in [1, 2]:\n    assert f(n) == {}".format, VALUES),
)
BODIES = st.lists(LINES, min_size=1, max_size=5).map("\n".join).map(body)


@given(BODIES)
def test_what_stays_the_same_is_silent(source):
    assert judged(source, source) == []


@given(BODIES, BODIES)
def test_there_and_back_is_seen_at_least_once(one, other):
    """Of two tests that differ, the way there or the way back is told, at least by a note, unless both say the same."""
    if {*strengths(one)["test_it"].facts} != {*strengths(other)["test_it"].facts}:
        assert changes(paired(one, other)) or changes(paired(other, one)) or _each_implies(one, other)


def _each_implies(one, other):
    first, second = strengths(one)["test_it"].facts, strengths(other)["test_it"].facts
    ways = ((first, second), (second, first))
    return all(any(compare(old, new) in {"equal", "stronger"} for new in news) for olds, news in ways for old in olds)


@given(BODIES, LINES)
def test_taking_out_what_nothing_else_says_is_seen(source, line):
    longer = source + "".join(f"    {one}\n" for one in line.splitlines())
    assert judged(source, longer) == []
    short, full = _both(source, longer)
    added = [fact for fact in full.facts if not any(_covers(old, fact) for old in short.facts)]
    added += [fact for fact in full.facts if _made_more_often(fact, full, short)]
    assert bool(added) == bool(judged(longer, source))


def _covers(one, fact):
    return compare(fact, one) in {"equal", "stronger"}


def _made_more_often(fact, full, short):
    """Whether a test says it after more steps than another; the same words after another step are another assertion."""
    often = {one.moment for one in full.facts if one == fact}
    now = {one.moment for one in short.facts if _covers(one, fact)}
    return len(often) > max(1, len(now)) and bool(now) and 0 not in often | now


def _both(one, other):
    return strengths(one)["test_it"], strengths(other)["test_it"]


@given(BODIES, st.lists(st.integers(0, 3), max_size=6))
def test_no_sequence_of_honest_edits_adds_up_to_an_alarm(source, edits):
    present = source
    for edit in edits:
        present = HONEST[edit](present)
    assert judged(source, present) == []


HONEST = [
    lambda text: text.replace("def test_it():\n", "def test_it():\n    # why\n", 1),
    lambda text: text + "    assert q(7) == 7\n",
    lambda text: (
        text.replace("assert f(1) ==", "value = f(1)\n    assert value ==", 1)
        if "    assert f(1) ==" in text.split("if ")[0]
        else text
    ),
    lambda text: text.replace("'ab'", '"ab"'),
]


@given(BODIES)
def test_what_a_review_remembers_can_be_read_again(source):
    facts = strengths(source)["test_it"].facts
    assert {*(read(written(facts)) or ())} == {*facts}


@given(BODIES, BODIES)
def test_a_review_sees_what_a_comparison_sees(one, other):
    before, after = _both(one, other)
    seen = since_review(reviewed(before), after, test="test_it")
    assert bool(seen) == bool(judged(one, other))


@given(BODIES)
def test_a_fact_is_as_strong_as_itself(source):
    for fact in strengths(source)["test_it"].facts:
        assert compare(fact, fact) == "equal"
