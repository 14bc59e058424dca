"""What reports say of tests, kept and shown."""

import json
import os
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pactkeeper.chat.asking import ask
from pactkeeper.chat.here import Here
from pactkeeper.errors import InputError, ReportError, UsageError
from pactkeeper.operators.evidence import EDITED_SINCE, import_evidence, show_evidence
from pactkeeper.operators.explain import explain_atom
from pactkeeper.operators.test_reports import read_coverage_report, read_quality_report, read_test_results
from pactkeeper.workspace import open_workspace
from tests.operators.atoms import run
from tests.operators.conftest import ADDS, FILE, REFUSED
from tests.operators.reports import junit

BOTH = ("test_adds_two_numbers", "test_expired_token_is_refused")


def take(shop, text, *, commit=None, name="junit.xml", ahead=timedelta(0)):
    shop.write(name, text)
    with shop.open() as opened:
        workspace = replace(opened, now=lambda: opened.now() + ahead)
        return import_evidence(workspace, [name], commit=commit)


def states(shop, *names):
    with shop.open() as workspace:
        return {entry.test.id: state.state for entry, state in show_evidence(workspace, names).tests}


def row(shop, test):
    with shop.open() as workspace:
        ((_, state),) = show_evidence(workspace, [test]).tests
    return state.row


def head(shop):
    with shop.open() as workspace:
        return workspace.repository.head()


def edit(shop):
    shop.replace(FILE, "add(1, 2)", "add(2, 1)")


def commit(shop):
    shop.git("commit", "--quiet", "--all", "--message=Change")


def test_outcomes_of_a_clean_tree_belong_to_its_commit(shop):
    found = take(shop, junit(BOTH[0], (BOTH[1], "failure")))
    assert (found.commit, found.stored, found.counts["passed"], found.counts["failed"]) == (head(shop), 2, 1, 1)
    assert states(shop) == {ADDS: "proven", REFUSED: "failing"}


def test_outcomes_of_a_changed_tree_belong_to_no_commit(shop):
    edit(shop)
    assert take(shop, junit(*BOTH)).commit == ""
    assert states(shop)[ADDS] == "proven"


def test_tests_without_an_outcome_have_none(shop):
    found = take(shop, junit(BOTH[0]))
    assert (found.silent, states(shop)[REFUSED]) == (1, "none")


def test_changed_body_makes_an_outcome_stale(shop):
    take(shop, junit(*BOTH))
    edit(shop)
    assert states(shop)[ADDS] == "stale"


def test_changed_file_makes_the_outcomes_of_its_other_tests_stale(shop):
    take(shop, junit(*BOTH))
    edit(shop)
    assert states(shop)[REFUSED] == "stale"


def test_change_that_is_taken_back_leaves_the_outcome_as_it_was(shop):
    take(shop, junit(*BOTH))
    edit(shop)
    shop.replace(FILE, "add(2, 1)", "add(1, 2)")
    assert states(shop)[ADDS] == "proven"


def test_outcomes_of_an_older_commit_are_about_the_tests_that_it_has(shop):
    before = head(shop)
    edit(shop)
    commit(shop)
    assert take(shop, junit(*BOTH), commit=before).commit == before
    assert states(shop)[ADDS] == "stale"


def test_outcomes_of_an_older_commit_do_not_outweigh_newer_ones(shop):
    before = head(shop)
    shop.git("commit", "--quiet", "--allow-empty", "--message=Later")
    take(shop, junit(*BOTH))
    take(shop, junit((BOTH[0], "failure")), commit=before, name="old.xml")
    assert states(shop)[ADDS] == "proven"


def test_what_another_clone_ran_at_a_commit_of_its_own_counts_nowhere_else(shop, tmp_path, monkeypatch):
    monkeypatch.setenv("PACTKEEPER_DATABASE_URL", f"sqlite:///{tmp_path}/shared.db")
    monkeypatch.setenv("PACTKEEPER_REPOSITORY", "shop")
    take(shop, junit((BOTH[0], "failure")))
    other = replace(shop, root=tmp_path / "other")
    shop.git("clone", "--quiet", str(shop.root), str(other.root))
    other.git("-c", "user.name=B", "-c", "user.email=b@x", "commit", "--quiet", "--allow-empty", "--message=Mend")
    take(other, junit(*BOTH))
    assert (states(other)[ADDS], states(shop)[ADDS]) == ("proven", "failing")


