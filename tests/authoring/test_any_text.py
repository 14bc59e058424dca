"""What holds for every text, however odd: judged, taken apart and taken in without an error, quoted word for word."""

from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.authoring.intake.source import Source
from pactkeeper.authoring.intake.taking import take_in
from pactkeeper.authoring.refining import refine
from pactkeeper.intent.atomicity import atomicity
from pactkeeper.intent.quality import AtomWords, assess, reworded
from pactkeeper.intent.reading.opposite import opposite, stated
from pactkeeper.intent.reading.tokens import masked, tokens
from pactkeeper.intent.wording.tables import ordered

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
def test_score_is_between_0_and_100_and_every_rewording_can_be_applied(intent, outcomes, falsifiers):
    words = AtomWords(intent, tuple(outcomes), tuple(falsifiers))
    quality = assess(words)
    assert 0 <= quality.score <= 100
    for one in quality.deductions:
        assert 0 <= assess(reworded(words, one)).score <= 100


@given(TEXTS)
def test_taking_apart_loses_nothing_and_turning_round_changes_something(text):
    found = atomicity(text, ())
    assert found.parts
    assert found.atomic is not bool(found.reasons)
    assert opposite(text) != text
    assert isinstance(stated(text), str)


@given(SENTENCES)
def test_refinement_never_scores_less_than_what_it_refines(text):
    found = refine(AtomWords(text))
    if found.atomicity.atomic:
        assert all(one.quality.score >= found.quality.score for one in found.rewordings)


@given(LINES, st.booleans())
def test_every_quotation_is_verbatim(text, feature):
    for one in take_in(Source("note.md", text), feature=feature):
        assert one.span.quote in text
        assert text.split("\n")[one.span.start - 1 : one.span.end]
