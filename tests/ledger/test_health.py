import pytest

from pactkeeper.ledger.health import COMPLETE, Health, allows_absence, allows_presence, worst

PARTIAL = Health("partial", "tests/big.py is unreadable")
UNAVAILABLE = Health("unavailable", "the board answered 503")


def test_only_a_complete_view_allows_absence():
    assert [allows_absence(one) for one in (COMPLETE, PARTIAL, UNAVAILABLE)] == [True, False, False]


def test_an_unavailable_source_shows_nothing():
    assert [allows_presence(one) for one in (COMPLETE, PARTIAL, UNAVAILABLE)] == [True, True, False]


@pytest.mark.parametrize(("status", "reason"), [("partial", ""), ("unavailable", ""), ("complete", "all well")])
def test_whoever_did_not_see_everything_says_why(status, reason: str):
    with pytest.raises(ValueError, match="says why"):
        Health(status, reason)


def test_several_views_are_as_good_as_the_worst_of_them():
    assert worst([COMPLETE, UNAVAILABLE, PARTIAL]) == UNAVAILABLE
    assert worst([PARTIAL, Health("partial", "b.py too"), PARTIAL]).reason == "tests/big.py is unreadable; b.py too"
    assert worst([]) == COMPLETE
