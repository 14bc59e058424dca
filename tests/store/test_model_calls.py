from dataclasses import replace

import pytest

from pactkeeper.errors import InputError
from pactkeeper.ledger.model import ModelCall
from pactkeeper.store.runs import calls_of, calls_since, save_call
from tests.store.rows import AT, LATER

CALL = ModelCall("REC-1", "qu-1", "word_test", "word_test/1", "ollama:m", AT, 120, 30, 5_000, 812, "answered")


def test_calls_come_back_in_the_order_they_ended(history):
    calls = [CALL, replace(CALL, question="qu-2", money=None, state="refused"), replace(CALL, cached=True)]
    for call in calls:
        save_call(history, call)
    assert calls_of(history, "REC-1") == tuple(calls)


def test_calls_of_other_runs_and_repositories_are_not_a_runs(history, neighbour):
    save_call(history, replace(CALL, run="REC-2"))
    save_call(neighbour, CALL)
    assert calls_of(history, "REC-1") == ()


def test_calls_since_a_moment_are_those_of_every_run_by_time_and_not_by_spelling(history):
    later = replace(CALL, run="", at=LATER)
    for call in (CALL, later):
        save_call(history, call)
    assert calls_since(history, "2026-03-02T13:00:00+01:00") == (later,)
    assert calls_since(history, "2026-03-02T13:00:01+01:00") == ()


def test_a_call_without_offset_is_refused(history):
    with pytest.raises(InputError, match="has no offset"):
        save_call(history, replace(CALL, at="2026-03-01T12:00:00"))
    assert calls_of(history, "REC-1") == ()
