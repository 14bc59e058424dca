from dataclasses import replace

import pytest

from pactkeeper.errors import InputError, UsageError
from pactkeeper.intent.records import AtomRecommendation, Wanted
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.store.database import keeping_open
from pactkeeper.store.decisions import save_decisions, save_patch
from pactkeeper.store.recommendations import (
    atom_recommendations,
    molecule_recommendations,
    recommended_slice,
    save_molecules,
    set_molecule_status,
)
from pactkeeper.store.waiting import note_applied, note_undone
from tests.store.rows import AT, LATER, attach_op, begin_run, create_op, decide, kept_patch, make_molecule


def kept(history, run, *ops):
    begin_run(history, run)
    save_patch(history, run, Patch("v1:base", ops))


def test_a_recommendation_has_the_fields_of_its_op_and_run(history):
    op = create_op(reasoning="It says so.", relatedDocs=["docs/a.md"], ambiguityReasons=["mock_only"], qualityScore=81)
    kept(history, "REC-1", op, attach_op(op))
    assert atom_recommendations(history) == (
        AtomRecommendation(
            id=op.id,
            run_id="REC-1",
            description="The behaviour IA-1 is there.",
            category="security",
            confidence="0.85",
            reasoning="It says so.",
            source_test_file_path="tests/test_a.py",
            source_test_name="test_a",
            source_test_line_number=3,
            source_test_id="tests/test_a.py::test_a",
            source_test_body_hash="v1:body",
            observable_outcomes=("The status is 401.",),
            related_docs=("docs/a.md",),
            ambiguity_reasons=("mock_only",),
            quality_score=81,
            status="pending",
            atom_id=None,
            created_at=AT,
        ),
    )


def test_what_an_op_leaves_out_is_empty(history):
    kept(history, "REC-1", create_op())
    (one,) = atom_recommendations(history)
    assert (one.reasoning, one.related_docs, one.ambiguity_reasons, one.quality_score) == ("", (), (), None)


def test_an_atom_that_no_test_brought_has_no_source(history):
    payload = {key: value for key, value in create_op().payload.items() if key != "sourceTest"}
    kept(history, "REC-1", Op("createAtom", "atom:IA-1", None, payload))
    (one,) = atom_recommendations(history)
    assert (one.source_test_id, one.source_test_file_path, one.source_test_line_number) == ("", "", 0)


@pytest.mark.parametrize(("verdict", "status"), [("accept", "accepted"), ("edit", "accepted"), ("reject", "rejected")])
def test_the_decision_that_holds_gives_the_status(history, verdict, status):
    patch = kept_patch(history, names=("IA-1",))
    op = patch.ops[0]
    save_decisions(history, patch.id, [decide(op, "reject" if verdict == "accept" else "accept")])
    edited = {**op.payload, "description": "In other words."} if verdict == "edit" else None
    save_decisions(history, patch.id, [decide(op, verdict, edited=edited)])
    (one,) = atom_recommendations(history)
    assert one.status == status
    assert one.atom_id is None
    assert one.description == ("In other words." if edited else "The behaviour IA-1 is there.")


def test_an_applied_one_names_its_atom_until_it_is_taken_back(history):
    patch = kept_patch(history, names=("IA-1",))
    save_decisions(history, patch.id, [decide(patch.ops[0])])
    note_applied(history, "1", patch.id, [patch.ops[0].id], at=AT)
    assert [(one.status, one.atom_id) for one in atom_recommendations(history)] == [("applied", "IA-1")]
    note_undone(history, "1", "2", at=LATER)
    assert [(one.status, one.atom_id) for one in atom_recommendations(history)] == [("accepted", None)]


def test_an_edited_one_is_applied_under_the_id_of_its_new_words(history):
    patch = kept_patch(history, names=("IA-1",))
    op = patch.ops[0]
    edited = replace(op, payload={**op.payload, "description": "In other words."})
    save_decisions(history, patch.id, [decide(op, "edit", edited=edited.payload)])
    note_applied(history, "1", patch.id, [edited.id], at=AT)
    (one,) = atom_recommendations(history)
    assert (one.id, one.status, one.atom_id, one.description) == (op.id, "applied", "IA-1", "In other words.")


