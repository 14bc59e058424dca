"""What an edit of a Python test does to its strength."""

from dataclasses import replace

import pytest

from pactkeeper.intent.claims import Value
from pactkeeper.intent.strength.change import Paired, shown
from pactkeeper.intent.strength.review import changes, reviewed, since_review
from tests.repo.strength.edits import FILE, body, judged, paired, strengths

BASE = """\
import pytest
from shop import Cart, total

@pytest.fixture
def cart():
    made = Cart()
    made.add(3)
    return made

def check_total(cart, expected):
    assert total(cart) == expected

def test_it(cart):
    result = total(cart)
    assert result == 10
    with pytest.raises(ValueError, match="no till"):
        total(None)
"""
EQUAL = "    assert result == 10\n"

WEAKER = {
    "a looser bound": ("result == 10", "result > 3", "loosened"),
    "truth": ("result == 10", "result", "loosened"),
    "something": ("result == 10", "result is not None", "loosened"),
    "a type": ("result == 10", "isinstance(result, int)", "loosened"),
    "one of several": ("result == 10", "result in (10, 11)", "loosened"),
    "an alternative": ("result == 10", "result == 10 or result == 11", "loosened"),
    "about": ("result == 10", "result == pytest.approx(10, abs=5)", "loosened"),
    "a part of it": ("result == 10", "str(result) == '10'", "loosened"),
    "another value": ("result == 10", "result == 11", "expectation"),
    "the same on both sides": ("result == 10", "result == result", "removed"),
    "computed anew": ("result == 10", "result == total(cart)", "removed"),
    "nothing": (EQUAL, "", "removed"),
    "an unreached line": (EQUAL, "    if False:\n    " + EQUAL, "removed"),
    "a condition": (EQUAL, "    if result:\n    " + EQUAL, "conditional"),
    "an early return": (EQUAL, "    if not result:\n        return\n" + EQUAL, "conditional"),
    "a loop over nothing": (EQUAL, "    for _ in []:\n    " + EQUAL, "removed"),
    "a swallowed failure": (EQUAL, f"    try:\n    {EQUAL}    except Exception:\n        pass\n", "removed"),
    "a broader exception": ("raises(ValueError, match", "raises(Exception, match", "loosened"),
    "no message": (', match="no till"', "", "loosened"),
    "more that may raise": ("        total(None)", "        total(None)\n        total(cart)", "loosened"),
    "a nested function that nobody calls": (EQUAL, "    def later():\n    " + EQUAL, "removed"),
    "a skip": (EQUAL, "    pytest.skip('later')\n" + EQUAL, "skipped"),
    "a skip that is returned": ("    result =", "    return pytest.skip('later')\n    result =", "skipped"),
    "a skip by mark": ("def test_it", "@pytest.mark.skip\ndef test_it", "skipped"),
    "a skip everywhere": ("def test_it", "@pytest.mark.skipif(sys.platform > '', reason='')\ndef test_it", "skipped"),
    "an expected failure": ("def test_it", "@pytest.mark.xfail\ndef test_it", "skipped"),
    "a skipped module": ("@pytest.fixture", "pytestmark = pytest.mark.skip\n@pytest.fixture", "skipped"),
    "a skip in a fixture": ("    made = Cart()", "    pytest.skip('x')\n    made = Cart()", "skipped"),
    "a package that may be missing": ("    result =", "    pytest.importorskip('x')\n    result =", "skipped"),
    "one that a fixture asks for": (
        "    made = Cart()",
        "    x = pytest.importorskip('x')\n    made = Cart()",
        "skipped",
    ),
    "a fake from the fixture": ("made = Cart()", "made = MagicMock()", "mocked"),
    "a replaced subject": (
        "    result =",
        "    monkeypatch.setattr('shop.total', lambda _: 10)\n    result =",
        "mocked",
    ),
    "an empty body": (BASE[BASE.index("    result") :], "    pass\n", "hollow"),
    "no test": (BASE[BASE.index("def test_it") :], "", "deleted"),
}
SAME = {
    "another name of a local": ("result", "outcome"),
    "an inlined local": ("    result = total(cart)\n    assert result == 10", "    assert total(cart) == 10"),
    "swapped sides": ("result == 10", "10 == result"),
    "a message": ("result == 10", "result == 10, 'the sum of all'"),
    "another quote": ('"no till"', "'no till'"),
    "a double negation": ("result == 10", "not result != 10"),
    "a helper": (EQUAL, "    check_total(cart, 10)\n"),
    "a renamed fixture": ("cart", "basket"),
    "a fixture written out": ("def test_it(cart):\n", "def test_it():\n    cart = Cart()\n    cart.add(3)\n"),
    "a row": (
        "def test_it(cart):\n    result = total(cart)\n    assert result == 10",
        "@pytest.mark.parametrize('n', [10])\ndef test_it(cart, n):\n    assert total(cart) == n",
    ),
    "unittest's word": (EQUAL, "    assertEqual(result, 10)\n"),
    "one more assertion": (EQUAL, EQUAL + "    assert result < 11\n"),
    "a narrower exception": ('raises(ValueError, match="no till")', 'raises(ValueError, match="there is no till")'),
    "an exact value": ("result == 10", "result == 10 and result is not None"),
    "a skip that holds nowhere": ("def test_it", "@pytest.mark.skipif(False, reason='')\ndef test_it"),
    "a comment": (EQUAL, "    # all of it\n" + EQUAL),
}  # fmt: skip


@pytest.mark.parametrize("name", WEAKER)
def test_an_edit_that_asks_less_is_seen(name):
    old, new, kind = WEAKER[name]
    assert kind in {one.kind for one in judged(BASE, BASE.replace(old, new))}


@pytest.mark.parametrize("name", SAME)
def test_an_edit_that_asks_as_much_or_more_is_silent(name):
    old, new = SAME[name]
    assert old in BASE
    assert judged(BASE, BASE.replace(old, new)) == []


CHAIN = "assert_that(total(cart)).is_not_none().is_equal_to(10)"


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        ("assert_that(total(cart)).is_not_none().is_greater_than(3)", "loosened"),
        ("assert_that(total(cart)).is_not_none()", "removed"),
        ("assert_that(total(cart)).is_not_none().is_equal_to(11)", "expectation"),
    ],
)
def test_every_link_of_a_chain_is_an_assertion(after, kind):
    assert kind in {one.kind for one in judged(body(CHAIN), body(after))}


@pytest.mark.parametrize("given", ["total(cart), 'the sum'", "total(cart), description='the sum'"])
def test_a_chain_with_a_description_is_an_assertion_too(given):
    described = body(f"assert_that({given}).is_equal_to(10)")
    assert "loosened" in {one.kind for one in judged(described, body(f"assert_that({given}).is_greater_than(3)"))}
    assert judged(described, body("assert total(cart) == 10")) == []


@pytest.mark.parametrize("link", ["is_equal_to(10)", "contains(10)"])
def test_a_link_that_goes_is_seen(link):
    assert judged(body(f"assert_that(total(cart)).{link}"), body("assert_that(total(cart))"))


def test_a_block_under_a_manager_that_asserts_is_an_assertion():
    counted = "with self.assertNumQueries(2):\n    result = total(cart)\nassert result == 10"
    plain = "result = total(cart)\nassert result == 10"
    assert {one.kind for one in judged(body(counted), body(plain))} == {"removed"}
    assert judged(body(plain), body(counted)) == []


def test_a_step_that_goes_alone_is_told():
    before = "cart.add(3)\nassert total(cart) == 10\nledger.verify()"
    assert [one.old for one in judged(body(before), body("cart.add(3)\nassert total(cart) == 10"))] == ["calls verify"]
    assert judged(body(before), body("cart.add(3)\nassert total(cart) == 10\nledger.close()")) == []


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("range(2)", "range(3)", ["grown"]),
        ("    write(1)\n", "    write(1)\n    write(1)\n", ["grown"]),
        ("assert rows() == 2", "assert 2 == rows()", []),
    ],
    ids=["loop", "line", "same"],
)
def test_a_step_that_is_taken_more_often_before_the_same_assertion_is_told(old, new, kinds):
    before = "def test_it():\n    for _ in range(2):\n        write(0)\n    write(1)\n    assert rows() == 2\n"
    assert old in before
    assert [one.kind for one in judged(before, before.replace(old, new))] == kinds


def test_a_step_that_is_taken_more_often_where_nothing_is_asserted_is_no_loss():
    before = "def test_it():\n    reveal_type(rows())\n    reveal_type(1)\n"
    more = before.replace("(1)\n", "(1)\n    reveal_type(2)\n")
    assert judged(before, more) == []
    assert [one.kind for one in judged(more, before)] == ["subject"]
    asserted = "    assert rows() == 2\n"
    assert [one.kind for one in judged(before + asserted, more + asserted)] == ["grown"]


CAST = "from typing import Any, cast\nimport typing as t\n\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    item = make()\n", "    item = cast(Item, make())\n"),
        ("    item = make()\n", "    item = t.cast('Item', make())\n"),
        ("first(held)", "first(cast(list[Item], held))"),
        ("    held.count\n", "    _ = held.count\n"),
    ],
)
def test_a_value_that_is_only_typed_or_thrown_away_in_another_way_is_the_same(old, new):
    before = f"{CAST}def test_it():\n    item = make()\n    held = put(item)\n    held.count\n    assert first(held) == item\n"
    assert old in before
    assert judged(before, before.replace(old, new)) == judged(before.replace(old, new), before) == []


def test_a_function_of_another_package_that_is_called_cast_is_none_of_the_language():
    before = "from sqlalchemy import cast\n\ndef test_it():\n    assert first(cast(1, Text)) == '1'\n"
    assert judged(before, before.replace("cast(1, Text)", "Text")) != []


WARNS = "def test_it():\n    with pytest.{}({}, match='old'):\n        total([1])\n"