def test_skipped_test_says_nothing_and_takes_no_proof_away(shop):
    take(shop, junit(*BOTH))
    found = take(shop, junit((BOTH[0], "skipped")), name="again.xml")
    assert (found.stored, found.counts["skipped"], states(shop)[ADDS]) == (0, 1, "proven")


def test_later_outcome_takes_the_place_of_an_earlier_one(shop):
    take(shop, junit((BOTH[0], "failure")))
    take(shop, junit(BOTH[0]), name="again.xml")
    assert (states(shop)[ADDS], row(shop, ADDS).source) == ("proven", "again.xml")


def test_an_outcome_counts_after_those_known_before_when_the_clock_has_stepped_back(shop):
    take(shop, junit((BOTH[0], "failure")), ahead=timedelta(hours=2))
    shop.git("commit", "--quiet", "--allow-empty", "--message=Later")
    take(shop, junit(BOTH[0]), name="again.xml")
    assert states(shop)[ADDS] == "proven"
    take(shop, junit((BOTH[0], "failure")), name="again.xml")
    assert states(shop)[ADDS] == "failing"


def aged(shop, seconds=60):
    """Let all files there be written a while ago, and return the moment."""
    then = time.time() - seconds
    for path in shop.root.rglob("*.*"):
        if path.is_file() and ".git/" not in str(path):
            os.utime(path, (then, then))
    return then


def taken(shop, *, commit=None):
    return run(shop, import_evidence, ["junit.xml"], commit=commit)


@pytest.mark.parametrize("committing", [False, True])
def test_a_test_newer_than_its_report_is_left_out(shop, committing):
    shop.write("junit.xml", junit(*BOTH))
    aged(shop)
    edit(shop)
    if committing:
        commit(shop)
    found = taken(shop)
    assert (found.stored, {one.reason for one in found.unmatched}) == (0, {EDITED_SINCE})


@pytest.mark.parametrize("committing", [False, True])
def test_a_report_older_than_the_code_is_refused_and_proves_nothing(shop, committing):
    shop.write("src/shop.py", "SOLD = False\n")
    shop.git("add", "src/shop.py")
    commit(shop)
    shop.write("junit.xml", junit(*BOTH))
    aged(shop)
    shop.write("src/shop.py", "SOLD = True\n")
    if committing:
        commit(shop)
    with pytest.raises(UsageError, match=r"^src/shop\.py is newer than the report"):
        taken(shop)
    assert "proven" not in states(shop).values()


def test_a_copied_report_is_as_old_as_the_run_that_it_names(shop):
    shop.write("src/shop.py", "SOLD = False\n")
    report = junit(*BOTH).replace("<testsuite ", '<testsuite timestamp="2001-01-01T00:00:00+00:00" ')
    shop.write("junit.xml", report)
    with pytest.raises(UsageError, match="newer than the report"):
        taken(shop)


def test_a_report_that_names_no_time_is_told_apart_unless_somebody_names_its_commit(shop):
    dated = junit(*BOTH).replace("<testsuite ", f'<testsuite timestamp="{datetime.now(UTC).isoformat()}" ')
    assert take(shop, dated).undated == ()
    assert take(shop, junit(*BOTH)).undated == ("junit.xml",)
    assert take(shop, junit(*BOTH), commit="HEAD").undated == ()


def test_a_report_of_the_code_that_was_committed_afterwards_is_taken(shop):
    edit(shop)
    shop.write("junit.xml", junit(*BOTH))
    aged(shop)
    commit(shop)
    found = taken(shop)
    assert (found.stored, found.commit) == (2, head(shop))


def test_a_report_older_than_the_commit_it_is_imported_for_is_refused(shop):
    shop.write("junit.xml", junit(*BOTH))
    os.utime(shop.root / "junit.xml", (1, 1))
    with pytest.raises(UsageError, match=r"^junit\.xml is older than commit"):
        taken(shop, commit="HEAD")


