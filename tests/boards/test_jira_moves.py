"""Which transition leads to done."""

import pytest

from pactkeeper.boards.jira_site import moves_of, to_done, to_state
from pactkeeper.errors import RefusedError
from tests.boards.fake_jira import STATUSES, resolution


def moves(*ways, **fields):
    """Transitions by the name of what they lead to, `fields` those of the screen of the last one."""
    return moves_of(
        {
            "transitions": [
                {
                    "id": str(number),
                    "name": f"to {to}",
                    "to": {"name": to, "statusCategory": {"key": STATUSES[to]}},
                    "fields": fields if number == len(ways) - 1 else {},
                }
                for number, to in enumerate(ways)
            ]
        }
    )


def done(found, *, put_away=False):
    return to_done("SHOP-1", "Backlog", found, put_away=put_away)


def test_finished_and_put_away_take_the_way_that_says_so():
    found = moves("In Progress", "Won't Do", "Done")
    assert done(found) == {"transition": {"id": "2"}}
    assert done(found, put_away=True) == {"transition": {"id": "1"}}


def test_the_only_way_is_taken_for_both():
    found = moves("In Progress", "Done")
    assert done(found) == done(found, put_away=True) == {"transition": {"id": "1"}}


def test_finished_task_goes_no_way_that_says_it_was_put_away():
    with pytest.raises(RefusedError, match=r"to Won't Do. leads to"):
        done(moves("In Progress", "Won't Do"))


def test_resolution_says_why_it_is_done_where_the_transition_has_it():
    found = moves("Done", resolution=resolution("Won\u2019t Fix", "Fixed", required=False))
    assert done(found)["fields"] == {"resolution": {"name": "Fixed"}}
    assert done(found, put_away=True)["fields"] == {"resolution": {"name": "Won\u2019t Fix"}}


def test_resolution_without_a_word_for_it_is_left_to_a_person_only_where_it_is_needed():
    assert done(moves("Done", resolution=resolution("Magic", required=False))) == {"transition": {"id": "0"}}
    with pytest.raises(RefusedError, match="'to Done' leads to 'Done' and asks for Resolution"):
        done(moves("Done", resolution=resolution("Magic")))


def test_transition_that_asks_for_a_field_is_no_way_unless_it_has_a_value_by_default():
    cause = {"name": "Root cause", "required": True}
    with pytest.raises(RefusedError, match="asks for Root cause; move it by hand"):
        done(moves("Done", cause=cause))
    assert done(moves("Done", cause=cause | {"hasDefaultValue": True})) == {"transition": {"id": "0"}}


def test_workflow_without_a_way_names_the_transitions_there_are():
    with pytest.raises(RefusedError, match="from 'Backlog' to done: 'to In Progress' leads to 'In Progress'; move"):
        done(moves("In Progress"))
    with pytest.raises(RefusedError, match="no transition this account may use"):
        done(())


def test_transition_that_cannot_be_made_now_is_none():
    (one,) = moves("Done")
    data = {"transitions": [{"id": "1", "name": "x", "to": {"name": "Done"}, "isAvailable": False}]}
    assert (one.done, moves_of(data)) == (True, ())


def test_state_is_given_back_by_its_name():
    assert to_state("SHOP-1", "Done", "Backlog", moves("Done", "Backlog")) == {"transition": {"id": "1"}}
    with pytest.raises(RefusedError, match="from 'Done' to 'Backlog': 'to In Progress' leads"):
        to_state("SHOP-1", "Done", "Backlog", moves("In Progress"))
