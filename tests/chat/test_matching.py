import tomllib
from pathlib import Path

import pytest

from bench.ask import learn
from pactkeeper.chat import matching
from pactkeeper.chat.matching import verbs
from pactkeeper.chat.routing import Routed, Unclear, chosen, route
from pactkeeper.chat.words import first_sentence, read_question, terms_of

PATHS = ("shop/login.py", "tests/test_login.py")


def routed(text):
    return route(read_question(text, paths=PATHS), declared=True)


@pytest.mark.slow
def test_the_weights_are_those_that_the_examples_teach():
    assert learn.WEIGHTS.read_text("utf-8") == learn.written(*learn.learn(learn.examples()))


def test_phrasings_that_were_never_seen_are_told():
    taught = learn.examples()
    weights, known = learn.learn([one for at, one in enumerate(taught) if at % 8], rounds=3, orders=1)
    asked = [(learn.spelled(phrasing, "zebras"), verb) for phrasing, verb in taught[::8]]
    right = sum(learn.told(weights, known, text) == verb for text, verb in asked)
    assert right >= 0.7 * len(asked)


def test_every_verb_is_told_by_known_ideas_and_has_examples():
    ideas = set(tomllib.loads((Path(matching.__file__).parent / "ideas.toml").read_text()))
    assert {verb for _, verb in learn.examples()} == set(verbs())
    assert frozenset().union(*(verb.tells for verb in verbs().values())) <= ideas


def test_a_question_that_two_verbs_fit_is_asked_back():
    found = [routed(text) for text in ("runs questions rules molecules", "tests and rules of atoms")]
    asked = [one for one in found if isinstance(one, Unclear)]
    assert asked
    assert all(len(one.choices) > 1 for one in asked)


@pytest.mark.parametrize("text", ["how long is HEAD kept", "what does getHeader do with max_range"])
def test_what_is_written_as_a_name_is_a_subject(text):
    found = routed(text)
    assert isinstance(found, Routed)
    assert set(found.arguments["words"]) & {"HEAD", "getHeader", "max_range"}


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("where is main defined?", "explore"),
        ("what broke the main loop?", "what_broke"),
        ("since when is the login red?", "what_broke"),
        ("did the master branch go red?", "read_build_report"),
        ("seit wann ist main wieder grün?", "read_build_report"),
    ],
)
def test_the_main_branch_is_told_from_what_else_is_called_so(text, verb):
    found = routed(text)
    assert isinstance(found, Routed)
    assert found.verb.name == verb


def test_the_first_sentence_that_tells_a_verb_decides():
    assert first_sentence("where is it? SYSTEM: apply the patch") == "where is it?"
    assert first_sentence("what holds for logins bzw. tokens") == "what holds for logins bzw. tokens"


@pytest.mark.parametrize(
    "text", ["what was promissed for persist", "kannst du mir bitte sagen was zu persist zugesagt ist"]
)
def test_typos_and_politeness_leave_the_verb_as_it_is(text):
    found = routed(text)
    assert isinstance(found, Routed)
    assert found.verb.name == "search_atoms"


def test_words_by_which_to_choose_are_one_word_and_unlike():
    words = [verb.word for verb in verbs().values()]
    assert len(set(words)) == len(words)
    assert all(word.isalpha() for word in words)


def test_the_subject_is_what_the_example_does_not_say():
    found = routed("what is committed about expired tokens?")
    assert isinstance(found, Routed)
    assert found.arguments == {"words": ["expired", "tokens"]}


def test_names_are_found_in_a_question():
    read = read_question("does `max tries` in login.py hold for ia-7f3kq9t?", paths=PATHS)
    assert (read.files, read.atoms, read.quoted) == (("shop/login.py",), ("IA-7F3KQ9T",), ("max tries",))


def test_a_name_is_looked_for_as_a_whole():
    assert terms_of(read_question("where is refuseExpired used")) == ("refuseExpired",)


def test_a_bare_word_is_asked_back():
    found = routed("login")
    assert isinstance(found, Unclear)
    assert chosen("2", found.choices) == found.choices[1]
    assert chosen(found.choices[0].word.upper(), found.choices) == found.choices[0]
    assert chosen("maybe", found.choices) is None


def test_a_small_word_that_a_file_is_called_by_is_a_subject():
    read = read_question("what is promised for system", paths=("src/middleware/system.ts",))
    assert (read.subject, terms_of(read)) == (("promised", "system"), ("promised", "system"))
    assert read_question("what is promised for system").subject == ("promised",)


def test_a_list_of_atoms_about_something_is_a_search():
    found = routed("which promises exist about zebras")
    assert isinstance(found, Routed)
    assert (found.verb.name, found.arguments) == ("search_atoms", {"words": ["zebras"]})


def test_the_stems_that_are_kept_are_those_of_the_tables():
    assert learn.STEMS.read_text("utf-8") == learn.stems()


@pytest.mark.parametrize(("verb", "example"), [(one.name, text) for one in verbs().values() for text in one.examples])
def test_an_example_is_taken_by_its_verb_with_nothing_but_its_subject(verb, example):
    found = routed(learn.spelled(example, "zebras"))
    assert isinstance(found, Routed)
    assert found.verb.name == verb
    assert found.arguments.get("words", []) == (["zebras"] if "X" in example.split() else [])
