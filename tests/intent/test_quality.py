"""The score of an atom's words: what costs points, what does not, and what a suggestion is worth."""

import pytest

from bench.quality import SETS, labelled
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.quality import AtomWords, QualityVocabulary, assess
from pactkeeper.intent.quality.values import MOST, verdict_of

EVERY = [one.words for name in SETS for one in labelled(name)]
GOOD = AtomWords(
    "A login with an expired token is refused.",
    ("The response status is 401.", "No session is created."),
    ("A login with an expired token succeeds.",),
)


def cited(intent, criterion=None, vocabulary=None, **words):
    quality = assess(AtomWords(intent, **words), vocabulary or QualityVocabulary())
    return [d.words for one in quality.dimensions if criterion in {None, one.name} for d in one.deductions if d.words]


def lost(quality, criterion):
    return next(one.most - one.points for one in quality.dimensions if one.name == criterion)


def test_points_of_all_criteria_make_a_hundred():
    assert sum(MOST.values()) == 100
    assert assess(GOOD).score == 100


@pytest.mark.parametrize(
    ("score", "verdict"), [(100, "approve"), (80, "approve"), (79, "revise"), (60, "revise"), (59, "reject")]
)
def test_verdict_follows_the_score(score, verdict):
    assert verdict_of(score) == verdict


@pytest.mark.parametrize("words", EVERY)
def test_score_is_what_the_deductions_leave(words):
    quality = assess(words)
    assert quality.score == sum(one.points for one in quality.dimensions)
    for one in quality.dimensions:
        assert one.points == max(0, one.most - sum(deduction.points for deduction in one.deductions))


@pytest.mark.parametrize("words", EVERY)
def test_every_deduction_cites_words_that_stand_there(words):
    for one in assess(words).deductions:
        texts = {"intent": (words.intent,), "outcomes": words.outcomes, "falsified_by": words.falsified_by}[one.place]
        assert not one.words or one.words in texts[one.at]
        assert one.why
        assert one.suggestion


@pytest.mark.parametrize(
    "intent",
    [
        "The rest of the backup is restored.",
        "Breakfast is served until 10:00.",
        "The steadfast lamp stays on for 5 minutes.",
        "An uneasy rider gets a second ticket.",
        "The fast-forward button doubles the speed.",
        "Simple interest is added on the last day of the month.",
        "Quick Start guides are listed on the first page.",
        "On the easy level enemies have half the health.",
        "The reactor reacts to a rusty valve.",
    ],
)
def test_words_of_a_list_are_found_whole_and_in_their_sense_only(intent):
    assert cited(intent) == []


@pytest.mark.parametrize(
    "word", ["quickly", "Quickly", "QUICKLY", "fast", "faster", "in a timely manner", "as soon as possible"]
)
def test_case_inflection_and_phrases_are_found(word):
    assert word in cited(f"The list is shown {word}.", "unambiguous")


@pytest.mark.parametrize("spelling", ["user-friendly", "user friendly"])
def test_hyphen_of_a_phrase_may_be_a_space(spelling):
    assert spelling in cited(f"The form is {spelling}.", "unambiguous")


@pytest.mark.parametrize("literal", ["'fast'", '"quickly"', "`appropriate`"])
def test_quoted_word_is_a_value_and_no_judgement(literal):
    assert cited(f"The button shows {literal}.") == []


def test_number_in_the_sentence_measures_the_vague_word():
    assert cited("The page loads quickly.", "falsifiable") == ["quickly"]
    assert cited("The page loads quickly, within 2 seconds.", "falsifiable") == []


@pytest.mark.parametrize("criterion", ["falsifiable", "unambiguous"])
def test_concrete_outcome_says_what_a_vague_intent_leaves_open(criterion):
    outcomes = ("The list is complete after 2 seconds.",)
    assert cited("The list is shown quickly and stays.", criterion) == ["quickly"]
    assert cited("The list is shown quickly and stays.", criterion, outcomes=outcomes) == []
    assert cited("The list is probably shown.", criterion, outcomes=outcomes) == ["probably"]


