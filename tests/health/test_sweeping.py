"""Sweeps of real repositories with real programs."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pactkeeper.catalog.placement import alone
from pactkeeper.errors import BusyError, CatalogError, NotARepository, SourceError, UnknownRevision
from pactkeeper.health import checking
from pactkeeper.health.watching import SWEEPING
from pactkeeper.repo.git import Repository
from tests.health.sweeps import check, places, project, result, swept, verdicts, waited, written
from tests.repo.repositories import commit, git, write
from tests.waiting import running

pytestmark = pytest.mark.slow

TORN = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> feature\n"


def tree(repository):
    return places(repository).tree


def worktrees(repository):
    return len(git(repository.root, "worktree", "list").splitlines())


def test_every_verdict_is_told_apart(tmp_path):
    found = swept(
        project(
            tmp_path,
            check("good", "true"),
            check("bad", "echo broken; exit 1"),
            check("slow", "sleep 100", timeout=1),
            check("lost", "no-such-program-at-all"),
        )
    )
    assert verdicts(found) == {"good": "pass", "bad": "fail", "slow": "timed out", "lost": "could not run"}
    assert "broken" in result(found, "bad").diagnostics[0].message
    assert result(found, "slow").reason == "it was killed after its timeout of 1 s"
    assert not found.green


FAILED = "echo 'FAILED tests/test_a.py::test_x - assert 1 == 2'; echo '1 failed, 2 passed in 0.1s'"


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [
        (FAILED, "fail"),
        ("echo 'FAILED tests/test_a.py::test_x - printed by a test'; echo '3 passed in 0.1s'", "pass"),
        ("echo 'no tests ran in 0.01s'", "could not tell"),
        ("true", "could not tell"),
        ("echo '3 passed in 0.1s'", "pass"),
    ],
)
def test_what_the_tool_reports_beats_an_exit_code_of_0(tmp_path, printed, verdict):
    found = swept(project(tmp_path, check("x", printed, parser="pytest")))
    assert (result(found).verdict, found.green) == (verdict, verdict == "pass")


def test_check_that_passed_reports_no_error_whatever_it_printed(tmp_path):
    found = swept(project(tmp_path, check("silent", "true"), check("loud", "echo error: none")))
    assert [one.diagnostics for one in found.results] == [(), (), ()]


def test_checks_run_in_the_order_of_repair_however_they_are_declared(tmp_path):
    order = [check(name, "true", name) for name in ("lint", "test", "compile", "build")]
    found = swept(project(tmp_path, *order))
    assert [one.category for one in found.results] == ["conflict", "build", "compile", "test", "lint"]
    assert found.green


@pytest.mark.parametrize(("setting", "verdict"), [("run", "pass"), ("skip", "not applicable")])
def test_later_categories_run_after_a_failure_unless_the_settings_say_no(tmp_path, setting, verdict):
    settings = f'after_failure = "{setting}"'
    repository = project(tmp_path, check("b", "false", "build"), check("t", "true"), settings=settings)
    assert verdicts(swept(repository)) == {"b": "fail", "t": verdict}


def test_commit_is_swept_and_not_what_lies_in_the_work_tree(tmp_path):
    repository = project(tmp_path, check("x", "cat a.txt; ls"))
    write(tmp_path, {"a.txt": "changed\n", "new.txt": ""})
    found = swept(repository)
    assert result(found).output.text == "a\na.txt\npact\n"
    assert (found.commit, found.branch, found.stale) == (repository.head(), "main", False)


def test_nothing_of_a_sweep_is_left(tmp_path):
    repository = project(tmp_path, check("x", "touch left; pwd"))
    found = swept(repository)
    assert result(found).output.text.strip() == str(tree(repository))
    assert not tree(repository).exists()
    assert worktrees(repository) == 1
    assert git(tmp_path, "status", "--porcelain") == ""


def test_other_work_trees_are_left_alone_even_where_they_are_away(tmp_path):
    repository = project(tmp_path / "r", check("x", "rm -rf ../tree"))
    git(tmp_path / "r", "worktree", "add", "-q", "../away")
    (tmp_path / "away").rename(tmp_path / "unplugged")
    assert swept(repository).green
    (tmp_path / "unplugged").rename(tmp_path / "away")
    assert git(tmp_path / "away", "status", "--porcelain") == ""
    assert worktrees(repository) == 2


def test_head_that_moves_meanwhile_makes_the_result_stale(tmp_path):
    repository = project(tmp_path / "r", check("x", f"git -C {tmp_path}/r commit -q --allow-empty -m y"))
    git(tmp_path / "r", "config", "user.name", "Ada")
    git(tmp_path / "r", "config", "user.email", "ada@example.org")
    found = swept(repository)
    assert (verdicts(found), found.stale) == ({"x": "pass"}, True)


def test_branch_is_swept_from_elsewhere_and_an_old_commit_is_stale(tmp_path):
    repository = project(tmp_path, check("x", "true"))
    first = repository.head()
    git(tmp_path, "checkout", "-q", "-b", "work")
    commit(tmp_path)
    found = swept(repository, "main")
    assert (found.commit, found.branch, found.stale) == (first, "main", False)
    assert swept(repository, first).stale


def test_a_sweep_of_another_branch_says_nothing_about_the_main_one(tmp_path):
    repository = project(tmp_path, check("x", "true"))
    git(tmp_path, "checkout", "-q", "-b", "work")
    assert not swept(repository).stale  # it is the same commit
    commit(tmp_path)
    assert swept(repository).stale
    git(tmp_path, "branch", "-m", "main", "trunk")
    assert not swept(repository).stale  # no branch is known to be the main one


def test_check_that_changes_files_is_named_and_the_next_one_sees_the_commit(tmp_path):
    first = check("first", "echo changed > a.txt; touch built", "build")
    found = swept(project(tmp_path, first, check("x", "cat a.txt; ls built")))
    assert result(found, "first").notes == ("it changed tracked files: a.txt",)
    assert result(found).output.text == "a\nbuilt\n"


@pytest.mark.parametrize(
    ("script", "note"),
    [
        ("rm -rf $PWD", "it deleted the worktree"),
        ("rm -rf ./* .git", "it deleted the worktree"),
        ("git checkout -q --detach HEAD~1", "it moved HEAD"),
    ],
)
def test_check_that_destroys_its_tree_is_named_and_the_next_one_has_a_whole_one(tmp_path, script, note):
    project(tmp_path)
    found = swept(project(tmp_path, check("first", script, "build"), check("x", "cat a.txt; git rev-parse HEAD")))
    assert result(found, "first").notes[0].startswith(note)
    assert result(found).output.text == f"a\n{found.commit}\n"


def test_process_that_a_check_leaves_is_ended_and_named(tmp_path):
    found = swept(project(tmp_path, check("x", "setsid sleep 1000 & sleep 0.3")))
    assert (result(found).verdict, result(found).notes) == ("pass", ("it left 1 process running, which was killed",))


def test_conflict_in_the_settings_themselves_is_what_the_sweep_tells(tmp_path):
    repository = project(tmp_path, check("x", "true"))
    write(tmp_path, {"pact/pact.toml": TORN})
    commit(tmp_path)
    found = swept(repository)
    assert [(one.check, one.verdict) for one in found.results] == [("conflict-markers", "fail")]


def test_broken_settings_are_an_error_that_names_the_line(tmp_path):
    with pytest.raises(CatalogError, match=r"pact/pact.toml:7: 'shel'"):
        swept(project(tmp_path, check("x", "true", shel=1)))


def test_in_place_runs_on_uncommitted_work_and_is_stale_for_it(tmp_path):
    repository = project(tmp_path, check("x", "cat a.txt; echo b > a.txt"))
    assert not swept(repository, in_place=True).stale
    found = swept(repository, in_place=True)
    assert (result(found).output.text, found.stale) == ("b\n", True)
    git(tmp_path, "checkout", "a.txt")
    assert result(swept(repository, in_place=True)).notes == ("it changed tracked files: a.txt",)


def test_report_and_cache_lie_outside_of_the_tree(tmp_path):
    script = "echo {report} {cache} {root} $R; test -d {cache} && touch {cache}/kept {report}; ls {cache}"
    repository = project(tmp_path, check("x", script, environment={"R": "{root}"}))
    report, cache, root, again, listed = result(swept(repository)).output.text.split()
    assert str(tree(repository)) == root == again
    assert not report.startswith(root)
    assert not cache.startswith(root)
    assert listed == "kept"
    assert not os.path.exists(report)  # noqa: PTH110 - it is a text here


def test_preparation_runs_once_for_each_content_of_the_lock_files(tmp_path):
    log = tmp_path / "log"
    prepare = ["sh", "-c", f"echo run >> {log}; mkdir deps; touch deps/here"]
    repository = project(tmp_path / "r", check("x", "ls deps; touch left", prepare=prepare), **{"go.sum": "1\n"})
    for wanted in ("pass", "pass"):
        assert verdicts(swept(repository)) == {"x": wanted}
    assert log.read_text() == "run\n"
    assert sorted(one.name for one in tree(repository).iterdir() if one.is_dir()) == [".git", "deps", "pact"]
    write(tmp_path / "r", {"go.sum": "2\n"})
    commit(tmp_path / "r")
    assert verdicts(swept(repository)) == {"x": "pass"}
    assert log.read_text() == "run\nrun\n"


def test_what_a_check_leaves_in_a_kept_tree_is_gone_before_the_next_sweep(tmp_path):
    script = "test ! -e left; code=$?; touch left; exit $code"
    repository = project(tmp_path, check("x", script, prepare=["mkdir", "deps"]))
    assert [verdicts(swept(repository)) for _ in range(2)] == [{"x": "pass"}, {"x": "pass"}]


def test_what_was_prepared_is_built_again_where_a_check_destroyed_it_with_the_tree(tmp_path):
    prepare = ["mkdir", "deps"]
    first = check("first", "rm -rf ../tree", "build", prepare=prepare)
    found = swept(project(tmp_path, first, check("x", "test -d deps", prepare=prepare)))
    assert verdicts(found) == {"first": "pass", "x": "pass"}


def test_failed_preparation_means_that_its_checks_could_not_run(tmp_path):
    prepare = ["sh", "-c", "echo no network; exit 7"]
    repository = project(tmp_path, check("x", "true", prepare=prepare), check("y", "true"))
    found = swept(repository)
    assert verdicts(found) == {"x": "could not run", "y": "pass"}
    assert result(found).reason.endswith("exited with code 7: no network")
    assert not tree(repository).exists()


def test_second_sweep_is_refused_while_one_runs(tmp_path):
    repository = project(tmp_path, check("x", "true"))
    with (
        alone(repository.common_dir / "pact", SWEEPING),
        pytest.raises(BusyError, match=f"process {os.getpid()} is sweeping"),
    ):
        swept(repository)


def test_repository_without_a_commit_or_without_a_work_tree_is_an_error(tmp_path):
    git(tmp_path, "init", "-q", "empty")
    with pytest.raises(UnknownRevision, match="no commit yet"):
        swept(Repository.open(tmp_path / "empty"))
    git(tmp_path, "init", "-q", "--bare", "bare")
    with pytest.raises(NotARepository, match="bare"):
        Repository.open(tmp_path / "bare")


def test_detached_head_is_swept_without_a_branch(tmp_path):
    repository = project(tmp_path, check("x", "true"))
    git(tmp_path, "checkout", "-q", "--detach")
    found = swept(repository)
    assert (found.branch, found.stale, found.green) == ("", False, True)


def test_branch_whose_name_is_not_utf_8_is_an_error(tmp_path):
    repository = project(tmp_path, check("x", "true"))
    git(tmp_path, "branch", "--move", os.fsdecode(b"m\xff"))
    with pytest.raises(SourceError, match="not UTF-8; rename it"):
        swept(repository)


def test_rebase_under_way_is_an_error_and_a_branch_is_swept_all_the_same(tmp_path):
    repository = project(tmp_path, check("x", "true"))
    (repository.git_dir / "rebase-merge").mkdir()
    with pytest.raises(SourceError, match=r"a rebase is in progress.*pk health sweep --at main"):
        swept(repository)
    assert swept(repository, "main").green


def test_sweep_that_was_killed_leaves_nothing_to_the_next_one(tmp_path):
    repository = project(tmp_path, check("x", f"test -e go || {{ echo $$ > {tmp_path}/pid; exec sleep 1000; }}"))
    code = f"from tests.health.sweeps import swept\nfrom pactkeeper.repo.git import Repository\nswept(Repository.open({str(tmp_path)!r}))"
    with running([sys.executable, "-c", code]):
        left = written(tmp_path / "pid")
    (tree(repository) / ".git/index.lock").touch()
    write(tmp_path, {"go": "", ".gitignore": "pid\n"})
    commit(tmp_path)
    assert swept(repository).green
    assert worktrees(repository) == 1
    with pytest.raises(ProcessLookupError):
        waited(left)


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("mount") is None, reason="mounting a small disk takes root")
def test_full_disk_is_an_error_and_leaves_nothing(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(disk)], check=False)
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        repository = project(tmp_path / "r", check("x", "true"), **{"big.txt": "x" * 400_000})
        places(repository).folder.symlink_to(disk)
        with pytest.raises(SourceError, match="git checkout"):
            swept(repository)
        assert worktrees(repository) == 1
    finally:
        subprocess.run(["umount", str(disk)], check=True)


WRITES = """
git config user.name Mallory; git config user.email m@example.org; git tag evil; git branch evil
git commit -q --allow-empty -m evil; git update-ref refs/heads/main HEAD; echo evil > .git/hooks/pre-commit
mkdir -p .git/hooks; printf '#!/bin/sh\ntouch /tmp/never' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout
git config core.fsmonitor 'touch fsmonitor-ran'; echo b >> a.txt; git add a.txt; git update-index --assume-unchanged pact/pact.toml
setsid sleep 300 > /dev/null 2>&1 &
"""


def bytes_of(folder):
    return {str(one): one.read_bytes() for one in folder.rglob("*") if one.is_file() and "/pact/" not in str(one)}


def test_what_a_check_writes_with_git_stays_out_of_the_repository_and_is_reported(tmp_path):
    repository = project(
        tmp_path / "r", check("first", WRITES, "build"), check("x", "git tag; git status --short -uno; cat a.txt")
    )
    git(tmp_path / "r", "tag", "v1")
    before = bytes_of(tmp_path / "r")
    found = swept(repository)
    assert bytes_of(tmp_path / "r") == before
    assert result(found, "first").notes == (
        "it wrote git's configuration",
        "it wrote git hooks",
        "it wrote tags",
        "it wrote branches or other refs",
        "it moved HEAD",
        "it changed git's index",
        "it changed tracked files: a.txt",
        "it left 1 process running, which was killed",
    )
    assert result(found).output.text == "v1\na\n"


def test_a_check_sees_tags_branches_and_history(tmp_path):
    repository = project(tmp_path, check("x", "git describe --tags; git rev-parse main; git log --oneline | wc -l"))
    git(tmp_path, "tag", "v1")
    assert result(swept(repository)).output.text.split() == ["v1", repository.head(), "1"]


def test_a_folder_that_leads_out_of_the_repository_is_refused(tmp_path):
    (tmp_path / "r").mkdir()
    (tmp_path / "r/out").symlink_to(tmp_path)
    found = swept(project(tmp_path / "r", check("x", "touch ran", directory="out")))
    assert (result(found).verdict, (tmp_path / "ran").exists()) == ("could not run", False)
    assert result(found).reason.startswith("the folder 'out' is outside the repository")


SANDBOXED = 'sandbox = "bubblewrap"'


@pytest.mark.skipif(bool(checking.unready()), reason=checking.unready())
def test_inside_bubblewrap_a_check_writes_its_worktree_and_nothing_else_of_the_person(tmp_path):
    root, left = tmp_path / "r", tmp_path / "left"
    evil = f"echo evil > {root}/.git/hooks/pre-commit; echo evil > {root}/a.txt; echo evil > {left}; echo evil > ~/note"
    script = f"{evil}; echo built > made && git log --oneline | wc -l && cat a.txt ~/note && (sleep 300 &)"
    repository = project(root, check("x", script), settings=SANDBOXED)
    before = bytes_of(root)
    found = result(swept(repository))
    assert (found.verdict, found.output.text.split()[-3:]) == ("pass", ["1", "a", "evil"])
    assert bytes_of(root) == before
    assert not left.exists()
    assert not (Path.home() / "note").exists()


@pytest.fixture
def homely(monkeypatch):
    """A home folder with secrets and tools that is not below /tmp, which bubblewrap hides in any case."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        home = Path(name) / "ada"
        for path in (".ssh/id", ".netrc", ".tools/list", "shop/.env"):
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_text(f"{path} of Ada\n")
        monkeypatch.setenv("HOME", str(home))
        yield home


