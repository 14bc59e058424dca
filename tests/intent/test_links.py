from dataclasses import replace

import pytest

from pactkeeper.intent.links import link_tests, realisers_by_atom
from tests.reconcile.worlds import FILE, a_pact, a_record, a_test, an_abandonment, an_atom, note


def only(test, pact):
    (entry,) = link_tests([test], pact)
    return entry


def test_annotated_test_of_an_uncommitted_atom_is_unratified():
    assert only(a_test(annotations=[note("IA-1")]), a_pact(an_atom())).state == "unratified"


def test_annotated_test_of_a_committed_atom_is_linked():
    reviewed = [a_record(annotated=["IA-1"])]
    pact = a_pact(an_atom(), records=reviewed, committed=["IA-1"])
    assert only(a_test(annotations=[note("IA-1")]), pact).state == "linked"


@pytest.mark.parametrize("records", [(), (a_record(annotated=["IA-2"]),), (a_record(atoms=["IA-2"]),)])
def test_an_annotation_of_a_committed_atom_is_unreviewed_until_a_record_names_it(records):
    atoms = an_atom(), an_atom("IA-2", "A logout works.")
    entry = only(a_test(annotations=[note("IA-1")]), a_pact(*atoms, records=records, committed=["IA-1"]))
    assert (entry.state, entry.links[0].atom, entry.links[0].state) == ("unreviewed", "IA-1", "unreviewed")


def test_sidecar_record_links_as_an_annotation_does():
    entry = only(a_test(), a_pact(an_atom(), records=[a_record(atoms=["IA-1"])], committed=["IA-1"]))
    assert (entry.state, entry.links[0].carrier) == ("linked", "sidecar")


@pytest.mark.parametrize(
    "record", [a_record(atoms=["IA-1"], body="b1:old"), a_record(annotated=["IA-1"], body="b1:old")]
)
def test_body_that_changed_since_review_makes_the_link_suspect(record):
    annotations = [note("IA-1")] if record.annotated else []
    assert only(a_test(annotations=annotations), a_pact(an_atom(), records=[record])).state == "suspect"


def test_helper_that_asserts_something_else_since_review_makes_the_link_suspect():
    test = replace(a_test(), helpers="h1:new")
    known = a_record(atoms=["IA-1"], body=test.body_hash)
    for helpers, state in (("h1:old", "suspect"), ("h1:new", "unratified"), (None, "unratified")):
        pact = a_pact(an_atom(), records=[replace(known, helpers=helpers)])
        assert only(test, pact).state == state


def test_helper_that_asserts_nothing_any_more_makes_the_link_suspect():
    known = replace(a_record(atoms=["IA-1"], body=a_test().body_hash), helpers="h1:old")
    assert only(a_test(), a_pact(an_atom(), records=[known])).state == "suspect"


def test_suite_annotation_alone_is_inherited_until_it_is_reviewed_for_the_test():
    test = a_test(annotations=[note("IA-1", scope="suite")])
    assert only(test, a_pact(an_atom())).state == "inherited"
    assert only(test, a_pact(an_atom(), records=[a_record(annotated=["IA-1"])])).state == "unratified"


def test_superseded_atom_names_its_successor():
    pact = a_pact(an_atom(), an_atom("IA-2", supersedes="IA-1"), committed=["IA-1", "IA-2"])
    entry = only(a_test(annotations=[note("IA-1")]), pact)
    assert (entry.state, entry.links[0].successor) == ("superseded", "IA-2")


def test_abandoned_and_unknown_atoms_are_told_apart():
    pact = a_pact(an_atom(status="abandoned"))
    assert only(a_test(annotations=[note("IA-1")]), pact).state == "abandoned"
    assert only(a_test(annotations=[note("IA-9")]), pact).state == "unknown"


def test_an_atom_whose_successor_was_given_up_is_abandoned_too():
    pact = a_pact(an_atom(), an_atom("IA-2", supersedes="IA-1"), committed=["IA-1", "IA-2"])
    act = an_abandonment(pact.atoms["IA-2"], why="no use")
    pact = replace(pact, commitments={**pact.commitments, act.id: act})
    assert only(a_test(annotations=[note("IA-1")]), pact).state == "abandoned"


def test_worst_link_decides_the_state_of_the_test():
    entry = only(a_test(annotations=[note("IA-1", "IA-9", malformed=["ia-2"])]), a_pact(an_atom()))
    assert entry.state == "malformed"
    assert [link.state for link in entry.links] == ["unratified", "unknown", "malformed"]


def test_test_without_anything_is_an_orphan():
    assert only(a_test(), a_pact()).state == "orphan"


def test_rejection_holds_while_the_body_is_the_same():
    pact = a_pact(records=[a_record(rejected="fp-1")])
    assert only(a_test(), pact).state == "rejected"
    assert only(a_test(body="b1:new"), pact).state == "orphan"


def test_rejection_moves_along_with_its_test():
    pact = a_pact(records=[a_record("test_old", rejected="fp-1")])
    first, copy = link_tests([a_test("test_new"), a_test("test_copy")], pact)
    assert first.record is not None
    assert (first.state, first.record.test) == ("rejected", f"{FILE}::test_old")
    assert copy.state == "orphan"


def test_rejection_is_not_lent_to_a_copy_while_its_test_is_there():
    pact = a_pact(records=[a_record(rejected="fp-1")])
    assert [one.state for one in link_tests([a_test(), a_test("test_copy")], pact)] == ["rejected", "orphan"]


def test_reviewed_link_that_is_written_above_the_test_as_well_goes_suspect_like_any_other():
    pact = a_pact(an_atom(), records=[a_record(atoms=["IA-1"], body="b1:old")])
    assert only(a_test(annotations=[note("IA-1")]), pact).state == "suspect"


def test_debt_that_changed_under_its_id_is_changed_debt():
    pact = a_pact(debt={f"{FILE}::test_login": "b1:old"})
    assert only(a_test(body="b1:old"), pact).state == "debt"
    assert only(a_test(), pact).state == "changed_debt"


def test_moved_debt_stays_debt():
    pact = a_pact(debt={f"{FILE}::test_old": "b1:one"})
    assert only(a_test("test_new"), pact).state == "debt"


def test_linked_test_takes_no_debt_line_from_one_that_moved():
    pact = a_pact(an_atom(), debt={f"{FILE}::test_old": "b1:one"})
    linked, moved = link_tests([a_test("test_a", annotations=[note("IA-1")]), a_test("test_b")], pact)
    assert (linked.state, moved.state) == ("unratified", "debt")


def test_copy_of_a_debt_test_is_an_orphan():
    pact = a_pact(debt={f"{FILE}::test_login": "b1:one"})
    assert [one.state for one in link_tests([a_test(), a_test("test_copy")], pact)] == ["debt", "orphan"]


def test_atom_is_named_by_all_tests_that_link_it():
    linked = link_tests([a_test("a", annotations=[note("IA-1")]), a_test("b", annotations=[note("IA-1")])], a_pact())
    assert [entry.test.name for entry in realisers_by_atom(linked)["IA-1"]] == ["a", "b"]
