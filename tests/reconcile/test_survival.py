import subprocess
from dataclasses import replace

import pytest

from pactkeeper.operators.history import find_patch
from pactkeeper.operators.runs import list_runs, show_run
from tests.reconcile.dying import Death, Place, accept_everything, in_a_process, reconcile

pytestmark = pytest.mark.slow

NODES = ["structure", "discover", "context", "synthesize_molecules", "verify"]
TESTS = 120
KILLED = -9


def make_repository(root):
    root.mkdir()
    for number in range(4):
        tests = [
            f"def test_adding_{number}_to_{index}_is_counted_in_the_sum():\n    assert add({number}, {index}) == {number + index}\n"
            for index in range(TESTS // 4)
        ]
        (root / f"test_part{number}.py").write_text("\n\n".join(tests))
    for command in (
        ("init", "-q"),
        ("config", "user.name", "Ada"),
        ("config", "user.email", "ada@example.org"),
        ("add", "-A"),
        ("commit", "-qm", "Begin"),
    ):
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def place(request, tmp_path):
    root = make_repository(tmp_path / "project")
    if request.param == "sqlite":
        yield Place(root)
        return
    with request.getfixturevalue("postgres").database() as url:
        yield Place(root, url)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What a run that nobody kills proposes and writes in the same repository."""
    place = Place(make_repository(tmp_path_factory.mktemp("undisturbed") / "project"))
    assert in_a_process(reconcile, place) == 0
    proposed = ops_of(place)
    assert in_a_process(accept_everything, place) == 0
    return proposed, written(place)


def ops_of(place):
    with place.open() as workspace:
        return sorted(op.id for op in find_patch(workspace, None).ops)


def written(place):
    files = sorted((place.root / "pact").rglob("*.toml"))
    return {file.relative_to(place.root).as_posix(): file.read_bytes() for file in files}


def runs(place):
    with place.open() as workspace:
        return list_runs(workspace)


def worded_in_all(place):
    """How many tests were worded over all visits of the node, results that were taken over left out."""
    with place.open() as workspace:
        events = [one for one in show_run(workspace, None).trace if one.node == "infer_atoms"]
    return sum(one.counts["worded"] - one.counts["taken_over"] for one in events)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("node", ["infer_atoms", *(pytest.param(name, marks=pytest.mark.slow) for name in NODES)])
def test_run_killed_around_a_node_goes_on_and_proposes_the_same(place, undisturbed, node, moment):
    assert in_a_process(reconcile, place, Death(node, moment)) == KILLED
    (dead,) = runs(place)
    assert (dead.run.status, dead.interrupted) == ("running", True)
    assert in_a_process(reconcile, place) == 0
    (found,) = runs(place)
    assert (found.run.id, found.run.status) == (dead.run.id, "paused")
    assert ops_of(place) == undisturbed[0]
    assert worded_in_all(place) == TESTS


def test_run_killed_among_its_tests_words_none_of_the_stored_ones_again(place, undisturbed):
    many = 600
    tests = [
        f"def test_doubling_{index}_is_counted_in_the_product():\n    assert double({index}) == {2 * index}\n"
        for index in range(many)
    ]
    (place.root / "test_many.py").write_text("\n\n".join(tests))
    assert in_a_process(reconcile, place, Death(tests=50)) == KILLED
    assert in_a_process(reconcile, place) == 0
    assert len(ops_of(place)) == len(undisturbed[0]) + 2 * many
    assert 0 < worded_in_all(place) < TESTS + many


@pytest.mark.parametrize("moment", ["before", "after"])
def test_apply_killed_around_the_write_is_finished_once_and_asks_nothing_again(place, undisturbed, moment):
    assert in_a_process(reconcile, place) == 0
    assert in_a_process(accept_everything, place, Death("persist", moment)) == KILLED
    assert in_a_process(accept_everything, place) == 0
    (found,) = runs(place)
    assert (found.run.status, dict(found.fates)) == ("completed", {"applied": len(undisturbed[0])})
    assert written(place) == undisturbed[1]


SHARED = "https://git.example.org/team/project.git"


def test_another_clone_decides_what_the_first_one_waits_for(postgres, tmp_path, undisturbed):
    with postgres.database() as url:
        first = Place(make_repository(tmp_path / "project"), url)
        subprocess.run(["git", "remote", "add", "origin", SHARED], cwd=first.root, check=True)
        assert in_a_process(reconcile, first) == 0
        subprocess.run(["git", "clone", "-q", str(first.root), str(tmp_path / "clone")], check=True)
        subprocess.run(["git", "remote", "set-url", "origin", SHARED], cwd=tmp_path / "clone", check=True)
        second = replace(first, root=tmp_path / "clone")
        assert in_a_process(accept_everything, second) == 0
        assert [one.run.status for one in runs(first)] == ["completed"]
        assert written(second) == undisturbed[1]
        assert written(first) == {}


def test_another_work_tree_decides_what_the_first_one_waits_for(tmp_path, undisturbed):
    first = Place(make_repository(tmp_path / "project"))
    assert in_a_process(reconcile, first) == 0
    subprocess.run(["git", "worktree", "add", "-q", str(tmp_path / "other")], cwd=first.root, check=True)
    second = Place(tmp_path / "other")
    assert in_a_process(accept_everything, second) == 0
    assert [one.run.status for one in runs(first)] == ["completed"]
    assert written(second) == undisturbed[1]
