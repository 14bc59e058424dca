"""Bad input gets a clear error, the documented exit code, and loses nothing."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.projects import PYTHON_TESTS, Project, new_project
from tests.waiting import PATIENCE, running, until

TEST = "def test_something():\n    assert 1 + 1 == 2\n"


def test_folder_outside_git_is_refused(tmp_path):
    error = Project(tmp_path).pk("scan", code=2).err
    assert "not inside a git" in error or "git" in error
    assert "Traceback" not in error


def test_repository_without_a_commit_can_be_scanned_and_adopted(tmp_path):
    project = new_project(tmp_path / "seed")
    fresh = Project(tmp_path / "fresh")
    fresh.root.mkdir()
    fresh.git("init", "--quiet")
    fresh.git("config", "user.name", "Ada")
    fresh.write("tests/test_basket.py", project.read("tests/test_basket.py"))
    assert len(fresh.pk("scan", "--json").document["tests"]) == 3
    fresh.pk("init")
    assert fresh.codes() == []
    assert "no commit" in fresh.pk("delta", code=2).err


@pytest.mark.parametrize(
    "arguments", [("check", "--at", "nowhere"), ("delta", "--since", "nowhere"), ("scan", "--at=--x")]
)
def test_unknown_revision_is_named(project, arguments):
    error = project.pk(*arguments, code=2).err
    assert "nowhere" in error or "--x" in error


def test_shallow_clone_says_how_to_get_the_history(project, tmp_path):
    project.git("checkout", "--quiet", "-b", "work")
    project.write("a.txt", "a")
    project.commit()
    shallow = Project(tmp_path / "shallow")
    subprocess.run(
        ["git", "clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{project.root}", str(shallow.root)],
        check=True,
    )
    error = shallow.pk("delta", code=2).err
    assert "--since" in error
    assert len(shallow.pk("scan", "--json").document["tests"]) == 4


def test_test_that_conflict_markers_hide_is_not_said_to_be_missing(project):
    method = "    def test_new_basket_is_empty(self):"
    project.replace("tests/test_basket.py", method, f"<<<<<<< HEAD\n=======\n>>>>>>> other\n{method}")
    error = project.pk("accept", "tests/test_basket.py::TestBasket::test_new_basket_is_empty", code=2).err
    assert "no test with this name can be read" in error
    assert "the syntax is broken here" in error
    assert "fix the file first" in error


def test_conflict_markers_in_the_pact_are_named_with_their_line_until_they_are_settled(adopted):
    links = "pact/links/tests/test_basket.py.toml"
    whole = adopted.read(links)
    first, rest = whole.split("\n", 1)
    adopted.write(links, f"{first}\n<<<<<<< HEAD\n{rest}=======\n>>>>>>> other\n")
    out = adopted.pk("check", code=1).out
    assert f"{links}:2: error PK151" in out
    assert "fix: pk resolve" in out
    adopted.pk("resolve", "--ours")
    assert adopted.codes() == []
    assert adopted.read(links) == whole


def test_duplicate_ids_after_a_merge_are_named(adopted):
    atoms = "pact/atoms/tests/test_basket.py.toml"
    adopted.write("pact/atoms/copy.toml", adopted.read(atoms))
    found = adopted.pk("check", "--json", code=1).document["findings"]
    assert {one["code"] for one in found} == {"PK150"}
    assert {one["subject"] for one in found} == set(re.findall(r"IA-\w+", adopted.read(atoms)))
    assert all("pact/atoms/copy.toml" in one["message"] and atoms in one["message"] for one in found)
    adopted.pk("resolve", "--theirs")
    assert adopted.codes() == []


def test_all_problems_of_all_files_come_in_one_error(adopted):
    adopted.write("pact/molecules.toml", "[M-1]\nname = 3\ncolour = 'red'\n")
    adopted.write("pact/waivers.toml", "broken")
    error = adopted.pk("check", code=2).err
    assert "pact/molecules.toml:2" in error
    assert "colour" in error
    assert "pact/waivers.toml" in error


def test_foreign_pact_folder_blocks_nothing_and_is_left_alone(project):
    project.write("pact/consumer.json", "{}")
    project.write("pact/test_consumer.py", "def test_contract(): pass\n")
    project.commit()
    scanned = project.pk("scan", "--json").document["tests"]
    assert "pact/test_consumer.py::test_contract" in [test["id"] for test in scanned]
    project.pk("delta", "--since", "HEAD")
    project.pk("structure")
    project.pk("init")
    project.pk("check")
    assert (project.root / ".pactkeeper" / "pact.toml").is_file()
    assert "pact/" not in project.status()


@pytest.mark.parametrize(
    "source",
    [
        TEST.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TEST.encode(),
        TEST.replace("    ", "\t").encode(),
        "# -*- coding: latin-1 -*-\n# caf\xe9\n".encode("latin-1") + TEST.encode(),
    ],
    ids=["crlf", "bom", "tabs", "latin-1"],
)
def test_odd_but_valid_encodings_are_read(project, source):
    project.write("tests/test_odd.py", source)
    assert "tests/test_odd.py::test_something" in project.pk("scan").out or any(
        test["file"] == "tests/test_odd.py" for test in project.pk("scan", "--json").document["tests"]
    )


def test_comment_written_into_a_crlf_file_keeps_its_line_ends(adopted):
    adopted.write("tests/test_odd.py", TEST.replace("\n", "\r\n"))
    adopted.pk("accept", "tests/test_odd.py", "--intent", "Sums are right.")
    data = (adopted.root / "tests/test_odd.py").read_bytes()
    assert b"# @atom IA-" in data
    assert data.count(b"\n") == data.count(b"\r\n")


@pytest.mark.parametrize(
    "source",
    [b"def test_a():\n    assert 1\n\0\0", b"def test_a(:\n    assert ((\n", TEST.encode() + b"# x\n" * 3_000_000],
    ids=["nul", "syntax", "10 MB"],
)
def test_what_cannot_be_read_is_a_gap_and_never_an_absence(adopted, source):
    adopted.write("tests/test_basket.py", source)
    document = adopted.pk("scan", "--json").document
    assert "tests/test_basket.py" in {gap["file"] for gap in document["gaps"]}
    assert "PK111" not in adopted.codes()
    assert adopted.pk("delta", "--since", "HEAD", "--json").document["deleted"] == []


def test_symbolic_link_loops_and_links_out_of_the_repository_are_survived(project, tmp_path):
    (tmp_path / "outside.py").write_text(TEST)
    (project.root / "tests/test_loop.py").symlink_to("test_loop.py")
    (project.root / "tests/test_out.py").symlink_to(tmp_path / "outside.py")
    (project.root / "tests/folder").symlink_to(".")
    document = project.pk("scan", "--json").document
    assert not [test for test in document["tests"] if "loop" in test["file"] or "out" in test["file"]]


def test_ignored_files_are_no_tests(project):
    project.write(".gitignore", "generated/\n")
    project.write("generated/test_generated.py", TEST)
    assert len(project.pk("scan", "--json").document["tests"]) == 4


def test_submodule_is_not_scanned(project, tmp_path):
    other = new_project(tmp_path / "other")
    project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.root), "vendored")
    assert len(project.pk("scan", "--json").document["tests"]) == 4


def test_second_worktree_shares_the_state(adopted, tmp_path):
    adopted.git("worktree", "add", "--quiet", str(tmp_path / "second"), "-b", "second")
    second = Project(tmp_path / "second")
    assert second.codes() == []
    assert second.pk("reconcile", "--all", "--json").document["ops"] == []


def test_sparse_checkout_calls_nothing_deleted(adopted):
    adopted.git("sparse-checkout", "set", "--no-cone", "/web/", "/pact/")
    assert not (adopted.root / "tests").exists()
    assert "PK111" not in adopted.codes()
    assert adopted.pk("delta", "--since", "HEAD", "--json").document["deleted"] == []
    assert adopted.pk("reconcile", "--all", "--json").document["ops"] == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_unreadable_file_is_a_gap(adopted):
    (adopted.root / "tests/test_basket.py").chmod(0)
    assert "PK120" in adopted.codes()


@pytest.mark.slow
def test_two_writers_at_once_leave_one_clear_winner(project):
    project.pk("reconcile", "--all")
    command = [sys.executable, "-m", "pactkeeper", "apply", "--all"]
    both = [
        subprocess.Popen(command, cwd=project.root, stderr=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)
    ]
    for one in both:
        one.communicate(timeout=PATIENCE)
    assert 0 in {one.returncode for one in both}
    assert {one.returncode for one in both} <= {0, 2}
    assert project.codes() == []


@pytest.mark.slow
def test_interrupt_exits_with_130_and_leaves_nothing_half_written(project):
    for number in range(300):
        project.write(f"tests/test_{number}.py", PYTHON_TESTS)
    project.commit()
    command = [sys.executable, "-m", "pactkeeper", "reconcile", "--all"]
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE}
    with running(command, cwd=project.root, start_new_session=True, **pipes) as interrupted:
        until((project.root / ".git/pact/cache.sqlite").exists, "the cache")
        os.killpg(interrupted.pid, signal.SIGINT)
        _, complaint = interrupted.communicate(timeout=PATIENCE)
    assert interrupted.returncode in {130, 0}
    assert b"Traceback" not in complaint
    assert project.status() == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--sarif"),
        ("review", "--export"),
        ("runs", "export", "--out"),
        ("attest", "--out"),
        ("health", "watch", "--once", "--feed"),
    ],
)
@pytest.mark.parametrize("place", ["nowhere/x.json", "web"])
def test_file_that_cannot_be_written_is_refused_before_work_begins(project, arguments, place):
    error = project.pk(*arguments, place, code=2).err
    assert f"{arguments[-1]} {place!r} cannot be written" in error
    assert not (project.root / ".git" / "pact" / "history.db").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("evidence", "import"),
        ("gaps", "--coverage"),
        ("atom", "import"),
        ("review",),
        ("review", "--import"),
        ("apply",),
        ("attest", "verify"),
    ],
)
def test_device_is_refused_wherever_a_file_is_named(adopted, arguments):
    assert "name a regular file" in adopted.pk(*arguments, "/dev/zero", code=2).err


def test_text_that_is_piped_in_is_read_up_to_a_limit(project):
    assert "has more than 4,194,304 bytes" in project.pk("atom", "import", "-", feed="a\n" * (3 << 20), code=2).err


def test_line_break_in_a_path_starts_no_line_of_ours(project):
    project.pk("init")
    project.write("tests/test_a\nerror: b.py", TEST)
    for command in ("check", "scan", "gaps", "guard", "delta", "status", "reconcile", "next", "atom quality"):
        said = project.pk(*command.split(), *(("--all",) if command == "reconcile" else ()), code=None)
        assert not re.search(r"^error: b\.py", said.out + said.err, re.MULTILINE), command


@pytest.mark.parametrize(
    "prints",
    [
        'echo loading the profile; exec {git} "$@"',
        "echo hello",
        "exit 0",
        "printf 'true\\0false\\n\\377\\n'",
        "yes | head -7",
    ],
)
def test_program_that_prints_what_git_never_does_is_named(project, tmp_path, prints):
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\n" + prints.format(git=shutil.which("git")) + "\n", encoding="utf-8")
    fake.chmod(0o755)
    for command in ("check", "init", "status"):
        error = project.pk(command, code=2, env={"PATH": f"{fake.parent}:{os.environ['PATH']}"}).err
        assert "type -a git" in error


def test_test_with_a_name_without_end_is_a_gap_that_names_the_limit(project):
    project.write("tests/test_long.py", f"def test_{'a' * 200_000}():\n    assert f() == 1\n\n\n{TEST}")
    project.write("web/long.test.ts", f"it('{'t' * 2_000_000}', () => {{ expect(f()).toBe(1) }})\n")
    said = project.pk("scan", "--json")
    assert len(said.out) < 10_000
    reasons = [gap["reason"] for gap in said.document["gaps"]]
    assert len(reasons) == 2
    assert all(reason.endswith("have up to 2,000") for reason in reasons)
    assert "tests/test_long.py::test_something" in [test["id"] for test in said.document["tests"]]


def test_id_of_a_repository_that_is_damaged_is_named(adopted):
    adopted.write(".git/pact/repository", b"\xff\xfejunk")
    for command in ("status", "log"):
        error = adopted.pk(command, code=2).err
        assert "pact/repository" in error
        assert "remove it" in error


@pytest.mark.parametrize(
    "name",
    ["tests/test_new.py", "tests/test_new\nline.py", "tests/test_::x.py", "tests/test_\r.py", "tests/test_\\n.py"],
)
def test_a_name_of_a_file_never_damages_the_pact(project, name):
    test = "def test_something():\n    assert add(1, 1) == 2\n"
    project.write(name, test)
    project.commit()
    project.pk("init")
    assert project.codes() == []
    project.write(name, test.replace("== 2", "> 0"))
    assert project.codes() == ["PK116"]


@pytest.mark.parametrize("title", ["\\0nul", "\\r", "\\n", "::"])
def test_a_title_of_a_test_never_damages_the_pact(project, title):
    source = project.read("web/slug.test.ts").replace("joins words with dashes", title)
    project.write("web/slug.test.ts", source)
    project.pk("init")
    assert project.codes() == []


def _pipe(place):
    os.mkfifo(place)


def _loop(place):
    place.symlink_to(place.name)


def _device(place):
    place.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [_pipe, _loop, _device])
@pytest.mark.parametrize("name", ["journal/000099.open", "run.lock", "repository"])
def test_what_is_no_regular_file_in_the_state_folder_is_named(adopted, name, make):
    place = adopted.root / ".git/pact" / name
    place.unlink(missing_ok=True)
    make(place)
    done = adopted.pk("atom", "new", "The total is shown.", code=None)
    assert (done.code, Path(name).name in done.err) == (2, True)
    assert "Traceback" not in done.err


@pytest.mark.parametrize("make", [Path.mkdir, _pipe, _loop])
@pytest.mark.parametrize("command", ["log", "recommendations", "status"])
def test_a_history_that_is_no_file_is_never_taken_for_none(adopted, command, make):
    place = adopted.root / ".git/pact/history.db"
    place.unlink(missing_ok=True)
    make(place)
    assert "history.db" in adopted.pk(command, code=2).err


@pytest.mark.parametrize("name", ["atoms", "atoms/x.toml", "links/x.toml"])
def test_a_pipe_in_the_pact_is_never_taken_for_no_atom(adopted, name):
    adopted.pk("check", code=None)  # its verdict is kept
    place = adopted.root / "pact" / name
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(exist_ok=True)
    os.mkfifo(place)
    assert f"pact/{name}: not a regular file" in adopted.pk("check", code=2).err


@pytest.mark.parametrize("command", [("log",), ("undo",), ("check",)])
def test_a_journal_that_is_no_folder_is_never_taken_for_an_empty_one(adopted, command):
    place = adopted.root / ".git/pact/journal"
    shutil.rmtree(place)
    place.write_text("x")
    assert "journal" in adopted.pk(*command, code=2).err


@pytest.mark.parametrize("make", [Path.mkdir, _pipe])
@pytest.mark.parametrize("name", ["molecules.toml", "invariants.toml", "debt.txt", "pact.toml"])
def test_a_file_of_the_pact_that_git_passes_over_is_never_taken_for_absent(adopted, name, make):
    place = adopted.root / "pact" / name
    place.unlink(missing_ok=True)
    make(place)
    assert f"pact/{name}: not a regular file" in adopted.pk("check", code=2).err
