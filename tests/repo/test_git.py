import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from pactkeeper.errors import GitFailed, MissingBaseline, NotARepository, UnknownRevision
from pactkeeper.repo import snapshot
from pactkeeper.repo.git import Repository
from tests.repo.repositories import commit, create, git, write


def test_a_repository_is_opened_from_any_folder_and_file_inside_it(tmp_path):
    create(tmp_path / "r", {"a/b/c.py": "x"})
    for place in ("", "a/b", "a/b/c.py"):
        assert Repository.open(tmp_path / "r" / place).root == tmp_path / "r"


def test_a_linked_work_tree_shares_the_common_folder(tmp_path):
    main = create(tmp_path / "main", {"a.py": "x"})
    git(main.root, "worktree", "add", "--quiet", str(tmp_path / "other"))
    other = Repository.open(tmp_path / "other")
    assert other.root == tmp_path / "other"
    assert other.common_dir == main.common_dir
    assert other.git_dir != main.git_dir


def test_a_folder_with_a_newline_and_quotes_in_its_name_is_opened(tmp_path):
    root = tmp_path / 'odd\nname "quoted" é'
    create(root, {"a.py": "x"})
    found = Repository.open(root)
    assert found.root == root
    assert found.common_dir == root / ".git"


def test_a_folder_outside_git_is_refused_with_advice(tmp_path):
    with pytest.raises(NotARepository, match="git init"):
        Repository.open(tmp_path)


def test_a_folder_outside_git_is_named_by_its_whole_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotARepository, match=f"'{tmp_path}' is not inside a git repository"):
        Repository.open(Path())


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(NotARepository, match="there is no folder"):
        Repository.open(tmp_path / "no" / "such")


def test_a_bare_repository_is_refused(tmp_path):
    create(tmp_path / "r", {"a.py": "x"})
    git(tmp_path, "clone", "--quiet", "--bare", str(tmp_path / "r"), str(tmp_path / "bare.git"))
    with pytest.raises(NotARepository, match="bare repository"):
        Repository.open(tmp_path / "bare.git")


def test_the_inside_of_the_git_folder_is_refused(tmp_path):
    create(tmp_path, {"a.py": "x"})
    with pytest.raises(NotARepository, match="git's own folder"):
        Repository.open(tmp_path / ".git")


def test_a_missing_git_program_is_explained(tmp_path, monkeypatch):
    create(tmp_path, {"a.py": "x"})
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(GitFailed, match="install git"):
        Repository.open(tmp_path)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_user_is_refused_with_the_command_that_trusts_it(tmp_path, monkeypatch):
    create(tmp_path, {"a.py": "x"})
    for place in [tmp_path, *tmp_path.rglob("*")]:
        os.chown(place, 4321, 4321)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    with pytest.raises(GitFailed, match="--add safe"):
        Repository.open(tmp_path)


def test_files_placed_elsewhere_by_settings_are_refused_with_the_way_back(tmp_path):
    create(tmp_path / "r", {"a.py": "x"})
    (tmp_path / "other").mkdir()
    git(tmp_path / "r", "config", "core.worktree", str(tmp_path / "other"))
    with pytest.raises(NotARepository, match=r"config --unset core\.worktree"):
        Repository.open(tmp_path / "r")


def test_no_reference_of_a_clone_exchanges_what_a_commit_holds(tmp_path):
    repository = create(tmp_path, {"a.py": "x = 1\n"})
    (tmp_path / "b.py").write_text("y = 2\n")
    other = git(tmp_path, "hash-object", "-w", "b.py").strip()
    git(tmp_path, "replace", git(tmp_path, "rev-parse", "HEAD:a.py").strip(), other)
    assert snapshot.commit(Repository.open(tmp_path), "HEAD").read("a.py") == b"x = 1\n"
    assert repository.head() is not None


