"""An assertion that only has other names, or gives what its function needs anew, is the same assertion."""

import pytest

from pactkeeper.intent.strength.matching import AS_IT_WAS, Spelling
from pactkeeper.intent.strength.review import changes
from tests.repo.strength.edits import body, judged, paired

TWO = "assert [total(x) for x in (1, 2)] == [3, 4]"
RENAMED = Spelling(frozenset({"Invoice"}), frozenset({"Bill"}))
NEEDS = Spelling(needs={"Invoice": {"currency": 1}})
OLD = body("assert Invoice(7).total() == 3")


@pytest.mark.parametrize(
    "new",
    [
        "assert total(1) == 3\nassert total(2) == 4",
        "for given, expected in {1: 3, 2: 4}.items():\n    assert total(given) == expected",
        "[(one, other)] = [(total(1), total(2))]\nassert one == 3\nassert other == 4",
    ],
)
def test_a_comparison_of_lists_says_the_same_as_its_members(new):
    assert judged(body(TWO), body(new)) == []


def test_a_loop_that_lost_a_member_is_a_loss():
    assert judged(body(TWO), body("for given, expected in {1: 3}.items():\n    assert total(given) == expected")) != []


@pytest.mark.parametrize(
    ("new", "spelling", "same"),
    [
        ("assert Bill(7).total() == 3", RENAMED, True),
        ("assert Bill(7).total() == 4", RENAMED, False),
        ("assert Invoice(7, 'EUR').total() == 3", NEEDS, True),
        ("assert Invoice(7, currency='EUR').total() == 3", NEEDS, True),
        ("assert Invoice(7, currency='EUR').total() == 3", AS_IT_WAS, False),
        ("assert Invoice(8, 'EUR').total() == 3", NEEDS, False),
    ],
)
def test_only_what_the_change_renamed_or_needs_anew_is_the_same(new, spelling, same):
    assert (changes(paired(OLD, body(new)), spelling=spelling) == ()) is same


@pytest.mark.parametrize(
    ("spelling", "same"), [(AS_IT_WAS, True), (Spelling(kept=frozenset({"copy"})), False)], ids=["gone", "kept"]
)
def test_a_function_that_changed_lines_mention_is_renamed_only_if_it_is_no_longer_defined(spelling, same):
    pair = paired(body("assert copy(7) == 3"), body("assert clone(7) == 3"))
    touched = frozenset({"copy", "clone"})
    assert (changes(pair, spelling=spelling, touched=touched) == ()) is same


PRICES = "assert {'a': price('a'), 'b': price('b')} == {'a': 1, 'b': 2}"
MADE = "assert {key: price(key) for key in ['a', 'b']} == {'a': 1, 'b': 2}"


@pytest.mark.parametrize(
    ("before", "after", "less"),
    [
        (PRICES, MADE, MADE.replace(", 'b'", "").replace(", 'b': 2", "")),
        (MADE, "assert {key: price(key) for key in ['a', 'b']} == dict([('a', 1), ('b', 2)])", "assert price('a')"),
        ("assert read() == b'late'", "assert read() == 'late'.encode()", "assert read()"),
        ("assert read() == 'late'.encode('utf-8')", "assert read() == b'late'", "assert read()"),
    ],
)
def test_a_mapping_made_of_rows_and_bytes_made_of_a_text_are_those_written_out(before, after, less):
    assert judged(body(before), body(after)) == []
    assert judged(body(after), body(less)) != []


@pytest.mark.parametrize("mode", ["", "b"])
def test_a_file_is_opened_as_often_whichever_way_it_is_read(mode):
    opened = f"path = tmp_path / 'a'\nwith open(path, 'w{mode}') as file:\n    file.write({mode}'x')\nfill(path)\n"
    held = f"{opened}with open(path, 'r{mode}') as file:\n    assert file.read() == {mode}'y'"
    read = f"{opened}assert path.{'read_bytes' if mode else 'read_text'}() == {mode}'y'"
    assert judged(body(held), body(read)) == judged(body(read), body(held)) == []
    twice = read.replace("fill(path)", "fill(path)\nfill(path)")
    assert [one.kind for one in judged(body(held), body(twice))] == ["grown"]
