import json
from datetime import datetime

import pytest

from pactkeeper.operators.evidence import import_evidence
from pactkeeper.workspace import open_workspace

COVERED = {
    "meta": {"version": "7"},
    "files": {"shop/login.py": {"executed_lines": [1, 4], "missing_lines": [6, 7], "summary": {}}},
    "totals": {},
}


def said(found):
    return "\n".join(one["text"] for one in found["says"])


def test_a_report_that_is_not_there_is_never_read_as_zero(shop):
    found = shop.ask("what is the coverage?")
    assert (found["kind"], found["verb"]) == ("cannot_tell", "read_coverage_report")
    assert "0" not in said(found)


def test_a_report_is_found_with_its_age_and_commit(shop):
    shop.write(".gitignore", "coverage.json\n")
    shop.write("coverage.json", json.dumps(COVERED))
    found = shop.ask("what is the coverage of shop/login.py?")
    assert "line coverage: 50" in said(found)
    assert "no commit is newer" in said(found)


def test_two_reports_that_disagree_are_both_shown(shop):
    shop.write("coverage.json", json.dumps(COVERED))
    shop.write("out/lcov.info", "SF:shop/login.py\nDA:1,1\nend_of_record\n")
    found = shop.ask("what is the coverage?")
    assert len(found["says"]) == 2
    assert "the reports disagree; each is shown as it is" in found["limitations"]


def test_an_unreadable_report_is_named(shop):
    shop.write("coverage.json", "{")
    found = shop.ask("what is the coverage?")
    assert found["kind"] == "cannot_tell"
    assert any(one.startswith("coverage.json: it cannot be read as a coverage report") for one in found["limitations"])


def test_a_project_declares_where_its_reports_are(shop):
    shop.write("pact/pact.toml", '[pact]\nformat = 1\n\n[reports]\nbuild = ["ci/state.json"]\n')
    shop.write("ci/state.json", '{"passed": true, "jobs": 4}')
    found = shop.ask("is the build green?")
    assert "passed: True" in said(found)


def built(shop, **facts):
    """What is said of a build report with these facts, which git ignores."""
    shop.write(".gitignore", "build-report.json\n")
    shop.write("build-report.json", json.dumps({"status": "success", **facts}))
    return shop.ask("is main green?")


def test_a_build_report_is_about_the_commit_that_it_names(shop):
    shop.write(".gitignore", "build-report.json\n")
    old = shop.git("rev-parse", "HEAD")
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--message", "Ignore the report")
    found = built(shop, commit=old[:8])
    assert found["kind"] == "closest"
    assert f"of commit {old[:10]}; 1 newer commit" in said(found)
    assert built(shop, commit=shop.git("rev-parse", "HEAD"))["kind"] == "answer"


def test_a_build_report_is_as_old_as_it_says_whenever_its_file_was_written(shop):
    found = built(shop, finished="2020-01-01T10:00:00Z")
    assert found["kind"] == "closest"
    assert "of 2020-01-01 10:00 UTC; no commit was the last commit then" in said(found)


def test_a_build_report_of_another_branch_says_nothing_of_main(shop):
    found = built(shop, branch="topic", commit=shop.git("rev-parse", "HEAD"))
    assert (found["kind"], ", on branch topic" in said(found)) == ("closest", True)


def test_failing_tests_are_named(shop):
    shop.write(
        "junit.xml",
        '<testsuite><testcase classname="t" name="a"/><testcase classname="t" name="b"><failure/></testcase></testsuite>',
    )
    found = shop.ask("which tests failed?")
    assert found["verb"] == "read_test_results"
    assert "junit.xml: t::b failed." in said(found)


def test_a_report_that_was_imported_is_not_advised_to_be_imported_and_a_line_that_holds_all_is_not_quoted(shop):
    case = '<testcase classname="tests.test_login" name="test_expired_token_is_refused"/>'
    shop.write("junit.xml", f"<testsuite>{case}{'<!-- more -->' * 40}</testsuite>")
    found = shop.ask("which tests failed?")
    assert (found["next"], found["citations"]) == (["pk evidence import junit.xml"], [])
    with open_workspace(shop.root, notice=print) as opened:
        import_evidence(opened, ("junit.xml",))
    assert shop.ask("which tests failed?")["next"] == []


def test_a_report_behind_a_link_out_of_the_repository_is_not_read(shop, tmp_path):
    (tmp_path / "secret.json").write_text(json.dumps(COVERED))
    (shop.root / "coverage.json").symlink_to(tmp_path / "secret.json")
    found = shop.ask("what is the coverage?")
    assert "coverage.json: it is outside the repository" in found["limitations"]


def ran(shop, *, failed=False):
    """Import a run of one test."""
    outcome = "<failure/>" if failed else ""
    case = f'<testcase classname="tests.test_login" name="test_expired_token_is_refused">{outcome}</testcase>'
    shop.write("junit.xml", f"<testsuite>{case}</testsuite>")
    with open_workspace(shop.root, notice=print) as opened:
        import_evidence(opened, ("junit.xml",))


TURNED = "tests/test_login.py::test_expired_token_is_refused failed "


def test_what_broke_this_week_is_told_by_runs_of_tests_and_what_nothing_says_is_named(shop):
    shop.write(".gitignore", "junit.xml\n")
    ran(shop)
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--message", "Ignore the report")
    ran(shop, failed=True)
    found = shop.ask("what broke this week?")
    today = datetime.now().astimezone().date().isoformat()
    assert (found["kind"], found["verb"]) == ("answer", "what_broke")
    lines = [one["text"] for one in found["says"]]
    assert lines[0].startswith("'this week' was read as ")
    assert f"{TURNED}at {shop.git('rev-parse', 'HEAD')[:10]} on {today}, after it had passed (junit.xml)." in lines
    assert any(one.startswith("No sweep since ") for one in lines)


def test_where_nothing_looked_at_the_days_what_broke_is_not_known(shop):
    found = shop.ask("what broke last month?")
    assert (found["kind"], found["citations"]) == ("cannot_tell", [])
    assert "No run of a test is known." in said(found)


def test_a_test_that_failed_all_along_did_not_break_again(shop):
    shop.write(".gitignore", "junit.xml\n")
    ran(shop, failed=True)
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--message", "Ignore the report")
    ran(shop, failed=True)
    told = said(shop.ask("what broke today?"))
    assert told.startswith(f"'today' was read as {datetime.now().astimezone().date().isoformat()}.")
    assert told.count(TURNED) == 1
    assert "in its first known run" in told


@pytest.mark.parametrize(
    "question", ["what broke main, and when?", "when was main last green?", "since when is it red?", "why is main red?"]
)
def test_without_sweeps_nothing_is_known_of_main_and_the_command_is_named(shop, question):
    found = shop.ask(question)
    assert (found["kind"], found["citations"]) == ("cannot_tell", [])
    told = "No sweep or build report can be read here, so nothing is known; one comes from: pk health sweep"
    assert said(found) == told