@pytest.mark.parametrize(
    "watching", [("warns", "FutureWarning", "DeprecationWarning"), ("raises", "KeyError", "OldError")]
)
def test_another_kind_of_the_same_error_is_another_result_where_the_product_changed(watching):
    verb, old, new = watching
    before, after = ("import pytest\nfrom shop import total\n\n" + WARNS.format(verb, kind) for kind in (old, new))
    (change,) = changes(paired(before, after), touched=frozenset({"total"}))
    assert (change.kind, change.message) == ("expectation", "another result is expected")
    assert old in change.old
    assert new in change.new


def test_a_step_of_a_shared_helper_that_goes_is_silent():
    helper = "def prepare():\n    log('x')\n    return Cart()\n"
    test = "def test_it():\n    cart = prepare()\n    assert total(cart) == 10\n"
    assert judged(helper + test, helper.replace("    log('x')\n", "") + test) == []


def test_a_wider_tolerance_beside_one_that_stays_is_seen():
    near = "import torch\n\n" + body("torch.testing.assert_close(total(cart), expected=10, rtol=1e-6, atol=0)")
    assert judged(near, near.replace("1e-6", "1e-9")) == []
    assert {one.kind for one in judged(near, near.replace("1e-6", "1e-2"))} == {"loosened"}


def test_a_wider_tolerance_of_a_chain_is_seen():
    near = body("assert_that(total(cart)).is_close_to(10, 0.01)")
    assert {one.kind for one in judged(near, near.replace("0.01", "0.1"))} == {"loosened"}


def test_a_matcher_that_says_less_is_seen():
    assert judged(body("assert_that(total(cart), equal_to(10))"), body("assert_that(total(cart), anything())"))
    assert judged(body("assert total(cart) == 10"), body("assert_that(total(cart), equal_to(10))")) == []


def test_a_chain_says_what_plain_assertions_say():
    plain = "assert total(cart) is not None\nassert total(cart) == 10"
    assert judged(body(CHAIN), body(plain)) == []
    assert judged(body(plain), body(CHAIN)) == []


@pytest.mark.parametrize("rows", ["range(1, 5)", "list(range(1, 5))", "[1, 2, 3, 4]"])
def test_a_range_of_rows_is_as_many_rows_as_it_has_numbers(rows):
    def source(written):
        return f"@pytest.mark.parametrize('n', {written})\ndef test_it(n):\n    assert total(n) == 2 * n\n"

    assert {one.severity for one in judged(source(rows), source("range(1, 2)"))} == {"error"}
    assert judged(source(rows), source("[1, 2, 3, 4]")) == []


def test_three_tests_may_become_the_rows_of_one():
    before = "".join(f"def test_{n}():\n    assert double({n}) == {2 * n}\n" for n in (1, 2, 3))
    after = (
        "@pytest.mark.parametrize('n, m', [(1, 2), (2, 4), (3, 6)])\ndef test_it(n, m):\n    assert double(n) == m\n"
    )
    assert judged(before, after) == []
    assert judged(after, before) == []


def test_a_row_less_is_seen():
    rows = "@pytest.mark.parametrize('n, m', [(1, 2), (2, 4)])\ndef test_it(n, m):\n    assert double(n) == m\n"
    (change,) = judged(rows, rows.replace(", (2, 4)", ""))
    assert (change.kind, change.old) == ("removed", "double(2) == 4")


def test_an_assertion_is_credited_once():
    before = "def test_a():\n    assert f() == 1\n\ndef test_b():\n    assert f() == 1\n"
    assert [one.kind for one in judged(before, "def test_c():\n    assert f() == 1\n")] == ["deleted"]


def test_a_helper_of_another_file_counts():
    helper = "def check(x):\n    assert x == 1\n"
    source = "from tests.helpers import check\n" + body("check(f())")
    (fact,) = strengths(source, helpers=helper)["test_it"].facts
    assert fact.claim.relation == "equals"


def test_a_coroutine_that_nobody_runs_asserts_nothing():
    source = "def test_it():\n    async def main():\n        assert await f() == 1\n    asyncio.run(main())\n"
    (change,) = judged(source, source.replace("asyncio.run(main())", "main()"))
    assert change.kind == "hollow"


def test_a_list_that_was_handed_on_is_no_constant():
    source = body("data = [2, 1]\nordered(data)\nassert data == [2, 1]")
    assert len(strengths(source)["test_it"].facts) == 1
    assert judged(source, source.replace("ordered(data)", "ordered(list(data))")) != []


@pytest.mark.parametrize(
    ("condition", "always", "seen"),
    [
        ("sys.platform == 'win32'", False, True),
        ("sys.version_info >= (3, 0)", True, True),
        ("sys.version_info < (3, 0)", False, False),
        ("not HAS_ZLIB", False, True),
        ("os.name in ('posix', 'nt')", True, True),
        ("1 + 1 == 2", True, True),
        ("len([]) == 0", True, True),
        ("sys.version_info > (3,)", True, True),
        ("sys.version_info.major >= 3", True, True),
        ("sys.version_info[1] > 11", False, True),
        ("sys.platform", True, True),
        ("len(f()) == 0", False, True),
    ],
)
def test_a_skip_condition_is_held_against_every_platform(condition, always, seen):
    source = f"@pytest.mark.skipif({condition}, reason='')\n" + body("assert f() == 1")
    skips = strengths(source)["test_it"].skips
    assert [one.always for one in skips] == ([always] if seen else [])


@pytest.mark.parametrize(
    ("skipped", "condition", "told"),
    [
        ("sys.platform != 'win32'", "sys.platform == 'win32'", set()),
        ("sys.platform != 'win32'", "os.name == 'nt'", set()),
        ("sys.platform == 'win32' or slow()", "not slow()", set()),
        ("not hasattr(os, 'link')", "hasattr(os, 'link')", set()),
        ("sys.version_info < (3, 12)", "sys.version_info >= (3, 11)", set()),
        ("sys.platform == 'win32'", "sys.platform == 'linux'", {"conditional"}),
        ("sys.platform != 'win32' and slow()", "sys.platform == 'win32'", {"conditional"}),
        ("sys.platform == 'win32'", "sys.platform == 'win32'", {"hollow"}),
        ("hasattr(os, 'link')", "hasattr(os, 'link')", {"hollow"}),
        ("slow()", "fast()", {"conditional"}),
    ],
)
def test_a_condition_is_judged_where_the_marks_of_its_test_let_it_run(skipped, condition, told):
    mark = f"@pytest.mark.skipif({skipped}, reason='')\n"
    before, after = (mark + body(text) for text in ("assert f() == 1", f"if {condition}:\n    assert f() == 1"))
    assert {one.kind for one in judged(before, after)} == told


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("sys.platform.startswith('win')", "sys.platform == 'win32'", None),
        ("sys.platform == 'win32'", "os.name == 'nt'", None),
        ("os.geteuid() == 0", "sys.platform != 'win32' and os.geteuid() == 0", None),
        ("slow() or sys.platform == 'win32'", "slow()", None),
        ("sys.platform == 'win32'", "sys.platform != 'linux'", "skip if sys.platform == 'win32'"),
        ("sys.platform != 'win32' and slow()", "slow()", "skip if sys.platform != 'win32' and slow()"),
        ("slow()", "fast()", "skip if slow()"),
    ],
)
def test_a_skip_under_another_condition_is_told_with_the_earlier_one_where_it_skips_more(before, after, told):
    sides = [
        f"@pytest.mark.skipif({condition}, reason='')\n" + body("assert f() == 1") for condition in (before, after)
    ]
    assert [one.old for one in judged(*sides)] == ([told] if told else [])


def test_a_mark_that_fails_expectedly_settles_no_condition():
    mark = "@pytest.mark.xfail(slow(), reason='')\n"
    (change,) = judged(mark + body("assert f() == 1"), mark + body("if not slow():\n    assert f() == 1"))
    assert change.kind == "conditional"


@pytest.mark.parametrize(
    "source", ["def test_it(:\n    assert", "def test_it():\n" + "    if x:\n" * 2 + "  assert 1 ==\n", "\0"]
)
def test_broken_source_is_no_error(source):
    strengths(source)


FACTORY = """\
import pytest

@pytest.fixture
def check():
    def check_sum(x):
        assert x == 3
    return check_sum

def test_it(check):
    check(add(1, 2))
"""


def test_a_function_that_a_fixture_gives_asserts_for_the_test():
    (fact,) = strengths(FACTORY)["test_it"].facts
    assert shown(fact) == "add(1, 2) == 3"
    assert [one.kind for one in judged(FACTORY, FACTORY.replace("x == 3", "x"))] == ["loosened"]


def test_a_parameter_hides_the_function_that_made_it():
    runner = "@pytest.fixture(params=[run, trio.run])\ndef go(request):\n    return request.param\n"
    plain = "import asyncio\n" + body("async def main():\n    assert f() == 1\nasyncio.run(main())")
    given = runner + body("async def main():\n    assert f() == 1\ngo(main)").replace("test_it()", "test_it(go)")
    assert judged(plain, given) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = f()\nassert 'a' not in x and 'b' in x", "x = f()\nassert x.keys() == ['c', 'b']"),
        ("with pytest.deprecated_call():\n    f(1)", "pytest.deprecated_call(f, 1)"),
        (
            "try:\n    f()\nexcept E as e:\n    assert str(e) == 'a (b)'\nelse:\n    assert False",
            "with pytest.raises(E, match=r'a \\(b\\)'):\n    f()",
        ),
        ("x = f()\nassert x.code == 0\nassert x.out == 'a'", "x = f()\nassert (x.code, x.out) == (0, 'a')"),
        ("try:\n    f()\nexcept E:\n    pytest.fail('no')\nassert g() == 1", "f()\nassert g() == 1"),
        ("for a, b in zip(f(), g()):\n    assert a == b", "for a, b in zip(f(), g(), strict=True):\n    assert a == b"),
        ("assert h(zip(f(), g())) == 1", "assert h(zip(f(), g(), strict=False)) == 1"),
        ("x = f()\nassert x.a == '{0!r}'.format(x.b)", "x = f()\nassert x.a == f'{x.b!r}'"),
    ],
    ids=[
        "a listing",
        "a function form",
        "a message",
        "a tuple",
        "a call that must not raise",
        "a stricter zip",
        "a zip as it was",
        "an f-string",
    ],
)
def test_as_much_in_another_form_is_silent(before, after):
    assert judged(body(before), body(after)) == []


