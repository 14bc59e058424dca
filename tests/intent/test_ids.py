import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.intent.ids import ALPHABET, atom_id, authored_id, is_id, is_prefix, next_id


def test_two_branches_that_infer_the_same_test_make_the_same_id():
    assert atom_id("tests/a.py::test_x", "v1:ab") == atom_id("tests/a.py::test_x", "v1:ab") == "IA-EAWC7EQ"


def test_the_prefix_is_no_part_of_what_is_hashed():
    assert atom_id("t.py::x", "v1:ab", prefix="REQ").removeprefix("REQ") == atom_id("t.py::x", "v1:ab").removeprefix(
        "IA"
    )


def test_parts_cannot_be_shifted_into_each_other():
    assert atom_id("ab", "c") != atom_id("a", "bc")


@given(st.text(), st.text())
def test_every_made_id_is_an_id_of_crockford_letters(test, body):
    made = atom_id(test, body)
    assert is_id(made, "IA")
    assert len(made) == 10
    assert set(made[3:]) <= set(ALPHABET)


def test_spelling_of_spaces_case_and_full_stop_does_not_change_an_authored_id():
    assert authored_id("A  login is refused.") == authored_id("a login is refused")
    assert authored_id("A login is refused.") != authored_id("A login is accepted.")


def test_a_thousand_similar_intents_share_no_id():
    assert len({authored_id(f"The value is {number}.") for number in range(1000)}) == 1000


@pytest.mark.parametrize("text", ["IA-1", "IA-7F3KQ9T", "IA-A-1-B", "IA-0"])
def test_ids_are_recognised(text):
    assert is_id(text, "IA")


@pytest.mark.parametrize(
    "text", ["IA-", "IA-a", "IA-1-", "IA--1", "XIA-1", "IA-1\n", " IA-1", "IA_1", "IA-1 ", "IA-É", ""]
)
def test_what_only_looks_like_an_id_is_none(text):
    assert not is_id(text, "IA")


def test_a_prefix_with_a_dash_is_taken_literally():
    assert is_id("MY-REQ-1", "MY-REQ")
    assert not is_id("MYXREQ-1", "MY.REQ")


@pytest.mark.parametrize("text", ["M", "INV", "COM", "REC", "", "ia", "IA-", "-IA", "I A", "1A"])
def test_a_prefix_that_would_be_mistaken_is_refused(text):
    assert not is_prefix(text)


def test_the_next_sequential_id_counts_numbers_not_letters():
    assert next_id(["IA-999", "IA-1000", "IA-2"], "IA") == "IA-1001"


def test_the_first_sequential_id_is_001():
    assert next_id([], "IA") == "IA-001"


def test_ids_that_are_no_numbers_do_not_count():
    assert next_id(["IA-7F3KQ9T", "IA-²", "M-999", "IA-5-2", "IA-004"], "IA") == "IA-005"