@pytest.mark.skipif(bool(checking.unready()), reason=checking.unready())
def test_inside_bubblewrap_a_check_reads_no_home_folder_but_what_is_named(homely):
    shown = " ".join(f"{homely}/{path}" for path in (".ssh/id", ".netrc", ".tools/list", "shop/.env"))
    script = f"cat {shown} 2>/dev/null; touch {homely}/.tools/mine 2>/dev/null || echo closed; exit 0"
    settings = f'{SANDBOXED}\nreadable = ["~/.tools", "~/.nothing"]'
    repository = project(homely / "shop", check("x", script, "build"), settings=settings)
    assert result(swept(repository)).output.text.splitlines() == [".tools/list of Ada", "closed"]
    assert not (homely / ".tools/mine").exists()
    open_to_all = project(homely / "open", check("x", f"cat {homely}/.ssh/id", "build"))
    assert result(swept(open_to_all)).output.text == ".ssh/id of Ada\n"


@pytest.mark.skipif(bool(checking.unready()), reason=checking.unready())
def test_inside_bubblewrap_a_check_of_root_sees_of_etc_what_programs_need(tmp_path):
    script = "cd /etc; ls -d shadow ssh ssl/private pip.conf passwd hosts 2>/dev/null; id -un > /dev/null"
    found = result(swept(project(tmp_path / "r", check("x", script, "build"), settings=SANDBOXED)))
    assert (found.verdict, sorted(found.output.text.split())) == ("pass", ["hosts", "passwd"])


