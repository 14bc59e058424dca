"""Titles that are made at run time."""

from dataclasses import replace

import pytest

from pactkeeper.intent.suffixes import computed, made, shown_in, squashed
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


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("'answers ' + code", "answers 404"),
        ("'answers ' + code.toString() + \" at once\"", "answers 404 at once"),
        ("prefix + ' works'", "it works"),
        ("`a ` + f('x' + y) + ' b'", "a 1 b"),
        ("'it\\'s ' + name", "it's me"),
    ],
)
def test_title_that_is_put_together_fits_what_it_can_become(source, text):
    assert of(source, cases=1, dynamic=True).fits((text,))


def test_title_that_is_put_together_fits_nothing_else():
    assert not of("'answers ' + code", cases=1, dynamic=True).fits(("asks 404",))


@pytest.mark.parametrize("source", ["a + b", "f('x' + y)", "'only text'"])
def test_source_that_joins_no_text_is_left_alone(source):
    assert shown_in(source) == source


@pytest.mark.parametrize(("title", "telling"), [("%s", False), ("%s: ok", True), ("-${x}-", False)])
def test_title_is_telling_where_something_stays_the_same(title, telling):
    assert of(title).telling is telling


@pytest.mark.parametrize("source", ["name", "t.input", "names[0]", "JSON.stringify(a, null, 2)", "$name"])
def test_computed_name_may_read_like_anything(source):
    one = of(source, suite=("slug",), cases=1, dynamic=True)
    assert (one.fits(("slug", "a b")), one.fits(("other", "a b")), one.telling) == (True, False, False)


@pytest.mark.parametrize("title", ["works well", "works!"])
def test_title_in_a_loop_reads_as_it_is(title):
    one = of(title, cases=None, dynamic=True)
    assert (one.fits((title,)), one.fits(("a b",))) == (True, False)


def test_titles_are_compared_without_regard_to_spaces_and_composition():
    assert squashed("fu\u0308r \n  alle") == "für alle"


def test_a_suite_that_is_code_is_computed_although_its_test_is_not():
    test = a_test("should not finish twice", suite=('"manual - " + name',))

    assert computed(test, test.suite) == ('"manual - " + name',)
