import json

import pytest


def export(project):
    project.pk("reconcile", "--all")
    return json.loads(project.pk("review", "--export", "-").out)


def test_review_without_a_terminal_decides_nothing(project):
    project.pk("reconcile", "--all")
    assert "--export" in project.pk("review", code=2).err
    assert "nothing is accepted" in project.pk("apply", code=2).err


def test_exported_review_imported_unchanged_decides_nothing(project):
    document = export(project)
    assert {one["verdict"] for one in document["decisions"]} == {"open"}
    project.pk("review", "--import", "-", feed=json.dumps(document))
    project.pk("apply", code=2)
    assert project.status() == ""


def test_accepted_is_applied_and_rejected_is_remembered(project):
    document = export(project)
    for one in document["decisions"]:
        wanted = any("new basket is empty" in line.lower() for line in one["shows"])
        one["verdict"] = "accept" if wanted else "reject"
    group = [one for one in document["decisions"] if one["verdict"] == "accept"]
    assert len(group) == 1
    ops = {op["id"]: op for op in project.pk("runs", "show", "--patch").document["ops"]}
    same_test = ops[group[0]["op"]]["group"]
    for one in document["decisions"]:
        if ops[one["op"]]["group"] == same_test:
            one["verdict"] = "accept"
    project.pk("review", "--import", "-", feed=json.dumps(document))
    project.pk("apply")
    states = sorted(test["state"] for test in project.pk("scan", "--json").document["tests"])
    assert states == ["rejected", "rejected", "rejected", "unratified"]
    assert project.pk("reconcile", "--all", "--json").document["ops"] == []


@pytest.mark.parametrize("arguments", [(), ("--all",)], ids=["bare", "all"])
def test_what_was_applied_and_discarded_is_written_again_only_by_the_name_of_its_run(project, arguments):
    project.pk("init")
    project.git("add", "-A")
    project.git("commit", "-qm", "adopted")
    project.pk("reconcile", "--all")
    project.pk("apply", "--all")
    project.git("checkout", "-q", "--", ".")
    project.git("clean", "-qfd")
    tidy = project.status()
    assert "no patch is waiting to be applied" in project.pk("apply", *arguments).out
    assert project.status() == tidy
    run = project.pk("runs", "list", "--json").document["runs"][0]["run"]["id"]
    project.pk("apply", run)
    assert project.status() != tidy


def test_rejection_lapses_when_the_test_changes(project):
    document = export(project)
    for one in document["decisions"]:
        one["verdict"] = "reject"
    project.pk("review", "--import", "-", feed=json.dumps(document))
    project.pk("apply")
    project.replace("tests/test_basket.py", "total == 10", "total == 11")
    proposed = {op["group"] for op in project.pk("reconcile", "--all", "--json").document["ops"]}
    assert proposed == {"tests/test_basket.py::test_total_adds_prices"}


def test_decision_on_something_else_than_what_was_shown_is_refused(project):
    document = export(project)
    document["decisions"][0] |= {"verdict": "accept", "shown_hash": "v1:" + "0" * 64}
    assert "shows" in project.pk("review", "--import", "-", feed=json.dumps(document), code=2).err


def test_stale_op_stops_the_apply_and_is_named(project):
    project.pk("reconcile", "--all")
    project.replace("tests/test_basket.py", "total == 10", "total == 11")
    error = project.pk("apply", "--all", code=2).err
    assert "test_total_adds_prices" in error
    assert project.status() == " M tests/test_basket.py" or "M tests/test_basket.py" in project.status()


def test_what_was_proposed_for_a_test_that_is_gone_does_not_stop_the_rest(project):
    test = "tests/test_left.py"
    (project.root / test).write_text("def test_is_left_behind():\n    assert 1 + 1 == 2\n")
    project.pk("reconcile", "--all")
    (project.root / test).unlink()
    assert "left out, because the test is gone: 1; pk reconcile" in project.pk("apply", "--all").out
    states = {test["name"]: test["state"] for test in project.pk("scan", "--json").document["tests"]}
    assert states["test_total_adds_prices"] == "unratified"


def test_skip_stale_applies_the_rest(project):
    project.pk("reconcile", "--all")
    project.replace("tests/test_basket.py", "total == 10", "total == 11")
    out = project.pk("apply", "--all", "--skip-stale").out
    assert "skipped" in out
    states = {test["name"]: test["state"] for test in project.pk("scan", "--json").document["tests"]}
    assert states["test_total_adds_prices"] == "orphan"
    assert states["test_new_basket_is_empty"] == "unratified"


def test_answers_wait_in_their_run_while_a_later_run_proposes_what_is_new(project):
    document = export(project)
    for one in document["decisions"]:
        one["verdict"] = "accept"
    project.pk("review", "--import", "-", feed=json.dumps(document))
    project.write("tests/test_more.py", "def test_more_is_more():\n    assert len('more') == 4\n")
    later = export(project)
    assert {one["verdict"] for one in later["decisions"]} == {"open"}
    assert len(later["decisions"]) == 2
    applied = project.pk("apply")
    assert f"applied {len(document['decisions'])} ops" in applied.out


def test_a_review_in_which_all_is_decided_says_so_without_a_terminal(project):
    document = export(project)
    for one in document["decisions"]:
        one["verdict"] = "accept"
    project.pk("review", "--import", "-", feed=json.dumps(document))
    assert "nothing waits for a decision; next: pk apply" in project.pk("review").out


def test_a_long_diff_is_told_by_file_and_printed_where_it_is_asked_for(project):
    project.pk("reconcile", "--all")
    short = project.pk("apply", "--all", "--dry-run").out
    assert "pact/atoms/tests/test_basket.py.toml  +" in short
    assert "to see it, run it with --diff" in short
    whole = project.pk("apply", "--all", "--dry-run", "--diff").out
    assert "+++ b/pact/atoms/tests/test_basket.py.toml" in whole
    assert "to see it, run: git add -N pact && git diff" in project.pk("apply", "--all").out
