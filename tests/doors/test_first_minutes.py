"""The main path through the command line, each step with a real process in a real repository."""

import pytest

from tests.doors.projects import PYTHON_TESTS

EMPTY = "tests/test_basket.py::TestBasket::test_new_basket_is_empty"


def test_scan_works_before_there_is_a_pact(project):
    document = project.pk("scan", "--json").document
    assert document["schema"] == "pactkeeper.scan/1"
    assert [test["id"] for test in document["tests"]] == [
        EMPTY,
        "tests/test_basket.py::TestBasket::test_negative_quantity_is_rejected",
        "tests/test_basket.py::test_total_adds_prices",
        "web/slug.test.ts::slug::joins words with dashes",
    ]
    assert {test["state"] for test in document["tests"]} == {"orphan"}


def test_init_touches_no_test_and_check_passes(project):
    project.pk("init")
    assert project.git("diff", "--stat") == ""
    assert project.read("pact/debt.txt").count("b1:") == 4
    assert "in agreement" in project.pk("check").out


def test_init_twice_is_refused_and_changes_nothing(project):
    project.pk("init")
    before = project.read("pact/debt.txt")
    assert "already" in project.pk("init", code=2).err
    assert project.read("pact/debt.txt") == before


def test_reconcile_proposes_and_changes_nothing(project):
    out = project.pk("reconcile", "--all").out
    assert "New basket is empty." in out
    assert project.status() == ""


def test_reconcile_without_a_baseline_says_what_to_do(project):
    error = project.pk("reconcile", code=2).err
    assert "--all" in error
    assert "--since" in error


def test_apply_all_links_every_test_and_touches_no_test_file(project):
    project.pk("reconcile", "--all")
    project.pk("apply", "--all")
    assert project.git("diff", "--stat") == ""
    assert {test["state"] for test in project.pk("scan", "--json").document["tests"]} == {"unratified"}
    assert project.codes() == []


def test_apply_removes_the_debt_it_pays(adopted):
    assert adopted.read("pact/debt.txt") == ""


def test_undo_leaves_the_work_tree_as_it_was(project):
    project.pk("reconcile", "--all")
    project.pk("apply", "--all")
    project.pk("undo")
    assert project.status() == ""


def test_applying_twice_writes_nothing_the_second_time(adopted):
    before = adopted.status()
    assert "nothing to write" in adopted.pk("apply", "--all").out
    assert adopted.status() == before


def test_second_run_on_unchanged_input_proposes_nothing(adopted):
    assert adopted.pk("reconcile", "--all", "--json").document["ops"] == []


def test_new_test_is_an_orphan_until_it_is_accepted(adopted):
    adopted.write("tests/test_basket.py", PYTHON_TESTS + "\n\ndef test_name_is_kept():\n    assert 'box' == 'box'\n")
    assert adopted.codes() == ["PK101"]
    adopted.pk("accept", "tests/test_basket.py::test_name_is_kept", "--intent", "The basket keeps names.")
    assert adopted.codes() == []
    assert "# @atom IA-" in adopted.read("tests/test_basket.py")


def test_a_script_confirms_an_intent_that_the_test_speaks_against(adopted):
    adopted.write("tests/test_basket.py", PYTHON_TESTS + "\n\ndef test_name_is_kept():\n    assert 'box' == 'box'\n")
    planted = ("accept", "tests/test_basket.py::test_name_is_kept", "--intent", "The basket keeps 17 names.")
    before = adopted.status()
    assert "17" in adopted.pk(*planted, code=2).err
    assert adopted.status() == before
    adopted.pk(*planted, "--confirm")
    assert adopted.codes() == []


def test_changed_assertion_makes_the_link_suspect_and_offers_new_words(adopted):
    adopted.replace("tests/test_basket.py", "count == 0", "count == 1")
    assert adopted.codes() == ["PK115"]
    verbs = [op["verb"] for op in adopted.pk("reconcile", "--json").document["ops"]]
    assert verbs == ["updateAtom", "attachTestToAtom"]
    adopted.pk("apply", "--all", code=2)
    assert adopted.codes() == ["PK115"]
    adopted.pk("apply", "--accept", "tests/test_basket.py::TestBasket::test_new_basket_is_empty")
    assert adopted.codes() == []


def test_changed_assertion_of_a_helper_makes_the_link_suspect_until_it_is_accepted(adopted):
    helper = "def is_small(value):\n    assert value < 10\n\n\ndef test_small_is_small():\n    is_small(3)\n"
    adopted.write("tests/test_sizes.py", helper)
    adopted.pk("accept", "tests/test_sizes.py::test_small_is_small", "--intent", "Three is small.")
    adopted.replace("tests/test_sizes.py", "value < 10", "value < 5")
    assert adopted.codes() == ["PK106"]
    adopted.pk("accept", "tests/test_sizes.py::test_small_is_small")
    assert adopted.codes() == []


def test_moved_test_keeps_its_atom(adopted):
    moved = PYTHON_TESTS.replace("test_total_adds_prices", "test_prices_are_added")
    adopted.write("tests/test_basket.py", moved)
    assert adopted.codes() == ["PK114"]
    adopted.pk("reconcile")
    adopted.pk("apply", "--all")
    assert adopted.codes() == []
    document = adopted.pk("scan", "--json").document
    assert all(test["state"] == "unratified" for test in document["tests"])


