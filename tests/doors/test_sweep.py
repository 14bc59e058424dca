"""`pk health sweep` and `pk health` as a person or a program runs them."""

import json
import signal
import subprocess
import sys

import pytest

from tests.doors.projects import Project
from tests.health.sweeps import check, waited, written
from tests.health.sweeps import project as repository
from tests.waiting import PATIENCE, running

pytestmark = pytest.mark.slow

TORN = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> feature\n"


@pytest.fixture(autouse=True)
def caches(tmp_path, monkeypatch):
    """The folder of the person who sweeps, as the environment names it."""
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path}-caches")


def project(root, *checks, **files):
    repository(root, *checks, **files)
    return Project(root)


@pytest.mark.parametrize(
    ("script", "code", "head"),
    [("true", 0, "green: 2 checks passed"), ("exit 1", 1, "red: "), ("no-such-program", 2, "not known: ")],
)
def test_exit_code_tells_green_red_and_not_known(tmp_path, script, code, head):
    out = project(tmp_path, check("x", script)).pk("health", "sweep", code=code).out
    assert out.splitlines()[-1].startswith(head)


def test_progress_is_no_part_of_the_result(tmp_path):
    result = project(tmp_path, check("x", "true", "build"), check("y", "true")).pk("health", "sweep")
    assert result.err.splitlines() == ["[1/2] build: x", "[2/2] test: y"]
    assert "[1/2]" not in result.out


def test_failure_is_shown_with_its_place_and_words(tmp_path):
    pattern = "^(?P<file>[^:]+):(?P<line>[0-9]+): (?P<message>.*)$"
    declared = check("x", "echo a.txt:3: it is broken; exit 1", parser="regex", pattern=pattern)
    assert "a.txt:3: error it is broken" in project(tmp_path, declared).pk("health", "sweep", code=1).out


def test_document_has_the_fields_of_a_sweep_result_and_what_was_run(tmp_path):
    checks = (check("b", "echo wrong type; exit 1", "compile"), check("t", "true"))
    found = project(tmp_path, *checks, **{"torn.md": TORN}).pk("health", "sweep", "--json", code=1).document
    assert (found["buildOk"], found["testsOk"], found["hasConflictMarkers"]) == (False, True, True)
    assert found["conflictFiles"] == ["torn.md"]
    assert "wrong type" in found["buildOutput"]
    assert found["testOutput"] == ""
    assert [one["verdict"] for one in found["sweep"]["results"]] == ["fail", "fail", "pass"]
    assert found["sweep"]["results"][0]["diagnostics"][0]["fingerprint"].startswith("fp-")


def test_missing_program_is_neither_ok_nor_a_failure_in_the_document(tmp_path):
    found = project(tmp_path, check("t", "no-such-program")).pk("health", "sweep", "--json", code=2).document
    assert (found["buildOk"], found["testsOk"], found["green"]) == (True, False, False)


def test_conflict_gets_its_task_beside_a_check_whose_program_is_misspelt(tmp_path):
    misspelt = '[[health.check]]\nname = "unit"\ncategory = "test"\nargv = ["pytst-of-nobody"]\n'
    swept = project(tmp_path, misspelt, **{"torn.md": TORN})
    result = swept.pk("health", "sweep", code=1)
    assert "could not run: the program 'pytst-of-nobody' is not installed; check argv of [[health.check]] 'unit'" in (
        result.out
    )
    assert "Resolve the conflict markers in torn.md" in result.out
    assert "not the commit" not in result.err
    assert "red: conflict markers; 1 of 1 checks could not run" in swept.pk("health", "timeline").out


UNIT = check("unit", f"{sys.executable} -m pytest -q -p no:cacheprovider", parser="pytest")


def test_declared_package_that_is_not_installed_leaves_the_colour_unknown_everywhere(tmp_path):
    manifest = '[project]\nname = "shop"\nversion = "1"\ndependencies = ["nobodys-package"]\n'
    files = {"pyproject.toml": manifest, "test_a.py": "import nobodys_package\n\n\ndef test_a():\n    assert 1\n"}
    swept = project(tmp_path, UNIT, **files)
    out = swept.pk("health", "sweep", code=2).out
    assert "unit: could not run: the package 'nobodys_package' is declared but not installed" in out
    assert out.splitlines()[-1].startswith("not known: 1 check passed, 1 check could not run at ")
    assert swept.pk("health", "status").out.startswith("not known\n")
    assert swept.pk("fixes", "--json").document["fixTasks"] == []