@pytest.mark.parametrize(
    "text",
    [
        "A list is written with commas and with 'and' before its last entry.",
        "Salaries are kept in PostgreSQL.",
        "A class written in a test under the name of the class under test is an error.",
        "GET https://redis.example/kafka returns 404.",
    ],
)
def test_no_word_counts_as_a_way_of_building(text):
    assert cited("An answer is given.", "implementation-agnostic", outcomes=(text,)) == []
    assert cited(text, "implementation-agnostic") == []


@pytest.mark.parametrize("quoted", ["'-'", "'???'", '"TBD"', "`=`", "'now'"])
def test_what_is_quoted_is_not_judged(quoted):
    assert assess(AtomWords(f"A value is appended to the list by {quoted}.", ("The list is [1, 2].",))).deductions == ()


def test_vague_word_of_the_project_counts_and_a_clear_one_does_not():
    assert cited("The menu is snappy.", "unambiguous") == []
    assert "snappy" in cited("The menu is snappy.", "unambiguous", QualityVocabulary(vague_words=("snappy",)))
    assert cited("Relevant offers are listed.", "unambiguous", QualityVocabulary(clear_words=("Relevant",))) == []


@pytest.mark.parametrize("intent", ["Login page", "Error handling", "Does it work?", "Refactor the parser.", "TBD"])
def test_what_states_nothing_is_rejected(intent):
    assert assess(AtomWords(intent)).verdict == "reject"


def test_falsifier_that_says_the_same_is_no_falsifier():
    quality = assess(AtomWords(GOOD.intent, GOOD.outcomes, ("the response status is 401",)))
    (found,) = next(one for one in quality.dimensions if one.name == "falsifiable").deductions
    assert (found.words, found.suggestion) == ("the response status is 401", "say its opposite")


def test_an_outcome_needs_no_falsifier_of_its_own():
    assert assess(AtomWords(GOOD.intent, GOOD.outcomes)).deductions == ()


def test_an_amount_with_or_more_and_a_particle_is_understood():
    words = AtomWords("A cart of 100 euros or more gets ten percent off.", ("The total is 90.",))
    assert assess(words).verdict == "approve"


@pytest.mark.parametrize(
    "intent",
    [
        "Parsing returns the listed result for 3 inputs.",
        "Joined names are cut… somewhere.",
        "Settings: found returns the value for the given arguments.",
    ],
)
def test_words_that_leave_values_out_are_not_approved(intent):
    assert assess(AtomWords(intent, ("The total is 90.",))).verdict != "approve"


@pytest.mark.parametrize(
    "intent",
    [
        "Orders: returns 404 for a missing page.",
        "Price: A surcharge is added to the base rate from five kilograms on.",
        "Price: the total is rounded to cents.",
        "A cart is 0 for an empty list.",
        "Values: returns 3 for 4.",
        "slugify_name returns 'ada' for 'Ada'.",
        "Both lists hold what they held.",
        "Many that start at once on an empty database find it made.",
        "An alarm sounds within 5 seconds when the saturation falls below 88 percent.",
        "Only members of the group see the log.",
        "The order is paid and an invoice is sent.",
    ],
)
def test_a_sentence_of_a_person_is_not_turned_down_for_its_grammar(intent):
    assert assess(AtomWords(intent, ("The total is 90.",))).verdict == "approve"


def test_an_order_is_one_behind_the_name_of_its_subject_too():
    assert assess(AtomWords("Price: round the total to cents.", ("The total is 90.",))).verdict == "revise"


def test_a_criterion_that_lost_too_much_is_not_made_up_for_by_the_others():
    found = assess(AtomWords("Total == price is what the cart shows.", ("The total is 90.",)))
    assert (found.score >= 80, found.verdict) == (True, "revise")


def test_what_may_join_a_second_behaviour_is_cited_as_advice():
    assert cited("The order is paid and an invoice is sent.", "unambiguous") == ["and an invoice is"]
    assert cited("The order is paid and is sent.", "unambiguous") == ["and is"]


