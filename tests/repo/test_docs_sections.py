"""How documents are cut at their headings."""

import pytest

from pactkeeper.repo.docs import is_document, is_foreign, sections_of


def sections(path, text):
    return [(one.line, one.last, one.trail, one.text) for one in sections_of(path, text.encode())]


def trails(path, text):
    return [one.trail for one in sections_of(path, text.encode())]


def test_markdown_is_cut_at_its_headings_with_their_trail():
    text = "Intro\n\n# Shop\n\nAll of it.\n\n## Basket\n\nHolds things.\n\n# Other\n\nMore.\n"
    assert sections("a.md", text) == [
        (1, 2, (), "Intro"),
        (3, 6, ("Shop",), "All of it."),
        (7, 10, ("Shop", "Basket"), "Holds things."),
        (11, 13, ("Other",), "More."),
    ]


def test_a_line_that_looks_like_a_heading_in_code_is_none():
    assert trails("a.md", "# Real\n\n```\n# not one\n```\n\n    # nor this\n") == [("Real",)]


def test_underlined_markdown_headings_count():
    assert trails("a.md", "Shop\n====\n\ntext\n\nBasket\n------\n\ntext\n") == [("Shop",), ("Shop", "Basket")]


def test_front_matter_gives_the_title_and_no_section():
    text = '---\ntitle: "Defining schemas"\nauthor: x\n---\n\nBefore.\n\n## Strings\n\nText.\n'
    assert sections("a.mdx", text) == [
        (1, 7, ("Defining schemas",), "Before."),
        (8, 10, ("Defining schemas", "Strings"), "Text."),
    ]


def test_headings_lose_their_markup():
    assert trails("a.md", "# The `pk` [tool](http://x.example) **now** {#anchor}\n\ntext\n") == [("The pk tool now",)]
    assert trails("a.rst", ":class:`~shop.Basket` and ``add``\n=================================\n\ntext\n") == [
        ("shop.Basket and add",)
    ]


def test_rst_depth_follows_the_order_in_which_marks_are_first_used():
    text = "=====\nTitle\n=====\n\nPart\n----\n\ntext\n\nInner\n~~~~~\n\ntext\n\nOther\n-----\n\ntext\n"
    assert trails("a.rst", text) == [("Title", "Part"), ("Title", "Part", "Inner"), ("Title", "Other")]


def test_rst_rules_and_tables_and_code_are_no_headings():
    text = "Title\n=====\n\ntext\n\n----\n\n===  ===\na    b\n===  ===\n\n::\n\n    Code\n    ====\n"
    assert trails("a.rst", text) == [("Title",)]


def test_labels_before_a_heading_are_no_text_of_the_section_above():
    text = "Title\n=====\n\ntext\n\n.. _basket:\n\n.. setting:: BASKET\n\nBasket\n------\n\nmore\n"
    assert sections("a.rst", text)[0][3] == "text"


def test_a_heading_without_text_is_kept_unless_others_stand_below_it():
    assert trails("a.md", "# Shop\n\n## Basket\n\n## Till\n\ntext\n") == [("Shop", "Basket"), ("Shop", "Till")]


def test_a_long_section_is_cut_at_a_blank_line_and_every_part_says_where_it_is():
    paragraphs = "\n\n".join("\n".join(f"line {p} {n}" for n in range(9)) for p in range(13))
    found = sections("a.md", f"# Long\n\n{paragraphs}\n")
    assert len(found) > 1
    assert {trail for _, _, trail, _ in found} == {("Long",)}
    lines = f"# Long\n\n{paragraphs}\n".splitlines()
    for line, _, _, text in found[1:]:
        assert lines[line - 1] == text.splitlines()[0]


@pytest.mark.parametrize("path", ["README.md", "docs/a.markdown", "x.MDX", "a.rst", "docs/topics/a.txt", "readme.txt"])
def test_files_written_for_people_are_documents(path):
    assert is_document(path)


@pytest.mark.parametrize("path", ["requirements.txt", "a.py", "docs/a.html", "md", "src/words.txt"])
def test_other_files_are_no_documents(path):
    assert not is_document(path)


@pytest.mark.parametrize("path", ["node_modules/a/README.md", "x/site-packages/a.py", "vendor/a.md"])
def test_what_belongs_to_others_is_left_out(path):
    assert is_foreign(path)


def test_a_folder_named_like_the_pact_elsewhere_is_not_the_pact():
    assert not is_foreign("docs/pact/guide.md")


def test_bytes_that_are_no_text_do_not_stop_the_reading():
    assert [one.text for one in sections_of("a.md", b"\xef\xbb\xbf# A\n\n\xff\xfe caf\xe9\n")] == ["�� caf�"]
