"""What holds for every text, however odd: judged, taken apart and taken in without an error, quoted word for word."""

from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.authoring.source import Source
from pactkeeper.authoring.taking import take_in
from pactkeeper.authoring.words import refine
from pactkeeper.intent.quality import AtomWords, assess
from pactkeeper.intent.wording import ordered
from pactkeeper.intent.wording.tokens import joints, masked, tokens

WORDS = st.sampled_from(
    ordered("""a the user users is are was be been can must should may not never no and or then but so that who which when if
    unless after before otherwise quickly fast robust TBD etc some several it they In Redis with using via returns shows
    show order orders saved paid list lists test work works handle support 'x' "y" `z` 12 2.5 . , ; : ! ? ( ) - – / *
    Given When Then And As I want to : - [ ] # ## > | Ü 期 é 🙂 IA-1 foo_bar() src/a.py""")
)
SENTENCES = st.lists(WORDS, max_size=14).map(" ".join)
LINES = st.lists(
    st.one_of(SENTENCES, st.sampled_from(["", "```", '"""', "---", "- ", "Acceptance criteria:", "\t"]))
).map("\n".join)
TEXTS = st.one_of(SENTENCES, st.text(max_size=60))


@given(TEXTS)
def test_tokens_are_the_text_without_its_spaces(text):
    found = tokens(text)
    assert all(text[one.start : one.end] == one.text for one in found)
    assert "".join("".join(one.text for one in found).split()) == "".join(text.split())
    assert len(masked(text)) == len(text)


@given(TEXTS, st.lists(TEXTS, max_size=2), st.lists(TEXTS, max_size=2))
def test_score_is_between_0_and_100(intent, outcomes, falsifiers):
    assert 0 <= assess(AtomWords(intent, tuple(outcomes), tuple(falsifiers))).score <= 100


@given(TEXTS)
def test_what_joins_stands_in_the_text(text):
    assert all(one in text or one.endswith(" sentences") for one in joints(text))


@given(SENTENCES)
def test_refinement_judges_the_words_as_they_are(text):
    found = refine(AtomWords(text))
    assert (found.words.intent, found.quality) == (text, assess(AtomWords(text)))


@given(LINES, st.booleans())
def test_every_quotation_is_verbatim(text, feature):
    for one in take_in(Source("note.md", text), feature=feature):
        assert one.span.quote in text
        assert text.split("\n")[one.span.start - 1 : one.span.end]