@pytest.mark.parametrize("state", ["new", "packed", "detached", "linked", "sha256"])
def test_head_is_the_commit_that_git_names_wherever_it_is_stored(tmp_path, state):
    git(tmp_path, "init", "--quiet", f"--object-format={'sha256' if state == 'sha256' else 'sha1'}", "r")
    place = tmp_path / "r"
    write(place, {"a.py": "x"})
    commit(place)
    if state == "packed":
        git(place, "gc", "--quiet")
    elif state == "detached":
        git(place, "checkout", "--quiet", "--detach")
    elif state == "linked":
        git(place, "worktree", "add", "--quiet", "-b", "side", "../linked")
        place = tmp_path / "linked"
        write(place, {"a.py": "y"})
        commit(place)
    repository, named = Repository.open(place), git(place, "rev-parse", "HEAD").strip()
    assert repository.head() == repository.resolve(named) == named


@pytest.mark.parametrize("damage", ["object", "exchanged", "packed", "circle"])
def test_a_commit_of_head_that_git_cannot_read_is_no_repository_without_a_commit(tmp_path, damage):
    repository = create(tmp_path, {"a.py": "x"})
    head = git(tmp_path, "rev-parse", "HEAD")
    if damage == "object":
        (repository.git_dir / "objects" / head[:2] / head[2:]).unlink()
    elif damage == "exchanged":
        place = repository.git_dir / "objects" / head[:2] / head[2:]
        place.chmod(0o600)
        place.write_bytes(zlib.compress(zlib.decompress(place.read_bytes()).replace(b"author", b"writer")))
    elif damage == "packed":
        git(tmp_path, "pack-refs", "--all")
        (repository.git_dir / "packed-refs").write_text("garbage\n")
    else:
        (repository.git_dir / "refs/heads/main").write_text("ref: refs/heads/main\n")
    with pytest.raises(GitFailed, match="git cannot read the commit of HEAD"):
        repository.resolve("HEAD")


def test_a_repository_without_a_commit_has_no_head_but_readable_files(tmp_path):
    repository = create(tmp_path)
    write(tmp_path, {"a.py": "x"})
    assert repository.head() is None
    assert list(snapshot.worktree(repository).paths) == ["a.py"]
    assert list(snapshot.index(repository).paths) == []
    with pytest.raises(UnknownRevision, match="no commit yet"):
        repository.resolve("HEAD")


@pytest.mark.parametrize("name", ["--all", "-x", "", "no-such-branch", "a\nb", "HEAD~99", "HEAD:a.py", "main..main"])
def test_what_names_no_commit_is_refused(tmp_path, name):
    repository = create(tmp_path, {"a.py": "x"})
    with pytest.raises(UnknownRevision):
        repository.resolve(name)


def test_branches_tags_and_short_hashes_resolve_to_the_commit(tmp_path):
    repository = create(tmp_path, {"a.py": "x"})
    git(tmp_path, "tag", "--annotate", "v1", "--message", "one")
    head = repository.head()
    assert head is not None
    assert {repository.resolve(name) for name in ("HEAD", "main", "v1", head[:10], "refs/heads/main")} == {head}


def test_the_merge_base_is_where_branches_parted(tmp_path):
    repository = create(tmp_path, {"a.py": "x"})
    parted = repository.head()
    git(tmp_path, "checkout", "--quiet", "-b", "side")
    write(tmp_path, {"b.py": "x"})
    commit(tmp_path)
    git(tmp_path, "checkout", "--quiet", "main")
    write(tmp_path, {"c.py": "x"})
    commit(tmp_path)
    assert repository.merge_base("side") == parted


def test_unrelated_histories_have_no_baseline(tmp_path):
    repository = create(tmp_path, {"a.py": "x"})
    git(tmp_path, "checkout", "--quiet", "--orphan", "other")
    commit(tmp_path, "another beginning")
    with pytest.raises(MissingBaseline, match="no common history"):
        repository.merge_base("main")


