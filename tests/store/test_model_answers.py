from dataclasses import replace

import pytest

from pactkeeper.ledger.model import KeptAnswer
from pactkeeper.store.runs import keep_answer, kept_answers
from tests.store.rows import AT, LATER

ANSWER = KeptAnswer("v1:one", "word_test/1", "ollama:m", "http://127.0.0.1/v1", {"intent": "A works."}, AT)


def found(history, *keys, model="ollama:m", endpoint="http://127.0.0.1/v1"):
    return kept_answers(history, keys, model=model, endpoint=endpoint)


@pytest.mark.parametrize("value", [{"intent": "A"}, ["a", 1], "a", True, None])
def test_an_answer_comes_back_as_it_was_given(history, value):
    answer = replace(ANSWER, value=value)
    keep_answer(history, answer)
    assert found(history, "v1:one", "v1:two") == {"v1:one": answer}


def test_a_later_answer_replaces_the_earlier(history):
    keep_answer(history, ANSWER)
    later = replace(ANSWER, value={"intent": "B works."}, at=LATER)
    keep_answer(history, later)
    assert found(history, "v1:one") == {"v1:one": later}


@pytest.mark.parametrize("other", [{"model": "ollama:n"}, {"endpoint": "http://127.0.0.1:1/v1"}])
def test_another_model_or_address_has_answers_of_its_own(history, other):
    keep_answer(history, ANSWER)
    assert found(history, "v1:one", **other) == {}


def test_a_neighbours_answers_are_not_ours(history, neighbour):
    keep_answer(neighbour, ANSWER)
    assert found(history, "v1:one") == {}


def test_any_number_of_keys_is_looked_up(history):
    keep_answer(history, ANSWER)
    assert set(found(history, *(f"v1:{number}" for number in range(1_200)), "v1:one")) == {"v1:one"}
