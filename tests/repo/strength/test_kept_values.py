"""A lost assertion whose values and numbers a later, exact one holds is no loss."""

import pytest

from pactkeeper.intent.strength.change import Paired
from pactkeeper.intent.strength.review import changes
from tests.repo.strength.edits import FILE, body, judged, strengths

KEPT = [
    ("sent.assert_called_once_with('ann', 'welcome')", "assert sent.mails == [('ann', 'welcome')]"),
    ("assert len(box.sent) == 2", "assert sent.call_count == 2"),
    ("assert box.sent == []", "sent.assert_not_called()"),
    (
        "assert [one.kind for one in log(7)] == ['in', 'out']",
        "assert list(log(7)) == [Entry('in', 1), Entry('out', 2)]",
    ),
    ("assert days(1)['fri'] == 'late shift'", "assert list(days(1)) == [('thu', 'free'), ('fri', 'late shift')]"),
    ("assert 'late shift' in days(1)", "assert list(days(1)) == [('thu', 'free'), ('fri', 'late shift')]"),
]
LOST = [
    ("sent.assert_called_once_with('ann', 'welcome')", "assert sent.mails == [('ann', 'goodbye')]"),
    ("sent.assert_called_once_with('ann', 'welcome')", "assert 'welcome' in sent.mails"),
    ("assert len(box.sent) == 2", "assert sent.call_count == 3"),
    ("assert [one.kind for one in log(7)] == ['in', 'out']", "assert list(log(7)) == [Entry('in', 'out')]"),
    ("assert total(7) == 3", "assert price(8) == 3"),
    ("assert total(7).low == '1'", "assert total(7).low == (f'1, {total(7).high}' if total(7).high else '1')"),
    ("assert days(1)['fri'] == 'late shift'", "assert days(1)['fri'] == (day or 'late shift')"),
    ("assert days(1)['fri'] == 'late shift'", "if days(2):\n    assert list(days(1)) == [('fri', 'late shift')]"),
]


def _in_a_new_test(before, after):
    """Judge one assertion whose test is gone beside a new test of the same file with the other one."""
    old, new = (strengths(body(line))["test_it"] for line in (before, after))
    pairs = [Paired(f"{FILE}::test_it", "", old, None), Paired("", f"{FILE}::test_other", None, new)]
    return [one for one in changes(pairs) if one.severity != "note"]


@pytest.mark.parametrize(("before", "after"), KEPT)
def test_what_a_later_assertion_expects_exactly_is_kept(before, after):
    assert judged(body(before), body(after)) == []
    assert _in_a_new_test(before, after) == []


@pytest.mark.parametrize(("before", "after"), LOST)
def test_what_a_later_assertion_does_not_hold_is_lost(before, after):
    assert judged(body(before), body(after)) != []
    assert _in_a_new_test(before, after) != []
