"""What is read from each flavour of test results."""

import json

import pytest

from pactkeeper.intent.results import MESSAGE_LENGTH, Case
from pactkeeper.repo.reports import detect, read_results
from tests.repo.reports.reading import report, sample

FLAVOURS = {
    "pytest.xml": ("JUnit XML", {"skipped": 2, "passed": 6, "failed": 3, "error": 3}),
    "pytest-xunit1.xml": ("JUnit XML", {"skipped": 2, "passed": 6, "failed": 3, "error": 3}),
    "pytest.json": ("pytest-json-report", {"skipped": 2, "passed": 6, "failed": 2, "error": 3}),
    "jest.json": ("Jest or Vitest JSON", {"skipped": 2, "passed": 7, "failed": 3, "error": 1}),
    "jest-junit.xml": ("JUnit XML", {"skipped": 1, "passed": 8, "failed": 3, "error": 0}),
    "vitest.json": ("Jest or Vitest JSON", {"skipped": 2, "passed": 6, "failed": 3, "error": 1}),
    "vitest.xml": ("JUnit XML", {"skipped": 2, "passed": 6, "failed": 4, "error": 0}),
    "mocha.json": ("mocha JSON", {"skipped": 1, "passed": 2, "failed": 1, "error": 0}),
    "mocha-junit.xml": ("JUnit XML", {"skipped": 0, "passed": 2, "failed": 1, "error": 0}),
    "mocha-xunit.xml": ("JUnit XML", {"skipped": 1, "passed": 2, "failed": 1, "error": 0}),
    "playwright.xml": ("JUnit XML", {"skipped": 1, "passed": 1, "failed": 0, "error": 0}),
    "surefire.xml": ("JUnit XML", {"skipped": 1, "passed": 3, "failed": 1, "error": 1}),
    "gradle.xml": ("JUnit XML", {"skipped": 1, "passed": 1, "failed": 0, "error": 0}),
    "go.xml": ("JUnit XML", {"skipped": 1, "passed": 0, "failed": 2, "error": 0}),
}


def found(name, last):
    """The result of a sample whose name ends with `last`."""
    (one,) = [one for one in read_results(sample(name)).results if one.case.names[-1:] == (last,)]
    return one


def junit(*cases, suite='name="s"'):
    return report(f"<testsuites><testsuite {suite}>{''.join(cases)}</testsuite></testsuites>")


def only(given):
    (one,) = read_results(given).results
    return one


@pytest.mark.parametrize("name", FLAVOURS)
def test_format_is_told_by_content_and_every_case_is_counted(name):
    form, counts = FLAVOURS[name]
    given = report(sample(name).data, "misleading.txt")
    assert (detect(given).name, read_results(given).counts) == (form, counts)


def test_node_id_is_parted_before_its_parameters():
    assert found("pytest.json", "test_add[a::b]").case.names == ("TestBasket", "test_add[a::b]")


def test_lines_that_count_from_zero_are_moved_to_count_from_one():
    lines = {found(name, "test_new_is_empty").case.line for name in ("pytest.json", "pytest-xunit1.xml")}
    assert lines == {7}


def test_line_of_another_junit_writer_is_taken_as_it_is():
    assert only(junit('<testcase name="a" line="7"/>')).case.line == 7


def test_file_that_pytest_could_not_collect_is_an_error_without_a_test():
    (one,) = [one for one in read_results(sample("pytest.json")).results if not one.case.names]
    assert (one.case.file, one.outcome) == ("tests/test_broken.py", "error")


def test_file_that_jest_could_not_run_is_an_error_without_a_test():
    (one,) = [one for one in read_results(sample("jest.json")).results if not one.case.names]
    assert (one.case.file, one.outcome) == ("/home/ada/shop/test/broken.test.js", "error")


def test_outcome_that_hides_failed_subtests_is_unclear_instead_of_passed():
    (one,) = read_results(sample("pytest.json")).unclear
    assert (one.case.names, "subtests passed" in one.reason) == (("OldStyle", "test_old"), True)


def test_status_that_nobody_knows_is_unclear_instead_of_passed():
    given = report('{"testResults": [{"name": "a.js", "assertionResults": [{"title": "t", "status": "new"}]}]}')
    (one,) = read_results(given).unclear
    assert "'new'" in one.reason


