from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.catalog.placement import merge

lines = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"\n"]), max_size=8)
files = st.builds(lambda known, last: b"".join(known) + last, lines, st.sampled_from([b"", b"end"]))


@given(files, files)
def test_what_only_one_side_changed_is_taken(base, changed):
    assert merge(base, changed, base) == merge(base, base, changed) == changed


@given(files, files)
def test_what_both_sides_changed_alike_is_taken_once(base, changed):
    assert merge(base, changed, changed) == changed


@given(files, files, files)
def test_the_sides_may_be_exchanged(base, ours, theirs):
    assert merge(base, ours, theirs) == merge(base, theirs, ours)


@given(lines, lines, lines, lines)
def test_changes_on_both_sides_of_a_line_that_stays_are_both_taken(above, below, new_above, new_below):
    middle = [b"FIRST\n", b"SECOND\n"]

    def joined(*parts: list[bytes]) -> bytes:
        return b"".join(line for part in parts for line in part)

    base, both = joined(above, middle, below), joined(new_above, middle, new_below)
    assert merge(base, joined(new_above, middle, below), joined(above, middle, new_below)) == both


def test_the_same_line_changed_differently_is_refused():
    assert merge(b"a\nb\nc\n", b"a\nX\nc\n", b"a\nY\nc\n") is None


def test_different_lines_inserted_at_one_place_are_refused():
    assert merge(b"a\nb\n", b"a\nx\nb\n", b"a\ny\nb\n") is None


def test_a_line_taken_out_above_a_line_that_changed_is_taken_out():
    assert merge(b"# note\ndef f():\n", b"# note\ndef g():\n", b"def f():\n") == b"def g():\n"


def test_a_line_inserted_inside_lines_taken_out_is_refused():
    assert merge(b"a\nb\nc\n", b"a\nb\nx\nc\n", b"a\n") is None


def test_windows_line_ends_and_missing_last_ends_stay():
    assert merge(b"a\r\nb\r\nc", b"a\r\nb\r\nC", b"b\r\nc") == b"b\r\nC"