def test_a_listing_without_a_member_does_not_stand_for_it():
    (change,) = judged(body("assert 'b' in f()"), body("assert list(f()) == ['c']"))
    assert (change.kind, change.severity) == ("changed", "warning")


ON_A_PATH = {
    "assert open(str(tmp / 'a'), 'r').read() == 'x'": "assert (tmp / 'a').read_text() == 'x'",
    "with open(tmp / 'a', mode='rb') as file:\n    assert file.read() == b'x'": "assert (tmp / 'a').read_bytes() == b'x'",
    "assert open('a', encoding='latin-1').read() == 'x'": "assert Path('a').read_text(encoding='latin-1') == 'x'",
    "assert f(str(tmp / 'a'), open(tmp / 'a', 'r')) == 'x'": "assert f(tmp / 'a', (tmp / 'a').open()) == 'x'",
    "assert os.path.exists(tmp / f'{f()}')": "assert (tmp / f'{f()}').exists()",
}


@pytest.mark.parametrize("before", ON_A_PATH)
def test_what_is_asked_of_a_file_may_be_asked_of_its_path(before):
    assert judged(body(before), body(ON_A_PATH[before])) == []


@pytest.mark.parametrize(
    "after",
    [
        "assert (tmp / 'b').read_text() == 'x'",
        "assert open(tmp / 'a', 'w').read() == 'x'",
        "assert (tmp / 'a').exists()",
    ],
)
def test_another_file_and_another_mode_are_seen(after):
    assert judged(body("assert open(tmp / 'a').read() == 'x'"), body(after)) != []


def test_the_same_of_another_row_is_seen():
    (change,) = judged(body("assert f(1)[0].total() == 3"), body("assert f(1)[1].total() == 3"))
    assert (change.kind, change.severity) == ("subject", "warning")


def test_the_same_of_what_is_joined_to_it_is_seen():
    assert judged(body("assert f(1) == 'x'"), body("assert f(1).join('a') == 'x'")) != []


@pytest.mark.parametrize(
    ("behind", "told"),
    [("x is None", []), ("x.g() is None", ["error"])],
)
def test_nothing_reaches_what_stands_behind_the_call_that_must_raise(behind, told):
    raising = "with pytest.raises(E):\n    x = f(-1)"
    assert [one.severity for one in judged(body(f"{raising}\n    assert {behind}"), body(raising))] == told


def test_the_only_row_may_be_asked_for_by_itself():
    assert judged(body("assert f(1)[0].total() == 3"), body("assert f(1).total() == 3")) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("assert f() == True", "assert f()"),
        ("assert f() == [1, 2]", "assert [one.value for one in f()] == [1, 2]"),
        ("assert f() == g(3)", "assert f() is None"),
        (
            "with pytest.raises(E, match='no'):\n    f()",
            "with pytest.raises(E) as caught:\n    f()\nassert caught.value.code == 3",
        ),
    ],
)
def test_an_idiom_in_place_of_another_one_is_a_warning(before, after):
    assert {one.severity for one in judged(body(before), body(after))} == {"warning"}


@pytest.mark.parametrize(
    "lines",
    [
        "for a, b in zip(f(), g(), strict=True):\n    assert a == b",
        "assert all(a == b for a, b in zip(f(), g(), strict=True))",
        "x = dict(zip(f(), g(), strict=True))\nassert x == h()",
    ],
)
def test_a_zip_that_is_not_strict_any_more_is_an_error(lines):
    (change,) = judged(body(lines), body(lines.replace(", strict=True", "")))
    assert (change.severity, change.old) == ("error", "completes zip(f(), g())")


def test_how_a_value_is_written_out_is_a_part_of_the_text():
    assert judged(body("x = f()\nassert x.a == f'{x.b!r}'"), body("x = f()\nassert x.a == f'{x.b}'"))
    assert judged(body("x = f()\nassert x.a == f'{x.b:.2f}'"), body("x = f()\nassert x.a == f'{x.b:.1f}'"))


RECORDED = "with pytest.warns(None) as seen:\n    f()\nassert len(seen) == 0"
QUIET = "@pytest.mark.filterwarnings('error')\n"


def test_a_mark_that_turns_warnings_into_errors_stands_for_looking_at_none():
    assert {one.severity for one in judged(body(RECORDED), QUIET + body("f()"))} == {"warning"}
    assert {one.severity for one in judged(body(RECORDED), body("f()"))} == {"error"}


@pytest.mark.parametrize("category", ["", "::DeprecationWarning"])
def test_a_mark_that_turns_warnings_into_errors_is_an_assertion(category):
    quiet = QUIET.replace("error", f"error{category}")
    (change,) = judged(quiet + body("assert f() == 1"), body("assert f() == 1"))
    assert (change.kind, change.severity) == ("removed", "error")
    assert "hollow" in {one.kind for one in judged(quiet + body("assert f() == 1"), quiet + body("pass"))}


def test_both_arms_of_a_new_condition_may_say_what_was_said_without_it():
    before = "for m in h():\n    x = f(m)\n    assert x.code == 200"
    arms = "for m in h():\n    if m == 'Q':\n        x = f(m, 1)\n        assert x.code == {}\n    else:\n        x = f(m)\n        assert x.code == 200"
    assert {one.severity for one in judged(body(before), body(arms.format(200)))} == {"warning"}
    assert {one.severity for one in judged(body(before), body(arms.format(500)))} == {"error"}


@pytest.mark.parametrize(
    ("given", "severity"),
    [
        ("{'group': {'depth': 3}}", "note"),
        ("{'group': {'depth': 4}}", "warning"),
        ("{'other': {'depth': 3}}", "warning"),
    ],
    ids=["into a group", "another value", "a name that the change does not speak of"],
)
def test_an_option_that_the_product_moved_is_given_in_its_new_place(given, severity):
    pairs = paired(body("assert run({'depth': 3}).code == 200"), body(f"assert run({given}).code == 200"))
    assert [one.severity for one in changes(pairs, touched=frozenset({"depth", "group"}))] == [severity]


def test_a_fake_among_options_only_listens():
    before = body("assert run({'on': lambda: None}).total == 3")
    assert not {one.kind for one in judged(before, before.replace("lambda: None", "MagicMock()"))} & {"mocked"}


def test_where_the_product_changed_another_beginning_is_another_expectation_and_the_same_one_is_looser():
    for start, severity in (("Request", "warning"), ("Response", "error")):
        pairs = paired(body("assert f() == 'Response 404'"), body(f"assert f().startswith('{start}')"))
        assert [one.severity for one in changes(pairs, touched=frozenset({"f"}))] == [severity]


def test_errors_that_lose_the_same_words_are_as_bad_whatever_their_calls_are_given():
    calls = ("snapshot(1).add('foo')", "snapshot(1).clear()", "snapshot(1).drop('bar')")
    lines = "".join(f"with pytest.raises(Error, match='cannot change a snapshot'):\n    {one}\n" for one in calls)
    pairs = paired(body(lines), body(lines.replace("cannot change a snapshot", "e")))
    assert [one.severity for one in changes(pairs, touched=frozenset({"snapshot"}))] == ["error"] * 3


def test_a_test_that_was_rewritten_beside_others_is_a_warning():
    before = "def test_all():\n    assert render('a|b') == '1|2'\n"
    after = "def test_a():\n    assert render('a') == '1'\n\n\ndef test_b():\n    assert render('b') == '2'\n"
    (change,) = judged(before, after)
    assert (change.kind, change.severity) == ("deleted", "warning")
    (change,) = judged(before, "def test_a():\n    assert other('a') == '1'\n")
    assert change.severity == "error"


_BOX = """
import pytest

@pytest.fixture
def box():
    made = Box()
    yield made
    assert made.errors == []
"""
_FULL = (
    _BOX
    + """
def test_name(box):
    assert box.name == "a"
"""
)
_SIZE = """
def test_size(box):
    assert box.size == 3
"""


def test_a_fixture_still_asserts_for_the_test_that_two_were_merged_into():
    assert judged(_FULL + _SIZE, _FULL + "    assert box.size == 3\n") == []


def test_a_fixture_that_no_test_reaches_any_more_asserts_nothing():
    (change,) = judged(
        _FULL + _SIZE, _BOX + "def test_both():\n    assert Box().name == 'a'\n    assert Box().size == 3\n"
    )[:1]

    assert (change.kind, change.severity, change.old) == ("deleted", "error", "Box().errors == []")


def test_a_fixture_of_a_skipped_test_asserts_nothing():
    skipped = _FULL.replace("def test_name", "@pytest.mark.skip\ndef test_name")

    assert "deleted" in {change.kind for change in judged(skipped + _SIZE, skipped)}


def test_a_deleted_test_that_only_calls_is_no_less_gone_where_its_fixture_asserts_elsewhere():
    (change,) = judged(_FULL + "def test_fill(box):\n    fill(box)\n", _FULL)

    assert (change.severity, change.message) == ("error", "the test is gone: it made sure that its calls do not fail")


def test_what_a_deleted_test_itself_asserts_is_named_first():
    (change,) = judged(_BOX + _SIZE, _BOX)

    assert (change.severity, change.old) == ("error", "Box().size == 3")


def test_a_surviving_test_that_drops_its_fixture_loses_what_that_asserts():
    (change,) = judged(
        _FULL + _SIZE, _FULL.replace("(box):\n    assert box", "():\n    box = Box()\n    assert box") + _SIZE
    )

    assert (change.kind, change.old) == ("removed", "Box().errors == []")


