"""Reading what a comment asks for."""

import pytest

from pactkeeper.errors import InputError
from pactkeeper.forges.deliveries import LONGEST, Asked, asked_in, numbers_of

AT = "0123456789ab"


def test_each_line_is_one_request_and_quoting_is_that_of_a_shell():
    text = f"Fine.\n/pk accept --at {AT} 'a.py::test it' b.py::t\n/pk accept c.py::t --at {AT} --intent 'It is so.'\r\n"
    assert asked_in(text) == (Asked(AT, ("a.py::test it", "b.py::t")), Asked(AT, ("c.py::t",), "It is so."))


@pytest.mark.parametrize(
    "text", ["", "> /pk accept x", "```\n/pk accept x\n```", "  /pk accept x", "see /pk accept x", "/pkg"]
)
def test_quotes_code_and_talk_ask_for_nothing(text):
    assert asked_in(text) == ()


@pytest.mark.parametrize(
    "line",
    [
        "/pk",
        "/pk commit",
        "/pk accept",
        "/pk accept t",
        "/pk accept --at 012 t",
        "/pk accept --at HEAD~1xx t",
        f"/pk accept --at {AT}",
        f"/pk accept --at {AT} 't",
        f"/pk accept --at {AT} t --intent",
        f"/pk accept --at {AT} t --dry-run",
        f"/pk accept --at {AT} --at {AT} t",
    ],
)
def test_another_form_is_refused_with_the_form(line):
    with pytest.raises(InputError, match="write: /pk accept --at COMMIT"):
        asked_in(line)


def test_a_comment_beyond_the_limit_is_not_read():
    with pytest.raises(InputError, match="at most 20,000"):
        asked_in("x" * (LONGEST + 1))


def test_events_of_both_forges_name_two_numbers():
    github = {"action": "created", "issue": {"number": 7, "pull_request": {}}, "comment": {"id": 31, "body": "x"}}
    gitlab = {"object_kind": "note", "object_attributes": {"id": 31, "note": "x"}, "merge_request": {"iid": 7, "id": 9}}
    assert numbers_of(github) == numbers_of(gitlab) == (7, "31")


@pytest.mark.parametrize(
    "event",
    [
        [],
        None,
        {},
        {"issue": {"number": "7"}, "comment": {"id": 1}},
        {"object_kind": "merge_request", "object_attributes": {"id": 31, "iid": 7}, "merge_request": {"iid": 7}},
        {"object_kind": "note", "object_attributes": {"id": 31}, "issue": {"iid": 7}},
        {"comment": "x", "issue": []},
    ],
)
def test_other_events_are_refused(event):
    with pytest.raises(InputError, match="not about a pull request comment"):
        numbers_of(event)