def test_recommendations_are_found_by_status_test_atom_and_run(history):
    one, two = create_op("IA-1", "tests/a.py::one"), create_op("IA-2", "tests/a.py::two")
    kept(history, "REC-1", one)
    kept(history, "REC-2", two)
    assert [found.id for found in atom_recommendations(history)] == [one.id, two.id]
    assert [found.id for found in atom_recommendations(history, Wanted(run="REC-2"))] == [two.id]
    assert [found.id for found in atom_recommendations(history, Wanted(test="tests/a.py::one"))] == [one.id]
    assert [found.id for found in atom_recommendations(history, Wanted(atom="IA-2"))] == [two.id]
    assert [found.id for found in atom_recommendations(history, Wanted(atom="IA-2", run="REC-1"))] == []
    assert [found.id for found in atom_recommendations(history, Wanted(status="applied"))] == []
    assert len(atom_recommendations(history, Wanted(status="pending"))) == 2


def test_what_two_runs_propose_is_listed_once_as_of_the_newer(history):
    op = create_op()
    kept(history, "REC-1", op)
    begin_run(history, "REC-2")
    save_patch(history, "REC-2", Patch("v1:newer", (op,)))
    assert [one.run_id for one in atom_recommendations(history)] == ["REC-2"]
    assert [one.run_id for one in atom_recommendations(history, Wanted(run="REC-1"))] == ["REC-1"]


def test_a_decision_holds_for_the_patch_it_was_taken_on(history):
    op = create_op()
    kept(history, "REC-1", op)
    save_decisions(history, Patch("v1:base", (op,)).id, [decide(op, "reject")])
    begin_run(history, "REC-2")
    save_patch(history, "REC-2", Patch("v1:newer", (op,)))
    assert [one.status for one in atom_recommendations(history)] == ["pending"]
    assert [one.status for one in atom_recommendations(history, Wanted(run="REC-1"))] == ["rejected"]


def test_a_run_that_went_on_recommends_what_its_newest_patch_says(history):
    before, after = create_op("IA-1"), create_op("IA-2")
    kept(history, "REC-1", before)
    save_patch(history, "REC-1", Patch("v1:base", (after,)))
    assert [one.id for one in atom_recommendations(history)] == [after.id]


def test_two_repositories_recommend_for_themselves(history, neighbour):
    patch = kept_patch(history, names=("IA-1",))
    kept_patch(neighbour, names=("IA-1",))
    save_decisions(history, patch.id, [decide(patch.ops[0])])
    note_applied(neighbour, "1", patch.id, [patch.ops[0].id], at=AT)
    assert [one.status for one in atom_recommendations(history)] == ["accepted"]
    assert [one.status for one in atom_recommendations(neighbour)] == ["applied"]


def test_a_molecule_comes_back_with_every_field(history):
    begin_run(history)
    rows = (make_molecule(), make_molecule(key="mo-0", atom_ids=("IA-1",), status="applied", molecule_id="M-1"))
    save_molecules(history, rows)
    assert molecule_recommendations(history) == rows


def test_a_molecule_saved_again_has_new_words_and_its_old_status(history):
    begin_run(history)
    save_molecules(history, [make_molecule()])
    set_molecule_status(history, "mo-1", "accepted")
    save_molecules(history, [make_molecule(name="Sign-in", created_at=LATER), make_molecule(key="mo-2")])
    first, second = molecule_recommendations(history)
    assert first == make_molecule(name="Sign-in", status="accepted")
    assert second.id == "mo-2"


def test_molecules_are_found_by_run_and_status(history):
    begin_run(history, "REC-1")
    begin_run(history, "REC-2")
    save_molecules(history, [make_molecule("REC-1", "mo-1"), make_molecule("REC-2", "mo-2")])
    set_molecule_status(history, "mo-2", "applied", "M-2")
    assert [one.id for one in molecule_recommendations(history, run="REC-1")] == ["mo-1"]
    assert [(one.id, one.molecule_id) for one in molecule_recommendations(history, status="applied")] == [
        ("mo-2", "M-2")
    ]


def test_a_molecule_of_two_runs_is_listed_once_and_settled_in_both(history):
    begin_run(history, "REC-1")
    begin_run(history, "REC-2")
    save_molecules(history, [make_molecule("REC-1"), make_molecule("REC-2", name="Newer")])
    set_molecule_status(history, "mo-1", "rejected")
    assert [(one.run_id, one.name) for one in molecule_recommendations(history)] == [("REC-2", "Newer")]
    assert [one.status for one in molecule_recommendations(history, run="REC-1")] == ["rejected"]


def test_an_unknown_molecule_or_run_is_an_error(history, neighbour):
    begin_run(neighbour)
    save_molecules(neighbour, [make_molecule()])
    with pytest.raises(InputError, match="no run recommends the molecule 'mo-1'"):
        set_molecule_status(history, "mo-1", "accepted")
    with pytest.raises(InputError, match="no run 'REC-1'"):
        save_molecules(history, [make_molecule()])
    assert molecule_recommendations(neighbour) == (replace(make_molecule()),)