def test_a_class_that_is_named_through_its_module_says_the_same():
    before = "from shop import Closed, errors\n\ndef test_it():\n    with pytest.raises(Closed, match='now'):\n        enter()\n"

    assert changes(paired(before, before.replace("raises(Closed", "raises(errors.Closed"))) == ()
    assert [one.kind for one in changes(paired(before, before.replace("raises(Closed", "raises(errors.Shut")))] != []


@pytest.mark.parametrize(
    "over", ["{}", "set()", "dict()", "range(0)", "''", "[x for x in []]", "{}.items()", "zip([], f())", "map(f, ())"]
)
def test_a_loop_over_what_is_empty_asserts_nothing(over):
    asserted = f"rows = {over}\nfor row in rows:\n    assert f() == 1"
    assert [one.why for one in strengths(body(asserted))["test_it"].dead] == ["nothing reaches it"]
    assert strengths(body(f"assert all(row == 1 for row in {over})"))["test_it"].facts == ()


def test_a_loop_over_what_is_filled_first_asserts():
    filled = "rows = set()\nrows.add(f())\nfor row in rows:\n    assert row == 1"
    assert strengths(body(filled))["test_it"].dead == ()


def test_functions_passed_on_together_assert_in_the_order_of_their_definition():
    numbers = range(9)
    defined = "".join(f"def step{at}():\n    assert read({at}) == {at}\n" for at in numbers)
    given = ", ".join(f"step{at}" for at in reversed(numbers))
    facts = strengths(body(f"{defined}run([{given}])"))["test_it"].facts
    assert [fact.claim.object for fact in facts] == [Value("number", str(at)) for at in numbers]


def test_a_tuple_with_a_member_less_is_no_equality_of_each():
    before = body("x = f()\nassert (x.code, x.out) == (0, 'a')")
    assert [one.kind for one in judged(before, body("x = f()\nassert x.code == 0"))] == ["removed"]


def test_a_variable_that_an_inner_function_sets_is_no_constant():
    flag = "calls = 0\ndef hook():\n    nonlocal calls\n    calls += 1\nrun(hook)\nassert calls == 1"
    assert strengths(body(flag))["test_it"].dead == ()
    assert [one.kind for one in judged(body(flag), body(flag.replace("calls == 1", "calls >= 0")))] == ["loosened"]


def test_a_deleted_test_of_code_that_calls_changed_code_or_that_is_named_for_it_is_a_warning():
    before = {"test_set_key_none": "set_key(None)", "test_sum": "total([]) - total([1])"}
    source = "".join(f"def {name}():\n    assert {call} == 0\n\n\n" for name, call in before.items())
    for touched in ({"set_key", "__sub__"}, {"set_key", "total"}):
        found = changes(paired(source, ""), touched=frozenset(touched))
        assert [one.severity for one in found] == ["warning", "warning"]
    assert {one.severity for one in changes(paired(source, ""), touched=frozenset({"key", "sub"}))} == {"error"}


def test_a_deleted_test_is_a_warning_where_a_new_one_has_its_name():
    pairs = paired("def test_close():\n    assert get(url).status == 204\n", "")
    new = paired("", "def test_close():\n    assert b'close' in sent(b'GET')\n")
    (change,) = [one for one in changes([*pairs, *new]) if one.severity != "note"]
    assert (change.kind, change.severity) == ("deleted", "warning")


def test_a_clock_in_the_place_of_the_real_one_is_a_warning():
    before = body("assert wait(time.time()) == 3")
    mocked = before.replace("():\n", "(monkeypatch):\n    monkeypatch.setattr('time.time', lambda: 1)\n")
    assert {one.severity for one in judged(before, mocked) if one.kind == "mocked"} == {"warning"}
    shop = mocked.replace("time.time", "shop.wait")
    assert "error" in {one.severity for one in judged(before, shop) if one.kind == "mocked"}


@pytest.mark.parametrize(
    "stated",
    [
        "pytestmark = []\npytestmark.append(pytest.mark.skip)\n",
        "pytestmark = []\npytestmark += [pytest.mark.skip]\n",
        "MARKS = [pytest.mark.skip]\npytestmark = MARKS\n",
        "if True:\n    pytestmark = pytest.mark.skip\n",
        "if TYPE_CHECKING:\n    pass\nelse:\n    pytestmark = pytest.mark.skip\n",
        "try:\n    import shop\n    pytestmark = pytest.mark.skip\nfinally:\n    pass\n",
    ],
)
def test_a_mark_of_the_whole_file_counts_however_it_is_put(stated):
    (change,) = judged(BASE, BASE.replace("@pytest.fixture", stated + "\n@pytest.fixture", 1))
    assert (change.kind, change.severity) == ("skipped", "error")


def test_a_mark_in_the_body_of_a_class_counts_for_its_tests():
    before = "class TestIt:\n    def test_it(self):\n        assert f() == 1\n"
    (change,) = judged(before, before.replace("It:\n", "It:\n    pytestmark = pytest.mark.skip\n"))
    assert (change.kind, change.severity) == ("skipped", "error")


def test_a_mark_under_a_condition_is_a_warning():
    (change,) = judged(
        BASE, BASE.replace("@pytest.fixture", "if slow():\n    pytestmark = pytest.mark.skip\n@pytest.fixture", 1)
    )
    assert (change.kind, change.severity) == ("skipped", "warning")


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("assert math.isclose(f(), 1, abs_tol=1e-9)", "assert math.isclose(f(), 1, abs_tol=1e3)", "loosened"),
        ("assert abs(f() - 78.75) < 0.01", "assert abs(f() - 75) < 0.01", "subject"),
        ("assert f() == 1", "with pytest.raises(AssertionError):\n    assert f() == 1", "removed"),
    ],
)
def test_a_check_that_is_turned_around_or_widened_is_seen(before, after, told):
    assert [one.kind for one in judged(body(before), body(after))] == [told]


def test_fewer_places_are_stricter_where_values_must_differ():
    before = body("self.assertNotAlmostEqual(f(), 1, places=3)")
    assert judged(before, before.replace("3)", "2)")) == []
    assert [one.kind for one in judged(before, before.replace("3)", "5)"))] == ["loosened"]


def told(before, after, **names):
    """Kind and severity of what is said of an edit, notes left out."""
    pairs = [
        replace(one, before=one.before and f"{FILE}::{one.before}", after=one.after and f"{FILE}::{one.after}")
        for one in paired(before, after)
    ]
    found = changes(pairs, gone=frozenset(names.get("gone", ())), touched=frozenset(names.get("touched", ())))
    return {(one.kind, one.severity) for one in found if one.severity != "note"}


def test_another_value_in_each_arm_of_a_condition_is_no_proven_loss():
    before = body("assert f(1) == 4")
    both = body("if NEW:\n    assert f(1) == 5\nelse:\n    assert f(1) == 4")
    assert told(before, both) == {("conditional", "warning")}
    assert told(before, body("if NEW:\n    f(2)\nelse:\n    assert f(1) == 4")) == {("conditional", "error")}


def test_the_message_of_an_error_goes_with_the_error():
    before = body("with raises(RuntimeError) as e:\n    f()\nassert 'cookies' in str(e.value)")
    assert {s for _, s in told(before, body("with raises(TypeError, match='off'):\n    f()"))} == {"warning"}
    assert told(before, body("with raises(RuntimeError, match='.*no cookies today'):\n    f()")) == set()
    assert told(before, body("with raises(RuntimeError):\n    f()")) == {("removed", "error")}


@pytest.mark.parametrize(
    ("new", "severity"),
    [
        ("def test_redirect_keeps():\n    assert shop.session('a') is True\n", "warning"),
        ("def test_other():\n    client.get('/redirect')\n    assert client.post('/') == 1\n", "warning"),
        ("def test_other():\n    assert other(1) == 1\n", "error"),
        ("def test_redirect_keeps():\n    client.get('/')\n", "error"),
    ],
    ids=["much the same name", "most of the calls", "neither", "asserts nothing"],
)
def test_a_new_test_of_the_file_may_stand_for_one_that_is_gone(new, severity):
    old = "def test_redirect_session():\n    assert client.get('/x') == 2\n    assert client.post('/y') == 3\n"
    assert told(old, new) == {("deleted", severity)}


def test_a_new_test_does_not_stand_for_all_that_are_gone():
    old = "\n".join(f"def test_pay_{name}():\n    assert pay({name!r}) == 2\n" for name in "abd")
    assert told(old, "def test_pay_c():\n    assert pay(5) == 6\n") == {("deleted", "warning"), ("deleted", "error")}


def test_warnings_made_errors_are_an_assertion():
    before = body("with pytest.warns(None) as seen:\n    f()\nassert len(seen) == 0")
    quiet = "with warnings.catch_warnings():\n    warnings.simplefilter('error')\n    f()"
    assert {s for _, s in told(before, body(quiet))} == {"warning"}
    assert ("hollow", "error") in told(before, body(quiet.replace("error", "ignore")))


def test_a_fake_that_a_product_is_given_does_not_answer_for_it():
    before = body("assert Connection(make(), size=4).size == 4")
    assert told(before, body("assert Connection(Mock(), size=4).size == 4")) == {("mocked", "warning")}
    assert told(before, body("assert Mock(size=4).size == 4")) == {("mocked", "error")}
    pair = body("one, two = Connection(make()).read()\nassert one == 4")
    assert told(pair, pair.replace("make()", "Mock()")) == {("mocked", "warning")}


@pytest.mark.parametrize(("given", "kinds"), [("spec=sleep, return_value=None", []), ("return_value=3", ["mocked"])])
def test_a_new_argument_that_returns_nothing_only_listens(given, kinds):
    before = body("assert Payer(bank).pay(3) is True")
    assert [one.kind for one in judged(before, before.replace("bank", f"bank, Mock({given})"))] == kinds


def test_what_a_setter_may_change_is_no_constant():
    source = body("made = Box()\nmade.size = 3\nassert made.size == 3")
    assert len(strengths(source)["test_it"].facts) == 1
    assert strengths(body("made = {}\nmade['size'] = 3\nassert made['size'] == 3"))["test_it"].facts == ()