def test_tests_that_fail_by_the_machine_leave_the_colour_unknown_everywhere(tmp_path):
    swept = project(
        tmp_path, UNIT, **{"test_a.py": "def test_a():\n    raise OSError(28, 'No space left on device')\n"}
    )
    result = swept.pk("health", "sweep", code=2)
    assert result.out.splitlines()[-1].startswith("not known: 1 check passed, 1 check failed at ")
    assert "checks could not judge the commit: the disk is full" in result.err
    assert swept.pk("health", "status").out.startswith("not known\n")


def test_check_that_is_renamed_leaves_no_second_task(tmp_path):
    swept = project(tmp_path, check("old", "exit 1"))
    (first,) = swept.pk("health", "sweep", "--json", code=1).document["fixTasks"]
    swept.pk("fixes", "claim", first["id"], "--by", "ada")
    place = tmp_path / "pact/pact.toml"
    place.write_text(place.read_text().replace('"old"', '"new"') + check("other", "true"))
    swept.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qam", "Rename a check")
    swept.pk("health", "sweep", "--only", "other")
    assert first["id"] in swept.pk("fixes").out
    assert f"{first['id']} is obsolete: its check is no longer declared: old" in swept.pk("health", "sweep", code=1).out
    assert "1 task\n" in swept.pk("fixes").out


def test_settings_torn_by_a_merge_take_no_check_away(tmp_path):
    swept = project(tmp_path, check("old", "exit 1"))
    (first,) = swept.pk("health", "sweep", "--json", code=1).document["fixTasks"]
    place = tmp_path / "pact/pact.toml"
    place.write_text(place.read_text() + TORN)
    swept.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qam", "Merge")
    swept.pk("health", "sweep", code=1)
    assert first["id"] in swept.pk("fixes").out


def test_lint_that_fails_is_told_and_main_is_green_all_the_same(tmp_path):
    out = project(tmp_path, check("x", "true"), check("style", "exit 1", "lint")).pk("health", "sweep").out
    assert "lint     style: fail" in out
    assert "green: " in out


def test_single_check_is_run_by_name_and_an_unknown_one_is_refused(tmp_path):
    swept = project(tmp_path, check("x", "true"), check("y", "exit 1"))
    assert [
        one["check"] for one in swept.pk("health", "sweep", "--only", "x", "--json").document["sweep"]["results"]
    ] == ["x"]
    assert "there is no check 'z'" in swept.pk("health", "sweep", "--only", "z", code=2).err


@pytest.mark.parametrize(("only", "said"), [("conflict-markers", "conflict-markers"), ("x", "x")])
def test_some_checks_that_pass_are_not_called_green(tmp_path, only, said):
    swept = project(tmp_path, check("x", "true"))
    result = swept.pk("health", "sweep", "--only", only)
    assert result.out.splitlines()[-1].startswith(f"passed, only {said} ran: 1 check passed at ")
    assert swept.pk("health", "sweep", "--only", only, "--json").document["green"] is False
    status = swept.pk("health", "status")
    assert status.out.startswith("not known\n")
    assert "declare" not in status.out


def test_green_project_stays_green_after_a_sweep_of_some_checks(tmp_path):
    swept = project(tmp_path, check("x", "true"), check("y", "test ! -e broken", "build"))
    swept.pk("health", "sweep")
    swept.pk("health", "sweep", "--only", "x")
    swept.pk("health", "sweep", "--only", "x", "--only", "conflict-markers")
    assert swept.pk("health", "status").out.startswith("green in every sweep since ")
    assert "not known: only x ran" in swept.pk("health", "timeline").out


def test_some_checks_that_fail_turn_the_project_red(tmp_path):
    swept = project(tmp_path, check("x", "exit 1"))
    swept.pk("health", "sweep", "--only", "x", code=1)
    assert swept.pk("health", "status", code=1).out.startswith("red in every sweep since ")


