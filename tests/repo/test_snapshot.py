import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from pactkeeper.intent.tests import Gap
from pactkeeper.repo import snapshot
from pactkeeper.repo.git import Repository
from pactkeeper.repo.snapshot import SIZE_LIMIT, Snapshot, blob_id
from tests.repo.repositories import commit, create, git, write

FILES = {"a.py": "a\n", "deep/b.py": "b\n", "deep/c.txt": "c\n"}


def contents(state: Snapshot) -> dict[str, bytes | None]:
    return dict(state.read_many(state.paths))


def reasons(state: Snapshot) -> dict[str, str]:
    list(state.read_many(state.paths))
    return {gap.file: gap.reason for gap in state.gaps}


def test_an_unchanged_tree_is_the_same_in_all_three_states(tmp_path):
    repository = create(tmp_path, FILES)
    states = [snapshot.worktree(repository), snapshot.index(repository), snapshot.commit(repository, "HEAD")]
    for state in states:
        assert contents(state) == {name: text.encode() for name, text in FILES.items()}
        assert [state.blob(path) for path in state.paths] == [states[0].blob(path) for path in state.paths]
        assert state.gaps == ()


def test_each_state_shows_its_own_version_of_a_file(tmp_path):
    repository = create(tmp_path, FILES)
    write(tmp_path, {"a.py": "staged\n"})
    git(tmp_path, "add", "a.py")
    write(tmp_path, {"a.py": "on disk\n"})
    assert snapshot.commit(repository, "HEAD").read("a.py") == b"a\n"
    assert snapshot.index(repository).read("a.py") == b"staged\n"
    assert snapshot.worktree(repository).read("a.py") == b"on disk\n"


def test_a_changed_or_untracked_file_has_the_blob_id_that_git_would_give_it(tmp_path):
    repository = create(tmp_path, FILES)
    write(tmp_path, {"a.py": "changed\n", "new.py": "new\n"})
    state = snapshot.worktree(repository)
    for path in ("a.py", "new.py"):
        assert state.blob(path) == git(tmp_path, "hash-object", path)


def test_a_repository_with_sha256_names_is_read_alike(tmp_path):
    repository = create(tmp_path, FILES, options=("--object-format=sha256",))
    write(tmp_path, {"new.py": "new\n"})
    state = snapshot.worktree(repository)
    assert contents(state)["a.py"] == b"a\n"
    assert state.blob("new.py") == git(tmp_path, "hash-object", "new.py")
    assert contents(snapshot.commit(repository, "HEAD"))["a.py"] == b"a\n"


def test_a_deleted_file_is_gone_from_the_working_tree_only(tmp_path):
    repository = create(tmp_path, FILES)
    (tmp_path / "a.py").unlink()
    state = snapshot.worktree(repository)
    assert "a.py" not in state
    assert state.read("a.py") is None
    assert state.gaps == ()
    assert "a.py" in snapshot.index(repository)


def test_ignored_files_and_the_git_folder_are_no_part_of_the_working_tree(tmp_path):
    repository = create(tmp_path, {**FILES, ".gitignore": "*.log\nbuild/\n"})
    write(tmp_path, {"x.log": "x", "build/y.py": "y", "deep/z.py": "z"})
    assert list(snapshot.worktree(repository).paths) == [".gitignore", "a.py", "deep/b.py", "deep/c.txt", "deep/z.py"]


def test_paths_are_relative_to_the_root_wherever_the_repository_was_opened(tmp_path):
    create(tmp_path, FILES)
    write(tmp_path, {"deep/new.py": "n", "top.py": "t"})
    assert list(snapshot.worktree(Repository.open(tmp_path / "deep")).paths) == [
        "a.py",
        "deep/b.py",
        "deep/c.txt",
        "deep/new.py",
        "top.py",
    ]