def test_a_fake_taken_from_another_file_is_the_same_fake():
    before = body("monkeypatch.setattr('one.total', lambda: 3)\nassert total() == 3")
    assert told(before, before.replace("one.total", "two.total")) == set()


def test_a_branch_that_only_fails_may_have_company():
    before = body("if f() == 1:\n    g()\nelse:\n    assert False")
    after = body("if f() == 1:\n    g()\nelif f() == 2:\n    h()\nelse:\n    assert False")
    assert {severity for _, severity in told(before, after)} <= {"warning"}


def test_an_answer_about_two_values_stands_for_their_equality():
    before = body("assert f() == [1]")
    assert {s for _, s in told(before, body("assert deep_equal(f(), [1])"))} == {"warning"}
    assert {s for _, s in told(before, body("assert deep_equal(f(), [2])"))} == {"error"}


MATCHED = "with pytest.raises(ValueError, match={!r}):\n    shop.sell(1)"


@pytest.mark.parametrize(
    ("old", "new", "severities"),
    [
        ("no till today", "no till", {"error"}),
        ("^no till", "no till", {"error"}),
        ("no till$", "no till", {"error"}),
        ("task .* cancelled$", "^cancelled$", {"warning"}),
        ("a|no till", "no till", {"warning"}),
        ("(?i)no till", "no till", {"warning"}),
        ("no till", "shop: no till", set()),
        ("no till$", "^shop: no till$", set()),
    ],
)
def test_a_pattern_says_less_only_where_its_text_is_surely_in_the_other(old, new, severities):
    said = judged(body(MATCHED.format(old)), body(MATCHED.format(new)))
    assert {one.severity for one in said} == severities


def test_no_members_and_a_length_of_nothing_are_one():
    counted = body("for day, number in [(1, 0), (2, 1)]:\n    assert len(overdue(day)) == number")
    assert judged(counted, body("assert len(overdue(1)) == 0\nassert len(overdue(2)) == 1")) == []
    assert {one.severity for one in judged(counted, body("assert len(overdue(2)) == 1"))} == {"error"}


def test_an_assertion_about_an_error_inside_of_the_block_that_raises_it_is_dead():
    before = "with pytest.raises(ValueError) as caught:\n    sell(1)\nassert caught.value.code == 3"
    after = "with pytest.raises(ValueError) as caught:\n    sell(1)\n    assert caught.value.code == 3"
    assert [(one.kind, one.severity) for one in judged(body(before), body(after))] == [("removed", "error")]
    assert "nothing reaches it" in judged(body(before), body(after))[0].message


@pytest.mark.parametrize("mark", ["@mock.patch.object(Cart, 'total')", "@mock.patch('shop.total', return_value=3)"])
def test_a_fake_by_a_decorator_is_one(mark):
    plain = "class TestCart:\n    def test_it(self):\n        assert Cart().total() == 3\n"
    faked = plain.replace("    def test_it(self)", f"    {mark}\n    def test_it(self, fake)")
    assert {(one.kind, one.severity) for one in judged(plain, faked)} == {("mocked", "error")}
    of_suite = mark + "\n" + plain.replace("(self)", "(self, fake)")
    assert {one.kind for one in judged(plain, of_suite)} == {"mocked"}


def test_an_attribute_of_a_class_of_tests_replaces_nothing():
    plain = "class TestCart:\n    def test_it(self):\n        assert Cart().rows == {}\n"
    assert judged(plain, plain.replace("class TestCart:\n", "class TestCart:\n    rows = ()\n")) == []


ROWS = "@pytest.mark.parametrize('size', [1, 2, 3])\ndef test_it(size):\n    box.fill(size)\n    assert box.full\n"


PARAMS = """\
@pytest.fixture(params=[1, 2, 3])
def size(request):
    return request.param

@pytest.fixture
def box(size):
    return Box(size)

def test_it(box):
    assert full(box) == 4
"""


@pytest.mark.parametrize(
    ("params", "lost"),
    [
        ("[1]", [("removed", "full(Box(2)) == 4"), ("removed", "full(Box(3)) == 4")]),
        ("[1, 2, pytest.param(3, marks=pytest.mark.skip)]", [("removed", "full(Box(3)) == 4")]),
        ("[]", [("hollow", "full(Box(1)) == 4")]),
        ("[1, 2, 3, 4]", []),
    ],
)
@pytest.mark.parametrize("autouse", [False, True])
def test_params_of_a_fixture_are_rows_of_the_tests_that_reach_it(params, lost, autouse):
    before = PARAMS.replace("3]", "3], autouse=True") if autouse else PARAMS
    assert [(one.kind, one.old) for one in judged(before, before.replace("[1, 2, 3]", params))] == lost


@pytest.mark.parametrize("made", ["pytest.param(n, id=str(n))", "n", "pytest.param(*[n])"])
def test_a_table_that_a_comprehension_writes_out_has_its_rows(made):
    before = "ALL = [1, 2]\n\n\n@pytest.mark.parametrize('size', ALL)\ndef test_it(size):\n    assert full(size) == 4\n"
    assert judged(before, before.replace("[1, 2]", f"[{made} for n in [1, 2]]")) == []
    assert told(before, before.replace("[1, 2]", f"[{made} for n in [1]]")) == {("removed", "error")}


TORN = """\
class Base(TestCase):
    def tearDown(self):
        self.assertEqual(self.bank.open, 0)
        self.bank = None


class TestPaying(Base):
    def setUp(self):
        self.bank = Bank()

    def test_it(self):
        self.assertEqual(self.bank.pay(3), 3)
"""
FREED = TORN.replace("        self.assertEqual(self.bank.open, 0)\n", "")


def test_what_is_asserted_after_each_test_of_a_class_belongs_to_it():
    assert told(TORN, FREED) == {("removed", "error")}
    assert told(TORN, TORN.replace("TestPaying(Base)", "TestPaying(TestCase)")) == {("removed", "error")}
    moved = FREED.replace(
        "pay(3), 3)", "pay(3), 3)\n\n    def tearDown(self):\n        self.assertEqual(self.bank.open, 0)"
    )
    assert told(TORN, moved) == set()
    listed = "for check in (self.check_open,):\n            self.addCleanup(check)"
    cleaned = FREED.replace(
        "    def setUp", "    def check_open(self):\n        self.assertEqual(self.bank.open, 0)\n\n    def setUp"
    )
    assert told(TORN, cleaned.replace("Bank()", f"Bank()\n        {listed}")) == set()
    assert told(TORN, TORN.replace("self.assertEqual(self.bank.pay(3), 3)", "pass")) == {("removed", "error")}


def test_rows_that_go_are_told_though_all_of_them_assert_the_same():
    fewer = ROWS.replace("[1, 2, 3]", "[1, 2]")
    assert [(one.kind, one.old, one.new) for one in judged(ROWS, fewer)] == [("loosened", "3 rows", "2 rows")]
    assert judged(fewer, ROWS) == []


def test_a_row_that_repeats_another_one_says_nothing_more():
    twice = ROWS.replace("[1, 2, 3]", "[1, 2, 1, 3, 2]")
    assert judged(twice, ROWS) == judged(ROWS, twice) == []


def test_rows_that_go_are_shown():
    (change,) = judged(ROWS, ROWS.replace("[1, 2, 3]", "[2]"))
    assert change.message == "rows of it are gone: 1, 3"
    many = ROWS.replace("[1, 2, 3]", str(list(range(40))))
    (change,) = judged(many, ROWS.replace("[1, 2, 3]", str(list(range(20)))))
    assert change.message.endswith(": 20, 21, 22, 23, 24, 25, 26, 27 and 12 more")


def test_a_fake_in_the_place_of_what_a_fixture_gives_answers_for_it():
    before = body("api = Api(Mock())\nassert api.reserve(3).status == 200")
    after = body(
        "api = Api(Mock())\napi.reserve = Mock(return_value=Mock(status=200))\nassert api.reserve(3).status == 200"
    )
    assert {(one.kind, one.severity) for one in judged(before, after)} == {("mocked", "error")}


def test_a_number_near_another_is_a_number():
    before = body("assert stats() == {'sd': expect.any(Number)}")
    assert judged(before, before.replace("expect.any(Number)", "expect.closeTo(1.4, 5)")) == []


@pytest.mark.parametrize("other", ["a + b", "a[b]", "a.b", "a.c = b", "a < b", "f(a)"])
def test_another_expression_that_must_raise_is_another_assertion(other):
    before = body("with pytest.raises(E):\n    a - b")
    assert [one.kind for one in changes(paired(before, before.replace("a - b", other)))] == ["subject"]


RECORDING = """
import pytest

@pytest.fixture
def seen():
    return []

def test_fixture(seen):
    Retry(seen.append).call()
    assert seen == []

def test_lambda():
    seen = []
    Retry(lambda one: seen.append(one)).call()
    assert len(seen) == 2

def test_function():
    seen = []
    def put(one):
        seen.append(one)
    Retry(put).call()
    assert not seen

class TestField:
    def setup_method(self):
        self.seen = []
        self.retry = Retry(lambda one: self.seen.append(one))

    def test_field(self):
        self.retry.call()
        assert self.seen == []
"""


def test_what_is_asserted_of_a_list_that_a_double_fills_can_fail():
    found = strengths(RECORDING)
    assert {name: (len(one.facts), one.dead) for name, one in found.items()} == {
        "test_fixture": (1, ()),
        "test_lambda": (1, ()),
        "test_function": (1, ()),
        "test_field": (1, ()),
    }


def test_members_in_any_order_are_less_than_members_in_order():
    before = body("case.assertEqual(low(), ['a', 'b'])")
    found = judged(before, before.replace("assertEqual", "assertCountEqual"))
    assert [(one.kind, one.new) for one in found] == [("loosened", "sorted(low()) == ['a', 'b']")]
    assert judged(before.replace("assertEqual", "assertCountEqual"), before) == []


