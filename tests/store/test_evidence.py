from dataclasses import replace

import pytest

from pactkeeper.errors import InputError
from pactkeeper.intent.evidence_state import TestOutcomeRow
from pactkeeper.store.attestations import commits_of_outcomes, forget_outcomes, latest_outcomes, save_test_outcomes
from tests.store.rows import AT, LATER

PASSED = TestOutcomeRow("tests/a.py::test_a", "v1:body", "c1", "passed", AT, "junit", "blob")


def test_an_outcome_comes_back_with_every_field(history):
    save_test_outcomes(history, [PASSED])
    assert latest_outcomes(history) == {PASSED.test_id: PASSED}


def test_the_latest_outcome_counts_whatever_order_they_come_in(history):
    failed = replace(PASSED, commit="c2", outcome="failed", at=LATER)
    save_test_outcomes(history, [failed])
    save_test_outcomes(history, [PASSED])
    assert latest_outcomes(history) == {PASSED.test_id: failed}


def test_times_are_compared_across_offsets(history):
    earlier = replace(PASSED, commit="c1", at="2026-03-01T23:30:00+02:00")
    later = replace(PASSED, commit="c2", at="2026-03-01T22:00:00+00:00", outcome="failed")
    save_test_outcomes(history, [later, earlier])
    assert latest_outcomes(history)[PASSED.test_id] == later


def test_commits_of_another_clone_are_left_out(history):
    other = replace(PASSED, commit="c2", outcome="failed", at=LATER)
    save_test_outcomes(history, [PASSED, other, replace(PASSED, commit="", at=AT, outcome="error")])
    assert commits_of_outcomes(history) == ("c1", "c2")
    assert latest_outcomes(history, apart=["c2"])[PASSED.test_id].commit != "c2"


def test_of_equal_times_the_last_stored_counts(history):
    other = replace(PASSED, source="pytest", outcome="failed")
    save_test_outcomes(history, [PASSED, other])
    assert latest_outcomes(history)[PASSED.test_id] == other


def test_a_report_read_again_replaces_what_it_said(history):
    save_test_outcomes(history, [PASSED, PASSED])
    save_test_outcomes(history, [replace(PASSED, outcome="error")])
    assert latest_outcomes(history)[PASSED.test_id].outcome == "error"


@pytest.mark.parametrize("at", ["yesterday", "2026-03-01T12:00:00"])
def test_a_time_that_cannot_be_compared_takes_the_others_with_it(history, at):
    with pytest.raises(InputError, match=at):
        save_test_outcomes(history, [PASSED, replace(PASSED, test_id="b", at=at)])
    assert latest_outcomes(history) == {}


def test_two_repositories_have_evidence_of_their_own(history, neighbour):
    save_test_outcomes(neighbour, [PASSED])
    assert latest_outcomes(history) == {}


def test_only_the_latest_outcomes_of_a_test_survive_pruning(history, neighbour):
    rows = [replace(PASSED, commit=f"c{day}", at=f"2026-03-0{day}T10:00:00+00:00") for day in (3, 1, 2)]
    save_test_outcomes(history, rows)
    save_test_outcomes(neighbour, rows)
    assert forget_outcomes(history, keep=2) == 1
    assert forget_outcomes(history, keep=2) == 0
    assert latest_outcomes(history) == {PASSED.test_id: rows[0]}
    assert forget_outcomes(neighbour, keep=3) == 0
