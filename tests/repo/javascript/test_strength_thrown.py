"""Errors that a test throws itself where it expects the product to."""

import pytest

from tests.repo.javascript.strength_cases import became, body

RAISES = "expect(() => save(1)).toThrow(/plain/);"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (RAISES, "expect(() => { save(1); throw new Error('plain'); }).toThrow(/plain/);"),
        (RAISES, "expect(() => { save(1); throw new TypeError('plain'); }).toThrow(/plain/);"),
    ],
)
def test_a_thrown_error_comes_from_the_product(before, after):
    assert became(body(before), body(after)).startswith("error")
