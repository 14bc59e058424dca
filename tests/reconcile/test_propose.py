from dataclasses import replace

import pytest

from pactkeeper.intent.ids import atom_id
from pactkeeper.intent.inference import Inference
from pactkeeper.reconcile.propose import Inferred, Proposer
from pactkeeper.reconcile.select import moves, seen_as, select
from pactkeeper.reconcile.world import World
from tests.reconcile.worlds import FILE, a_gap, a_pact, a_record, a_scan, a_test, an_atom, note


def inferred(world, name, *, intent="A login works.", outcomes=("The status is 200.",), confidence=90):
    entry = world.by_id[f"{FILE}::{name}"]
    said = Inference(intent, outcomes, tuple("Not so." for _ in outcomes), "functional", confidence, (), (), "by rules")
    return Inferred(entry, said, ())


def proposals(world, unlinked=(), linked=(), gone=()):
    proposer = Proposer.of(world, lambda _: "sidecar")
    return proposer.propose(list(unlinked), list(linked), list(gone))


def verbs(found):
    return [op.verb for op in found.ops]


def test_new_behaviour_becomes_an_atom_and_a_link_that_depends_on_it():
    world = World.of(a_scan(a_test()), a_pact())
    found = proposals(world, [inferred(world, "test_login")])
    create, attach = found.ops
    assert (create.verb, attach.verb) == ("createAtom", "attachTestToAtom")
    assert attach.depends_on == (create.id,)
    assert create.group == attach.group == f"{FILE}::test_login"


def test_test_below_the_threshold_is_asked_about_and_not_proposed():
    world = World.of(a_scan(a_test()), a_pact())
    found = proposals(world, [inferred(world, "test_login", confidence=69)])
    assert found.ops == ()
    assert [one.entry.test.name for one in found.needs_words] == ["test_login"]


def test_test_with_the_body_and_sentence_of_an_atom_is_attached_to_it():
    atom = replace(an_atom(), origin=f"{FILE}::test_other")
    world = World.of(
        a_scan(a_test()), a_pact(atom, records=[replace(a_record("test_other", atoms=["IA-1"]), body="b1:one")])
    )
    found = proposals(world, [inferred(world, "test_login", intent="A login  works")])
    assert [(op.verb, op.payload["atomId"]) for op in found.ops if op.verb != "detachTest"] == [
        ("attachTestToAtom", "IA-1")
    ]


def test_sentence_that_an_atom_has_already_waits_for_a_person():
    world = World.of(a_scan(a_test()), a_pact(an_atom(outcomes=("The status is 200.",))))
    found = proposals(world, [inferred(world, "test_login", intent="A login  works")])
    assert found.ops == ()
    assert [one.inference.reasons for one in found.needs_words] == [("shared_sentence",)]
    assert found.needs_words[0].inference.reasoning.endswith(" IA-1 says exactly this.")


def test_superseded_atom_is_nobodys_match():
    old = an_atom(outcomes=("The status is 200.",))
    world = World.of(a_scan(a_test()), a_pact(old, an_atom("IA-2", "Else.", supersedes="IA-1")))
    assert verbs(proposals(world, [inferred(world, "test_login")])) == ["createAtom", "attachTestToAtom"]


def test_moved_test_takes_its_atoms_along_whatever_its_confidence():
    pact = a_pact(an_atom(), records=[a_record("test_old", atoms=["IA-1"])])
    world = World.of(a_scan(a_test()), pact)
    gone = [f"{FILE}::test_old"]
    found = proposals(world, [inferred(world, "test_login", confidence=10)], gone=gone)
    assert [(op.verb, op.payload.get("replacesTestId")) for op in found.ops] == [("attachTestToAtom", gone[0])]


def test_records_that_differ_and_share_a_body_follow_no_test_and_stay():
    records = [a_record("test_a", atoms=["IA-1"]), a_record("test_b", atoms=["IA-2"])]
    world = World.of(a_scan(a_test()), a_pact(an_atom(), an_atom("IA-2", "Else."), records=records))
    found = proposals(world, [inferred(world, "test_login", intent="A sentence of its own.")], gone=world.gone)
    assert verbs(found) == ["createAtom", "attachTestToAtom"]


