from pactkeeper.reconcile.molecules import UNGROUPED, views
from tests.reconcile.worlds import an_atom


def atom(name, origin, intent="It works.", tags=()):
    return an_atom(name, intent, origin=origin, tags=tags)


def grouped(atoms, grouping):
    return {view.key: view.atoms for view in views(atoms, grouping)}


def test_path_view_drops_test_folders_and_test_marks():
    atoms = [
        atom("IA-1", "tests/auth/test_login.py::TestLogin::test_a"),
        atom("IA-2", "web/src/auth/__tests__/login.test.ts::login::works"),
        atom("IA-3", "pkg/login_test.py::test_b"),
    ]
    assert grouped(atoms, "path") == {"auth/login": ("IA-1",), "web/auth/login": ("IA-2",), "pkg/login": ("IA-3",)}


def test_concept_view_groups_by_the_subject_of_suites():
    atoms = [
        atom("IA-1", "tests/test_a.py::TestInvoices::test_x"),
        atom("IA-2", "tests/test_b.py::TestInvoice::test_y"),
        atom("IA-3", "tests/test_c.py::TestParcel::test_z"),
        atom("IA-4", "tests/test_d.py::TestParcel::test_w"),
    ]
    assert grouped(atoms, "concept") == {"invoice": ("IA-1", "IA-2"), "parcel": ("IA-3", "IA-4")}


def test_every_atom_stands_in_exactly_one_view():
    atoms = [atom(f"IA-{n}", None, intent="Something odd happens.") for n in range(3)]
    for grouping in ("path", "concept"):
        listed = [name for view in views(atoms, grouping) for name in view.atoms]
        assert sorted(listed) == ["IA-0", "IA-1", "IA-2"]


def test_atom_without_an_origin_comes_last_under_everything_else():
    atoms = [atom("IA-1", None), atom("IA-2", "zoo/test_z.py::t")]
    assert [view.key for view in views(atoms, "path")] == ["zoo/z", UNGROUPED]


def test_order_of_the_input_does_not_matter():
    atoms = [atom(f"IA-{n}", f"tests/test_{n % 2}.py::t{n}") for n in range(6)]
    assert views(atoms, "path") == views(reversed(atoms), "path")