def test_cases_that_fit_no_test_are_listed_and_not_stored(shop):
    found = take(shop, junit(BOTH[0], "test_gone"))
    assert [(one.case, one.reason) for one in found.unmatched] == [
        ("tests.test_shop::test_gone", "no test has this name")
    ]


def test_reports_of_one_run_are_taken_together(shop):
    shop.write("a.xml", junit(BOTH[0]))
    shop.write("b.xml", junit((BOTH[0], "failure")))
    run(shop, import_evidence, ["a.xml", "b.xml"])
    assert states(shop)[ADDS] == "failing"


def test_problems_of_all_reports_come_in_one_error_and_nothing_is_stored(shop):
    shop.write("a.xml", junit(BOTH[0]))
    shop.write("b.xml", "<testsuite>")
    shop.write("c.xml", "hello")
    with shop.open() as workspace, pytest.raises(ReportError, match=r"2 problems(.|\n)*b\.xml(.|\n)*c\.xml"):
        import_evidence(workspace, ["a.xml", "b.xml", "c.xml"])
    assert set(states(shop).values()) == {"none"}


def test_report_is_named_from_where_the_person_stands(shop):
    shop.write("out/junit.xml", junit(*BOTH))
    with open_workspace(shop.root / "out", notice=print) as workspace:
        assert import_evidence(workspace, ["junit.xml"]).stored == 2


@pytest.mark.parametrize(("names", "error"), [([], UsageError), (["none.xml"], InputError)])
def test_import_without_a_report_is_refused(shop, names, error):
    with shop.open() as workspace, pytest.raises(error):
        import_evidence(workspace, names)


def test_evidence_of_an_atom_is_that_of_its_tests(linked):
    take(linked, junit(BOTH[0], (BOTH[1], "failure")))
    found = run(linked, show_evidence, [ADDS])
    ((name, atom),) = found.atoms.items()
    assert (atom.state, atom.tests, found.statuses[name]) == ("proven", {"proven": (ADDS,)}, "draft")


def test_showing_makes_no_history(untouched):
    assert set(states(untouched).values()) == {"none"}
    with untouched.open() as workspace:
        assert not workspace.has_history


def test_summary_of_results_names_what_failed_first(shop):
    shop.write("junit.xml", junit(BOTH[0], (BOTH[1], "failure")))
    (found,) = run(shop, read_test_results, ["junit.xml"])
    assert (found.form, found.counts["passed"], found.milliseconds) == ("junit", 1, 200)
    assert [(one.case, one.outcome, one.message) for one in found.named] == [
        ("tests.test_shop::test_expired_token_is_refused", "failed", "why")
    ]


def test_summary_of_coverage_says_percent_as_text_and_where_most_is_left(shop):
    shop.write("c.info", "SF:a.py\nDA:1,1\nDA:2,0\nend_of_record\nSF:b.py\nDA:1,1\nend_of_record\n")
    (found,) = run(shop, read_coverage_report, ["c.info"])
    assert (found.percent, found.hit, found.lines) == ("66.6", 2, 3)
    assert [(one.path, one.percent) for one in found.least] == [("a.py", "50.0")]


def test_summary_of_quality_counts_by_level_and_rule_without_what_is_suppressed(shop):
    results = [
        {"ruleId": "W1", "level": "warning", "message": {"text": "w"}},
        {"ruleId": "E1", "level": "error", "message": {"text": "e"}},
        {"ruleId": "E1", "level": "error", "message": {"text": "s"}, "suppressions": [{"kind": "inSource"}]},
    ]
    runs = [{"tool": {"driver": {"name": "lint"}}, "results": results}]
    shop.write("lint.sarif", json.dumps({"version": "2.1.0", "runs": runs}))
    (found,) = run(shop, read_quality_report, ["lint.sarif"])
    assert (found.levels["error"], found.levels["warning"], found.rules, found.suppressed) == (
        1,
        1,
        {"W1": 1, "E1": 1},
        1,
    )
    assert [flaw.message for flaw in found.named] == ["e", "w"]