def test_a_constant_of_the_product_that_a_test_replaces_is_a_warning():
    before = body("assert price(3) == 4")
    after = body("monkeypatch.setattr('shop.MOST', 5)\nassert price(3) == 4")
    assert [(one.kind, one.severity) for one in judged(before, after)] == [("mocked", "warning")]
    assert judged(before, after.replace("shop.MOST", "shop.clock")) == []


@pytest.mark.parametrize(
    ("made", "before", "after", "told"),
    [
        ("[1]", "total(one) is one", "total(one) == one", "error"),
        ("Cart().items", "total(one) is one", "total(one) == one", "warning"),
        ("[1]", "total(one) is not one", "total(one) != one", ""),
        ("[1]", "total(one) == one", "total(one) is one", ""),
        ("[1]", "total(one) is len(one)", "total(one) == len(one)", ""),
    ],
)
def test_equality_says_less_than_identity(made, before, after, told):
    source = "from shop import Cart, total\n\ndef test_it():\n    one = {made}\n    assert {claim}\n"
    found = judged(*(source.format(made=made, claim=claim) for claim in (before, after)))
    assert [one.severity for one in found] == ([told] if told else [])


KIT = "from shop import total\n\nTEN = 10\nFACTORS = (2, 5)\n\ndef day(number):\n    return f'2026-03-{number}'\n\ndef is_ten(*given):\n    assert total(*given) == TEN\n"
IMPORTED = "import pytest\nfrom pathlib import Path\nfrom shop import load, rows, total\nfrom tests.kit import FACTORS, day, is_ten\n\n"
SPELT_OTHERWISE = {
    "a constant of the helper's file": ("assert total(1) == 10", "is_ten(1)"),
    "members that are spread": ("assert total(2, 5) == 10", "is_ten(*FACTORS)"),
    "a comprehension that is empty": ("assert rows() == []", "assert [one.name for one in rows()] == []"),
    "a path from the file": (
        "assert load() == (Path(__file__).parent / 'data' / 'a.txt').read_text()",
        "assert load() == (Path(__file__).resolve().parent.parent / 'tests/data/a.txt').read_text()",
    ),
    "a path in another spelling": (
        "assert load() == open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'a.txt')).read()",
        "assert load() == open(os.path.join(os.path.dirname(os.path.realpath(__file__)), '.', 'a.txt')).read()",
    ),
}


@pytest.mark.parametrize("name", SPELT_OTHERWISE)
def test_what_names_and_literals_stand_for_is_followed(name):
    before, after = (IMPORTED + body(one) for one in SPELT_OTHERWISE[name])
    assert judged(before, after, kit=KIT) == judged(after, before, kit=KIT) == []


CERTAIN = {
    "computed by the code under test": ("assert total('a b') == 3", "assert total('a b') == total('a b'.strip())"),
    "a builtin error for an own one": (
        "with pytest.raises(NoTill, match='till'):\n    total(1)",
        "with pytest.raises(LookupError, match='till'):\n    total(1)",
    ),
    "the kind of an error alone": (
        "with pytest.raises(NoTill, match='till'):\n    total(1)",
        "with pytest.raises(NoTill):\n    total(2)",
    ),
    "a file that the test writes itself": (
        "assert page(1) == golden.read_text()",
        "if golden.read_text() != page(1):\n    golden.write_text(page(1))\nassert page(1) == golden.read_text()",
    ),
    "a loop over fewer numbers": (
        "for n in range(2000, 2050, 5):\n    assert total(n) > 3",
        "for n in range(2000, 2005, 5):\n    assert total(n) > 3",
    ),
    "every one of fewer numbers": (
        "assert all(total(n) > 3 for n in range(1, 50))",
        "assert all(total(n) > 3 for n in range(1, 2))",
    ),
    "what follows an error that ends the test": (
        "total(1)\nassert total(2) == 3",
        "try:\n    total(1)\nexcept NoTill:\n    return\nassert total(2) == 3",
    ),
    "the same only of the right kind": (
        "error = total(1)\nassert isinstance(error, NoTill)\nassert error.till == 7",
        "error = total(1)\nif isinstance(error, NoTill):\n    assert error.till == 7",
    ),
}


@pytest.mark.parametrize("edit", CERTAIN)
def test_an_edit_that_surely_says_less_is_an_error(edit):
    before, after = map(body, CERTAIN[edit])
    assert "error" in {one.severity for one in judged(before, after)}
    assert "error" not in {one.severity for one in judged(after, before)}


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("    if total(cart) != 10:\n        pytest.skip('later')\n", "error"),
        ("    if 'CI' in os.environ:\n        pytest.skip('later')\n", "error"),
        ("    if not os.getenv('SLOW'):\n        pytest.skip('later')\n", "error"),
        ("    if sys.platform == 'win32':\n        pytest.skip('later')\n", "warning"),
        ("    if not HAS_NUMPY:\n        pytest.skip('later')\n", "warning"),
    ],
)
def test_a_skip_is_an_error_if_the_environment_or_the_product_decides(line, severity):
    after = BASE.replace(EQUAL, line + EQUAL)
    assert {one.severity for one in judged(BASE, after) if one.kind == "skipped"} == {severity}


def test_of_too_many_rows_only_those_that_are_read_are_judged():
    def table(first, line="assert total(given) == 10"):
        rows = list(range(first, 130))
        return f"@pytest.mark.parametrize('given', {rows})\ndef test_it(given):\n    found = total(given)\n    {line}\n"

    assert strengths(table(0))["test_it"].unread == ("more than 120 rows, of which only the first are compared",)
    assert strengths(table(10))["test_it"].unread == ()
    assert [one.severity for one in judged(table(1), table(0))] == ["warning"]
    assert {one.severity for one in judged(table(0), table(0, "print(found)"))} == {"error"}


def test_what_a_test_does_after_thousands_of_steps_is_unread():
    helper = "def fill(cart, n):\n    cart.put(n)\n    cart.turn(n)\n\n\n"

    def calling(times):
        steps = "".join(f"    fill(cart, {n})\n" for n in range(times))
        return f"{helper}def test_it():\n    cart = Cart()\n{steps}    assert total(cart) == 10\n"

    assert strengths(calling(2_000))["test_it"].unread == ()
    assert strengths(calling(2_600))["test_it"].unread == ("more than 2,000 assertions or 5,000 steps",)


def test_a_helper_that_a_row_calls_is_followed():
    single = body("assert total(day(2)) == 10")
    table = "@pytest.mark.parametrize('given', [day(2)])\ndef test_it(given):\n    assert total(given) == 10\n"
    assert judged(IMPORTED + single, IMPORTED + table, kit=KIT) == []


def test_constants_of_a_class_are_followed():
    single = "class TestTotal:\n    def test_it(self):\n        assert total(2, 5) == 10\n"
    named = "class TestTotal:\n    LEAST, MOST = 2, 5\n    def test_it(self):\n        assert total(self.LEAST, self.MOST) == 10\n"
    assert judged(IMPORTED + single, IMPORTED + named) == judged(IMPORTED + named, IMPORTED + single) == []


def test_another_constant_in_a_helpers_file_is_told():
    source = IMPORTED + body("is_ten(1)")
    old, new = strengths(source, kit=KIT), strengths(source, kit=KIT.replace("TEN = 10", "TEN = 11"))
    (change,) = changes([Paired("test_it", "test_it", old["test_it"], new["test_it"])])
    assert (change.kind, change.old, change.new) == ("expectation", "total(1) == 10", "total(1) == 11")


def test_a_private_part_that_is_replaced_is_told():
    before = body("assert total(cart) == 10")
    after = body("with patch.object(cart, '_sum', return_value=10):\n    assert total(cart) == 10")
    assert [(one.kind, one.severity) for one in judged(before, after)] == [("mocked", "warning")]


def test_a_return_out_of_a_loop_is_a_condition():
    before = body("for n in rows():\n    add(n)\nassert total(cart) == 10")
    after = body("for n in rows():\n    if add(n):\n        return\nassert total(cart) == 10")
    assert "conditional" in {one.kind for one in judged(before, after)}


STEPS = """\
from shop import Cart

def test_it():
    cart = Cart()
    cart.add(3)
    assert cart.size() == 1
    cart.add(4)
    assert cart.size() == 2
    cart.drop(4)
    assert cart.size() == 1
"""
SIZE = "    assert cart.size() == 1\n"


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        (SIZE, "    assert cart.size() > 0\n", ["loosened"]),
        (SIZE, "", ["removed"]),
        ("    cart.drop(4)\n" + SIZE, "", ["removed"]),
        (SIZE, SIZE + SIZE, []),
    ],
)
def test_an_assertion_made_after_several_steps_must_be_made_after_each(old, new, kinds):
    found = judged(STEPS, STEPS.replace(old, new, 1))
    assert [one.kind for one in found if one.severity == "error"] == kinds


def test_the_same_assertion_twice_without_a_step_between_is_one():
    assert judged(STEPS.replace(SIZE, SIZE + SIZE, 1), STEPS) == []


@pytest.mark.parametrize(
    ("new", "severities"), [("    assert cart.size() > 0\n", ["error"]), ("", ["error"]), (SIZE + SIZE, [])]
)
def test_a_review_remembers_after_how_many_steps_an_assertion_was_made(new, severities):
    before, after = (strengths(text)["test_it"] for text in (STEPS, STEPS.replace(SIZE, new, 1)))
    assert [one.severity for one in since_review(reviewed(before), after, test="test_it")] == severities
    assert since_review(reviewed(after), after, test="test_it") == ()


def test_a_loop_over_values_may_become_a_table():
    loop = "def test_it():\n    for one in (1, 2, 3):\n        box.put(one)\n        assert box.full\n"
    table = "@pytest.mark.parametrize('one', [1, 2, 3])\ndef test_it(one):\n    box.put(one)\n    assert box.full\n"
    head = "import pytest\nfrom shop import box\n\n"
    assert judged(head + loop, head + table) == []


