"""The sentence of a docstring that states behaviour."""

import pytest

from pactkeeper.intent.wording.intents import stated


@pytest.mark.parametrize(
    ("docstring", "sentence"),
    [
        ("A Group can be built with a list of commands.", "A Group can be built with a list of commands"),
        (
            "L{Agent.request} wraps C{HTTP} errors\n        in a L{Failure<twisted.python.failure.Failure>}.",
            "Agent.request wraps HTTP errors in a Failure",
        ),
        ("A :class:`~click.Group` keeps ``None``.", "A click.Group keeps None"),
        ("Regression test for #12.  Names are kept, e.g. dots.", "Names are kept, e.g. dots"),
        ("A full-price ticket is sold for 26 euro.", "A full-price ticket is sold for 26 euro"),
        ("Ticket 12 asked for it.  Names are kept.", "Names are kept"),
        ("Ensure that the page is loaded once.", "the page is loaded once"),
        ("``cwd`` is passed to the process.", "`cwd` is passed to the process"),
        ("Make sure platform tags are normalized.", "platform tags are normalized"),
        (
            "A key may be sent twice.\nThe values are joined. See GH-3.",
            "A key may be sent twice. The values are joined",
        ),
        ("If a token has expired, raise an error.", "If a token has expired, raise an error"),
        ("Frames that start with a dot are left out.", "Frames that start with a dot are left out"),
        ("A closed file cannot be read (see #12).\n\nHistory follows.", "A closed file cannot be read"),
    ],
)
def test_a_first_paragraph_of_statements_is_taken_without_markup(docstring, sentence):
    assert stated(docstring) == sentence


@pytest.mark.parametrize(
    "docstring",
    [
        None,
        "",
        "See GH-1.",
        "We render it first. Therefore the arguments are cleared.",
        "Test the parser.",
        "TODO: this fails.\n\nThe file could be read in one go.",
        "Names are kept. More.",
        "To save memory, this test asserts that the cache stays small.",
        "Exercises many paths but doesn't confirm the sum.",
        "Is it closed?",
        "x" * 500 + " is read.",
    ],
)
def test_a_docstring_without_such_a_sentence_gives_none(docstring):
    assert stated(docstring) == ""
