"""The verbs that name orphans, infer, cluster and report links."""

import pytest

from pactkeeper.errors import MissingBaseline, UsageError
from pactkeeper.operators.molecules import Change, change_molecule, cluster_atoms_for_molecules
from pactkeeper.operators.orphans import Only, discover_orphans_delta, discover_orphans_fullscan, infer_atom_from_test
from pactkeeper.operators.structure import coupling_report
from tests.operators.atoms import run
from tests.operators.conftest import ADDS, FILE, REFUSED

OTHER = "tests/test_other.py"


def names(found):
    return [one.test.id for one in found.tests]


def test_a_full_scan_names_every_test_without_an_intent(shop):
    with shop.open() as workspace:
        assert names(discover_orphans_fullscan(workspace)) == [ADDS, REFUSED]


def test_a_test_with_an_intent_is_no_orphan(linked):
    linked.write(OTHER, "def test_new():\n    assert f() == 1\n")
    with linked.open() as workspace:
        assert names(discover_orphans_fullscan(workspace)) == [f"{OTHER}::test_new"]


def test_a_delta_names_only_what_changed(shop):
    shop.write(OTHER, "def test_new():\n    assert f() == 1\n")
    found = run(shop, discover_orphans_delta, since="HEAD")
    assert names(found) == [f"{OTHER}::test_new"]
    assert found.total == 1


def test_a_delta_counts_what_differs_and_names_changed_tests_that_have_an_intent(linked):
    linked.save("Pact")
    linked.replace(FILE, "== 3", "== 4")
    linked.write(OTHER, "def test_new():\n    assert f() == 1\n")
    with linked.open() as workspace:
        found = discover_orphans_delta(workspace, since="HEAD")
        elsewhere = discover_orphans_delta(workspace, since="HEAD", only=Only(exclude=["tests/test_s*"]))
    assert found.changed_linked == (ADDS,)
    assert found.summary == {"added": 1, "modified": 1, "moved": 0, "renamed": 0, "deleted": 0}
    assert (elsewhere.changed_linked, elsewhere.total) == ((), 1)


def test_patterns_leave_files_out_of_a_full_scan(shop):
    with shop.open() as workspace:
        assert discover_orphans_fullscan(workspace, only=Only(exclude=["test_*.py"])).total == 0


def test_patterns_say_which_files_are_scanned(shop):
    shop.write(OTHER, "def test_new():\n    assert f() == 1\n")
    with shop.open() as workspace:
        assert names(discover_orphans_fullscan(workspace, only=Only(["*_other.py"]))) == [f"{OTHER}::test_new"]
        assert discover_orphans_fullscan(workspace, only=Only(["*.py"], ["tests"])).total == 0


def test_a_delta_without_a_base_is_an_error_and_never_a_full_scan(tmp_path, shop):
    with shop.open() as workspace, pytest.raises(MissingBaseline):
        discover_orphans_delta(workspace)


def test_inferring_says_what_a_run_would_propose_and_stores_nothing(untouched):
    with untouched.open() as workspace:
        (one,) = infer_atom_from_test(workspace, [ADDS])
        assert not workspace.has_history
    (op, *_) = [op for op in untouched.reconcile().patch.ops if op.group == ADDS]
    assert one.inference.intent == op.payload["description"]


def test_inferring_from_what_is_no_test_is_an_error(shop):
    with shop.open() as workspace, pytest.raises(UsageError, match="no test has this name"):
        infer_atom_from_test(workspace, ["tests/test_none.py"])


def test_an_atom_that_no_test_names_stands_alone(linked):
    atom = next(iter(linked.world().pact.atoms))
    linked.write(FILE, "def test_expired_token_is_refused():\n    assert login('old').status_code == 401\n")
    found = run(linked, coupling_report)
    assert len(found.alone) == 1
    assert found.atoms == {"draft": 2}
    assert (atom in found.alone) != (atom in found.files[0].atoms)


def test_an_atom_that_tests_of_two_files_name_is_crowded(linked):
    atom = next(iter(linked.world().pact.atoms))
    linked.write(OTHER, f"# @atom {atom}\ndef test_again():\n    assert f() == 1\n")
    with linked.open() as workspace:
        assert coupling_report(workspace).crowded == ((atom, (OTHER, FILE)),)


def test_atoms_that_a_molecule_holds_are_in_no_cluster(linked):
    with linked.open() as workspace:
        (cluster,) = cluster_atoms_for_molecules(workspace, "path")
        change_molecule(workspace, Change(view=cluster.key))
    assert len(cluster.atoms) == 2
    with linked.open() as workspace:
        assert cluster_atoms_for_molecules(workspace, "path") == ()


def test_a_misspelled_test_is_answered_with_names_of_its_own_file(shop):
    wrong = ADDS.partition("::")[0] + "::xyz"
    with shop.open() as workspace, pytest.raises(UsageError) as refused:
        infer_atom_from_test(workspace, [wrong])
    assert f"did you mean '{ADDS.partition('::')[0]}::" in str(refused.value)