PAIRS = 'items = [("a", 1), ("b", 2)]\n'


@pytest.mark.parametrize(
    ("written", "computed"),
    [('["a", "b"]', "[key for key, _ in items]"), ("[1, 2]", "[number for _, number in items]")],
)
def test_a_list_made_of_written_out_members_says_what_the_list_written_out_says(written, computed):
    after = body(f"{PAIRS}assert keys(d) == {computed}")
    assert judged(body(f"assert keys(d) == {written}"), after) == []
    assert judged(body('assert keys(d) == ["a", "c"]'), after) != []


REFUSED = body("env = Env()\nt = env.compile('x')\nwith pytest.raises({error}):\n    {line}")


@pytest.mark.parametrize(
    ("error", "line", "told"),
    [
        ("KeyError", "raise KeyError()", {("hollow", "error")}),
        ("KeyError", "raise KeyError('x')", {("hollow", "error")}),
        ("KeyError", "{}['a']", {("hollow", "error")}),
        ("KeyError", "refuse()", {("hollow", "error")}),
        ("TemplateError", "raise TemplateError('x')", {("loosened", "error")}),
        ("TemplateError", "t.render(); raise TemplateError", {("loosened", "error")}),
    ],
)
def test_an_error_that_the_test_itself_makes_says_nothing_of_the_code_under_test(error, line, told):
    helper = "\ndef refuse():\n    raise KeyError\n"
    before = REFUSED.format(error=error, line="t.render()") + helper
    after = REFUSED.format(error=error, line=line) + helper
    assert {(one.kind, one.severity) for one in judged(before, after)} == told


def test_a_manager_under_test_may_be_left_with_an_error_of_the_test():
    nested = body("with pytest.raises(KeyError):\n    with lock():\n        raise KeyError")
    together = body("with pytest.raises(KeyError), lock():\n    raise KeyError")
    assert judged(nested, together) == judged(together, nested) == []
    assert {one.kind for one in judged(together, body("with pytest.raises(KeyError):\n    raise KeyError"))} == {
        "hollow"
    }


def test_a_fixture_that_replaces_a_method_of_the_class_under_test_is_a_warning():
    before = """\
    import pytest
    from shop import Cart

    @pytest.fixture(autouse=True)
    def quiet(monkeypatch):
        monkeypatch.setenv("QUIET", "1")

    def test_it():
        assert Cart().total([1, 2]) == 3
    """
    inner = 'monkeypatch.setattr(Cart, "is_safe", lambda self: False)'
    after = before.replace('monkeypatch.setenv("QUIET", "1")', inner)
    found = [(one.kind, one.severity) for one in judged(before, after)]
    assert found == [("mocked", "warning")]
    assert judged(before, before.replace('setenv("QUIET", "1")', 'setattr(Gate, "is_open", lambda self: True)')) == []


TOTAL = "from shop import Cart\n\n\ndef test_it():\n    assert Cart().total([1, 2]) == 3\n"
STEADY = """\
import contextlib
import functools


def steady(fn):
    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        {0}
    return wrapped


def steadily(times):
    def decorate(fn):
        def wrapped(*args, **kwargs):
            {0}
        return wrapped
    return decorate


always = steadily(3)
"""


@pytest.mark.parametrize("mark", ["steady", "steadily(3)", "always"])
@pytest.mark.parametrize(
    ("line", "muted"),
    [
        ("with contextlib.suppress(Exception): fn(*args, **kwargs)", True),
        ("print(fn.__name__)", True),
        ("return fn", True),
        ("thread = Thread(target=fn); thread.start()", True),
        ("return contextlib.suppress(AssertionError)(fn)()", True),
        ("return pool.submit(fn).result()", False),
        ("return fn(*args, **kwargs)", False),
        ("with contextlib.suppress(OSError): return fn(*args, **kwargs)", False),
    ],
)
def test_a_decorator_of_the_tests_that_hides_every_failure_empties_the_test(mark, line, muted):
    helper = STEADY.format(line)
    decorated = TOTAL.replace("def test", f"@{mark}\ndef test")
    own = {one.kind for one in judged(TOTAL, helper + decorated)}
    elsewhere = decorated.replace("from shop", f"from helpers import {mark.partition('(')[0]}\nfrom shop")
    imported = {one.kind for one in judged(TOTAL, elsewhere, helpers=helper)} if mark != "always" else own
    assert own == imported == ({"hollow"} if muted else set())


SLOWLY = "import os\nimport pytest\n\n\ndef slowly(fn=None):\n{}\n\n\n"
WRAPPED = "    def wrapped():\n        {}\n    return wrapped"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("    return pytest.mark.skipif(not os.environ.get('SLOW'), reason='slow')(fn)", {("skipped", "error")}),
        ("    return pytest.mark.slow(fn)", set()),
        (WRAPPED.format("if os.environ.get('SLOW'): fn()"), {("skipped", "error")}),
        (WRAPPED.format("if not os.environ.get('SLOW'): return\n        fn()"), {("skipped", "error")}),
        (WRAPPED.format("if os.environ.get('SLOW'): fn()\n        else: fn()"), set()),
        ("    if fn is None:\n        return slowly\n" + WRAPPED.format("fn()"), set()),
    ],
)
def test_a_decorator_of_the_tests_that_does_not_always_call_a_test_skips_it(lines, said):
    assert told(TOTAL, SLOWLY.format(lines) + TOTAL.replace("def test", "@slowly\ndef test")) == said


def test_a_context_manager_that_decorates_a_test_may_hide_its_failures():
    helper = "import contextlib\n\n\n@contextlib.contextmanager\ndef _made():\n    try:\n        yield\n    {}\n\n\nquiet = _made()\n"
    decorated = "from helpers import quiet\n" + TOTAL.replace("def test", "@quiet\ndef test")
    pass_on = helper.format("finally:\n        print()")
    assert judged(TOTAL, decorated, helpers=pass_on) == []
    hides = helper.format("except Exception:\n        pass")
    assert {one.kind for one in judged(TOTAL, decorated, helpers=hides)} == {"hollow"}


@pytest.mark.parametrize(
    "handler",
    [
        "except Exception: print('failed')\n            raise",
        "except Exception as error: last = error\n        raise last",
    ],
)
def test_a_decorator_that_raises_again_what_it_caught_hides_nothing(handler):
    helper = f"""\
def retried(fn):
    def wrapped():
        for _ in range(3):
            try: return fn()
            {handler}
    return wrapped


"""
    assert judged(TOTAL, helper + TOTAL.replace("def test", "@retried\ndef test")) == []


BOOM = """\
{0}


def test_it():
    with {1}(KeyError):
        boom(1)
"""


@pytest.mark.parametrize(
    ("own", "name", "seen"),
    [
        ("class pytest:\n    def raises(exc):\n        return contextlib.suppress(Exception)", "pytest.raises", True),
        ("pytest = SimpleNamespace(raises=lambda exc: contextlib.suppress(exc))", "pytest.raises", True),
        ("raises = contextlib.suppress", "raises", True),
        ("class raises:\n    def __exit__(self, *given):\n        return True", "raises", True),
        ("from quiet import raises", "raises", True),
        ("from contextlib import suppress as raises", "raises", True),
        ("from compat import raises", "raises", True),
        ("import compat", "compat.raises", True),
        ("raises = pytest.raises", "raises", False),
        ("from pytest import raises", "raises", False),
        ("import strict", "strict.raises", False),
        ("from strict import raises", "raises", False),
    ],
)
def test_a_name_of_the_framework_that_the_tests_give_to_something_of_their_own_asserts_nothing(own, name, seen):
    head = "import contextlib\nimport pytest\nfrom types import SimpleNamespace\n"
    files = {
        "quiet": "from contextlib import suppress\n\n\ndef raises(exc):\n    return suppress(exc)\n",
        "compat": "from contextlib import suppress as raises\n",
        "strict": "import pytest\n\n\ndef raises(exc):\n    return pytest.raises(exc)\n",
    }
    before, after = BOOM.format(head, "pytest.raises"), BOOM.format(head + own, name)
    assert {one.kind for one in judged(before, after, **files)} == ({"hollow"} if seen else set())


FAKES = "class Cart:\n    def total(self, xs):\n        self.xs = xs\n        return 3\n"


def test_a_class_of_the_tests_under_the_name_of_the_class_under_test_is_an_error():
    imported = TOTAL.replace("from shop", "from fakes")
    defined = TOTAL.replace("from shop import Cart\n", FAKES)
    for after in (imported, defined):
        assert {(one.kind, one.severity) for one in judged(TOTAL, after, fakes=FAKES)} == {("mocked", "error")}
    assert judged(defined, imported, fakes=FAKES) == []
    assert judged(TOTAL, TOTAL.replace("from shop", "from shop.cart"), fakes=FAKES) == []


def test_a_subclass_of_the_tests_under_the_name_of_the_class_under_test_is_an_error():
    fake = "import shop\n\n\nclass Cart(shop.Cart):\n    def total(self, xs):\n        return 3\n"
    for after in (TOTAL.replace("from shop", "from fakes"), TOTAL.replace("from shop import Cart\n", fake)):
        assert {(one.kind, one.severity) for one in judged(TOTAL, after, fakes=fake)} == {("mocked", "error")}


LATER = {
    "cleanup": "class Quiet(TestCase):\n    def setUp(self):\n        self.addCleanup(self.check)\n\n"
    "    def check(self):\n        self.assertEqual(errors(), [])\n\n",
    "argument": "class Quiet(TestCase):\n    def setUp(self):\n        super().setUp()\n        self.addCleanup(self.assertEqual, errors(), [])\n\n",
}
FIRST = "class Fast(TestCase):\n    def setUp(self):\n        super().setUp()\n        self.clock = Clock()\n\n"
SUITE = "class ShopTest({}):\n    def setUp(self):\n        super().setUp()\n        self.box = Box()\n\n    def test_it(self):\n        self.assertEqual(price(1), 2)\n"


