import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pactkeeper.repo import snapshot
from pactkeeper.repo.delta import Delta, delta_between
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository
from pactkeeper.repo.snapshot import Snapshot
from tests.repo.lines import TABLE
from tests.repo.repositories import commit, create, git, write

LONG = "".join(f"test case-{number} = does something with {number}\n" for number in range(12))
FILES = {"test_a.lines": "test one = 1\ntest two = 2\n", "test_long.lines": LONG, "src/x.py": "x = 1\n"}


def between(base: Snapshot, target: Snapshot) -> Delta:
    discovery = Discovery(languages=TABLE, processes=1)
    return delta_between(base, discovery.scan(base), target, discovery.scan(target))


@pytest.fixture
def repository(tmp_path):
    return create(tmp_path, FILES)


def rename_untracked(root: Path) -> None:
    text = LONG.replace("something with 3", "something else with 3")
    (root / "test_long.lines").unlink()
    write(root, {"sub/test_moved.lines": text})


def rename_with_one_test_and_change_it(root: Path) -> None:
    (root / "test_a.lines").unlink()
    write(root, {"test_b.lines": "test one = 1\ntest two = 2 changed\n"})


def add_and_delete(root: Path) -> None:
    write(root, {"test_a.lines": "test two = 2\ntest three = 3\n"})


CHANGES: dict[Callable[[Path], None], Delta] = {
    rename_untracked: Delta(
        modified=("sub/test_moved.lines::case-3",),
        moved=tuple((f"test_long.lines::case-{n}", f"sub/test_moved.lines::case-{n}") for n in range(12)),
    ),
    rename_with_one_test_and_change_it: Delta(
        modified=("test_b.lines::two",),
        moved=(("test_a.lines::one", "test_b.lines::one"), ("test_a.lines::two", "test_b.lines::two")),
    ),
    add_and_delete: Delta(added=("test_a.lines::three",), deleted=("test_a.lines::one",)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_reads_the_same_untracked_staged_and_committed(repository: Repository, change: Callable[[Path], None]):
    base = snapshot.commit(repository, "HEAD")
    change(repository.root)
    untracked = between(base, snapshot.worktree(repository))
    git(repository.root, "add", "--all")
    staged = between(base, snapshot.index(repository))
    commit(repository.root)
    committed = between(base, snapshot.commit(repository, "HEAD"))
    assert untracked == staged == committed == CHANGES[change]


def test_an_untouched_working_tree_has_an_empty_delta(repository: Repository):
    assert between(snapshot.commit(repository, "HEAD"), snapshot.worktree(repository)) == Delta()


def test_a_change_that_was_reverted_has_an_empty_delta(repository: Repository):
    add_and_delete(repository.root)
    write(repository.root, FILES)
    assert between(snapshot.commit(repository, "HEAD"), snapshot.worktree(repository)) == Delta()


def test_a_change_that_is_only_staged_shows_in_the_index_alone(repository: Repository):
    write(repository.root, {"test_a.lines": "test one = 1 changed\ntest two = 2\n"})
    git(repository.root, "add", "--all")
    write(repository.root, FILES)
    base = snapshot.commit(repository, "HEAD")
    assert between(base, snapshot.index(repository)) == Delta(modified=("test_a.lines::one",))
    assert between(base, snapshot.worktree(repository)) == Delta()


def test_a_test_in_a_file_that_became_unreadable_is_not_deleted(repository: Repository):
    (repository.root / "test_a.lines").unlink()
    os.mkfifo(repository.root / "test_a.lines")
    found = between(snapshot.commit(repository, "HEAD"), snapshot.worktree(repository))
    assert found.deleted == ()
    assert found.unseen == ("test_a.lines::one", "test_a.lines::two")
    assert [gap.file for gap in found.gaps] == ["test_a.lines"]


def test_tests_outside_a_sparse_checkout_are_not_deleted(tmp_path):
    repository = create(tmp_path, {"in/test_a.lines": "test a = 1\n", "out/test_b.lines": "test b = 1\n"})
    git(tmp_path, "sparse-checkout", "set", "in")
    found = between(snapshot.commit(repository, "HEAD"), snapshot.worktree(repository))
    assert (found.deleted, found.unseen) == ((), ("out/test_b.lines::b",))


def test_renames_across_hundreds_of_files_are_followed(tmp_path):
    files = {f"old/test_{n}.lines": f"test a = {n}\ntest b = {n} more\n" for n in range(150)}
    repository = create(tmp_path, files)
    git(tmp_path, "mv", "old", "new")
    for number in range(150):
        write(tmp_path, {f"new/test_{number}.lines": f"test a = {number}\ntest b = {number} less\n"})
    found = between(snapshot.commit(repository, "HEAD"), snapshot.worktree(repository))
    assert (len(found.moved), len(found.modified), found.added, found.deleted) == (300, 150, (), ())