def test_a_shallow_clone_without_the_merge_base_says_how_to_get_it(tmp_path):
    origin = create(tmp_path / "origin", {"a.py": "x"}).root
    git(origin, "checkout", "--quiet", "-b", "side")
    write(origin, {"b.py": "x"})
    commit(origin)
    git(origin, "checkout", "--quiet", "main")
    write(origin, {"c.py": "x"})
    commit(origin)
    url = origin.as_uri()
    git(tmp_path, "clone", "--quiet", "--depth=1", "--no-single-branch", url, str(tmp_path / "clone"))
    clone = Repository.open(tmp_path / "clone")
    assert clone.shallow
    with pytest.raises(MissingBaseline, match="fetch --unshallow"):
        clone.merge_base("origin/side", "origin/main")
    with pytest.raises(UnknownRevision, match="fetch --unshallow"):
        clone.resolve("HEAD~1")


def test_a_worktree_whose_main_clone_is_gone_says_so(tmp_path):
    (tmp_path / ".git").write_text(f"gitdir: {tmp_path}/gone\n")
    with pytest.raises(NotARepository, match=f"not a git repository: {tmp_path}/gone"):
        Repository.open(tmp_path)


def test_the_trunk_is_the_remotes_default_branch_before_local_names(tmp_path):
    origin = create(tmp_path / "origin", {"a.py": "x"}).root
    git(origin, "branch", "--move", "main", "develop")
    git(tmp_path, "clone", "--quiet", str(origin), str(tmp_path / "clone"))
    git(tmp_path / "clone", "branch", "main")
    assert Repository.open(tmp_path / "clone").trunk() == "refs/remotes/origin/HEAD"


def test_without_any_main_branch_there_is_no_trunk(tmp_path):
    repository = create(tmp_path, {"a.py": "x"})
    git(tmp_path, "branch", "--move", "main", "work")
    with pytest.raises(MissingBaseline, match="no main branch"):
        repository.trunk()


def _trap(tmp_path: Path) -> tuple[Path, str]:
    """A program that leaves a trace when it is run, and the trace."""
    trace = tmp_path / "trace"
    program = tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\necho ran >> '{trace}'\ncat\n")
    program.chmod(0o755)
    return trace, str(program)


def _arm(root: Path, program: str) -> None:
    for key in ("core.fsmonitor", "core.pager", "diff.external", "filter.evil.clean", "filter.evil.smudge"):
        git(root, "config", key, program)
    git(root, "config", "filter.evil.process", program)
    git(root, "config", "filter.a=b.c d.clean", program)
    git(root, "config", "filter.evil.required", "true")
    git(root, "config", "diff.evil.textconv", program)
    git(root, "config", "core.sshCommand", program)
    hook = root / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy(program, hook)


def _racily_clean(root: Path) -> None:
    """Make git unable to tell from times that files are unchanged, so that it has to compare their contents."""
    os.utime(root / ".git" / "index", ns=(10**9, 10**9))


def test_reading_a_hostile_repository_runs_none_of_its_programs(tmp_path):
    root = create(tmp_path / "r", {"a.py": "x = 1\n", "b.py": "y = 1\n"}).root
    write(root, {".gitattributes": "*.py filter=evil diff=evil\n"})
    first = commit(root)
    trace, program = _trap(tmp_path)
    _arm(root, program)
    write(root, {"a.py": "x = 2\n", "c.py": "new\n"})
    _racily_clean(root)
    repository = Repository.open(root)
    for state in (snapshot.worktree(repository), snapshot.index(repository), snapshot.commit(repository, first)):
        assert all(data is not None for _, data in state.read_many(state.paths))
    repository.merge_base("main")
    assert not trace.exists()


