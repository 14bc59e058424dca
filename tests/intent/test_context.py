import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pactkeeper.intent.context import (
    SMALLEST_BUDGET,
    Assertion,
    Concepts,
    Passage,
    Reached,
    RelatedFile,
    TestContext,
    fitted,
    lines_of,
    related_docs,
)


def a_context(count=1, width=20):
    filler = "x" * width
    return TestContext(
        "tests/test_a.py::test_a",
        tuple(Assertion(line, "equals", f"assert {filler}") for line in range(1, count + 1)),
        Concepts(tuple(f"d{n}" for n in range(count)), tuple(f"t{n}" for n in range(count))),
        tuple(Reached(f"f{n}", "function", "shop.py", n, f"def f{n}({filler})", "Says it.") for n in range(count)),
        tuple(Passage("docs/shop.md", n, n, ("Shop", f"Part {n}"), filler) for n in range(count)),
        tuple(RelatedFile(f"f{n}.py", "defines what the test reaches") for n in range(count)),
        searched=True,
    )


def characters(context):
    return sum(len(line) + 1 for line in lines_of(context))


sizes = st.builds(a_context, st.integers(0, 40), st.integers(0, 200))


@given(sizes, st.integers(SMALLEST_BUDGET, 6_000))
@settings(deadline=None)
def test_a_context_never_has_more_characters_than_its_budget(whole, budget):
    found = fitted(whole, budget)
    assert found.size == characters(found) <= budget


@given(sizes, st.integers(SMALLEST_BUDGET, 6_000))
@settings(deadline=None)
def test_what_is_shown_and_what_is_cut_are_all_there_was(whole, budget):
    found = fitted(whole, budget)
    cut = dict(found.cut)
    assert len(found.assertions) + cut.get("assertions", 0) == len(whole.assertions)
    assert len(found.code) + cut.get("code", 0) == len(whole.code)
    assert len(found.documents) + cut.get("documents", 0) == len(whole.documents)
    assert len(found.related) + cut.get("related", 0) == len(whole.related)
    shown = len(found.concepts.domain) + len(found.concepts.technical)
    assert shown + cut.get("concepts", 0) == len(whole.concepts.domain) + len(whole.concepts.technical)


@given(sizes, st.integers(SMALLEST_BUDGET, 6_000))
@settings(deadline=None)
def test_what_is_cut_is_the_least_useful_end_of_each_part(whole, budget):
    found = fitted(whole, budget)
    assert found.code == whole.code[: len(found.code)]
    assert found.assertions == whole.assertions[: len(found.assertions)]


def test_nothing_is_cut_where_everything_fits():
    found = fitted(a_context(3), 4_000)
    assert found.cut == ()
    assert not any("left out" in line for line in lines_of(found))


def test_the_last_line_counts_what_was_left_out():
    found = fitted(a_context(30, 100), 1_000)
    assert lines_of(found)[-1].startswith("left out to stay within 1000 characters: ")
    assert f"{dict(found.cut)['assertions']} assertions" in lines_of(found)[-1]


def test_many_assertions_leave_room_for_code_and_documents():
    found = fitted(a_context(40, 60), 3_000)
    assert len(found.code) > 3
    assert len(found.documents) > 3


def test_room_that_one_part_does_not_use_goes_to_the_others():
    lonely = TestContext("t", code=a_context(40, 60).code)
    crowded = a_context(40, 60)
    assert len(fitted(lonely, 3_000).code) > len(fitted(crowded, 3_000).code)


def test_a_budget_that_can_say_nothing_is_refused():
    with pytest.raises(ValueError, match="at least 300 characters, not 299"):
        fitted(a_context(), 299)


def test_related_documents_are_named_by_path_and_anchor():
    context = TestContext(
        "t",
        documents=(
            Passage("docs/a.md", 3, 9, ("Guide", "What `pk check` does, and why?"), ""),
            Passage("src/a.py", 3, 9, ("Basket", "add"), "", code=True),
            Passage("src/a.py", 1, 2, (), "", code=True),
            Passage("docs/a.md", 12, 20, ("Guide", "What `pk check` does, and why?"), ""),
        ),
    )
    assert related_docs(context) == ("docs/a.md#what-pk-check-does-and-why", "src/a.py#Basket.add", "src/a.py")
