"""Markdown as wiki markup of a Jira of one's own and back."""

import re

import pytest
from hypothesis import assume, given, settings

from pactkeeper.boards.jira_blocks import Paragraph, Phrase, addresses
from pactkeeper.boards.jira_markdown import parsed, rendered
from pactkeeper.boards.jira_wiki import shown, wordless, written
from tests.boards.jira_texts import BODY, MARKDOWN, TICKETS, WORDS, body_of

ESCAPE = re.compile(r"(?<!\\)\\([-#*_+?^~|%{}\[\]()!@])")
EFFECTS = ["*", "_", "-", "+", r"\^", "~", r"\?\?"]
SMILEYS = [":)", ":(", ";)", ":P", ":D", "(y)", "(n)", "(i)", "(/)", "(x)", "(!)", "(+)", "(-)", "(?)", "(on)", "(*)"]
LINES = [r"\s*h[1-6]\.\s", r"\s*bq\.\s", r"\s*-{4}", r"\s*[*#-]+\s", r"\s*\|"]


def effect(sign):
    """Where Jira's renderer begins and ends an effect."""
    one = sign if sign.startswith("\\") else re.escape(sign)
    return re.compile(rf"(?<![^\W_]){one}[^\s](?:.*?[^\s])??{one}(?![^\W_])")


def made_of(line):
    """What Jira's renderer would make of a line that is to be words, step by step in its order."""
    found = re.findall(r"(?<!\\)\{[^*?^_+~-].*?\}", line)
    found += [begin for begin in LINES if re.match(begin, line)]
    found += re.findall(r"(?<!\\)\[[^\]]+\]", line)
    spans = [line[slice(*span)] for span in addresses(line)]
    line = re.sub(r"(?<![A-Za-z0-9])https?://[^\s\"|\[\]{}]+", lambda url: "" if url[0] in spans else "\ue000", line)
    found += ["address"] if "\ue000" in line else []
    found += re.findall(r"(?<![\w\\])!\S[^!]*!", ESCAPE.sub(lambda match: f"&#{ord(match[1])};", line))
    line = ESCAPE.sub(lambda match: match[1] if match[1] in "{}[]" else f"&#{ord(match[1])};", line)
    found += re.findall(r"\{\{[^\s{].*?\}\}", line)
    found += [match[0] for sign in EFFECTS for match in effect(sign).finditer(line)]
    found += [smiley for smiley in SMILEYS if re.search(rf"(?<![^\W_]){re.escape(smiley)}", line)]
    return found + re.findall(r"\b[A-Z][A-Z0-9_]+-\d", line)


@settings(max_examples=settings().max_examples * 4)
@given(WORDS)
def test_words_of_people_are_words_for_the_renderer(words):
    alone = Phrase(f"{words} SHOP-12 (y) {words}")
    for phrases in ((alone,), (Phrase("a "), Phrase("c", frozenset({"code"})), alone)):
        assert made_of(written(rendered((Paragraph(phrases),))).replace("{{c}}", "c")) == []


@settings(max_examples=settings().max_examples * 3)
@given(MARKDOWN)
def test_text_that_was_written_and_read_stays_as_it_is(markdown):
    once = shown(written(markdown))
    assert shown(written(once)) == once
    assert wordless(written(markdown)) == ()


@given(TICKETS)
def test_text_of_a_ticket_means_the_same_whatever_people_said(body):
    assume("](" not in body)
    assert parsed(shown(written(body))) == parsed(body)


def test_text_of_a_ticket_comes_back_byte_for_byte():
    body = body_of(
        "A login with an expired token (see a_b, 2 * 3 & <x>) succeeds.\n\nIt should not.",
        ["A login with an expired token is refused: [status] 401!", "No session is {created} -- ever."],
        solution="Check `exp` first, C:\\temp too.",
        constraints=["at most 20 min"],
    )
    assert shown(written(body)) == body


def test_all_that_markdown_says_comes_back():
    assert shown(written(BODY)) == BODY


def test_markup_is_that_of_jira():
    assert written("# T\n\n**b** *i* `c` [x](https://x.example)\n\n1. a\n   - b\n\n```sh\nls\n```\n\n> q\n\n---\n") == (
        "h1. T\n\n*b* _i_ {{c}} [x|https://x.example]\n\n# a\n#* b\n\n{code:sh}\nls\n{code}\n\n{quote}\nq\n{quote}\n\n----"
    )


@pytest.mark.parametrize(
    ("words", "markup"),
    [
        ("[~ada] and {color:red}x{color}", r"\[\~ada\] and &#123;color:red&#125;x&#123;color&#125;"),
        ("!logo.png! {{x}}", r"\!logo.png! &#123;&#123;x&#125;&#125;"),
        ("SHOP-12 (y) :) a -- b", r"SHOP\-12 \(y) :\) a \-\- b"),
        ("snake_case and well-known (proposed)", "snake_case and well-known (proposed)"),
        ("h1. no heading", "h1&#46; no heading"),
        ("a&#45;b", "a-b"),
    ],
)
def test_what_would_be_markup_is_escaped(words, markup):
    assert written(words) == markup


def test_link_to_no_address_is_words():
    assert written("[x](~ada)") == r"\[x\](\~ada)"


def test_code_that_ends_its_own_macro_breaks_out_of_none():
    text = "```\n{noformat}{code}\n[~ada]\n```\n"
    assert written(text) == "&#123;noformat&#125;&#123;code&#125;\n\\[\\~ada\\]"
    assert written("```\n{code}\n```") == "{noformat}\n{code}\n{noformat}"


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("h2. Was\nfolgt *fett* und _schräg_", "## Was\n\nfolgt **fett** und *schräg*\n"),
        ("* a\n** b\n*# c\nmore\n- d", "- a\n  - b\n\n  1. c\n     more\n- d\n"),
        ("{code:title=x.py|borderStyle=solid}\nx\n{code}", "```\nx\n```\n"),
        ("x {noformat}a  b{noformat} y", "x\n\n```\na  b\n```\n\ny\n"),
        ("bq. said", "> said\n"),
        ("one\\\\two", "one\ntwo\n"),
        ("[https://x.example]", "https://x.example\n"),
        ("a{*}b{*}c", "a**b**c\n"),
        ("-no list-", "~~no list~~\n"),
    ],
)
def test_markup_of_people_is_read(text, markdown):
    assert shown(text) == markdown


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[~ada] look", "[~ada]"),
        ("see !shot.png|thumbnail!", "picture shot.png|thumbnail"),
        ("{color:red}x{color}", "{color:red}"),
        ("||a||b||\n|1|2|", "table"),
        ("+under+ it", "+…+"),
        ("[log^file.txt] [^file.txt]", "[^file.txt]"),
        ("{code:title=x}\ny\n{code}", "{code:title=x}"),
    ],
)
def test_what_markdown_has_no_words_for_is_shown_and_named(text, name):
    assert name in wordless(text)
    assert shown(text).strip()


def test_plain_text_of_people_can_be_written_back():
    assert wordless("Hello - world, see [1] and a_b (c)!\n\n* one\n* two") == ()


def test_endless_marks_of_a_list_are_words():
    assert shown("*" * 5000 + " x").strip()
