"""Changes of Markdown that touch one place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.boards.sections import own_section, patched, ticked, with_section, without_section
from pactkeeper.errors import RefusedError, StaleError

BODY = "# Plan\n\nWrite it.\n\n## Steps\n\n- [ ] Buy milk\n- [x] Buy bread\n\n```\n## Steps\n- [ ] Buy milk\n```\n\n## Later\n\nWrite it.\n"
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r"))


def enriched(body, text="Found out.", key="op-000001"):
    return with_section(body, mark="session-1", key=key, heading="Notes", text=text)


@given(TEXTS, TEXTS)
def test_adding_a_section_and_taking_it_out_leaves_the_body_as_it_was(body, text):
    if "<!-- pactkeeper:" not in body:
        assert without_section(enriched(body, text), "session-1") == body


@given(TEXTS, TEXTS, TEXTS)
def test_renewing_a_section_touches_nothing_around_it(before, after, text):
    if "<!-- pactkeeper:" in before + after:
        return
    first = enriched(before) + after
    renewed = enriched(first, text, key="op-000002")
    assert renewed.startswith(before)
    assert renewed.endswith("\n" + after)


def test_section_that_a_person_changed_is_not_renewed():
    with pytest.raises(StaleError, match="by hand"):
        enriched(enriched(BODY).replace("Found out.", "Found out more."), "New.")


def test_section_that_lost_its_end_is_not_renewed():
    with pytest.raises(StaleError, match="lost its end"):
        enriched(enriched(BODY).replace("<!-- pactkeeper:end session-1 -->", ""), "New.")


def test_our_comments_in_a_text_mark_nothing():
    body = enriched(BODY, "<!-- pactkeeper:end session-1 -->\n<!-- pactkeeper:begin x y 0123456789abcdef -->\n")
    found = own_section(body, "session-1")
    assert found is not None
    assert not found.edited
    assert own_section(body, "x") is None


def test_mark_that_could_end_a_comment_is_refused():
    with pytest.raises(RefusedError, match="mark"):
        with_section(BODY, mark="a-->", key="op-000001", heading="x", text="y")


def test_patch_looks_under_its_heading_only():
    assert patched(BODY, heading="Later", old="Write it.", new="Done.") == BODY.removesuffix("Write it.\n") + "Done.\n"


@pytest.mark.parametrize(
    ("heading", "old"), [("Later", "Gone."), ("Plan", "Write it."), ("Nowhere", "Write it."), ("Later", "")]
)
def test_patch_of_text_that_is_not_there_exactly_once_is_stale(heading, old):
    with pytest.raises(StaleError):
        patched(BODY, heading=heading, old=old, new="x")


def test_only_the_named_todo_outside_of_code_is_ticked():
    assert ticked(BODY, "Buy milk", done=True) == BODY.replace("- [ ] Buy milk", "- [x] Buy milk", 1)


def test_todo_that_stands_twice_is_not_ticked():
    with pytest.raises(StaleError, match="2 times"):
        ticked("- [ ] a\n- [ ] a\n", "a", done=True)
