"""What follows from an asserted value, and what the product computes from it."""

import pytest

from pactkeeper.intent.strength.review import changes, is_shortened, reviewed, since_review
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


@pytest.mark.parametrize("name", ["format", "compile", "open", "print"])
def test_a_function_with_the_name_of_another_languages_builtin_is_no_language(name):
    head = f"import {{ {name} }} from '../src/shop';\n"
    said = javascript.body(f"expect(() => {{ {name}(NaN); }}).toThrow();", head=head)
    assert javascript.became(said, said.replace(".toThrow", ".not.toThrow")) == "error removed"
    imported = f"from shop import {name}\n" + python.body(f"with pytest.raises(ValueError):\n    {name}('')")
    assert [
        one.kind for one in python.judged(imported, imported.replace("with pytest.raises(ValueError)", "if True"))
    ] == ["hollow"]


def test_asking_the_language_in_place_of_the_product_is_an_error():
    asked = javascript.body("expect(Number.isNaN(price('x'))).toBe(true);")
    assert javascript.became(asked, asked.replace("price('x')", "Number('x')")) == "error loosened"
    found = python.judged(python.body("assert price('x') == 3"), python.body("assert len('x') == 3"))
    assert {one.severity for one in found} == {"error"}
    own = "from shop import len\n"
    shadowed = python.judged(own + python.body("assert price('x') == 3"), own + python.body("assert len('x') == 3"))
    assert "loosened" not in {one.kind for one in shadowed}


def test_an_assertion_in_a_function_that_is_only_looked_at_is_not_made():
    said = "expect(() => { price(NaN); }).toThrow();"
    looked = javascript.body(f"const check = () => {said[:-1]};\nexpect(check).toBeDefined();")
    assert javascript.became(javascript.body(said), looked) == "error hollow"


def test_an_expectation_chosen_by_the_answer_itself_is_an_error():
    head = "import { format } from '../src/shop';\n"
    chosen = "const a = format(5);\nconst e = a.endsWith('ms') ? a : '5 ms';\nexpect(a).toBe(e);"
    assert javascript.became(
        javascript.body("expect(format(5)).toBe('5 ms');", head=head), javascript.body(chosen, head=head)
    ) == ("error loosened")


@pytest.mark.parametrize(("before", "after"), [
    ("assert names(2) == ['b', 'a']", "assert sorted(names(2)) == sorted(['b', 'a'])"),
    ("assert names(2) == ['b', 'a']", "assert set(names(2)) == {'b', 'a'}"),
    ("got = names(2)\nassert len(got) == 2\nassert got == ['b', 'a']",
     "for one, other in zip(names(2), ['b', 'a']):\n    assert one == other"),
])  # fmt: skip
def test_order_and_number_no_longer_asserted_are_told(before, after):
    assert python.judged(python.body(before), python.body(after)) != []


@pytest.mark.parametrize("written", ["-D", "-1 * D", "0 - D"])
def test_a_negative_number_may_be_put_together(written):
    put = javascript.body(f"const D = 24 * 60;\nexpect(price({written})).toBe('1 d');")
    assert javascript.became(javascript.body("expect(price(-1440)).toBe('1 d');"), put) == "silent"


LONG = "o = V([{0}], ['one', 'two', 'three'], more=['a long name', 'another long name', 'a third one'], last={1})\n"
SHORT_TERM = python.body(
    LONG.format("1, 2, 3", "4") + "assert list(o.options()) == [('1', 'one'), ('2', 'two'), ('3', '')]"
)


def test_what_is_too_long_for_a_review_is_compared_by_more_than_being_the_same():
    def states(after: str) -> tuple[str, ...]:
        (old,), (new,) = (python.strengths(one).values() for one in (SHORT_TERM, after))
        found = since_review(reviewed(old), new, test="test_it")
        assert is_shortened(reviewed(old)) or is_shortened(reviewed(new)) or not found
        return tuple(one.severity for one in found)

    assert states(SHORT_TERM) == ()
    assert states(SHORT_TERM.replace("more=[", "more=['x' * 9, 'yet another long name', ")) == ("warning",)
