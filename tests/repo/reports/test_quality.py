"""What is read from SARIF."""

import json

import pytest

from pactkeeper.errors import ReportError
from pactkeeper.repo.reports import detect, read_quality, read_results
from pactkeeper.repo.reports.sarif import Flaw
from tests.repo.reports.reading import report, sample

RULES = [{"id": "R1", "defaultConfiguration": {"level": "error"}}, {"id": "R2"}]


def sarif(*results, rules=(), name="lint"):
    run = {"tool": {"driver": {"name": name, "rules": list(rules)}}, "results": list(results)}
    return report(json.dumps({"version": "2.1.0", "runs": [run]}))


def found(given):
    return list(read_quality(given).flaws)


def test_result_is_read_with_rule_level_message_and_place():
    place = {"physicalLocation": {"artifactLocation": {"uri": "src/a.py"}, "region": {"startLine": 3}}}
    result = {"ruleId": "E1", "level": "note", "message": {"text": "why"}, "locations": [place]}
    assert found(sarif(result)) == [Flaw("lint", "E1", "note", "why", "src/a.py", 3, suppressed=False)]


@pytest.mark.parametrize(("rule", "level"), [("R1", "error"), ("R2", "warning"), ("R3", "warning")])
def test_level_that_is_missing_is_that_of_the_rule(rule, level):
    (flaw,) = found(sarif({"ruleId": rule, "message": {"text": ""}}, rules=RULES))
    assert flaw.level == level


def test_result_without_a_place_is_about_everything():
    (flaw,) = found(sarif({"message": {"text": "x"}}))
    assert (flaw.path, flaw.line) == ("", 0)


def test_suppressed_result_says_so():
    (flaw,) = found(sarif({"message": {"text": "x"}, "suppressions": [{"kind": "inSource"}]}))
    assert flaw.suppressed


def test_run_that_did_not_come_to_look_found_nothing():
    given = report('{"runs": [{"tool": {"driver": {"name": "lint"}}}]}')
    assert (found(given), read_quality(given).tools) == ([], ("lint",))


def test_sarif_is_told_by_content():
    schema = '{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []}'
    assert detect(report(schema)).name == "SARIF"


@pytest.mark.parametrize(
    "text",
    [
        '{"runs": [{"tool": {}}]}',
        '{"runs": [{"tool": {"driver": {"name": "x"}}, "results": 1}]}',
        '{"runs": [{"tool": {"driver": {"name": "x"}}, "results": [1]}]}',
        '{"runs": [3]}',
        '{"runs": 3}',
    ],
)
def test_misshapen_run_is_a_problem(text):
    with pytest.raises(ReportError):
        read_quality(report(text))


def test_report_of_the_other_kind_is_named():
    with pytest.raises(ReportError, match="which contains no quality data; use SARIF"):
        read_quality(sample("jest.json"))
    with pytest.raises(ReportError, match="is SARIF, which contains no results"):
        read_results(sarif())