def test_merge_under_way_is_told_as_what_is_in_no_commit(tmp_path):
    swept = project(tmp_path, check("x", "true"))
    swept.pk("health", "sweep")
    swept.write("torn.md", TORN)
    swept.git("add", "torn.md")
    told = swept.pk("health", "sweep", "--in-place", code=1)
    assert "not recorded: the working tree has uncommitted changes\n" in told.err
    assert told.out.splitlines()[-1].startswith("red with uncommitted changes: ")
    assert "in this folder, which is not " in told.out.splitlines()[-1]
    status = swept.pk("health", "status").out
    assert status.startswith("green in every sweep since ")
    assert "moved" not in status


@pytest.mark.parametrize("checks", [(), (check("style", "true", "lint"),)], ids=["none", "lint alone"])
def test_project_in_which_nothing_is_judged_is_not_known_and_told_what_to_declare(tmp_path, checks):
    swept = project(tmp_path, *checks)
    result = swept.pk("health", "sweep", code=2)
    assert result.out.splitlines()[-1].startswith("not known: ")
    assert "no check is known of what this project builds, compiles or tests: declare [[health.check]]" in result.err
    assert swept.pk("health", "sweep", "--json", code=2).document["green"] is False
    status, timeline = swept.pk("health", "status").out, swept.pk("health", "timeline").out
    assert status.startswith("not known\n")
    assert "no check is known of what" in status
    assert "not known: no check is known of what" in timeline


def test_check_that_applies_to_nothing_does_not_make_main_green(tmp_path):
    result = project(tmp_path, **{"package.json": "{}"}).pk("health", "sweep", code=2)
    assert "no check of what this project builds, compiles or tests applies to it: declare" in result.err


def test_broken_settings_are_an_input_error_with_file_and_line(tmp_path):
    assert (
        "pact/pact.toml:3: "
        in project(tmp_path, check("x", "true").replace("argv", "args")).pk("health", "sweep", code=2).err
    )


def test_tree_lies_below_the_person_s_caches_and_never_inside_a_folder_of_git(tmp_path):
    """Jest, for one, sees no file below a folder `.git`."""
    found = project(tmp_path, check("x", "pwd")).pk("health", "sweep", "--json").document
    place = found["sweep"]["results"][1]["output"]["head"]
    assert place.startswith(f"{tmp_path}-caches/pactkeeper/sweep/")
    assert ".git" not in place


def test_person_without_a_home_is_told_what_to_set(tmp_path):
    error = (
        project(tmp_path, check("x", "true")).pk("health", "sweep", code=2, env={"HOME": "", "XDG_CACHE_HOME": ""}).err
    )
    assert "set HOME, or XDG_CACHE_HOME" in error


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_sweep_that_is_asked_to_end_ends_its_check_and_cleans_up(tmp_path, number, code):
    swept = project(tmp_path, check("x", f"echo $$ > {tmp_path}/pid; exec sleep 1000"))
    arguments = [sys.executable, "-m", "pactkeeper", "health", "sweep"]
    with running(arguments, cwd=tmp_path, stderr=subprocess.DEVNULL) as sweeping:
        check_run = written(tmp_path / "pid")
        sweeping.send_signal(number)
        assert sweeping.wait(PATIENCE) == code
    assert len(swept.git("worktree", "list").splitlines()) == 1
    with pytest.raises(ProcessLookupError):
        waited(check_run)


def test_commit_and_work_tree_cannot_both_be_asked_for(tmp_path):
    assert "leave out one" in project(tmp_path).pk("health", "sweep", "--at", "HEAD", "--in-place", code=2).err


def test_an_earlier_commit_of_main_is_recorded_and_decides_nothing(tmp_path):
    swept = project(tmp_path, check("x", "test ! -e bad"))
    first = swept.git("rev-parse", "HEAD")
    swept.write("bad", "")
    swept.commit()
    second = swept.git("rev-parse", "HEAD")
    swept.pk("health", "sweep", code=1)
    told = swept.pk("health", "sweep", "--at", first)
    assert "recorded: newer commits decide what is open; pk health timeline shows this one\n" in told.err
    status = swept.pk("health", "status", code=1).out
    assert status.startswith(f"red in every sweep since {second[:12]}")
    assert "1 sweep since then of earlier commits: pk health timeline" in status
    newest, *_ = swept.pk("health", "timeline").out.splitlines()
    assert newest.startswith(first[:12])
    assert newest.endswith("green  newer commits followed")
    assert f"green at {first[:10]}" in swept.pk("ask", "what broke main?", code=None).out


