import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.chat.answers import (
    Finding,
    best_level,
    compact,
    deduplicated,
    facts_of,
    in_one_line,
    merged_limits,
    normal_source,
    rendered,
    summary_of,
)
from pactkeeper.ledger.canonical import JsonValue

LISTED = Finding("a")
RAW = Finding("a", "text", 1, 1)
PARSED = Finding("b", parsed={"lines": 3})
COMPUTED = Finding("c", computed={"percent": "50"})
VERIFIED = Finding("d", verified=True)


@pytest.mark.parametrize(("finding", "level"), [(LISTED, 0), (RAW, 1), (PARSED, 2), (COMPUTED, 3), (VERIFIED, 4)])
def test_a_finding_is_as_good_as_what_it_holds(finding, level):
    assert finding.level == level


@pytest.mark.parametrize("source", ["a/b.py", "./a/b.py", "a/x/../b.py", "a\\b.py"])
def test_one_file_has_one_source_whatever_tool_named_it(source):
    assert normal_source(source) == "a/b.py"


def test_of_two_findings_at_one_place_the_better_proof_stays_with_both_limits():
    better = Finding("a.py", "x", 3, 3, computed={"n": 1}, limits=("cut",))
    (kept,) = deduplicated([Finding("./a.py", "x", 3, 3, limits=("old",)), better])
    assert (kept.level, set(kept.limits)) == (3, {"cut", "old"})


def test_compaction_keeps_computed_facts_and_says_what_it_left_out():
    found = compact(Finding("a", "line\n" * 100, 1, 100, computed={"n": 1}))
    assert found.computed == {"n": 1}
    assert len(found.text) < 200
    assert "500 characters" in found.limits[0]


def test_facts_come_from_any_json_shallow_ones_first():
    value: JsonValue = {"deep": {"x": {"y": 1}}, "name": "n", "ok": True, "list": [1, 2]}
    assert list(facts_of(value)) == ["/name", "/ok", "/list/#", "/deep/x/y"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=60,
    )
)
def test_facts_of_whatever_json_are_few(value):
    assert len(facts_of(value, most=10)) <= 11
    assert summary_of(value)


def test_a_summary_names_top_level_keys_with_their_kinds():
    assert summary_of({"a": 1, "b": [], "c": {}}) == "object: a (number), b (list), c (object)"


def test_evidence_in_one_line():
    assert in_one_line([PARSED, RAW, RAW, COMPUTED]) == "1 computed, 1 parsed, 2 quoted"
    assert best_level([RAW, COMPUTED]) == 3


def test_a_limit_is_said_once_with_all_its_sources():
    found = [Finding("a", limits=("cut",)), Finding("b", limits=("cut",)), Finding("a", limits=("cut",))]
    assert merged_limits(found) == ("a, b: cut",)


def test_rendering_keeps_to_its_budget_and_says_what_did_not_fit():
    found = [Finding(f"f{number}", "x" * 400, 1, 1) for number in range(20)] + [COMPUTED]
    text = rendered(found, budget=2000)
    assert len(text) < 2100
    assert "percent = 50" in text
    assert "did not fit]" in text
