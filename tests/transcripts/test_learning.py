"""What answers say about thresholds."""

from dataclasses import replace

from pactkeeper.intent.actions import Confidence, Deed, Standing
from pactkeeper.transcripts.carrying import precision
from tests.transcripts.actions import AT, create_task, yes


def answers(**standings):
    """Deeds by their points: `d60=3` is three of 60 points that were done, r rejected, u taken back."""
    named: dict[str, Standing] = {"d": "done", "r": "rejected", "u": "undone"}
    for key, number in standings.items():
        points = int(key[1:])
        one = replace(create_task(), confidence=Confidence(points, points, points, points))
        yield from [Deed(one, named[key[0]], AT, decision=yes(one))] * number


def told(deeds):
    return [(one.verb, one.kind, one.right, one.wrong, one.percent, one.threshold) for one in precision(deeds)]


def test_a_threshold_is_suggested_from_which_answers_were_right():
    assert told(answers(r60=3, d60=1, d80=4)) == [("createTask", "ask", 5, 3, 62, 80)]


def test_what_is_right_often_enough_stays_as_it_is():
    assert told(answers(d60=4, r60=1)) == [("createTask", "ask", 4, 1, 80, None)]


def test_a_few_answers_say_nothing():
    assert told(answers(r60=4)) == [("createTask", "ask", 0, 4, 0, None)]


def test_where_no_threshold_would_help_it_is_to_be_proposed_no_more():
    assert told(answers(r60=3, r99=3))[0][-1] == 101


def test_what_happened_by_itself_and_was_taken_back_counts_apart_and_more():
    alone = [replace(one, decision=None) for one in answers(d96=9, u96=1, d98=10)]
    assert told([*alone, *answers(d60=1)]) == [
        ("createTask", "ask", 1, 0, 100, None),
        ("createTask", "auto", 19, 1, 95, None),
    ]
    assert told([*alone, *alone[9:10]])[0][-1] == 98


def test_what_is_still_under_way_is_no_answer():
    (one,) = answers(d60=1)
    assert told([replace(one, standing="failed"), replace(one, standing="begun")]) == []
