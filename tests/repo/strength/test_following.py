"""What follows from an asserted value, and what the product computes from it."""

import pytest

from pactkeeper.intent.strength.review import changes
from tests.repo.javascript import strength_cases as javascript
from tests.repo.strength import edits as python


def script(kept, removed):
    """What is said if a JavaScript test keeps one of two assertions."""
    return javascript.became(javascript.body(f"{kept};\n{removed};"), javascript.body(f"{kept};"))


@pytest.mark.parametrize(
    ("kept", "removed"),
    [
        ("assert f(1) == 2", "assert f(f(1)) == 3"),
        ("assert f(1) == 2", "assert g(f(1)) == 3"),
        ("first = f(1)\nassert first == 2", "second = f(first)\nassert second == 3"),
        ("assert cart() == {'a': 1}", "assert cart().render() == 'x'"),
        ("assert f() == [1]", "assert total(f(), rate()) == 1"),
    ],
)
def test_what_python_code_computes_from_an_asserted_value_is_asserted_on_its_own(kept, removed):
    found = python.judged(python.body(f"{kept}\n{removed}"), python.body(kept))
    assert {one.severity for one in found} == {"error"}


@pytest.mark.parametrize(
    ("kept", "removed"),
    [
        ("expect(load(1)).toBe(2)", "expect(load(load(1))).toBe(3)"),
        ("expect(load(1)).toBe(2)", "expect(price(load(1))).toBe(3)"),
        ("expect(cart()).toEqual({ a: 1 })", "expect(cart().render()).toBe('x')"),
        ("expect(cart()).toEqual({ a: 1 })", "expect(cart().total).toBe(1)"),
        ("expect(load()).toEqual([1])", "expect(load().map(price)).toEqual([2])"),
    ],
)
def test_what_javascript_code_computes_from_an_asserted_value_is_asserted_on_its_own(kept, removed):
    assert script(kept, removed).startswith("error")


@pytest.mark.parametrize(
    ("kept", "removed"),
    [
        ("assert f() == [1, 2]", "assert len(f()) == 2"),
        ("assert f() == [1, 2]", "assert f()[0] == 1"),
        ("assert f() == [1, 2]", "assert isinstance(f(), list)"),
        ("assert f() == {'a': 1}", "assert f()['a'] == 1"),
        ("assert f() == {'a': 1}", "assert sorted(f().keys()) == ['a']"),
        ("assert f() == 'a b'", "assert f().split() == ['a', 'b']"),
    ],
)
def test_what_the_language_makes_of_an_asserted_literal_may_go(kept, removed):
    assert python.judged(python.body(f"{kept}\n{removed}"), python.body(kept)) == []


@pytest.mark.parametrize(
    ("kept", "removed"),
    [
        ("expect(load()).toEqual([1, 2])", "expect(load().length).toBe(2)"),
        ("expect(load()).toEqual([1, 2])", "expect(load()[1]).toBe(2)"),
        ("expect(load()).toEqual({ a: { b: 1 } })", "expect(load().a.b).toBe(1)"),
        ("expect(load()).toBe('abc')", "expect(load().startsWith('a')).toBe(true)"),
        ("expect(load()).toEqual({ a: 1 })", "expect(load()).toBeTruthy()"),
    ],
)
def test_what_javascript_makes_of_an_asserted_literal_may_go(kept, removed):
    assert script(kept, removed) == "silent"


@pytest.mark.parametrize("weaker", ["assert s2", "assert s2['n'] == 2", "assert s2 != None"])
def test_a_test_that_lost_something_did_not_get_stronger(weaker):
    head = "s1 = f({})\nassert s1 == {'n': 1}\ns2 = f(s1)\n"
    pairs = python.paired(python.body(head + "assert s2 == {'n': 2, 'x': 1}"), python.body(head + weaker))
    found = changes(pairs)
    assert {one.severity for one in found} >= {"error"}
    assert "stronger" not in {one.kind for one in found}


SPIES = "const ok = vi.fn();\nconst after = vi.fn();\nrun({ ok, after });\n"
SWAPPED = "const after = vi.fn();\nconst ok = vi.fn();\nrun({ ok, after });\n"
MOCKS = "a = Mock()\nb = Mock()\nrun(a, b)\n"


@pytest.mark.parametrize(
    "kept",
    [
        "expect(ok).toHaveBeenCalledTimes(1);",
        "expect(after).toHaveBeenCalledTimes(1);",
        "expect(ok).toHaveBeenCalledTimes(1);\nexpect(after).toHaveBeenCalled();",
        "expect(ok).toHaveBeenCalledTimes(1);\nexpect(ok).toHaveBeenCalledTimes(1);",
    ],
)
def test_two_spies_of_one_expression_are_asserted_each_on_its_own(kept):
    both = "expect(ok).toHaveBeenCalledTimes(1);\nexpect(after).toHaveBeenCalledTimes(1);"
    told = javascript.became(javascript.body(SPIES + both), javascript.body(SPIES + kept))
    assert told.startswith(("error", "warning"))


@pytest.mark.parametrize(
    "later",
    [
        SWAPPED + "expect(ok).toHaveBeenCalledTimes(1);\nexpect(after).toHaveBeenCalledTimes(1);",
        SPIES + "for (const one of [ok, after]) expect(one).toHaveBeenCalledTimes(1);",
        SPIES + "expect(after).toHaveBeenCalledTimes(1);\nexpect(ok).toHaveBeenCalledTimes(1);",
    ],
)
def test_two_spies_of_one_expression_may_be_made_and_asserted_in_any_order(later):
    both = "expect(ok).toHaveBeenCalledTimes(1);\nexpect(after).toHaveBeenCalledTimes(1);"
    assert javascript.became(javascript.body(SPIES + both), javascript.body(later)) == "silent"


def test_two_mocks_and_two_answers_of_one_call_are_told_apart():
    asserts = "a.assert_called_once_with(1)", "b.assert_called_once_with(1)"
    found = python.judged(python.body(MOCKS + "\n".join(asserts)), python.body(MOCKS + asserts[0]))
    assert [(one.severity, one.old) for one in found] == [
        ("error", "another Mock() called with another Mock()(1), times=1")
    ]
    twice = "one = f(1)\ntwo = f(1)\nassert one == two"
    assert {one.severity for one in python.judged(python.body(twice), python.body("one = f(1)"))} == {"error"}


def test_a_function_of_the_product_that_is_called_run_is_not_taken_for_its_argument():
    found = python.judged(python.body("assert run(f(1)) == 2\nassert f(1) == 2"), python.body("assert f(1) == 2"))
    assert [one.old for one in found] == ["run(f(1)) == 2"]
    waited = python.body("assert asyncio.run(f(1)) == 2"), python.body("assert asyncio.run(f(1)) == 3")
    assert [(one.kind, one.old) for one in python.judged(*waited)] == [("expectation", "f(1) == 2")]


@pytest.mark.parametrize("joined", ["allSettled", "race", "any"])
def test_promises_of_which_a_failure_goes_unseen_are_not_waited_for(joined):
    kept = "await Promise.all([1, 2].map(async (x) => { expect(await load(x)).toBe(x); }));"
    told = javascript.became(javascript.body(kept), javascript.body(kept.replace("all", joined, 1)))
    assert told == "error unawaited"
