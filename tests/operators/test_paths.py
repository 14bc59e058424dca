"""How paths and names that a person types are read."""

from pathlib import Path

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.operators.named import named_tests
from pactkeeper.operators.observe import scan_repo
from pactkeeper.operators.reconcile import reconcile_repo
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.request import Request
from pactkeeper.workspace import open_workspace
from tests.operators.conftest import ADDS, FILE, REFUSED


def test_path_outside_is_refused_wherever_it_stands_among_others(shop, tmp_path):
    with shop.open() as workspace, pytest.raises(UsageError, match="outside"):
        workspace.relative([".", str(tmp_path.parent)], start=shop.root)


def test_link_is_named_itself_and_not_what_it_points_to(shop):
    (shop.root / "tests/test_link.py").symlink_to("test_shop.py")
    with shop.open() as workspace:
        assert workspace.relative(["test_link.py"], start=shop.root / "tests") == ("tests/test_link.py",)


@pytest.mark.parametrize(
    "name", ["test_shop.py::test_adds_two_numbers", f"../{ADDS}", f"./{ADDS}", ADDS, "test_shop.py:2"]
)
def test_test_is_named_from_where_the_person_stands_or_from_the_root(shop, name):
    with open_workspace(shop.root / "tests", notice=print) as workspace:
        (entry,) = named_tests(workspace.world(workspace.snapshot()), [name], folder=workspace.folder)
    assert entry.test.id == ADDS


def test_path_that_names_nothing_is_an_error_and_no_empty_answer(shop):
    with shop.open() as workspace:
        with pytest.raises(UsageError, match="no such path"):
            scan_repo(workspace, StateView(paths=("tests/typo.py",)))
        with pytest.raises(UsageError, match="no such path"):
            reconcile_repo(workspace, Request(("typo",)))


def test_path_of_a_deleted_file_is_known(linked):
    Path(linked.root / FILE).unlink()
    assert {op.group for op in linked.reconcile(FILE).patch.ops} == {ADDS, REFUSED}


def test_a_line_beyond_the_tests_names_the_nearest_one(shop):
    with shop.open() as workspace, pytest.raises(UsageError, match="belongs to no test; the nearest is"):
        named_tests(workspace.world(workspace.snapshot()), [f"{FILE}:999"])
