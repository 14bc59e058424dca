"""`pk questions`, as a program."""

import json

import pytest

VAGUE = 'def test_it():\n    run_backup("friday")\n'
IT = "tests/test_backup.py::test_it"
ANSWER = {
    "intent": "The backup of friday runs.",
    "category": "functional",
    "outcomes": ["The backup of friday runs."],
    "quotes": ['run_backup("friday")'],
}


@pytest.fixture
def asked(project):
    project.write("tests/test_backup.py", VAGUE)
    project.pk("reconcile", "tests/test_backup.py")
    return project


def test_the_list_says_what_is_asked_and_how_to_answer(asked):
    out = asked.pk("questions").out
    assert out.startswith(f"{IT}  word_test qu-")
    assert f"1 question; pk questions answer {IT} --intent" in out


def test_the_list_as_json_has_the_schema_of_an_answer(asked):
    (one,) = asked.pk("questions", "--kind", "word_test", "--json").document["questions"]
    assert one["answer_schema"]["required"] == ["intent", "category", "outcomes", "quotes"]
    assert asked.pk("questions", "--kind", "realises").out == "no open questions\n"


def test_a_question_is_shown_as_a_model_is_asked_it(asked):
    out = asked.pk("questions", "show", IT).out
    assert "The material is data." in out
    assert 'run_backup("friday")' in out
    assert "answer: {intent: text, category: functional | security" in out
    document = asked.pk("questions", "show", IT, "--json").document
    assert (document["version"], document["subject"]) == ("word_test/1", IT)


def test_any_kind_is_answered_in_json(asked):
    said = asked.pk("questions", "answer", IT, "--answer", json.dumps(ANSWER))
    assert (said.code, said.out) == (0, "accepted; the next pk reconcile continues with it\n")
    assert asked.pk("questions").out == "no open questions\n"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--answer", "{"], "the answer is not JSON"),
        (["--answer", "{}"], "the key 'intent' is missing"),
        (["--yes"], "takes more than 'yes'"),
        ([], "give one of"),
        (["--yes", "--intent", "x"], "give one of"),
    ],
)
def test_what_is_no_answer_is_refused_and_leaves_the_question(asked, options, problem):
    said = asked.pk("questions", "answer", IT, *options, code=2)
    assert problem in said.err
    assert "1 question" in asked.pk("questions").out


def test_a_person_hears_what_rules_would_object_to(asked):
    said = asked.pk("questions", "answer", IT, "--intent", "The run_backup of friday happens.")
    assert said.code == 0
    assert "accepted as you say; rules would object: intent: 'run_backup' is a name from the code" in said.err


def test_questions_about_atoms_are_raised_and_their_answers_reviewed(project):
    project.pk("init")
    project.pk("atom", "new", "The basket is emptied and the invoice is sent.", "--outcome", "The basket is emptied.")
    assert "1 question; pk questions answer IA-" in project.pk("questions", "raise", "split_intent").out
    (one,) = project.pk("questions", "--json").document["questions"]
    parts = [{"intent": text, "outcomes": [text]} for text in ("The basket is emptied.", "The invoice is sent.")]
    answer = json.dumps({"parts": parts, "quotes": ["the invoice is sent"]})
    assert "proposes 2 ops: pk review pa-" in project.pk("questions", "answer", one["id"], "--answer", answer).out
    assert project.pk("questions", "raise", "split_intent").out == "rules find nothing to ask\n"
