"""Tests that go and come under another name in one change."""

from __future__ import annotations

import pytest

from tests.repo.javascript.project import VITEST
from tests.repo.javascript.strength_cases import HEAD, became, between

KEPT = f"{HEAD}it('keeps', () => {{ expect(price(9)).toBe(9); }});\n"


def it(title: str, statements: str) -> str:
    return f"it('{title}', () => {{ {statements} }});\n"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("expect(price(1)).toBe(3);", "expect(price(1)).toBeDefined();", "error loosened"),
        ("expect(price(1)).toEqual({ a: 1, b: 2 });", "expect(price(1)).toMatchObject({ a: 1 });", "error loosened"),
        ("expect(() => load(1)).toThrow(TypeError);", "expect(() => load(1)).toThrow();", "error loosened"),
        ("expect(price(1)).toBe(3);", "expect(price(1)).toBe(4);", "warning deleted"),
        ("expect(price(1)).toBe(3);", "expect(price(1)).toBe(3); expect(price(2)).toBeDefined();", "silent"),
    ],
)
def test_a_renamed_test_that_says_less_is_reported_as_in_its_place(before, after, told):
    assert became(KEPT + it("adds", before), KEPT + it("sums", after)) == told


def test_a_renamed_test_with_another_result_shows_both_assertions():
    before, after = (KEPT + it(*each) for each in (("adds", "expect(price(1)).toBe(3);"),
                                                   ("sums", "expect(price(1)).toBe(4);")))  # fmt: skip
    found = between({**VITEST, "test/a.test.ts": before}, {**VITEST, "test/a.test.ts": after})
    assert [(one.old, one.new) for one in found] == [("price(1) === 3", "price(1) === 4")]


@pytest.mark.parametrize(
    ("rows", "assertion", "told"),
    [
        ("[[1, 1], [2, 2], [3, 3]]", "toBe(y)", "silent"),
        ("[[1, 1], [2, 2]]", "toBe(y)", "error deleted"),
        ("[[1, 1], [2, 2], [3, 3]]", "toBeDefined()", "error loosened"),
    ],
)
def test_tests_that_become_a_table_keep_every_row(rows, assertion, told):
    before = "".join(it(f"of {at}", f"expect(price({at})).toBe({at});") for at in (1, 2, 3))
    after = f"it.each({rows})('of %s', (x, y) => {{ expect(price(x)).{assertion}; }});\n"
    assert became(HEAD + before, HEAD + after) == told
