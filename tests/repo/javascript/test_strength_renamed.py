"""Tests that go and come under another name in one change."""

from __future__ import annotations

import pytest

from tests.repo.javascript.project import JEST, VITEST
from tests.repo.javascript.strength_cases import HEAD, became, between, body, strengths

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
        ("expect(price(1).a).toBe('1');", "expect(price(1).a).toBe(price(1).b ? '2' : '1');", "error loosened"),
        ("expect(price(1).a).toBe('1');", "expect(price(1).a).toBe(price(1).b || '1');", "error loosened"),
        ("expect(price(1).a).toBe('1');", "expect(price(1).a).toBe(load.old ? '2' : '1');", "warning deleted"),
        ("expect(price(1).a).toBe('1');", "expect(price(1).a).toBe(load.old ?? '1');", "warning deleted"),
        ("expect(price(1)).toBe(load.old ? 3 : 4);", "expect(price(1) + 0).toBe(load.old ? 3 : 4);", "silent"),
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


@pytest.mark.parametrize("titles", [("new values", "other objects"), ("refuses new values", "refuses objects")])
@pytest.mark.parametrize(
    ("inline", "helper"),
    [
        ("expect(() => price({0})).toThrow(isProd ? `nr. 15` : `got: {1}`);",
         "expect(() => price(value)).toThrow(isProd ? `nr. 15` : `got: ${shown}`);"),
        ("expect(price({0})).toBe(`got: {1}`);", "expect(price(value)).toBe(`got: ${shown}`);"),
    ],
    ids=["a message that depends on the build", "a value"],
)  # fmt: skip
def test_a_helper_may_be_extracted_and_the_titles_reworded_in_one_edit(inline, helper, titles):
    head = f"{HEAD}const isProd = process.env.NODE_ENV === 'production';\n"
    cases = (("load().made", "[object Object]"), ("{}", "[object Object]"), ("3", "3"))

    def tests(names, asserted):
        new, other = (" ".join(asserted(*case) for case in some) for some in (cases[:1], cases[1:]))
        return f"it('{names[0]}', () => {{ save(); {new} }});\nit('{names[1]}', () => {{ save(); {other} }});\n"

    def written(value, shown):
        return inline.replace("{0}", value).replace("{1}", shown)

    before = head + tests(("new values", "other objects"), written)
    called = tests(titles, lambda value, shown: f"check({value}, '{shown}');")
    after = f"{head}function check(value, shown) {{ {helper} }}\n{called}"
    files = ({**VITEST, "test/a.test.ts": source} for source in (before, after))
    assert between(*files) == ()


@pytest.mark.parametrize(
    ("earlier", "now"),
    [
        ("toReturn()", "toHaveReturned()"),
        ("toReturnWith(3)", "toHaveReturnedWith(3)"),
        ("toBeCalled()", "toHaveBeenCalled()"),
        ("toBeCalledWith(3)", "toHaveBeenCalledWith(3)"),
        ("lastCalledWith(3)", "toHaveBeenLastCalledWith(3)"),
    ],
)
def test_a_matcher_of_jest_under_its_earlier_name_is_the_same(earlier, now):
    spied = "const spy = jest.fn(price);\nsave(spy);\nexpect(spy).%s;"
    before, after = (strengths({**JEST, "test/a.test.ts": body(spied % one)}) for one in (earlier, now))
    (one,), (other,) = ([fact.claim for fact in next(iter(each.values())).facts] for each in (before, after))
    assert one == other
