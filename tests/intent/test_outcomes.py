"""The cases of a test taken together."""

from dataclasses import replace

import pytest

from pactkeeper.intent.binding import Files, outcomes_of
from pactkeeper.intent.results import Case, ResultSet, TestResult, Unclear
from tests.reconcile.worlds import FILE, a_test


def result(name, outcome="passed", *, milliseconds=1, message="", line=0):
    return TestResult(Case((name,), FILE, line), outcome, milliseconds, message)


def outcomes(*results, tests=(), unclear=(), more=()):
    reports = [ResultSet("junit.xml", "junit", results, tuple(unclear)), *more]
    return outcomes_of(reports, tests or (a_test("test_a"), a_test("test_b")), Files((FILE,), "/r"))


def test_worst_case_stands_for_the_test():
    found = outcomes(result("test_a[1]"), result("test_a[2]", "failed", message="boom"), result("test_a[3]", "skipped"))
    verdict = found.verdicts[f"{FILE}::test_a"]
    assert (verdict.outcome, verdict.cases, verdict.milliseconds, verdict.message) == ("failed", 3, 3, "boom")


def test_skipped_case_takes_nothing_from_one_that_passed():
    found = outcomes(result("test_a[1]"), result("test_a[2]", "skipped"))
    assert found.verdicts[f"{FILE}::test_a"].outcome == "passed"


def test_test_is_skipped_only_where_all_its_cases_are():
    found = outcomes(result("test_a[1]", "skipped"), result("test_a[2]", "skipped"))
    assert found.verdicts[f"{FILE}::test_a"].outcome == "skipped"


def test_reports_of_one_run_are_taken_together():
    other = ResultSet("b.xml", "junit", (result("test_a", "failed"),))
    assert outcomes(result("test_a"), more=[other]).verdicts[f"{FILE}::test_a"].outcome == "failed"


def test_cases_without_a_test_are_listed_failures_first():
    found = outcomes(result("gone"), result("lost", "failed", message="boom"))
    assert [(one.case, one.outcome, one.message) for one in found.unmatched] == [
        (f"{FILE}::lost", "failed", "boom"),
        (f"{FILE}::gone", "passed", ""),
    ]


def test_what_the_report_leaves_unclear_is_listed():
    found = outcomes(unclear=[Unclear(Case(("test_a",), FILE), "why")])
    assert [(one.outcome, one.reason) for one in found.unmatched] == [(None, "why")]
    assert not found.verdicts


def twins():
    return a_test("test_a", line=10), replace(a_test("test_a", line=30), id=f"{FILE}::test_a#2")


def test_twins_pass_where_all_their_cases_do():
    found = outcomes(result("test_a"), result("test_a"), tests=twins())
    assert {one.outcome for one in found.verdicts.values()} == {"passed"}
    assert len(found.verdicts) == 2


def test_twins_whose_cases_differ_are_not_told_apart():
    found = outcomes(result("test_a"), result("test_a", "failed"), tests=twins())
    assert (len(found.verdicts), len(found.unmatched)) == (0, 2)


def test_one_case_does_not_stand_for_two_tests():
    found = outcomes(result("test_a"), tests=twins())
    assert (len(found.verdicts), len(found.unmatched)) == (0, 1)


def test_twins_are_told_apart_by_line():
    found = outcomes(result("test_a", line=10), result("test_a", "failed", line=30), tests=twins())
    assert {test: one.outcome for test, one in found.verdicts.items()} == {
        f"{FILE}::test_a": "passed",
        f"{FILE}::test_a#2": "failed",
    }


BASE = replace(a_test("test_a"), id=f"{FILE}::Base::test_a", suite=("Base",))


def in_class(name, outcome="passed", *, joined=False):
    names = (f"{FILE.removesuffix('.py').replace('/', '.')}.{name}", "test_a") if joined else (name, "test_a")
    return TestResult(Case(names, "" if joined else FILE, joined=joined), outcome)


@pytest.mark.parametrize("joined", [False, True])
def test_test_that_fails_where_it_is_inherited_has_failed(joined):
    inherited = replace(BASE, runs_in=(f"{FILE}::Heir",))
    found = outcomes(in_class("Base", joined=joined), in_class("Heir", "failed", joined=joined), tests=(inherited,))
    assert not found.unmatched
    assert (found.verdicts[BASE.id].outcome, found.verdicts[BASE.id].cases) == ("failed", 2)


def test_pass_does_not_count_if_the_name_failed_in_an_unknown_class():
    found = outcomes(in_class("Base"), in_class("Stranger", "failed"), tests=(BASE,))
    assert not found.verdicts
    assert [one.outcome for one in found.unmatched] == ["failed", "passed"]