@pytest.mark.parametrize("quiet", LATER.values(), ids=LATER)
@pytest.mark.parametrize(("old", "new"), [("Quiet", "TestCase"), ("Fast, Quiet", "Fast")])
def test_a_check_that_a_base_class_makes_after_every_test_counts(quiet, old, new):
    before, after = FIRST + quiet + SUITE.format(old), FIRST + quiet + SUITE.format(new)
    assert {(one.kind, one.severity) for one in judged(before, after)} == {("removed", "error")}
    assert judged(after, before) == []


OWN = "class BoxTest(Base):\n    def test_it(self):\n        self.assertEqual(price(1), 2)\n"
DEAF = "    def assertEqual(self, one, other):\n        self.seen = one\n\n"
STRICT = "    def assertEqual(self, one, other):\n        show(one)\n        super().assertEqual(one, other)\n\n"


@pytest.mark.parametrize("place", ["BoxTest(Base)", "Base(TestCase)"])
@pytest.mark.parametrize(("method", "said"), [(DEAF, {"hollow"}), (STRICT, set())])
def test_a_method_of_the_tests_that_is_named_like_an_assertion_asserts_what_it_does(place, method, said):
    plain = "class Base(TestCase):\n    name = 'a'\n\n" + OWN
    own = plain.replace(f"class {place}:\n", f"class {place}:\n{method}")
    assert {one.kind for one in judged(plain, own)} == said


@pytest.mark.parametrize("other", ["from shop import FreeCart as Cart", "from shop import FreeCart\n\nCart = FreeCart"])
def test_another_class_of_the_product_under_the_same_name_is_a_warning(other):
    after = TOTAL.replace("from shop import Cart", other)
    assert {(one.kind, one.severity) for one in judged(TOTAL, after)} == {("subject", "warning")}


def test_a_subclass_of_the_tests_in_the_place_of_the_class_under_test_is_a_warning():
    own = TOTAL.replace("def test", "class Quick(Cart):\n    pass\n\n\ndef test").replace("assert Cart", "assert Quick")
    assert {(one.kind, one.severity) for one in judged(TOTAL, own)} == {("subject", "warning")}
    assert judged(TOTAL.replace("Cart()", "box"), TOTAL.replace("Cart()", "box")) == []


CLOSE = "def assert_close(actual, expected, digits={}):\n    assert round(actual - expected, digits) == 0\n"
CALLS_CLOSE = "from tests.helpers import assert_close\n\ndef test_it():\n    assert_close(f(1), 2.5)\n"


def test_a_helper_that_is_named_like_a_librarys_assertion_asserts_what_it_does():
    old, new = (strengths(CALLS_CLOSE, helpers=CLOSE.format(digits))["test_it"] for digits in (4, 1))
    (found,) = changes([Paired("t", "t", old, new)])
    assert (found.severity, found.old) == ("warning", "round(f(1) - 2.5, 4) == 0")


FREE = "import unittest\nimport pytest\nimport shop.shipping\nfrom decimal import Decimal\nfrom shop.shipping import cost\n"
COSTS = "def test_it():\n    assert cost(Decimal('40.00')) == 0\n"
SET = "shop.shipping.FREE_FROM = Decimal('40.00')\n"
COST_SUITE = "class TestCost(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(cost(40), 0)\n"
COST_SUITE_SET = COST_SUITE.replace("    def test_it", f"    def setUp(self):\n        {SET}    def test_it")
FIXTURE = "@pytest.fixture(autouse=True)\ndef steady(monkeypatch):\n    monkeypatch.setattr({})\n\n"
SETTING = {
    "at top level": (COSTS, SET + COSTS, "error"),
    "under a condition": (COSTS, f"if shop.shipping:\n    {SET}{COSTS}", "error"),
    "by another name": (COSTS, "from shop import shipping\nshipping.FREE_FROM = 40\n" + COSTS, "error"),
    "by a short name": (COSTS, "import shop.shipping as s\nsetattr(s, 'FREE_FROM', 40)\n" + COSTS, "error"),
    "by a patch": (COSTS, "mock.patch('shop.shipping.FREE_FROM', 40).start()\n" + COSTS, "error"),
    "in a set-up": (COST_SUITE, COST_SUITE_SET, "error"),
    "in a fixture": (COSTS, FIXTURE.format("shop.shipping, 'FREE_FROM', Decimal('40.00')") + COSTS, "error"),
    "the function itself": (COSTS, "shop.shipping.cost = lambda total: 0\n" + COSTS, "error"),
    "of another module": (COSTS, FIXTURE.format("'shop.orders.MOST', 40") + COSTS, "warning"),
    "a pause": (COSTS, FIXTURE.format("shop.shipping, 'PAUSE', 0.01") + COSTS, "warning"),
    "no constant": (COSTS, FIXTURE.format("'shop.orders.send', print") + COSTS, ""),
    "of a helper": (COSTS, "import helpers\nhelpers.MOST = 40\n" + COSTS, ""),
}


@pytest.mark.parametrize(("before", "after", "told"), SETTING.values(), ids=SETTING)
def test_a_constant_that_is_set_for_all_tests_of_a_file_is_an_error_if_they_assert_of_its_module(before, after, told):
    found = judged(FREE + before, FREE + after, helpers="MOST = 3\n")
    assert [(one.kind, one.severity) for one in found] == ([("mocked", told)] if told else [])


@pytest.mark.parametrize(
    "line",
    ["assert [1, 2][1e400] == 2", "patch(target='shop.FREE', new=5)", "monkeypatch.setattr(target='shop.FREE', name='X')",
     "assert sys.version_info >= (3, 1e999)", "assert dict({**a, 'b': 1}) == f()", "dict([*a, ('b', 1)])"],
)  # fmt: skip
def test_any_number_and_any_argument_is_read(line):
    (found,) = strengths(
        f"import shop\n\n@pytest.fixture(autouse=True)\ndef given():\n    {line}\n\n{body(line)}"
    ).values()
    assert found.unread == ()


UNDER = [
    ("if sys.version_info >= (3, 14):", "warning"), ("if os.environ.get('SLOW'):", "error"),
    ("if hasattr(shop, 'strict'):", "warning"), ("if False:", "error"), ("if True:", ""),
    ("if sys.platform == 'win32':\n    pass\nelse:", "warning"), ("try:\n    import fast\nexcept ImportError:", "warning"),
]  # fmt: skip


@pytest.mark.parametrize(("head", "severity"), UNDER, ids=[head.splitlines()[0] for head, _ in UNDER])
def test_a_test_that_is_only_defined_under_a_condition_is_skipped_otherwise(head, severity):
    plain = body("assert f(1) == 2")
    under = head + "\n" + "".join(f"    {line}\n" for line in plain.splitlines())
    found = judged(f"import os, sys\n{plain}", f"import os, sys\n{under}")
    assert [one.severity for one in found] == [severity] * bool(severity)


def test_the_default_of_a_parameter_is_what_a_test_asks():
    test = "import keys\ndef test_it(key={0}):\n    assert key(1) == 2\n"
    assert [one.kind for one in judged(test.format("keys.hashed"), test.format("keys.typed"))] == ["subject"]
    local = "import keys\ndef test_it():\n    key = keys.hashed\n    assert key(1) == 2\n"
    assert judged(test.format("keys.hashed"), local) == []


def test_an_import_may_move_out_of_a_test():
    assertion = "assert pickle.loads(pickle.dumps(C(2))) == C(2)"
    assert judged(body(f"import pickle\n{assertion}"), "import pickle\n" + body(assertion)) == []


def test_what_is_taken_out_of_an_input_is_another_input():
    given = "data = {'c': {'only': 1, 'x': 2}}\n"
    asserted = "assert 'only' not in dump(data)['c']"
    taken = judged(body(given + asserted), body(f"{given}data['c'].pop('only')\n{asserted}"))
    assert [(one.kind, one.severity) for one in taken] == [("subject", "warning")]


@pytest.mark.parametrize("text", ["e.value.args[0]", "str(e.value)"])
def test_the_whole_text_of_an_error_may_be_an_anchored_pattern(text):
    said = body(f"with pytest.raises(E) as e:\n    f()\nassert {text} == 'Not a time.'")
    assert judged(said, body("with pytest.raises(E, match=r'^Not a time\\.$'):\n    f()")) == []
    assert judged(said, body("with pytest.raises(E, match=r'^Not a'):\n    f()")) != []


def test_asking_another_function_of_the_product_is_a_warning():
    found = judged(body("assert parse('x') == 3"), body("assert parse_loosely('x') == 3"))
    assert [(one.kind, one.severity) for one in found] == [("subject", "warning")]


@pytest.mark.parametrize(("target", "severities"), [("shop.git.Git.run", set()), ("shop.git.run", {"error"})])
def test_a_method_that_is_replaced_is_no_function_of_its_name(target, severities):
    before = "from shop.git import run\n\ndef test_it():\n    assert run(1).code == 0\n"
    replaced = before.replace("():\n", f"(mocker):\n    mocker.patch('{target}', return_value=1)\n")
    assert {one.severity for one in judged(before, replaced)} == severities
    asked = replaced.replace("run(1)", "Git(1).run()"), before.replace("run(1)", "Git(1).run()")
    assert {one.severity for one in judged(asked[1], asked[0])} == {"error"}


@pytest.mark.parametrize("there", ["there", "there is not None"])
def test_a_function_that_the_test_declares_is_surely_there(there):
    declared = "made = total(1)\ndef there():\n    return made\n"
    asked = body(f"made = total(1)\nassert {there.replace('there', 'made')}")
    assert [one.kind for one in judged(asked, body(f"{declared}assert {there}"))] == ["hollow"]
    decorated = declared.replace("def there", "@register\ndef there")
    assert [one.kind for one in judged(body("assert total(1)"), body(f"{decorated}assert {there}"))] != ["hollow"]