@pytest.mark.parametrize(
    "outcome", ["It works.", "The result equals the expected value.", "The behaviour is correct as intended."]
)
def test_outcome_that_names_nothing_to_compare_is_no_criterion(outcome):
    quality = assess(AtomWords(GOOD.intent, (outcome,), GOOD.falsified_by))
    assert lost(quality, "clear success criteria") > 0


def test_performance_without_a_number_has_no_criterion():
    words = AtomWords("The index answers a query.", ("The answer is shown.",), ("No answer is shown.",), "performance")
    assert lost(assess(words), "clear success criteria") > 0


def test_language_that_is_not_read_is_not_judged_and_does_not_pass():
    words = AtomWords(
        "Eine Anmeldung mit altem Token wird abgelehnt.", ("Der Status ist 401.",), ("Der Status ist 200.",)
    )
    quality = assess(words)
    assert (quality.judged, quality.language, quality.verdict) == (False, "German", "revise")
    assert all("not judged" in one.why for one in quality.deductions)


def test_same_words_get_the_same_judgement_whatever_came_before():
    first = assess(EVERY[0])
    for words in EVERY[1:20]:
        assess(words)
    assert assess(EVERY[0]) == first


@pytest.mark.parametrize(
    "text", ["", " ", ".", "…", "🙂", "a" * 5000, "x; " * 500, "and and and", "(", "'", "Ÿ\u0301 is ok."]
)
def test_any_text_gets_a_score(text):
    assert 0 <= assess(AtomWords(text, (text,), (text,))).score <= 100


@pytest.mark.parametrize(
    ("intent", "criterion", "words"),
    [
        ("Windows: verify the page receives plain paths.", "observable", "verify"),
        ('isSamePath: u1 + " == " + u2: isSamePath returns true.', "implementation-agnostic", 'u1 + " == "'),
        ("The total === the sum of 3 rows.", "implementation-agnostic", "total === the"),
    ],
)
def test_words_of_a_test_or_of_code_cost_points(intent, criterion, words):
    assert words in cited(intent, criterion, outcomes=("The page shows 3 rows.",))


@pytest.mark.parametrize("intent", ["A prompt is shown.", "The server verifies the token.", "The sum is '1 + 2'."])
def test_words_of_the_product_cost_nothing(intent):
    assert not cited(intent, "unambiguous") + cited(intent, "observable")


@pytest.mark.parametrize(
    "sentence",
    [
        "A number is appended to the array when the last part of the path is '-'.",
        "A list is written with commas and with 'and' before its last entry.",
    ],
)
def test_a_short_quotation_and_a_written_form_lose_no_point(sentence):
    found = assess(AtomWords(intent=sentence, outcomes=("`assert f() == 1`",)))
    assert [one for dimension in found.dimensions for one in dimension.deductions] == []


@pytest.mark.parametrize(
    ("intent", "name", "respelled"),
    [
        ("Readwrite eol windows.", "test_readwrite_eol_windows", True),
        ("Readwrite eol windows.", "testReadwriteEolWindows", True),
        ("Readwrite eol windows.", "test_reading", False),
        ("Readwrite eol windows.", "", False),
        ("Readwrite keeps the eol of Windows.", "test_readwrite_eol_windows", False),
        ("Document is a dict.", "test_document_is_a_dict", False),
        ("The sender receives copies.", "test_the_sender_receives_copies", False),
    ],
)
def test_the_name_of_a_test_spelled_apart_says_nothing_without_a_sure_verb(intent, name, respelled):
    quality = assess(AtomWords(intent, ("The text is 'a'.",), name=name))
    assert (lost(quality, "observable") > 0, quality.verdict == "revise") == (respelled, respelled)
    assert quality.without_hints().score == assess(AtomWords(intent, ("The text is 'a'.",))).score


def test_an_atom_is_judged_with_the_name_of_the_test_that_it_was_said_of():
    atom = Atom("IA-1", "Readwrite eol windows.", origin="tests/test_file.py::TestFile::test_readwrite_eol_windows")
    assert assess(AtomWords.of(atom)).verdict == "revise"
