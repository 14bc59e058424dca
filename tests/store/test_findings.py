import pytest

from pactkeeper.errors import InputError
from pactkeeper.ledger.finding import FindingStanding, FindingStep, move
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.store.findings import SeenFinding, note_findings, save_standing, seen_findings, standings
from tests.store.rows import AT, LATER, begin_run, make_finding

PARTIAL = Health("partial", "one file is not UTF-8")


def runs(history, *names):
    for name in names:
        begin_run(history, name)


def say(history, finding, state, **fields):
    standing = move(standings(history)[finding.fingerprint], FindingStep(state, "Ada", **fields), finding=finding)
    save_standing(history, finding, standing, LATER)
    return standing


def test_a_finding_remembers_its_first_and_last_sight(history):
    runs(history, "REC-1", "REC-2")
    finding = make_finding(fix="pk accept", about="IA-1")
    note_findings(history, "REC-1", [finding], at=AT, health=COMPLETE)
    note_findings(history, "REC-2", [finding], at=LATER, health=COMPLETE)
    assert seen_findings(history) == (SeenFinding(finding, "REC-1", "REC-2", AT, LATER, FindingStanding()),)


def test_a_finding_is_shown_as_it_was_last_seen(history):
    runs(history, "REC-1")
    note_findings(history, "REC-1", [make_finding(note="before")], at=AT, health=COMPLETE)
    note_findings(history, "REC-1", [make_finding(note="after")], at=AT, health=COMPLETE)
    assert [one.finding for one in seen_findings(history)] == [make_finding(note="after")]


def test_findings_come_in_the_order_of_first_sight(history):
    runs(history, "REC-1")
    first, second = make_finding(subject="z"), make_finding(subject="a")
    note_findings(history, "REC-1", [first], at=AT, health=COMPLETE)
    note_findings(history, "REC-1", [second, first], at=LATER, health=COMPLETE)
    assert [one.finding for one in seen_findings(history)] == [first, second]


def test_what_is_not_found_again_is_resolved(history):
    runs(history, "REC-1", "REC-2")
    finding = make_finding()
    note_findings(history, "REC-1", [finding], at=AT, health=COMPLETE)
    note_findings(history, "REC-2", [], at=LATER, health=COMPLETE)
    standing = standings(history)[finding.fingerprint]
    assert (standing.state, standing.by, standing.reason) == ("resolved", "REC-2", "not found again")
    assert seen_findings(history)[0].last_run == "REC-1"


def test_nothing_is_resolved_by_a_look_that_did_not_see_everything(history):
    runs(history, "REC-1", "REC-2")
    finding = make_finding()
    note_findings(history, "REC-1", [finding], at=AT, health=COMPLETE)
    note_findings(history, "REC-2", [], at=LATER, health=PARTIAL)
    assert standings(history)[finding.fingerprint] == FindingStanding()


def test_a_resolved_finding_that_is_back_is_open(history):
    runs(history, "REC-1", "REC-2", "REC-3")
    finding = make_finding()
    for run, found in (("REC-1", [finding]), ("REC-2", []), ("REC-3", [finding])):
        note_findings(history, run, found, at=AT, health=COMPLETE)
    assert standings(history)[finding.fingerprint].state == "open"


def test_a_rejected_finding_stays_so_until_its_evidence_changes(history):
    runs(history, "REC-1")
    finding = make_finding(note="before")
    note_findings(history, "REC-1", [finding], at=AT, health=COMPLETE)
    rejected = say(history, finding, "rejected", reason="meant so")
    note_findings(history, "REC-1", [finding], at=LATER, health=COMPLETE)
    assert standings(history)[finding.fingerprint] == rejected
    note_findings(history, "REC-1", [make_finding(note="after")], at=LATER, health=COMPLETE)
    assert standings(history)[finding.fingerprint].state == "open"


def test_a_rejection_outlives_the_absence_of_its_finding(history):
    runs(history, "REC-1")
    finding = make_finding()
    note_findings(history, "REC-1", [finding], at=AT, health=COMPLETE)
    rejected = say(history, finding, "rejected")
    note_findings(history, "REC-1", [], at=LATER, health=COMPLETE)
    assert standings(history)[finding.fingerprint] == rejected


def test_a_snoozed_finding_whose_evidence_changes_is_open(history):
    runs(history, "REC-1")
    finding = make_finding(note="before")
    note_findings(history, "REC-1", [finding], at=AT, health=COMPLETE)
    snoozed = say(history, finding, "snoozed", until="2027-01-01T00:00:00+00:00")
    assert standings(history)[finding.fingerprint] == snoozed
    note_findings(history, "REC-1", [make_finding(note="after")], at=LATER, health=COMPLETE)
    assert standings(history)[finding.fingerprint].state == "open"


def test_failures_are_counted_over_time(history):
    runs(history, "REC-1")
    finding = make_finding()
    note_findings(history, "REC-1", [finding], at=AT, health=COMPLETE)
    say(history, finding, "failed")
    say(history, finding, "failed")
    note_findings(history, "REC-1", [finding], at=LATER, health=COMPLETE)
    assert standings(history)[finding.fingerprint].failures == 2


def test_noting_the_same_twice_changes_nothing(history):
    runs(history, "REC-1", "REC-2")
    gone, stays = make_finding(subject="gone"), make_finding(subject="stays")
    note_findings(history, "REC-1", [gone, stays, stays], at=AT, health=COMPLETE)
    note_findings(history, "REC-2", [stays], at=LATER, health=COMPLETE)
    before = seen_findings(history)
    note_findings(history, "REC-2", [stays], at=LATER, health=COMPLETE)
    assert seen_findings(history) == before


def test_a_finding_that_no_run_noted_has_no_standing(history, neighbour):
    runs(neighbour, "REC-1")
    finding = make_finding()
    note_findings(neighbour, "REC-1", [finding], at=AT, health=COMPLETE)
    with pytest.raises(InputError, match=f"no finding {finding.fingerprint}"):
        save_standing(history, finding, FindingStanding("rejected"), AT)


def test_findings_of_an_unknown_run_are_refused(history):
    with pytest.raises(InputError, match="no run 'REC-1'"):
        note_findings(history, "REC-1", [make_finding()], at=AT, health=COMPLETE)
    assert seen_findings(history) == ()


def test_two_repositories_find_for_themselves(history, neighbour):
    runs(history, "REC-1")
    runs(neighbour, "REC-1")
    finding = make_finding()
    for one in (history, neighbour):
        note_findings(one, "REC-1", [finding], at=AT, health=COMPLETE)
    note_findings(neighbour, "REC-1", [], at=LATER, health=COMPLETE)
    assert standings(history)[finding.fingerprint].state == "open"
    assert standings(neighbour)[finding.fingerprint].state == "resolved"
