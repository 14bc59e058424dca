"""The head of a Markdown file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.boards.folder import UnreadablePage, read_page, with_values

PAGE = "---\ntitle: Pay the rent\nlabels: [home, 'it''s due']\nnotes:\n  - one\n  - two\n# kept\n---\nBody: no key\n"


def test_values_lists_and_quotes_are_read():
    page = read_page(PAGE)
    assert page.text("title") == "Pay the rent"
    assert page.texts("labels") == ("home", "it's due")
    assert page.texts("notes") == ("one", "two")
    assert page.body == "Body: no key\n"


def test_setting_one_key_leaves_every_other_line():
    assert with_values(read_page(PAGE), {"title": "Pay it"}) == PAGE.replace("Pay the rent", "Pay it")


def test_taking_a_key_away_leaves_every_other_line():
    assert with_values(read_page(PAGE), {"title": None}) == PAGE.replace("title: Pay the rent\n", "")


def test_value_over_several_lines_is_never_overwritten():
    with pytest.raises(UnreadablePage, match="several lines"):
        with_values(read_page(PAGE), {"notes": "three"})


def test_head_without_an_end_is_unreadable():
    with pytest.raises(UnreadablePage, match="closing"):
        read_page("---\ntitle: x\n")


def test_list_without_an_end_is_unreadable():
    with pytest.raises(UnreadablePage, match="'title' in the front matter has no closing ]"):
        read_page("---\ntitle: [x\nstatus: open\n---\n")


def test_list_that_goes_on_below_is_neither_read_nor_overwritten():
    page = read_page("---\nlabels: [a,\n  b]\ntitle: x\n---\n")
    assert (page.texts("labels"), page.text("title")) == ((), "x")
    with pytest.raises(UnreadablePage, match="several lines"):
        with_values(page, {"labels": ("c",)})


def test_text_that_begins_with_a_word_in_brackets_is_text():
    assert read_page("---\ntitle: [WIP] Renew tokens\n---\n").text("title") == "[WIP] Renew tokens"


def test_key_that_stands_twice_is_unreadable():
    with pytest.raises(UnreadablePage, match="twice"):
        read_page("---\nid: a\nid: b\n---\n")


@given(st.text(st.characters(codec="utf-8")), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_text_without_changes_comes_back_byte_for_byte(body, newline, headed):
    text = f"---{newline}a: b{newline}---{newline}{body}" if headed else body
    try:
        page = read_page(text)
    except UnreadablePage:
        return
    assert with_values(page, {}) == text


@given(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\x85\u2028\u2029\x1c\x1d\x1e\x0b\x0c"), min_size=1))
def test_value_that_was_set_is_read_back(value):
    assert read_page(with_values(read_page("Body\n"), {"title": value})).text("title") == value


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_list_that_was_set_is_read_back(values):
    assert read_page(with_values(read_page("Body\n"), {"labels": tuple(values)})).texts("labels") == tuple(values)
