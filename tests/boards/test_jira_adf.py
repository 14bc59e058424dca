"""Markdown as documents of Jira Cloud and back."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pactkeeper.boards.jira_adf import blocks_of, shown, wordless, written
from pactkeeper.boards.jira_markdown import parsed, rendered
from tests.boards.jira_texts import BODY, MARKDOWN, TICKETS, body_of

LINK = {"type": "link", "attrs": {"href": "https://x.example/ü (1)?a&copy;"}}
WORDS = st.lists(
    st.sampled_from(
        [
            "a",
            "b",
            " ",
            "*",
            "_",
            "**",
            "`",
            "[",
            "](http://x)",
            "~~",
            "\\",
            "https://x.example/z",
            "- ",
            "# ",
            "1. ",
            "\n",
            "&amp;",
            "!",
        ]
    )
)
MARK = st.sampled_from([*({"type": mark} for mark in ("strong", "em", "strike", "code")), LINK])
TEXT = st.builds(
    lambda words, marks: {"type": "text", "text": "".join(words), "marks": marks},
    WORDS,
    st.lists(MARK, max_size=3, unique_by=lambda mark: mark["type"]),
)
INLINE = st.lists(st.one_of(TEXT, st.just({"type": "hardBreak"})), max_size=5)


def node(kind, content, **attrs):
    return {"type": kind, "content": list(content)} | ({"attrs": attrs} if attrs else {})


def text(words, *marks):
    return {"type": "text", "text": words, "marks": [{"type": one} for one in marks]}


def document(*content):
    return {"version": 1} | node("doc", content)


def paragraph(*content):
    return document(node("paragraph", content))


def nested(inner):
    item = st.builds(lambda content: node("listItem", content), st.lists(inner, max_size=3))
    return st.one_of(
        st.builds(lambda items: node("bulletList", items), st.lists(item, max_size=3)),
        st.builds(
            lambda items, at: node("orderedList", items, order=at), st.lists(item, max_size=3), st.integers(0, 12)
        ),
        st.builds(lambda content: node("blockquote", content), st.lists(inner, max_size=3)),
    )


BLOCK = st.one_of(
    st.builds(lambda content: node("paragraph", content), INLINE),
    st.builds(lambda content, level: node("heading", content, level=level), INLINE, st.integers(1, 6)),
    st.builds(lambda words: node("codeBlock", [text("".join(words))], language="python"), WORDS),
    st.just({"type": "rule"}),
)
DOCUMENT = st.builds(document, st.recursive(BLOCK, nested, max_leaves=8))


@settings(max_examples=settings().max_examples * 2)
@given(MARKDOWN)
def test_text_is_read_back_as_it_was_written_and_stays_so(markdown):
    once = shown(written(markdown))
    assert blocks_of(written(markdown)) == parsed(markdown)
    assert shown(written(once)) == once
    assert wordless(written(markdown)) == ()


@settings(max_examples=settings().max_examples * 2)
@given(DOCUMENT)
def test_document_of_people_means_the_same_after_it_was_rewritten(found):
    assert parsed(rendered(blocks_of(found))) == blocks_of(found)
    assert blocks_of(written(shown(found))) == blocks_of(found)


@given(TICKETS)
def test_text_of_a_ticket_means_the_same_whatever_people_said(body):
    assert parsed(shown(written(body))) == parsed(body)


def test_text_of_a_ticket_comes_back_byte_for_byte():
    body = body_of(
        "A login with an expired token (see a_b, 2 * 3 & <x>) succeeds.\n\nIt should not.",
        ["A login with an expired token is refused: [status] 401!", "No session is {created}."],
        solution="Check `exp` first.",
        constraints=["at most 20 min"],
    )
    assert shown(written(body)) == body


def test_all_that_markdown_says_comes_back():
    assert shown(written(BODY)) == BODY


@settings(max_examples=settings().max_examples * 2)
@given(MARKDOWN)
def test_document_has_only_what_jira_takes(markdown):
    check(written(markdown))


CONTAINED = {
    "doc": {"paragraph", "heading", "bulletList", "orderedList", "blockquote", "codeBlock", "rule"},
    "paragraph": {"text", "hardBreak"},
    "heading": {"text"},
    "bulletList": {"listItem"},
    "orderedList": {"listItem"},
    "listItem": {"paragraph", "bulletList", "orderedList", "codeBlock"},
    "blockquote": {"paragraph", "bulletList", "orderedList", "codeBlock"},
    "codeBlock": {"text"},
}


def check(found):
    """Refuse what the published schema of the format refuses."""
    kinds = [one["type"] for one in found.get("content", ())]
    assert set(kinds) <= CONTAINED.get(found["type"], set())
    assert found["type"] not in {"bulletList", "orderedList", "listItem", "blockquote"} or kinds
    assert found["type"] != "listItem" or kinds[0] in {"paragraph", "codeBlock"}
    assert found["type"] != "text" or found["text"]
    marks = {one["type"] for one in found.get("marks", ())}
    assert "code" not in marks or marks <= {"code", "link"}
    for inner in found.get("content", ()):
        check(inner)


def test_words_of_people_are_no_mention_no_link_and_no_formatting():
    assert shown(paragraph(text("[~ada] @ada *loud* [x](https://evil.example) <b>"))) == (
        "[~ada] @ada \\*loud\\* [x\\](https://evil.example) \\<b>\n"
    )


def test_address_alone_is_a_link_and_plain_words_in_markdown():
    found = written("See https://x.example/a_b.")
    assert found["content"][0]["content"][1]["marks"] == [{"type": "link", "attrs": {"href": "https://x.example/a_b"}}]
    assert shown(found) == "See https://x.example/a_b.\n"


def test_link_that_runs_a_script_is_words():
    link = {"type": "text", "text": "x", "marks": [{"type": "link", "attrs": {"href": "javascript:alert(1)"}}]}
    assert shown(paragraph(link)) == "x\n"
    assert "marks" not in json.dumps(written("[x](javascript:alert(1))"))


MENTION = {"type": "mention", "attrs": {"id": "5b10", "text": "@Ada"}}
CELL = node("tableCell", [node("paragraph", [text("one")])])
TASK = node("taskList", [node("taskItem", [text("ask Ada")], state="DONE", localId="1")], localId="2")


@pytest.mark.parametrize(
    ("found", "markdown", "names"),
    [
        (paragraph(text("Ask "), MENTION), "Ask @Ada\n", ("mention",)),
        (paragraph({"type": "emoji", "attrs": {"shortName": ":tada:"}}), ":tada:\n", ("emoji",)),
        (
            paragraph({"type": "inlineCard", "attrs": {"url": "https://x.example"}}),
            "https://x.example\n",
            ("inlineCard",),
        ),
        (paragraph({"type": "date", "attrs": {"timestamp": "1772323200000"}}), "2026-03-01\n", ("date",)),
        (paragraph({"type": "something"}), "(something)\n", ("something",)),
        (document(node("table", [node("tableRow", [CELL, CELL])])), "one | one\n", ("table", "tableCell", "tableRow")),
        (document(TASK), "- [x] ask Ada\n", ("taskItem", "taskList")),
        (document(node("panel", [node("paragraph", [text("Mind")])], panelType="info")), "Mind\n", ("panel",)),
        (document(node("expand", [node("paragraph", [text("in")])], title="More")), "**More**\n\nin\n", ("expand",)),
        (paragraph(text("under", "underline")), "under\n", ("underline",)),
    ],
)
def test_what_markdown_has_no_words_for_is_shown_by_what_it_says_and_named(found, markdown, names):
    assert shown(found) == markdown
    assert set(wordless(found)) <= set(names)
    assert wordless(found)


def test_issue_without_a_text_has_none():
    assert (shown(None), wordless(None)) == ("", ())


def test_document_that_is_nested_beyond_reason_is_its_words_and_is_not_written_again():
    inner = node("paragraph", [text("deep")])
    for _ in range(3000):
        inner = node("blockquote", [inner])
    assert shown(document(inner)) == "deep\n"
    assert wordless(document(inner)) == ("nesting",)