def test_a_commit_that_head_is_not_at_is_reported_only_if_main_lacks_it(tmp_path):
    swept = project(tmp_path, check("x", "true"))
    first = swept.git("rev-parse", "HEAD")
    swept.git("checkout", "-q", "-b", "work")
    swept.write("new", "")
    swept.commit()
    work = swept.git("rev-parse", "HEAD")
    swept.git("checkout", "-q", "main")
    told = swept.pk("health", "sweep", "--at", work).err
    assert f"not recorded: {work[:12]} is not the commit that HEAD points to\n" in told
    assert "recorded" not in swept.pk("health", "sweep", "--at", first).err


def test_status_names_the_swept_commit_by_what_it_was(tmp_path):
    swept = project(tmp_path, check("x", "true"))
    swept.pk("health", "sweep")
    first = swept.git("rev-parse", "HEAD")[:12]
    assert f"main    green at {first}  pk health\n" in swept.pk("status").out
    swept.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "next")
    assert f"main    not known: 1 commit since {first} not swept  pk health\n" in swept.pk("status").out


def test_status_health_and_ask_say_the_same_where_a_build_report_differs_from_the_sweep(tmp_path):
    swept = project(tmp_path, check("x", "true"), **{".gitignore": "build-report.json\n"})
    swept.pk("health", "sweep")
    commit = swept.git("rev-parse", "HEAD")
    swept.write("build-report.json", json.dumps({"status": "failure", "commit": commit, "branch": "main"}))
    told = swept.pk("ask", "is main green?", code=1).out.splitlines()[0].partition(" [")[0]
    assert told.startswith(f"What is known of main at {commit[:10]} differs: ")
    assert told in swept.pk("status").out
    assert "main    green" not in swept.pk("status").out
    assert swept.pk("health", code=1).out.startswith(told)
    assert swept.pk("health", "--json", code=1).document["standing"] == "disputed"
    assert swept.pk("status", "--json").document["told"] == told


def test_a_green_branch_leaves_the_main_one_red(tmp_path):
    swept = project(tmp_path, check("x", "test -e mended"))
    swept.pk("health", "sweep", code=1)
    swept.git("checkout", "-q", "-b", "work")
    swept.write("mended", "")
    swept.commit()
    assert "not recorded: work is not the main branch, main\n" in swept.pk("health", "sweep").err
    swept.git("checkout", "-q", "main")
    assert swept.pk("health", "status", code=1).out.startswith("red")


def test_checks_are_listed_with_what_calls_for_them(tmp_path):
    swept = project(tmp_path, **{"go.mod": "module x\n", "package.json": "{}"})
    out = swept.pk("health", "checks").out
    assert "test     go test: go test -json ./..." in out
    assert "not applicable: there is no such script" in out
    rows = swept.pk("health", "checks", "--json").document["checks"]
    assert {one["name"]: one["why"] for one in rows}["go test"] == "go.mod"


def test_what_a_commit_declares_is_shown_and_trusted_by_its_hash_where_nobody_can_be_asked(tmp_path, monkeypatch):
    monkeypatch.delenv("PACTKEEPER_TRUST_CHECKS")
    monkeypatch.setenv("XDG_DATA_HOME", f"{tmp_path}-data")
    shop = project(tmp_path, check("x", "true"))
    assert "pk health trust --at " in shop.pk("health", "sweep", code=2).err
    told = shop.pk("health", "trust", code=1)
    assert "  x: sh -c true" in told.out
    name = shop.pk("health", "trust", "--json", code=1).document["declaration"]
    assert f"--hash {name}" in told.err
    assert shop.pk("health", "trust", "--hash", name).out.splitlines()[-1] == f"trusted: {name}"
    shop.pk("health", "sweep")


def test_a_flag_trusts_this_once(tmp_path, monkeypatch):
    monkeypatch.delenv("PACTKEEPER_TRUST_CHECKS")
    monkeypatch.setenv("XDG_DATA_HOME", f"{tmp_path}-data")
    shop = project(tmp_path, check("x", "true"))
    shop.pk("health", "sweep", "--trust-checks")
    shop.pk("health", "sweep", code=2)