def test_odd_names_survive(tmp_path):
    names = [
        "with space.py",
        "quo\"te'.py",
        "new\nline.py",
        "tab\t.py",
        "é\u0301.py",
        "日本.py",
        "-x.py",
        ":(top).py",
        "*.py",
    ]
    repository = create(tmp_path, dict.fromkeys(names, "x\n"))
    write(tmp_path, {"untracked\nline.py": "u"})
    state = snapshot.worktree(repository)
    assert sorted([*names, "untracked\nline.py"]) == list(state.paths)
    assert all(data is not None for data in contents(state).values())
    assert contents(snapshot.commit(repository, "HEAD")) == dict.fromkeys(sorted(names), b"x\n")


def test_names_that_differ_in_case_or_normal_form_are_different_files(tmp_path):
    names = {"Test.py": "1", "test.py": "2", "caf\u00e9.py": "3", "cafe\u0301.py": "4"}
    repository = create(tmp_path, names)
    assert contents(snapshot.worktree(repository)) == {name: text.encode() for name, text in names.items()}


@pytest.mark.skipif(sys.platform == "darwin", reason="its file system refuses such names")
def test_a_name_that_is_not_utf_8_is_a_gap_and_hides_no_other_file(tmp_path):
    repository = create(tmp_path, FILES)
    (tmp_path / os.fsdecode(b"b\xffd.py")).write_text("x")
    (tmp_path / os.fsdecode(b"w\xffrse.py")).write_text("x")
    git(tmp_path, "add", "--all")
    (tmp_path / os.fsdecode(b"w\xffrse.py")).write_text("changed")
    (tmp_path / os.fsdecode(b"u\xff.py")).write_text("x")
    write(tmp_path, {"a.py": "changed\n"})
    state = snapshot.worktree(repository)
    assert list(state.paths) == sorted(FILES)
    assert state.read("a.py") == b"changed\n"
    assert {gap.file for gap in state.unnameable} == {"b\\xffd.py", "w\\xffrse.py", "u\\xff.py"}


def test_a_merge_conflict_is_a_gap_in_the_working_tree_and_the_index(tmp_path):
    repository = create(tmp_path, FILES)
    git(tmp_path, "checkout", "--quiet", "-b", "side")
    write(tmp_path, {"a.py": "side\n"})
    commit(tmp_path)
    git(tmp_path, "checkout", "--quiet", "main")
    write(tmp_path, {"a.py": "main\n"})
    commit(tmp_path)
    with pytest.raises(subprocess.CalledProcessError):
        git(tmp_path, "merge", "side")
    for state in (snapshot.worktree(repository), snapshot.index(repository)):
        assert "a.py" in state
        assert state.read("a.py") is None
        assert state.gaps == (Gap("a.py", "the file has an unresolved merge conflict"),)
        assert state.read("deep/b.py") == b"b\n"


def test_files_outside_a_sparse_checkout_are_gaps_and_not_deleted(tmp_path):
    repository = create(tmp_path, {**FILES, "other/d.py": "d\n"})
    git(tmp_path, "sparse-checkout", "set", "deep")
    state = snapshot.worktree(repository)
    assert "other/d.py" in state
    assert reasons(state) == {"other/d.py": "the file is outside the sparse checkout"}
    assert snapshot.index(repository).read("other/d.py") == b"d\n"


def test_a_sparse_index_hides_nothing(tmp_path):
    repository = create(tmp_path, {**FILES, "other/d.py": "d\n"})
    git(tmp_path, "sparse-checkout", "set", "--cone", "--sparse-index", "deep")
    assert snapshot.index(repository).read("other/d.py") == b"d\n"
    assert "other/d.py" in snapshot.worktree(repository)


def test_a_file_that_is_only_intended_to_be_added_is_read_from_disk(tmp_path):
    repository = create(tmp_path, FILES)
    write(tmp_path, {"new.py": "new\n"})
    git(tmp_path, "add", "--intent-to-add", "new.py")
    assert snapshot.worktree(repository).read("new.py") == b"new\n"
    assert not snapshot.index(repository).read("new.py")