def test_tests_of_one_body_follow_the_records_of_their_names():
    records = [a_record("A::test", atoms=["IA-1"]), a_record("B::test", atoms=["IA-2"])]
    tests = [a_test("test", suite=[suite], file="tests/new.py") for suite in ("B", "A")]
    world = World.of(a_scan(*tests), a_pact(an_atom(), an_atom("IA-2", "Else."), records=records))
    assert moves(world.linked, world.pact, world.gone) == {
        "tests/new.py::B::test": f"{FILE}::B::test",
        "tests/new.py::A::test": f"{FILE}::A::test",
    }


def test_vanished_record_is_kept_while_its_test_may_have_moved_out_of_the_chosen_paths():
    pact = a_pact(an_atom(), records=[a_record("test_old", atoms=["IA-1"])])
    world = World.of(a_scan(a_test("test_new", file="other/test_new.py")), pact)
    chosen = select(world, changed=frozenset(), paths=["tests"])
    assert [entry.test.file for entry in chosen.infer] == ["other/test_new.py"]
    assert verbs(proposals(world, gone=chosen.gone)) == []


def test_record_of_an_unreadable_file_moves_nowhere():
    pact = a_pact(an_atom(), records=[a_record("test_old", atoms=["IA-1"])])
    world = World.of(a_scan(a_test("test_new", file="other/test_new.py"), gaps=[a_gap()]), pact)
    assert moves(world.linked, world.pact, world.gone) == {}


def test_equal_words_are_not_the_same_behaviour():
    world = World.of(a_scan(a_test("test_a", body="b1:a"), a_test("test_b", body="b1:b")), a_pact())
    found = proposals(world, [inferred(world, "test_a"), inferred(world, "test_b")])
    assert found.ops == ()
    assert [one.entry.test.name for one in found.needs_words] == ["test_a", "test_b"]


def test_second_test_with_an_equal_body_and_sentence_is_attached_to_the_atom_of_the_first():
    world = World.of(a_scan(a_test("test_a", body="b1:a"), a_test("test_b", body="b1:a")), a_pact())
    create, _, second = proposals(world, [inferred(world, "test_a"), inferred(world, "test_b")]).ops
    assert (second.verb, second.group) == ("attachTestToAtom", f"{FILE}::test_b")
    assert second.payload["atomId"] == create.payload["atomId"]
    assert second.depends_on == (create.id,)


def test_sequential_ids_go_on_from_the_greatest_number_in_use():
    tests = [a_test("test_a", body="b1:a"), a_test("test_b", body="b1:b"), a_test("test_c", annotations=[note("IA-9")])]
    world = World.of(a_scan(*tests), a_pact(an_atom("IA-007"), id_style="sequential"))
    said = [inferred(world, "test_a", intent="One."), inferred(world, "test_b", intent="Two.")]
    assert [op.payload["atomId"] for op in proposals(world, said).ops if op.verb == "createAtom"] == [
        "IA-010",
        "IA-011",
    ]


def test_atom_that_a_person_reworded_is_found_again_by_the_test_it_was_made_from():
    made = atom_id(f"{FILE}::test_login", "b1:one")
    world = World.of(a_scan(a_test()), a_pact(an_atom(made, "In other words.")))
    (op,) = proposals(world, [inferred(world, "test_login")]).ops
    assert (op.verb, op.payload["atomId"]) == ("attachTestToAtom", made)


def test_unsure_test_is_attached_to_the_atom_that_was_made_from_its_very_body():
    made = atom_id(f"{FILE}::test_login", "b1:one")
    world = World.of(a_scan(a_test()), a_pact(an_atom(made, "In the words of a person.")))
    found = proposals(world, [inferred(world, "test_login", confidence=20)])
    assert [(op.verb, op.payload["atomId"], op.confidence) for op in found.ops] == [("attachTestToAtom", made, "1.00")]
    assert found.needs_words == ()


