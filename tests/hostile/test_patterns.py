"""Text of others meets no pattern that could keep the product busy: steps are counted, not seconds."""

import re
import sys

import pytest

from tests.hostile.growth import bend
from tests.hostile.made import made_patterns
from tests.hostile.patterns import Found, every

pytestmark = [pytest.mark.slow, pytest.mark.campaign]


@pytest.fixture(autouse=True)
def deep():
    """The engine that counts is recursive: a loop of many rounds is deep."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield
    sys.setrecursionlimit(before)


def test_every_pattern_takes_steps_in_proportion_to_its_text():
    found, _ = every()
    assert len(found) > 500
    worse = [f"{one.place}: {grown}" for one in found if (grown := bend(one))]
    assert worse == []


def test_every_pattern_that_is_made_at_run_time_takes_steps_in_proportion_to_its_text():
    _, made = every()
    found, missing = made_patterns(made)
    assert missing == set()
    worse = [
        f"{one.place}: {one.pattern.pattern!r} {grown}"
        for group in found.values()
        for one in group
        if (grown := bend(one))
    ]
    assert worse == []


@pytest.mark.parametrize(
    ("pattern", "how", "linear", "square"),
    [
        (r"(?:a+)+b", "match", False, False),
        (r"\s*\s*\s*$", "match", False, False),
        (r"(?:a|a)*b", "match", False, False),
        (r"\s*x", "search", False, True),
        (r"\s*\s*x", "match", False, True),
        (r"\s*x", "match", True, True),
        (r"(?:a++)++b", "match", True, True),
        (r"(?<!\s)\s++x", "search", True, True),
    ],
)
def test_steps_are_counted_as_the_engine_takes_them(pattern, how, linear, square):
    grown = bend(Found("here", re.compile(pattern), frozenset({how})))
    assert (grown is None) is linear
    assert (grown is None or grown.is_square) is square