def test_a_submodule_and_an_untracked_repository_are_gaps_that_are_not_entered(tmp_path):
    inner = create(tmp_path / "inner", {"x.py": "x"})
    outer = create(tmp_path / "outer", FILES)
    git(outer.root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "sub")
    commit(outer.root)
    create(outer.root / "nested", {"y.py": "y"})
    head = git(inner.root, "rev-parse", "HEAD")
    told = f"a submodule at {head[:10]}; its files are not looked at"
    for state in (snapshot.commit(outer, "HEAD"), snapshot.index(outer)):
        assert list(state.paths) == [".gitmodules", *sorted([*FILES, "sub"])]
        assert reasons(state) == {"sub": told}
    state = snapshot.worktree(outer)
    assert list(state.paths) == [".gitmodules", *sorted([*FILES, "nested", "sub"])]
    assert reasons(state) == {"sub": told, "nested": "a repository of its own; its files are not looked at"}


def test_a_link_to_a_file_of_the_repository_has_its_content_in_every_state(tmp_path):
    repository = create(tmp_path, FILES)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "link.py").symlink_to("../deep/b.py")
    (tmp_path / "tests" / "chain.py").symlink_to("link.py")
    (tmp_path / "folder").symlink_to("deep")
    (tmp_path / "through.py").symlink_to("folder/b.py")
    untracked = snapshot.worktree(repository)
    commit(tmp_path)
    tracked = (snapshot.worktree(repository), snapshot.index(repository), snapshot.commit(repository, "HEAD"))
    for state in (untracked, *tracked):
        for link in ("tests/link.py", "tests/chain.py", "through.py"):
            assert state.read(link) == b"b\n"
            assert state.blob(link) == state.blob("deep/b.py")


@pytest.mark.parametrize("target", ["../outside.py", "/etc/hostname", "deep/../../outside.py"])
def test_a_link_out_of_the_repository_is_not_followed(tmp_path, target):
    write(tmp_path, {"outside.py": "secret"})
    repository = create(tmp_path / "r", FILES)
    (tmp_path / "r" / "link.py").symlink_to(target)
    untracked = snapshot.worktree(repository)
    commit(tmp_path / "r")
    for state in (untracked, snapshot.worktree(repository), snapshot.index(repository)):
        assert state.read("link.py") is None
        assert reasons(state) == {"link.py": "a symbolic link that points outside the repository"}


def test_link_loops_and_dangling_links_are_gaps(tmp_path):
    repository = create(tmp_path, FILES)
    (tmp_path / "one.py").symlink_to("two.py")
    (tmp_path / "two.py").symlink_to("one.py")
    (tmp_path / "self").symlink_to("self/self")
    (tmp_path / "dangling.py").symlink_to("nothing.py")
    (tmp_path / "folder.py").symlink_to("deep")
    commit(tmp_path)
    for state in (snapshot.worktree(repository), snapshot.commit(repository, "HEAD")):
        assert set(reasons(state)) == {"one.py", "two.py", "self", "dangling.py", "folder.py"}


def test_a_folder_replaced_by_a_link_leads_nowhere(tmp_path):
    write(tmp_path, {"outside/b.py": "secret"})
    repository = create(tmp_path / "r", FILES)
    root = repository.root
    git(root, "rm", "-r", "--quiet", "--cached", "deep")
    (root / "deep").rename(tmp_path / "elsewhere")
    git(root, "reset", "--quiet")
    (root / "deep").symlink_to(tmp_path / "outside")
    state = snapshot.worktree(repository)
    assert b"secret" not in contents(state).values()
    assert "deep/b.py" not in state


def test_a_file_replaced_by_a_pipe_does_not_stop_the_scan(tmp_path):
    repository = create(tmp_path, FILES)
    (tmp_path / "a.py").unlink()
    os.mkfifo(tmp_path / "a.py")
    state = snapshot.worktree(repository)
    assert state.read("a.py") is None
    assert reasons(state) == {"a.py": "not a regular file"}