def test_new_atom_never_takes_the_id_of_an_abandoned_one():
    made = atom_id(f"{FILE}::test_login", "b1:one")
    world = World.of(a_scan(a_test()), a_pact(an_atom(made, "In other words.", status="abandoned")))
    create, _ = proposals(world, [inferred(world, "test_login")]).ops
    assert create.payload["atomId"] != made
    assert world.current(create) == create.precondition


def test_record_of_a_vanished_test_is_removed():
    world = World.of(a_scan(), a_pact(an_atom(source="reconciliation"), records=[a_record(atoms=["IA-1"])]))
    found = proposals(world, gone=[f"{FILE}::test_login"])
    assert verbs(found) == ["detachTest"]
    assert found.ops[0].evidence[0].absent


def suspect_world(*others, **options):
    atom = an_atom(outcomes=("The status is 500.",), origin=f"{FILE}::test_login", source="reconciliation")
    return World.of(
        a_scan(a_test()), a_pact(atom, *others, records=[a_record(atoms=["IA-1"], body="b1:old")], **options)
    )


def test_changed_assertion_under_an_uncommitted_atom_offers_new_words():
    world = suspect_world()
    assert verbs(proposals(world, linked=[inferred(world, "test_login")])) == ["updateAtom", "attachTestToAtom"]


def test_changed_assertion_under_a_committed_atom_offers_a_successor():
    world = suspect_world(committed=["IA-1"])
    found = proposals(world, linked=[inferred(world, "test_login")])
    assert verbs(found) == ["createAtom", "markAtomSuperseded", "attachTestToAtom"]
    assert found.successors == (("IA-1", f"{FILE}::test_login"),)


def test_changed_assertion_goes_to_the_successor_that_waits_already():
    world = suspect_world(an_atom("IA-2", "Else.", supersedes="IA-1"), committed=["IA-1"])
    (op,) = proposals(world, linked=[inferred(world, "test_login")]).ops
    assert (op.payload["atomId"], op.payload["replacesAtomId"]) == ("IA-2", "IA-1")


REPLACED = (an_atom(), an_atom("IA-2", "Else.", supersedes="IA-1"))


@pytest.mark.parametrize(
    ("annotations", "records", "carrier"),
    [((), [a_record(atoms=["IA-1"])], "sidecar"), ([note("IA-1")], [], "comment")],
)
def test_link_to_a_superseded_atom_is_offered_to_its_successor_where_it_stands(annotations, records, carrier):
    world = World.of(a_scan(a_test(annotations=annotations)), a_pact(*REPLACED, records=records))
    (op,) = proposals(world, linked=[inferred(world, "test_login")]).ops
    assert (op.verb, op.payload["atomId"], op.payload["replacesAtomId"]) == ("attachTestToAtom", "IA-2", "IA-1")
    assert op.payload["carrier"] == carrier


def test_successor_is_not_offered_where_the_link_is_a_files():
    world = World.of(a_scan(a_test(annotations=[note("IA-1", scope="file")])), a_pact(*REPLACED))
    assert proposals(world, linked=[inferred(world, "test_login")]).ops == ()


def test_test_of_a_superseded_atom_is_looked_at_though_nothing_in_it_changed():
    world = World.of(a_scan(a_test(annotations=[note("IA-1")])), a_pact(*REPLACED))
    assert [entry.test.name for entry in select(world, changed=()).confirm] == ["test_login"]


def test_what_a_run_saw_of_a_test_is_another_thing_once_its_atom_is_superseded():
    seen = [
        seen_as(world.linked[0], world)
        for atoms in (REPLACED[:1], REPLACED)
        for world in [World.of(a_scan(a_test(annotations=[note("IA-1")])), a_pact(*atoms))]
    ]
    assert len(set(seen)) == 2


def test_changed_body_with_the_same_outcomes_only_wants_a_confirmation():
    world = suspect_world()
    same = inferred(world, "test_login", outcomes=("The status is 500.",))
    assert verbs(proposals(world, linked=[same])) == ["attachTestToAtom"]