@pytest.mark.skipif(bool(checking.unready()), reason=checking.unready())
def test_a_program_that_bubblewrap_hides_is_said_to_be_hidden(homely):
    (homely / ".tools/lint").write_text("#!/bin/sh\necho linted\n")
    (homely / ".tools/lint").chmod(0o755)
    declared = f'[[health.check]]\nname = "x"\ncategory = "build"\nargv = ["{homely}/.tools/lint"]\n'
    hidden = result(swept(project(homely / "r", declared, settings=SANDBOXED)))
    assert hidden.verdict == "could not run"
    assert "is not available inside bubblewrap; add its folder to [health] readable" in hidden.reason
    settings = f'{SANDBOXED}\nreadable = ["~/.tools"]'
    assert result(swept(project(homely / "s", declared, settings=settings))).verdict == "pass"


@pytest.mark.skipif(bool(checking.unready()), reason=checking.unready())
def test_a_program_that_is_missing_inside_bubblewrap_is_missing_and_no_failure(tmp_path):
    repository = project(tmp_path / "r", check("x", "nosuchprogram"), settings=SANDBOXED)
    found = result(swept(repository))
    assert (found.verdict, found.reason) == ("could not run", "the command 'nosuchprogram' is not found")


def test_without_bubblewrap_nothing_runs_where_it_is_asked_for(tmp_path, monkeypatch):
    repository = project(tmp_path / "r", check("x", f"touch {tmp_path}/ran"), settings=SANDBOXED)
    git_only = tmp_path / "bin"
    git_only.mkdir()
    (git_only / "git").symlink_to(shutil.which("git"))
    monkeypatch.setenv("PATH", str(git_only))
    checking.unready.cache_clear()
    try:
        found = result(swept(repository))
    finally:
        checking.unready.cache_clear()
    assert (found.verdict, (tmp_path / "ran").exists()) == ("could not run", False)
    assert 'install bubblewrap, or take sandbox = "bubblewrap" out of [health]' in found.reason