INHERITED = "tests/test_kit.py::Kit::test_size"


@pytest.fixture
def heir(shop):
    shop.write(
        "tests/test_kit.py", "class Kit:\n    size = 1\n    def test_size(self):\n        assert self.size == 1\n"
    )
    shop.write("tests/test_heir.py", "from test_kit import Kit\n\nclass TestHeir(Kit):\n    size = 2\n")
    shop.git("add", "tests")
    commit(shop)
    return shop


def test_case_of_a_class_that_inherits_a_test_counts_for_the_test(heir):
    report = '<testsuite><testcase classname="tests.test_heir.TestHeir" name="test_size">{}</testcase></testsuite>'
    take(heir, report.format('<failure message="2 != 1"/>'))
    assert states(heir)[INHERITED] == "failing"


def test_change_of_a_class_that_inherits_a_test_makes_its_outcome_stale(heir):
    report = '<testsuite><testcase classname="tests.test_heir.TestHeir" name="test_size"/></testsuite>'
    take(heir, report)
    assert states(heir)[INHERITED] == "proven"
    heir.replace("tests/test_heir.py", "size = 2", "size = 3")
    assert states(heir)[INHERITED] == "stale"


def ran(shop):
    with shop.open() as workspace:
        return [one.told for one in show_evidence(workspace).ran]


def test_what_passed_is_told_with_the_commit_that_was_tested(shop):
    take(shop, junit(*BOTH))
    assert ran(shop) == [f"2 tests passed at {head(shop)[:12]}"]


def test_proof_of_earlier_product_code_is_not_told_as_proof_of_this_one(shop):
    shop.write("product.py", "LIMIT = 10\n")
    shop.git("add", "product.py")
    commit(shop)
    take(shop, junit(*BOTH))
    tested = head(shop)
    shop.write("product.py", "LIMIT = 101\n")
    told = f"2 tests passed at {tested[:12]}; 1 file besides tests and pact has changed since: not proven for the code here"
    assert ran(shop) == [told]
    commit(shop)
    assert (ran(shop), states(shop)[ADDS]) == ([told], "proven")
    shop.write("product.py", "LIMIT = 10\n")
    assert ran(shop) == [f"2 tests passed at {tested[:12]}"]


def test_a_file_that_git_does_not_track_changes_proof_only_if_it_is_code(shop):
    take(shop, junit(*BOTH))
    told = ran(shop)
    shop.write("coverage.xml", "<coverage/>")
    shop.write("out/junit-2.xml", junit(*BOTH))
    assert ran(shop) == told
    shop.write("sitecustomize.py", "LIMIT = 1\n")
    assert ran(shop) == [f"{told[0]}; 1 file besides tests and pact has changed since: not proven for the code here"]


def test_changes_to_the_pact_leave_proof_as_it_is(linked):
    linked.git("add", ".")
    commit(linked)
    take(linked, junit(*BOTH))
    told = ran(linked)
    linked.write("pact/atoms/more.toml", '[IA-MORE111]\nintent = "An invoice is sent."\nstatus = "draft"\n')
    linked.git("add", "pact")
    commit(linked)
    assert ran(linked) == told


def test_an_atom_is_not_told_to_be_proven_where_other_code_ran(linked):
    linked.write("product.py", "LIMIT = 10\n")
    linked.git("add", ".")
    commit(linked)
    take(linked, junit(*BOTH))
    tested = head(linked)
    linked.write("product.py", "LIMIT = 101\n")
    commit(linked)
    with linked.open() as workspace:
        (atom,) = show_evidence(workspace, [ADDS]).atoms
        backing = explain_atom(workspace, atom).row.backing
        says = {
            text: [one["text"] for one in ask(Here(workspace), text)["says"]]
            for text in ("which promises are broken?", "are all promises green?")
        }
    mark = backing.mark if backing else ""
    assert mark == f"passed at {tested[:12]}, before other files changed"
    assert any("not proven for the code here" in one for one in says["which promises are broken?"])
    assert any(mark in one for one in says["are all promises green?"])