def renamed_world(*others, records=()):
    """An atom that was made from a test of another name, which is gone, and that a test with another body has now."""
    atom = an_atom(outcomes=("The status is 500.",), origin=f"{FILE}::test_old", source="reconciliation")
    kept = [a_record(atoms=["IA-1"], body="b1:old"), *records]
    return World.of(a_scan(a_test(), *others), a_pact(atom, records=kept))


def test_test_that_was_renamed_still_offers_new_words_when_its_assertions_change():
    world = renamed_world()
    assert verbs(proposals(world, linked=[inferred(world, "test_login")])) == ["updateAtom", "attachTestToAtom"]


def test_atom_that_other_tests_share_is_not_reworded_by_one_that_did_not_make_it():
    world = renamed_world(a_test("test_other"), records=[a_record("test_other", atoms=["IA-1"])])
    (op,) = proposals(world, linked=[inferred(world, "test_login")]).ops
    assert op.verb == "attachTestToAtom"
    assert "rules cannot tell" in op.evidence[0].note


def test_outcomes_read_from_the_old_assertions_follow_the_new_ones_and_the_sentence_stays():
    atom = an_atom(outcomes=("The exit code is 1.",), origin=f"{FILE}::test_login", source="person")
    world = World.of(a_scan(a_test()), a_pact(atom, records=[a_record(atoms=["IA-1"], body="b1:old")]))
    update, attach = proposals(world, linked=[inferred(world, "test_login", outcomes=("The exit code is 2.",))]).ops
    assert (update.verb, update.payload["description"]) == ("updateAtom", atom.intent)
    assert update.payload["observableOutcomes"] == ["The exit code is 2."]
    assert attach.depends_on == (update.id,)


def test_words_of_a_person_are_never_replaced():
    atom = an_atom(outcomes=("It is fine.",), origin=f"{FILE}::test_login", source="person")
    world = World.of(a_scan(a_test()), a_pact(atom, records=[a_record(atoms=["IA-1"], body="b1:old")]))
    assert verbs(proposals(world, linked=[inferred(world, "test_login")])) == ["attachTestToAtom"]


def test_confirmed_link_stays_with_its_carrier():
    world = suspect_world()
    proposer = Proposer.of(world, lambda _: "comment")
    update, attach = proposer.propose([], [inferred(world, "test_login")], ()).ops
    assert (update.verb, attach.payload["carrier"]) == ("updateAtom", "sidecar")


def test_inherited_link_is_confirmed_where_it_stands():
    world = World.of(a_scan(a_test(annotations=[note("IA-1", scope="suite")])), a_pact(an_atom()))
    (op,) = proposals(world, linked=[inferred(world, "test_login")]).ops
    assert (op.verb, op.payload["carrier"]) == ("attachTestToAtom", "annotation")


def test_op_goes_stale_when_the_body_changes_and_not_when_lines_move():
    world = World.of(a_scan(a_test()), a_pact())
    create, attach = proposals(world, [inferred(world, "test_login")]).ops
    moved = World.of(a_scan(a_test(line=99)), a_pact())
    changed = World.of(a_scan(a_test(body="b1:two")), a_pact())
    assert moved.current(attach) == attach.precondition
    assert moved.current(create) == create.precondition
    assert changed.current(attach) != attach.precondition
    assert changed.current(create) != create.precondition


def test_equal_input_gives_equal_ops():
    first, second = (World.of(a_scan(a_test()), a_pact()) for _ in range(2))
    assert proposals(first, [inferred(first, "test_login")]) == proposals(second, [inferred(second, "test_login")])


def test_gap_hides_vanished_records_from_the_selection():
    pact = a_pact(an_atom(), records=[a_record(atoms=["IA-1"])])
    assert select(World.of(a_scan(), pact), changed=None).gone == (f"{FILE}::test_login",)
    assert select(World.of(a_scan(gaps=[a_gap()]), pact), changed=None).gone == ()
