from dataclasses import replace

import pytest

from pactkeeper.ledger.finding import (
    TRANSITIONS,
    Evidence,
    Finding,
    FindingStanding,
    FindingStep,
    move,
    resolved_by_absence,
    sift,
    weakest,
)
from pactkeeper.ledger.health import COMPLETE

FOUND = Finding(
    "PK101",
    "tests/test_a.py::test_x",
    "error",
    "no atom",
    (Evidence("mechanical", "tests/test_a.py", 3, note="body v1:aa"),),
    fix="# @atom IA-7F3KQ9T",
)
NOON = "2026-11-20T12:00:00+00:00"


def test_a_fingerprint_survives_moved_lines_and_new_words():
    moved = replace(FOUND, message="still none", severity="warning", evidence=(replace(FOUND.evidence[0], line=90),))
    assert (moved.fingerprint, moved.evidence_hash) == (FOUND.fingerprint, FOUND.evidence_hash)


@pytest.mark.parametrize("change", [{"code": "PK102"}, {"subject": "tests/test_a.py::test_y"}, {"about": "IA-2"}])
def test_another_disagreement_has_another_fingerprint(change):
    assert replace(FOUND, **change).fingerprint != FOUND.fingerprint


def test_a_changed_body_keeps_the_fingerprint_and_changes_the_evidence():
    changed = replace(FOUND, evidence=(replace(FOUND.evidence[0], note="body v1:bb"),))
    assert changed.fingerprint == FOUND.fingerprint
    assert changed.evidence_hash != FOUND.evidence_hash


@pytest.mark.parametrize("code", ["PK301", "ACME101", "SEC1001", "INV-101", "INV-LOGIN-2"])
def test_a_code_is_ours_a_projects_or_the_id_of_its_invariant(code):
    assert replace(FOUND, code=code).code == code


@pytest.mark.parametrize("code", ["PK1", "PK1010", "PKX101", "E501", "ACME1", "ACME10101", "acme101", "R001", "INV-"])
def test_a_code_of_another_form_is_refused_by_name(code):
    with pytest.raises(ValueError, match=f"'{code}'"):
        replace(FOUND, code=code)


@pytest.mark.parametrize("name", ["PK101", "R1", "inv-1"])
def test_a_finding_names_no_rule_that_cannot_be_one(name):
    with pytest.raises(ValueError, match=f"'{name}' is not an invariant id"):
        replace(FOUND, invariant=name)


def test_the_rule_that_is_broken_is_no_part_of_the_fingerprint():
    assert replace(FOUND, invariant="INV-005").fingerprint == FOUND.fingerprint


def test_failed_attempts_are_counted_until_the_finding_is_resolved():
    standing = FindingStanding()
    for _ in range(2):
        standing = move(standing, FindingStep("failed", "runner"), finding=FOUND)
    assert standing.failures == 2
    assert move(standing, FindingStep("open", "ada"), finding=FOUND).failures == 2
    assert move(standing, FindingStep("resolved", "runner"), finding=FOUND).failures == 0


@pytest.mark.parametrize(("start", "end"), [("rejected", "failed"), ("resolved", "rejected"), ("snoozed", "failed")])
def test_a_step_that_the_table_does_not_have_is_refused(start, end):
    with pytest.raises(ValueError, match=f"{start} cannot become '{end}'"):
        move(FindingStanding(start), FindingStep(end, "ada"), finding=FOUND)


def test_every_state_can_be_left_and_is_a_state_itself():
    assert set().union(*TRANSITIONS.values()) == set(TRANSITIONS)


def test_a_snooze_ends_at_its_time_even_across_time_zones():
    standing = move(FindingStanding(), FindingStep("snoozed", "ada", until="2026-11-20T14:00:00+01:00"), finding=FOUND)
    assert sift([FOUND], {FOUND.fingerprint: standing}, now=NOON).shown == ()
    assert sift([FOUND], {FOUND.fingerprint: standing}, now="2026-11-20T13:00:00Z").shown == (FOUND,)


@pytest.mark.parametrize(("state", "until"), [("snoozed", ""), ("rejected", NOON)])
def test_a_snooze_and_only_a_snooze_has_an_end(state, until: str):
    with pytest.raises(ValueError, match="ends at a time"):
        FindingStep(state, "ada", until=until)


@pytest.mark.parametrize("state", ["open", "failed", "resolved"])
def test_only_a_rejection_or_a_snooze_keeps_a_finding_away(state):
    standing = FindingStanding(state, evidence_hash=FOUND.evidence_hash)
    assert sift([FOUND], {FOUND.fingerprint: standing}, now=NOON).shown == (FOUND,)


def test_a_suppressed_finding_is_reported_with_who_and_why():
    standing = move(FindingStanding(), FindingStep("rejected", "ada", "a smoke test"), finding=FOUND)
    (one,) = sift([FOUND], {FOUND.fingerprint: standing}, now=NOON).suppressed
    assert (one.finding, one.standing.by, one.standing.reason) == (FOUND, "ada", "a smoke test")


def test_what_a_complete_look_does_not_show_again_is_resolved():
    standings = {
        "fp-1": FindingStanding(),
        "fp-2": FindingStanding("rejected"),
        "fp-3": FindingStanding("resolved"),
        "fp-4": FindingStanding(),
    }
    assert resolved_by_absence(standings, {"fp-4"}, COMPLETE) == {"fp-1", "fp-2"}


def test_evidence_is_as_strong_as_its_weakest_part_and_none_is_the_weakest():
    assert weakest([Evidence("mechanical"), Evidence("similar"), Evidence("quoted")]) == "similar"
    assert weakest([]) == "model"
