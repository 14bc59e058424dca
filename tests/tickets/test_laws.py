"""What holds for any messages in any order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pactkeeper.intent.ticket import all_said, draft_document, read_draft
from pactkeeper.tickets.checking import validate
from pactkeeper.tickets.ground import decide
from tests.tickets.threads import Talk

WORDS = st.sampled_from(
    [
        "Title:",
        "change the title to",
        "Problem:",
        "AC:",
        "- ",
        "- [ ] ",
        "1. ",
        "> ",
        "```",
        "\n",
        "\n\n",
        "**",
        ": ",
        ". ",
        ", not ",
        "actually",
        "drop",
        "the second criterion",
        "retention",
        "must be",
        "30 days",
        "14 days",
        "at most",
        "Guests can",
        "Guests cannot",
        "download reports",
        "Given a",
        "When b",
        "Then c",
        "we need",
        "because",
        "I don't know",
        "both",
        "keep A",
        "hi",
        "thanks",
        "?",
        "https://a.example/x",
        "<@U1>",
        "the risk is that",
        "depends on",
        "Épica",
        "ß",
        "\x00",
        "’",
    ]
)
TEXTS = st.lists(WORDS, max_size=14).map(" ".join)
PEOPLE = st.sampled_from(["Ada", "Bob"])
SAID = st.lists(st.tuples(TEXTS, PEOPLE), max_size=5)


def talked(said):
    talk = Talk()
    for text, by in said:
        talk.asks = decide(talk.draft, validate(talk.draft)).asks
        talk.say(text, by)
    return talk


@settings(max_examples=settings().max_examples * 3 // 5)
@given(SAID)
def test_every_value_quotes_the_message_it_names(said):
    talk = talked(said)
    texts = {f"m{number}": text for number, (text, _) in enumerate(said, start=1)}
    assert all(one.quote in texts[one.message] for _, one in all_said(talk.draft))


@settings(max_examples=settings().max_examples * 3 // 5)
@given(SAID)
def test_a_draft_comes_back_from_its_document_whatever_was_said(said):
    draft = talked(said).draft
    assert read_draft(draft_document(draft)) == draft


@settings(max_examples=settings().max_examples * 3 // 5)
@given(SAID)
def test_a_preview_has_what_is_required_and_no_open_conflict(said):
    draft = talked(said).draft
    report = validate(draft)
    if decide(draft, report).decided == "preview":
        assert draft.title is not None
        assert draft.problem is not None
        assert draft.acceptance_criteria
        assert not [one for one in report.open_conflicts if one.severity == "error"]
