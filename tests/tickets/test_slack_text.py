"""Text on its way to Slack and back, and what nobody can make of it."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pactkeeper.tickets.channels.slack_rich import escaped, inert, mrkdwn, read_text, visible

# What makes trouble somewhere: signs of Slack, formatting, mentions, and characters that show nothing.
_SIGNS = "<>&|!@#*_~`[]()aB1 \n\u200b\u202e\u2060"
_SEQUENCES = ("- ", "<!channel>", "<@U1>", "<https://x.example|label>", "&lt;", "@everyone", "**")
TROUBLE = st.lists(st.sampled_from((*_SIGNS, *_SEQUENCES)), max_size=30).map("".join)
WORDS = st.text(st.characters(codec="utf-8")) | TROUBLE


@pytest.mark.parametrize(
    "text",
    [
        "<!channel>",
        "<!here|here>",
        "<@U0ADA>",
        "<#C0SHOP|general>",
        "<!subteam^S1>",
        "<https://evil.example|https://good.example>",
        "&lt;!channel&gt;",
        "<\u200b!channel>",
    ],
)
def test_sequence_of_slack_is_shown_and_not_followed(text):
    assert "<" not in inert(text)
    assert ">" not in inert(text)
    assert read_text(inert(text)) == visible(text)


@pytest.mark.parametrize("name", ["@everyone", "@channel", "@here", "@ada", "(@here)"])
def test_name_behind_an_at_is_no_name(name):
    assert not re.search(r"@\w", inert(f"hello {name}"))


def test_address_of_mail_stays_as_it_is():
    assert inert("ada@example.org") == "ada@example.org"


@pytest.mark.parametrize("text", ["*bold*", "_it_", "~gone~", "`code`", "```block```", "a *b* c", "> quoted"])
def test_formatting_of_a_person_formats_nothing(text):
    assert not re.search(r"(?<!\w)[*_~`]|[*_~`](?!\w)|(?m:^)\s*&gt;", inert(text))


@pytest.mark.parametrize("text", ["user_id", "a*b*c", "2~3", "a > b"])
def test_signs_within_words_stay(text):
    assert inert(text) == escaped(text)


@pytest.mark.parametrize("hidden", ["\u200b", "\u2060", "\ufeff", "\u202e", "\u2066", "\U000e0041", "\x07", "\xad"])
def test_characters_that_nobody_sees_are_taken_out_both_ways(hidden):
    assert inert(f"ap{hidden}prove") == "approve"
    assert read_text(f"ap{hidden}prove") == "approve"


def test_characters_that_join_what_is_seen_stay():
    family = "👩\u200d👧 می\u200cخواهم ✔\ufe0f x"
    assert visible(family) == family


@given(WORDS)
@example("<!channel>")
def test_no_text_of_a_person_can_call_or_link(text):
    for shown in (inert(text), mrkdwn(text)):
        assert not re.search(r"[<>]|(?<![\w.+-])@\w", shown)
        assert not re.search(r"&(?!amp;|lt;|gt;)", shown)


@given(WORDS)
def test_no_text_of_a_person_formats_what_stands_around_it(text):
    assert not re.search(r"(?<!\w)[*_~`]|[*_~`](?!\w)", inert(text))


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"], exclude_characters="\xa0☐☑☒✅✔")))
def test_plain_text_comes_back_as_it_was_sent(text):
    assert read_text(escaped(text)) == visible(text).strip()


@given(WORDS)
def test_text_that_was_read_has_nothing_left_to_unescape_in_a_second_way(text):
    assert read_text(escaped(read_text(escaped(text)))) == read_text(escaped(text))


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("# Export orders", "*Export orders*"),
        ("## Problem", "*Problem*"),
        ("- one", "• one"),
        ("- [ ] A row for each order", "• ☐ A row for each order"),
        ("- [x] done", "• ☑ done"),
        ("- **error**: no title", "• *error*: no title"),
        ("(`keep_a`: keep the first)", "(`keep_a`: keep the first)"),
        ("see [the ticket](https://board.example/1)", "see the ticket (https://board.example/1)"),
        ("a < b & c", "a &lt; b &amp; c"),
        ("# *x*", "*∗x∗*"),
        ("`two words`", "ˋtwo wordsˋ"),
    ],
)
def test_our_markdown_becomes_what_slack_shows(markdown, shown):
    assert mrkdwn(markdown) == shown


@pytest.mark.parametrize(
    ("received", "meant"),
    [
        ("<@U0BOT> Title: Export", "Title: Export"),
        ("hey <@U0BOT> look", "hey look"),
        ("ask <@U0ADA>, or <@U0BOB|bob>, or <@U0EVE>", "ask @Ada, or @bob, or @U0EVE"),
        ("in <#C0SHOP|shop> and <#C1>", "in #shop and #C1"),
        ("<!here> <!channel|@channel> <!subteam^S1|@team>", "@here @channel @team"),
        ("due <!date^1392734382^{date}|18 February>", "due 18 February"),
        ("<https://x.example/a?b=1&amp;c=2>", "https://x.example/a?b=1&c=2"),
        ("<http://x.example|x.example>", "http://x.example"),
        ("<https://x.example/|https://x.example>", "https://x.example/"),
        ("see <https://x.example|the plan [old]>", "see [the plan (old)](https://x.example)"),
        ("<mailto:ada@example.org|ada@example.org>", "ada@example.org"),
        ("at most 5 MB &amp; a &lt; b", "at most 5 MB & a < b"),
        ("&amp;lt;!channel&amp;gt;", "&lt;!channel&gt;"),
        ("&lt;@U0BOT&gt;", "<@U0BOT>"),
        ("• one\n  ◦ two", "• one\n  ◦ two"),
        ("☐ one\n• ☑ two\n✅ three", "- [ ] one\n- [x] two\n- [x] three"),
        ("*Problem*: it is slow", "*Problem*: it is slow"),
        ("one\r\ntwo\u2028three\xa0four", "one\ntwo\nthree four"),
        ("```\nGiven a basket\n```", "```\nGiven a basket\n```"),
        ("<@U0BOT>", ""),
        ("<>", ""),
    ],
)
def test_received_message_is_read_as_markdown(received, meant):
    assert read_text(received, bot="U0BOT", names={"U0ADA": "Ada"}) == meant


@given(WORDS)
@example("half of a pair: \ud83d")
def test_whatever_is_received_can_be_stored(text):
    read_text(text, bot="U0BOT").encode()
