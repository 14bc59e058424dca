from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.intent.tests import escape_part, file_of, test_id

PARTS = st.text(st.characters(codec="ascii"), min_size=1)
COLONS = st.text(":\\a\n\r\0", min_size=1, max_size=8)


@given(PARTS | COLONS, PARTS | COLONS)
def test_file_is_read_back_from_an_id(file, name):
    assert file_of(test_id(file, (), name)) == file


@given(st.lists(COLONS, min_size=2, max_size=4), st.lists(COLONS, min_size=2, max_size=4))
def test_different_parts_never_make_the_same_id(one, other):
    assert (one == other) == (
        test_id(one[0], tuple(one[1:-1]), one[-1]) == test_id(other[0], tuple(other[1:-1]), other[-1])
    )


@given(PARTS | COLONS)
def test_an_id_stands_on_one_line_of_text(name):
    assert not set("\n\r\0") & set(test_id("a.py", (), name))


def test_names_are_compared_in_one_unicode_form():
    assert escape_part("cafe\u0301") == escape_part("caf\u00e9")