def test_a_huge_file_is_a_gap_in_every_state(tmp_path):
    repository = create(tmp_path, FILES)
    write(tmp_path, {"huge.py": b"#" * (SIZE_LIMIT + 1), "z.py": "z\n"})
    untracked = snapshot.worktree(repository)
    commit(tmp_path)
    for state in (untracked, snapshot.worktree(repository), snapshot.commit(repository, "HEAD")):
        assert contents(state)["huge.py"] is None
        assert contents(state)["z.py"] == b"z\n"
        assert state.read("huge.py") is None
        assert state.read("z.py") == b"z\n"
        assert reasons(state) == {"huge.py": "the file is larger than 8 MiB"}


def test_a_file_that_changes_while_it_is_read_is_a_gap(tmp_path):
    repository = create(tmp_path, FILES)
    write(tmp_path, {"a.py": "first\n"})
    state = snapshot.worktree(repository)
    state.blob("a.py")
    write(tmp_path, {"a.py": "second\n"})
    assert state.read("a.py") is None
    assert "changed while it was read" in reasons(state)["a.py"]


def test_a_tracked_file_that_changes_after_the_snapshot_keeps_its_content_there(tmp_path):
    repository = create(tmp_path, FILES)
    state = snapshot.worktree(repository)
    write(tmp_path, {"a.py": "later\n"})
    assert state.read("a.py") == b"a\n"


def test_a_checkout_with_other_line_ends_has_gits_content(tmp_path):
    repository = create(tmp_path, {**FILES, ".gitattributes": "*.py text eol=crlf\n"})
    (tmp_path / "a.py").unlink()
    git(tmp_path, "checkout", "--quiet", "a.py")
    assert (tmp_path / "a.py").read_bytes() == b"a\r\n"
    assert snapshot.worktree(repository).read("a.py") == b"a\n"


def test_content_equal_to_the_index_after_a_touch_has_its_blob_id(tmp_path):
    repository = create(tmp_path, FILES)
    os.utime(tmp_path / "a.py", ns=(10**18, 10**18))
    state = snapshot.worktree(repository)
    assert state.blob("a.py") == blob_id(b"a\n")
    assert state.read("a.py") == b"a\n"


def test_many_files_come_in_the_order_asked_from_the_object_store(tmp_path):
    files = {f"f{number}.py": f"{number}\n" * number for number in range(300)}
    repository = create(tmp_path, files)
    state = snapshot.commit(repository, "HEAD")
    wanted = sorted(files, reverse=True)
    assert list(state.read_many(wanted)) == [(path, files[path].encode()) for path in wanted]


def test_a_snapshot_of_a_commit_is_named_by_its_hash(tmp_path):
    repository = create(tmp_path, FILES)
    state = snapshot.commit(repository, "HEAD")
    head = git(tmp_path, "rev-parse", "HEAD")
    assert state.commit == head
    assert state.name == f"commit {head[:12]}"


def without_rights_of_root(work: Callable[[], object]) -> str:
    """What `work` returns, shown; in a child process of another user where this one is root, who may read all."""
    if os.getuid() != 0:
        return repr(work())
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgid(65534)
        os.setuid(65534)
        try:
            os.write(writing, repr(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return text


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs the rights of POSIX")
def test_an_unreadable_file_is_a_gap(tmp_path, monkeypatch):
    create(tmp_path, {"a.py": "a\n", "b.py": "b\n"})
    (tmp_path / "b.py").chmod(0)
    for place in tmp_path.parents:
        if place.stat().st_uid == os.getuid() and place.name.startswith(("pytest-", "popen-")):
            place.chmod(0o755)
    if os.getuid() == 0:
        for place in (tmp_path, *tmp_path.rglob("*")):
            os.chown(place, 65534, 65534)
    monkeypatch.setenv("HOME", "/nonexistent")

    def look() -> object:
        state = snapshot.worktree(Repository.open(tmp_path))
        return contents(state), state.gaps

    expected = {"a.py": b"a\n", "b.py": None}, (Gap("b.py", "the file cannot be read: permission denied"),)
    assert without_rights_of_root(look) == repr(expected)
