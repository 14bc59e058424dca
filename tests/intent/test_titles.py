"""Titles that are made at run time."""

from dataclasses import replace

import pytest

from pactkeeper.intent.titles import made, squashed
from tests.reconcile.worlds import a_test


def of(name, *, suite=(), cases=2, dynamic=False):
    return made(replace(a_test(name, suite=suite), language="typescript", cases=cases, dynamic=dynamic))


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("doubles %i to %i", "doubles 2 to 4"),
        ("counts ${n}", "counts 7"),
        ("counts ${items.map((i) => { return i })} of it", "counts 1,2 of it"),
        ("adds $a and $b.c", "adds 1 and 2"),
        ("case $#: %s", "case 3: x"),
        ("%s", "anything"),
    ],
)
def test_title_fits_what_its_cases_are_called(title, text):
    assert of(title).fits((text,))


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("doubles %i to %i", "doubles 2 from 4"),
        ("counts ${n}", "recounts 7"),
        ("a %s a", "a a"),
        ("x %s y %s z", "x 1 z"),
        ("works", "works 2"),
    ],
)
def test_title_fits_nothing_else(title, text):
    assert not of(title).fits((text,))


def test_suites_may_be_made_at_run_time_too():
    assert of("works", suite=("on %s",)).fits(("on Linux", "works"))


def test_filled_in_text_does_not_reach_into_the_next_part():
    assert not of("works", suite=("on %s",)).fits(("on Linux works",))


def test_title_of_one_case_is_what_it_says():
    assert made(a_test("costs %s")) is None


@pytest.mark.parametrize(("title", "telling"), [("%s", False), ("%s: ok", True), ("-${x}-", False)])
def test_title_is_telling_where_something_stays_the_same(title, telling):
    assert of(title).telling is telling


def test_computed_name_shows_nothing():
    assert of("name", cases=1, dynamic=True).computed


def test_titles_are_compared_without_regard_to_spaces_and_composition():
    assert squashed("fu\u0308r \n  alle") == "für alle"