def test_the_trap_of_the_test_above_does_catch_plain_git(tmp_path):
    root = create(tmp_path / "r", {"a.py": "x = 1\n"}).root
    write(root, {".gitattributes": "*.py filter=evil diff=evil\n"})
    commit(root)
    trace, program = _trap(tmp_path)
    _arm(root, program)
    write(root, {"a.py": "x = 2\n"})
    subprocess.run(["git", "-C", str(root), "status"], capture_output=True, check=False)
    assert trace.exists()


def test_a_filter_that_an_included_file_of_settings_names_runs_nothing(tmp_path):
    root = create(tmp_path / "r", {"a.py": "x = 1\n", ".gitattributes": "*.py filter=evil\n"}).root
    trace, program = _trap(tmp_path)
    (tmp_path / "more").write_text(f'[filter "evil"]\n\tclean = "{program}"\n')
    git(root, "config", "include.path", str(tmp_path / "more"))
    write(root, {"a.py": "x = 2\n"})
    _racily_clean(root)
    state = snapshot.worktree(Repository.open(root))
    assert dict(state.read_many(["a.py"])) == {"a.py": b"x = 2\n"}
    assert not trace.exists()


@pytest.mark.parametrize("packed", [False, True])
def test_contents_that_are_read_in_turns_reach_whoever_asked(tmp_path, packed):
    files = {f"{number:03}.txt": f"{number}\n" for number in range(150)}
    repository = create(tmp_path, files)
    if packed:
        git(tmp_path, "repack", "-a", "-d", "--quiet")
    state = snapshot.commit(repository, "HEAD")
    readers = state.read_many(state.paths), state.read_many(state.paths[::-1])
    taken = list(zip(*readers, strict=True))
    for place in (0, 1):
        assert dict(pair[place] for pair in taken) == {path: text.encode() for path, text in files.items()}


def test_a_missing_object_of_a_partial_clone_is_an_error_and_never_fetched(tmp_path):
    origin = create(tmp_path / "origin", {"a.py": "x = 1\n"}).root
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", origin.as_uri(), str(tmp_path / "clone"))
    clone = Repository.open(tmp_path / "clone")
    state = snapshot.commit(clone, "HEAD")
    with pytest.raises(GitFailed, match="partial clone"):
        list(state.read_many(state.paths))


def test_reading_leaves_the_index_file_alone(tmp_path):
    repository = create(tmp_path, {"a.py": "x = 1\n"})
    os.utime(tmp_path / "a.py", ns=(10**18, 10**18))
    before = (tmp_path / ".git" / "index").read_bytes()
    snapshot.worktree(repository)
    assert (tmp_path / ".git" / "index").read_bytes() == before


def test_inside_a_commit_hook_the_index_being_committed_counts(tmp_path, monkeypatch):
    create(tmp_path, {"a.py": "old\n"})
    write(tmp_path, {"a.py": "new\n"})
    other = tmp_path / ".git" / "next-index-1.lock"
    shutil.copy(tmp_path / ".git" / "index", other)
    subprocess.run(
        ["git", "-C", str(tmp_path), "add", "a.py"], env={**os.environ, "GIT_INDEX_FILE": str(other)}, check=True
    )
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    assert snapshot.index(Repository.open(tmp_path)).read("a.py") == b"new\n"


def test_a_hooks_variables_do_not_bind_another_repository(tmp_path, monkeypatch):
    create(tmp_path / "hooked", {"a.py": "x"})
    create(tmp_path / "other", {"b.py": "x"})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "hooked" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "hooked"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "hooked" / ".git" / "index"))
    assert list(snapshot.index(Repository.open(tmp_path / "other")).paths) == ["b.py"]


def test_a_failing_command_is_an_error_with_what_git_said(tmp_path):
    repository = create(tmp_path, {"a.py": "x"})
    with pytest.raises(GitFailed, match=r"`git cat-file` failed: .*"):
        repository.run("cat-file", "-p", "0" * 40)


def test_the_git_room_starts_without_heavy_imports():
    script = "import sys, pactkeeper.repo.git; print(sorted({'msgspec', 'sqlite3', 'tree_sitter'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
