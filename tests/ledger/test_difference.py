from pactkeeper.ledger.health import COMPLETE, Health, SourceView, Withheld, difference

BEFORE = {"a": "v1:1", "b": "v1:1", "c": "v1:1"}
AFTER = {"b": "v1:1", "c": "v1:2", "d": "v1:1"}
PARTIAL = Health("partial", "tests/big.py is unreadable")


def test_complete_views_tell_what_came_changed_and_went():
    found = difference(SourceView(BEFORE, COMPLETE), SourceView(AFTER, COMPLETE))
    assert (found.added, found.changed, found.removed, found.withheld) == (("d",), ("c",), ("a",), ())


def test_what_a_partial_view_does_not_show_is_withheld_with_the_reason_and_not_called_deleted():
    found = difference(SourceView(BEFORE, COMPLETE), SourceView(AFTER, PARTIAL))
    assert (found.added, found.changed, found.removed) == (("d",), ("c",), ())
    assert found.withheld == (Withheld("a", PARTIAL.reason),)


def test_what_was_not_seen_before_is_not_called_new():
    found = difference(SourceView(BEFORE, PARTIAL), SourceView(AFTER, COMPLETE))
    assert (found.added, found.withheld) == ((), (Withheld("d", PARTIAL.reason),))
