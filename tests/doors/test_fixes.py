"""`pk fixes` as a person and an agent use it."""

import json

import pytest

from tests.doors.committing import Quick
from tests.health.projects import CHECK, ERROR, FILES, PY, PYTHON
from tests.repo.repositories import commit, create, git, write


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    create(tmp_path / "shop", {**FILES, "pact/pact.toml": f"[pact]\nformat = 1\n{CHECK}", "errors.txt": ERROR})
    git(tmp_path / "shop", "config", "user.name", "Ada")
    return Quick(tmp_path / "shop")


@pytest.fixture
def task(project):
    """The id of the one task of a red sweep, claimed by an agent."""
    project.pk("health", "sweep", code=1)
    (found,) = json.loads(project.pk("fixes", "list", "--json").out)["fixTasks"]
    project.pk("fixes", "claim", found["id"], "--by", "agent-1")
    return found["id"]


def test_without_a_sweep_there_is_nothing_to_mend(project):
    assert project.pk("fixes").out == "nothing to fix as of the last sweep; to look again: pk health sweep\n"


def test_a_filter_that_fits_no_task_says_so_and_nothing_of_what_is_to_be_mended(project):
    project.pk("health", "sweep", code=1)
    assert project.pk("fixes", "list", "--status", "done").out == "no task is done\n"
    both = project.pk("fixes", "list", "--status", "done", "--status", "obsolete")
    assert both.out == "no task is done or obsolete\n"


def test_the_bare_command_prints_the_document_of_its_list(project):
    project.pk("health", "sweep", code=1)
    bare, listed = (project.pk("fixes", *words, "--json").document for words in ((), ("list",)))
    assert len(bare["fixTasks"]) == 1
    assert bare == listed


def test_json_in_front_of_a_subcommand_is_refused(project):
    assert "unexpected extra argument (list)" in project.pk("fixes", "--json", "list", code=2).err


def test_a_red_sweep_names_the_files_of_its_task_and_how_to_take_it(project):
    out = project.pk("health", "sweep", code=1).out
    (found,) = project.pk("fixes", "--json").document["fixTasks"]
    assert "    files: shop.py\n" in out
    assert f"    take it: pk fixes claim {found['id']}\n" in out


def test_a_red_sweep_without_new_tasks_tells_where_the_old_ones_are(project):
    first, second = (project.pk("health", "sweep", code=1).out for _ in range(2))
    assert "already have tasks: pk fixes" not in first
    assert "already have tasks: pk fixes" in second


def test_the_list_names_how_to_take_a_task_while_one_waits(project):
    project.pk("health", "sweep", code=1)
    (found,) = project.pk("fixes", "--json").document["fixTasks"]
    line = f"pk fixes claim {found['id']}\n"
    assert project.pk("fixes").out.endswith(f"take one: {line}")
    assert project.pk("fixes", "show", found["id"]).out.endswith(f"take it: {line}")
    project.pk("fixes", "claim", found["id"])
    assert line not in project.pk("fixes").out


@pytest.mark.parametrize(("by", "rest"), [((), ""), (("--by", "two words"), " --by 'two words'")])
def test_a_claim_names_the_command_that_completes_it(project, by, rest):
    project.pk("health", "sweep", code=1)
    (found,) = project.pk("fixes", "--json").document["fixTasks"]
    out = project.pk("fixes", "claim", found["id"], *by).out
    assert "\nfiles: shop.py\n" in out
    assert out.endswith(f"once it is committed: pk fixes complete {found['id']}{rest}\n")


def test_who_forgets_the_name_of_the_claim_is_told_the_whole_command(project, task):
    err = project.pk("fixes", "complete", task, code=2).err
    assert err.rstrip().endswith(f"pk fixes complete {task} --by agent-1")


def test_a_sweep_publishes_its_tasks_with_the_fields_of_the_seed(project):
    (found,) = json.loads(project.pk("health", "sweep", "--json", code=1).out)["fixTasks"]
    assert {name: found[name] for name in ("scope", "status", "priority")} == {
        "scope": ["shop.py"],
        "status": "pending",
        "priority": 1,
    }
    assert found["description"].splitlines()[1] == "- shop.py:3 E1 the tax is wrong"
    assert found["branch"].startswith(f"fix/{found['id']}-")
    assert {"id", "description", "acceptance", "createdAt"} <= set(found)


def test_a_claimed_task_says_who_has_it(project, task):
    assert f"{task}  assigned by agent-1" in project.pk("fixes").out


def test_a_second_claim_is_refused_with_the_holder(project, task):
    assert "assigned by agent-1" in project.pk("fixes", "claim", task, "--by", "agent-2", code=2).err


def test_a_task_is_shown_with_its_errors_and_what_it_takes(project, task):
    shown = project.pk("fixes", "show", task).out
    assert "- shop.py:3 E1 the tax is wrong" in shown
    assert (
        "accepted when: check 'compile' returns 0, or reports only errors that belong to other open fix tasks; no"
        in shown
    )


def test_a_fix_that_weakens_is_refused_with_exit_code_1_and_the_reason(project, task):
    write(project.root, {"errors.txt": "", PY: PYTHON.replace("== 200", "is not None")})
    commit(project.root)
    done = json.loads(project.pk("fixes", "complete", task, "--by", "agent-1", "--json", code=1).out)
    assert (done["accepted"], done["task"]["status"]) == (False, "assigned")
    assert done["refusals"][0]["subject"] == f"{PY}::test_login"


def test_a_fix_that_mends_is_taken_with_exit_code_0(project, task):
    write(project.root, {"errors.txt": ""})
    commit(project.root)
    assert f"{task} is done" in project.pk("fixes", "complete", task, "--by", "agent-1").out


def test_nobody_speaks_for_a_person_without_a_terminal(project, task):
    refused = project.pk("fixes", "complete", task, "--by", "agent-1", "--despite", "trust me", code=2)
    assert "must come from a person at a terminal" in refused.err


def test_a_task_goes_to_a_person_with_the_reason(project, task):
    project.pk("fixes", "release", task, "--reason", "the law changed", "--to-person")
    assert "the law changed" in project.pk("fixes", "list", "--status", "escalated").out


def test_every_sweep_names_the_committed_atoms_that_are_broken(project):
    pact = """
[[health.check]]
name = "tests"
category = "test"
parser = "pytest"
argv = ["sh", "-c", "echo 'FAILED tests/test_shop.py::test_login - AssertionError: assert 1 == 2'; echo '1 failed in 0.1s'; exit 1"]
"""
    write(project.root, {"pact/pact.toml": f"[pact]\nformat = 1\n{pact}"})
    commit(project.root)
    for _ in range(2):
        assert f"error IA-0000001 broken: {PY}::test_login" in project.pk("health", "sweep", code=1).out