def test_deleted_test_leaves_no_record_behind(adopted):
    adopted.write("tests/test_basket.py", PYTHON_TESTS[: PYTHON_TESTS.index("\n\ndef test_total")] + "\n")
    adopted.pk("reconcile")
    adopted.pk("apply", "--all")
    assert "test_total_adds_prices" not in adopted.read("pact/links/tests/test_basket.py.toml")
    assert adopted.codes() == ["PK110"]


@pytest.mark.parametrize("name", [EMPTY, "tests/test_basket.py:8", "tests/test_basket.py"])
def test_accept_takes_an_id_a_line_or_a_file(project, name):
    project.pk("accept", name)
    states = {test["id"]: test["state"] for test in project.pk("scan", "--json").document["tests"]}
    assert states[EMPTY] == "unratified"


def test_accept_names_the_atom_that_it_made(project):
    said = project.pk("accept", EMPTY, "--intent", "A new basket is empty.").out
    (link,) = next(one for one in project.pk("scan", "--json").document["tests"] if one["id"] == EMPTY)["links"]
    assert said.splitlines()[-1] == f"{link['atom']}  A new basket is empty."


def test_what_an_accept_settled_waits_no_longer(project):
    project.pk("reconcile", "--all")
    assert "a paused run waits for decisions: pk review RUN" in project.pk("runs", "list").out
    for test in project.pk("scan", "--json").document["tests"]:
        project.pk("accept", test["id"], "--intent", f"The {test['name']} is as it is said.", "--confirm")
    said = project.pk("reconcile", "--all").out
    assert "of earlier runs" not in said


def test_check_reads_the_index_and_a_commit_as_well(adopted):
    adopted.write("tests/test_new.py", "def test_new():\n    assert True\n")
    assert adopted.codes() == ["PK101"]
    assert adopted.codes("--staged") == []
    adopted.git("add", "tests/test_new.py")
    assert adopted.codes("--staged") == ["PK101"]
    assert adopted.codes("--at", "HEAD") == []


def test_delta_names_what_changed(adopted):
    adopted.replace("web/slug.test.ts", "red-box", "red_box")
    document = adopted.pk("delta", "--since", "HEAD", "--json").document
    assert document["modified"] == document["changed_linked"] == ["web/slug.test.ts::slug::joins words with dashes"]
    assert document["added"] == document["deleted"] == []


def test_removed_comment_is_named_and_written_again(adopted):
    adopted.pk("annotate", "--to", "comment")
    adopted.commit()
    before = adopted.read("tests/test_basket.py")
    line = next(one for one in before.splitlines(keepends=True) if "@atom" in one)
    adopted.replace("tests/test_basket.py", line, "")
    found = {one["code"]: one["message"] for one in adopted.pk("check", "--json", code=1).document["findings"]}
    assert found["PK101"] == f"its annotation is gone from the code: {line.strip()[2:]}"
    adopted.pk("accept", EMPTY)
    assert adopted.read("tests/test_basket.py") == before
    assert adopted.codes() == []


def test_pact_that_an_apply_began_gets_its_debt_from_init(project):
    project.pk("accept", EMPTY)
    assert set(project.codes()) == {"PK101"}
    project.pk("init")
    assert project.codes() == []


def test_test_with_a_syntax_error_is_not_offered_for_confirmation(adopted):
    adopted.replace("tests/test_basket.py", "assert Basket().count == 0", "assert Basket().count == (")
    proposed = {op["group"] for op in adopted.pk("reconcile", "--all", "--json").document["ops"]}
    assert EMPTY not in proposed


def test_run_with_nothing_to_say_hides_no_open_answers(project):
    project.pk("reconcile", "tests")
    project.write("docs/readme.md", "words")
    project.pk("reconcile", "docs")
    assert "3 tests of pa-" in project.pk("review", code=2).err


@pytest.mark.parametrize("intent", ["", " ", "Word", "Two\nlines of it."])
def test_intent_that_is_no_sentence_is_refused(project, intent):
    assert "not a sentence" in project.pk("accept", EMPTY, "--intent", intent, code=2).err


def test_warnings_are_in_the_headline(adopted):
    adopted.replace("tests/test_basket.py", "count == 0", "count == 1")
    assert "passes with warnings" in adopted.pk("check").out


@pytest.mark.parametrize(
    ("given", "person"),
    [
        ({"GIT_AUTHOR_NAME": "Grace", "GIT_AUTHOR_EMAIL": "grace@example.org"}, "Grace <grace@example.org>"),
        ({"GIT_COMMITTER_NAME": "Grace"}, "Grace"),
    ],
)
def test_person_whom_gits_variables_name_may_decide(project, given, person):
    project.git("config", "--unset", "user.name")
    project.git("config", "--unset", "user.email")
    project.pk("reconcile", "--all")
    nobody = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    assert "a decision needs a name" in project.pk("apply", "--all", code=2, env=nobody).err
    project.pk("apply", "--all", env={**nobody, **given})
    assert project.pk("log", "--json").document["decisions"][0]["by"] == person
