import pytest

from pactkeeper.errors import InputError
from pactkeeper.ledger.canonical import TraceEvent
from pactkeeper.store.runs import add_event, trace_of
from tests.store.rows import AT, begin_run


def test_events_come_back_in_sequence(history):
    begin_run(history)
    events = [TraceEvent("REC-1", number, "context", AT, 12, {"tests": number}, "note") for number in (2, 10, 1)]
    for event in events:
        add_event(history, event)
    assert trace_of(history, "REC-1") == tuple(sorted(events, key=lambda one: one.sequence))


def test_a_node_that_is_visited_again_replaces_its_event(history):
    begin_run(history)
    for milliseconds in (5, 7):
        add_event(history, TraceEvent("REC-1", 1, "context", AT, milliseconds))
    assert [one.milliseconds for one in trace_of(history, "REC-1")] == [7]


def test_an_event_of_an_unknown_run_is_refused(history, neighbour):
    begin_run(neighbour)
    with pytest.raises(InputError, match="no run 'REC-1'"):
        add_event(history, TraceEvent("REC-1", 1, "context", AT, 5))
    assert trace_of(neighbour, "REC-1") == ()


def test_a_run_without_events_has_an_empty_trace(history):
    assert trace_of(history, "REC-9") == ()