def test_expected_failure_says_nothing():
    assert found("pytest.json", "test_expected").outcome == "skipped"


def test_failure_that_a_retry_passed_counts_as_passed():
    assert found("surefire.xml", "settles").outcome == "passed"


def test_thousands_in_a_time_are_read():
    assert found("surefire.xml", "isEmpty").milliseconds == 1_234_500


@pytest.mark.parametrize(
    ("time", "milliseconds"),
    [("0.0184", 18), ("2", 2000), ("1,5", 1500), ("soon", None), ("-1", None), ("1e999999", None), ("nan", None)],
)
def test_time_is_whole_milliseconds_or_not_known(time, milliseconds):
    assert only(junit(f'<testcase name="a" time="{time}"/>')).milliseconds == milliseconds


def test_durations_of_all_phases_are_summed():
    assert found("pytest.json", "test_new_is_empty").milliseconds == 4


def test_message_comes_from_the_text_where_its_attribute_is_missing():
    assert found("surefire.xml", "breaks").message.startswith("java.lang.RuntimeException")


def test_message_of_a_failure_is_not_that_of_a_retry():
    assert found("surefire.xml", "fails").message == "expected: <1> but was: <2>"


def test_colours_of_a_terminal_are_left_out_of_messages():
    given = {"title": "t", "status": "failed", "failureMessages": ["\x1b[31mred\x1b[39m"]}
    text = '{"testResults": [{"name": "a.js", "assertionResults": [%s]}]}'
    assert only(report(text % json.dumps(given))).message == "red"


def test_long_message_is_cut():
    given = junit(f'<testcase name="a"><failure message="{"x" * 9000}"/></testcase>')
    assert len(only(given).message) == MESSAGE_LENGTH


def test_case_with_a_failure_and_an_error_is_an_error():
    given = junit('<testcase name="a"><failure message="one"/><error message="two"/></testcase>')
    assert (only(given).outcome, only(given).message) == ("error", "two")


@pytest.mark.parametrize("attribute", ['status="notrun"', 'status="disabled"', 'result="suppressed"'])
def test_case_that_did_not_run_is_skipped(attribute):
    assert only(junit(f'<testcase name="a" {attribute}/>')).outcome == "skipped"


@pytest.mark.parametrize(
    ("case", "suite", "file"),
    [
        ('file="a/b.js" classname="c"', 'file="other.js"', "a/b.js"),
        ('classname="c"', 'file="other.js"', "other.js"),
        ('classname="a/b.test.ts"', "", "a/b.test.ts"),
        ('classname="c"', 'name="login.spec.ts"', "login.spec.ts"),
        ('classname="tests.test_a.TestX"', "", ""),
    ],
)
def test_file_of_a_case_is_the_nearest_that_is_named(case, suite, file):
    given = junit(f'<testcase name="t" {case}/>', suite=suite)
    assert only(given).case.file == file


def test_nested_suites_and_prefixed_names_are_read():
    inner = '<j:testsuite name="t"><j:testcase name="a"/></j:testsuite>'
    given = report(f'<j:testsuites xmlns:j="urn:x"><j:testsuite name="s">{inner}</j:testsuite></j:testsuites>')
    assert only(given).case == Case(("a",), joined=True)


def test_vitest_joins_suites_with_arrows_behind_its_file():
    case = found("vitest.xml", "slug > nested > deep > works").case
    assert (case.file, case.names, case.joined) == (
        "test/slug.test.ts",
        ("test/slug.test.ts", "slug > nested > deep > works"),
        True,
    )


@pytest.mark.parametrize(
    ("said", "began"),
    [
        ("1764500000123", "2025-11-30T10:53:20.123000+00:00"),
        ('"soon"', None),
        ("true", None),
        ("9" * 30, None),
    ],
)
def test_a_report_of_jest_or_vitest_says_when_its_run_began(said, began):
    text = f'{{"numTotalTests": 0, "startTime": {said}, "testResults": []}}'
    moment = read_results(report(text)).began
    assert (moment and moment.isoformat()) == began


def test_jest_keeps_suites_apart():
    case = found("jest.json", "works").case
    assert (case.names, case.joined, case.line) == (("slug", "nested › deep", "works"), False, 9)
