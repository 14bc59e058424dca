import json

import pytest

from pactkeeper.errors import InputError, UsageError
from pactkeeper.ledger.documents import MOST_KEYS, outline, pointed, read_json_text

REPORT = {"total": {"lines": {"pct": 81.5}}, "files": [{"path": "a.py", "ok": True}, {"path": "b.py"}], "a/b": None}


def test_a_pointer_names_members_and_indexes():
    assert pointed(REPORT, "") is REPORT
    assert pointed(REPORT, "/total/lines/pct") == 81.5
    assert pointed(REPORT, "/files/1/path") == "b.py"
    assert pointed(REPORT, "/a~1b") is None


@pytest.mark.parametrize("pointer", ["/files/2", "/files/01", "/files/-", "/total/branches", "/total/lines/pct/x"])
def test_a_pointer_to_nothing_says_what_is_there(pointer):
    with pytest.raises(UsageError, match="it is a"):
        pointed(REPORT, pointer)


def test_a_pointer_begins_with_a_slash():
    with pytest.raises(UsageError, match="not a JSON pointer"):
        pointed(REPORT, "total")


def test_an_object_is_outlined_by_its_keys():
    found = outline(REPORT)
    assert (found.type, found.members) == ("object", 3)
    assert found.keys == {"total": "object of 1", "files": "array of 2", "a/b": "null"}


def test_a_list_is_outlined_by_the_types_in_it_and_its_first_object():
    found = outline([{"id": 1, "tags": []}, {"id": 2}, "x"])
    assert (found.type, found.members, found.of) == ("array", 3, {"object": 2, "string": 1})
    assert found.keys == {"id": "number", "tags": "array of 0"}


def test_an_outline_names_no_more_keys_than_fit():
    found = outline({str(number): number for number in range(MOST_KEYS + 1)})
    assert found.members == MOST_KEYS + 1
    assert found.keys is not None
    assert len(found.keys) == MOST_KEYS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "x.json:1: "),
        ("[NaN]", "NaN is not a JSON number"),
        ("[1e999]", "1e999 is not a JSON number, or too large"),
        ("[" * 200_000, "nested too deeply"),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text, words):
    with pytest.raises(InputError, match=words):
        read_json_text(text, "x.json")


def test_half_a_character_is_read_as_a_replacement():
    assert read_json_text(r'["\ud800"]', "x.json") == ["\ufffd"]


def test_a_byte_order_mark_is_no_mistake():
    assert read_json_text("\ufeff" + json.dumps(REPORT), "x.json") == REPORT