def slices(history, wanted=Wanted(), limit=2):  # noqa: B008 - frozen
    """Every slice of what is recommended, and the totals that they tell."""
    cursor, found, totals = "", [], []
    while True:
        one = recommended_slice(history, wanted, cursor=cursor, limit=limit)
        found.append([atom.id for atom in one.members])
        totals.append(one.total)
        if not one.more:
            return found, totals
        cursor = one.cursors[len(one.members) - 1]


def test_slices_together_are_the_whole_list_and_the_first_tells_how_long_it_is(history):
    ops = [create_op(f"IA-{number}", f"tests/a.py::t{number}") for number in range(5)]
    kept(history, "REC-1", *ops[:4])
    begin_run(history, "REC-2")
    save_patch(history, "REC-2", Patch("v1:newer", (ops[1], ops[4])))
    found, totals = slices(history)
    assert [name for part in found for name in part] == [one.id for one in atom_recommendations(history)]
    assert ([len(part) for part in found], totals) == ([2, 2, 1], [5, 0, 0])


def test_a_patch_that_two_runs_made_is_counted_once(history):
    ops = [create_op(f"IA-{number}", f"tests/a.py::t{number}") for number in range(3)]
    kept(history, "REC-1", *ops)
    kept(history, "REC-2", *ops)
    pending = Wanted(status="pending")
    assert slices(history, pending) == ([[ops[0].id, ops[1].id], [ops[2].id]], [3, 0])


def test_a_server_counts_what_runs_proposed_since(history):
    ops = [create_op(f"IA-{number}", f"tests/a.py::t{number}") for number in range(5)]
    pending = Wanted(status="pending")
    totals = []
    with keeping_open():
        for number in range(1, 5):
            kept(history, f"REC-{number}", *ops[number - 1 : number + 1])
            totals.append(recommended_slice(history, pending, limit=1).total)
        save_decisions(history, Patch("v1:base", tuple(ops[:2])).id, [decide(ops[0])])
        totals.append(recommended_slice(history, pending, limit=1).total)
    assert totals == [2, 3, 4, 5, 4]


@pytest.mark.parametrize("status", ["pending", "accepted", "rejected", "applied"])
def test_a_slice_has_the_same_status_as_the_list(history, status):
    ops = [create_op(f"IA-{number}", f"tests/a.py::t{number}") for number in range(8)]
    kept(history, "REC-1", *ops)
    patch = Patch("v1:base", tuple(ops))
    edited = replace(ops[3], payload={**ops[3].payload, "description": "In other words."})
    words = [decide(ops[0]), decide(ops[1], "reject"), decide(ops[2], "edit", edited=edited.payload)]
    save_decisions(history, patch.id, [*words, decide(ops[3], "edit", edited=edited.payload), decide(ops[4])])
    note_applied(history, "1", patch.id, [edited.id, ops[4].id], at=AT)
    begin_run(history, "REC-2")
    save_patch(history, "REC-2", Patch("v1:unfinished", (ops[7],)))
    save_patch(history, "REC-2", Patch("v1:newer", (ops[0], ops[4], ops[5], create_op("IA-9", "tests/a.py::t9"))))
    save_decisions(history, Patch("v1:base", tuple(ops)).id, [decide(ops[6])])
    found, totals = slices(history, Wanted(status=status), limit=1)
    expected = [one.id for one in atom_recommendations(history, Wanted(status=status))]
    assert expected
    assert [name for part in found for name in part] == expected
    assert totals[0] == len(expected)


def test_what_is_decided_between_two_slices_hides_nothing(history):
    ops = [create_op(f"IA-{number}", f"tests/a.py::t{number}") for number in range(4)]
    kept(history, "REC-1", *ops)
    pending = Wanted(status="pending")
    first = recommended_slice(history, pending, limit=2)
    save_decisions(history, Patch("v1:base", tuple(ops)).id, [decide(ops[0]), decide(ops[1])])
    rest = recommended_slice(history, pending, cursor=first.cursors[1], limit=2)
    assert [one.id for one in rest.members] == [ops[2].id, ops[3].id]


def test_what_is_no_cursor_is_refused(history):
    with pytest.raises(UsageError, match="cursor 'x' is unknown"):
        recommended_slice(history, Wanted(), cursor="x", limit=1)
