"""What doesn't prove a weakening is a warning; what proves one, beside it, is an error."""

from dataclasses import replace

import pytest

from pactkeeper.intent.strength.review import changes
from tests.repo.strength.edits import body, judged, paired, strengths


def severities(before: str, after: str) -> list[str]:
    return [one.severity for one in judged(before, after)]


FILLED = """
def loop(function):
    cell = [None]

    def run():
        cell[0] = function()

    start(run)
    return cell[0].result()


def test_it():
    {}
"""


def test_what_is_read_from_nothing_was_filled_in_meanwhile():
    asked = FILLED.format("assert loop(fetch).body == b'hello'")
    assert severities(body("assert fetch().body == b'hello'"), asked) == []
    assert severities(asked, FILLED.format("assert loop(fetch).body is not None")) == ["error"]


@pytest.mark.parametrize(
    ("first", "second", "dead"),
    [
        ("[tuple(one) for one in load()]", "[tuple(one) for one in load()]", False),
        ("[tuple(one) for one in rows]", "[tuple(one) for one in rows]", True),
        ("[tuple(one) for one in load()]", "first", True),
    ],
)
def test_two_lists_that_are_read_one_after_the_other_may_differ(first, second, dead):
    read = body(f"rows = [1, 2]\nfirst = {first}\nstore()\nsecond = {second}\nassert first == second")
    assert bool(strengths(read)["test_it"].dead) is dead


PRINTED = "def test_it(capsys):\n    run()\n    {}\n"


@pytest.mark.parametrize("read", ["out, err = capsys.readouterr()", "out = capsys.readouterr().out", "out = run().out"])
def test_that_nothing_is_printed_may_be_said_in_two_ways(read):
    empty, falsy, typed = (
        PRINTED.format(f"{read}\n    assert {one}") for one in ("out == ''", "not out", "isinstance(out, str)")
    )
    assert severities(empty, falsy) == (["error"] if "run" in read else [])
    assert severities(empty, typed) == ["error"]


SKIPPED = """
import pytest

def test_it(request):
    {}
    assert load(getattr(request, "param", None)) == 1
"""


@pytest.mark.parametrize(
    ("condition", "severity"),
    [
        ("brotli is None", "warning"),
        ("getattr(request, 'param', None) == 'br' and brotli is None", "warning"),
        ("getattr(request, 'param', None) == 'br'", "error"),
        ("getattr(request, 'param', None) == 'br' or brotli is None", "error"),
        ("getattr(request, 'param', None) == 'br' and brotli is not None", "error"),
    ],
)
def test_a_skip_where_a_package_is_missing_says_less_only_there(condition, severity):
    skip = f"if {condition}:\n        pytest.skip()"
    assert severities(SKIPPED.format("pass"), SKIPPED.format(skip)) == [severity]


FAKED = "with patch('shop.{}') as sell:\n    start()\n    {}.assert_called_once_with('a')"


def test_another_fake_of_the_same_name_is_no_proof_and_a_fake_of_what_is_asserted_is():
    method = body("loop = run()\nstart()\nloop.sell.assert_called_once_with('a')")
    assert set(severities(method, body(FAKED.format("sell", "sell")))) == {"warning"}
    plain = body("start()\nassert sell('a') == 1")
    assert "error" in severities(plain, body("with patch('shop.sell'):\n    start()\n    assert sell('a') == 1"))


def test_what_is_asserted_unless_an_error_is_caught_is_not_asserted_for_sure():
    tried = "{}\nassert total([2]) == 2"
    attempt = "try:\n    assert load('a') == 1\nexcept ConnectionError:\n    sleep(1)"
    assert severities(body(tried.format(attempt)), body(tried.format("load('a')"))) == ["warning"]
    assert severities(body(tried.format("assert load('a') == 1")), body(tried.format("load('a')"))) == ["error"]


ROWS = """
@pytest.fixture(params=[{}])
def shop(request):
    return open_shop(request.param)


def test_it(shop):
    {}
    assert shop.total([1]) == 1
"""


@pytest.mark.parametrize(("named", "severity"), [("Corner", "warning"), ("Market", "error")])
def test_a_skip_for_what_is_new_takes_nothing_from_what_was_there(named, severity):
    skip = f"if shop.__name__ == '{named}':\n        pytest.skip()"
    before, after = ROWS.format("'shops:Market'", "pass"), ROWS.format("'shops:Market', 'shops:Corner'", skip)
    assert min(severities(before, after)) == severity


@pytest.mark.parametrize(
    ("condition", "severity"),
    [
        ("http.__version__ >= '2'", "warning"),
        ("not http.__version__ < '2'", "warning"),
        ("http.__version__()", "error"),
        ("shop.parsed('1') >= '2'", "error"),
        ("sys.implementation.name == 'cpython'", "warning"),
        ("hasattr(time, 'clock')", "warning"),
        ("not hasattr(time, 'clock')", "warning"),
        ("hasattr(shop, 'clock')", "error"),
    ],
)
def test_what_is_asserted_with_one_version_of_a_package_is_asserted_there(condition, severity):
    before, after = "assert total([1]) == 1", f"if {condition}:\n    assert total([1]) == 1"
    assert severities(body(before), body(after)) == [severity]


TOLD = "with pytest.raises(TypeError, match={}) as info:\n    make(1)\n{}"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (TOLD.format("'deps expected str, list'", "assert 'got list' in str(info.value)"), ["warning"]),
        (TOLD.format("'got list'", ""), ["error"]),
    ],
)
def test_two_assertions_of_one_message_may_say_what_a_pattern_of_both_said(after, expected):
    before = TOLD.format("'deps expected .*, got list'", "")
    assert severities("import pytest\n" + body(before), "import pytest\n" + body(after)) == expected


SURROUNDED = """
import pytest

@pytest.fixture{}
def strict():
    check_all()

def test_it():
    {}
"""


def test_what_only_its_surroundings_did_was_no_assertion_of_a_test():
    assert severities(SURROUNDED.format("(autouse=True)", "x = 1"), SURROUNDED.format("", "x = 1")) == ["warning"]
    assert severities(SURROUNDED.format("(autouse=True)", "make()"), SURROUNDED.format("", "x = 1")) == ["error"]


@pytest.mark.parametrize(
    ("condition", "severity"),
    [
        ("Version(http.__version__) >= Version('3.1')", "warning"),
        ("http.__version__ > '3.1'", "warning"),
        ("sys.version_info >= (3, 10)", "warning"),
        ("sys.version_info < (3, 10)", "error"),
        ("Version(http.__version__) < Version('3.1')", "error"),
        ("sorted(http.modes()) >= sorted('3.1')", "error"),
    ],
)
def test_a_skip_on_every_later_version_only_exempts_earlier_ones(condition, severity):
    before, after = (
        f"import pytest\n\n@pytest.mark.xfail({given})\ndef test_it():\n    assert f() == 1\n"
        for given in (f"{condition}, reason='broken'", "reason='broken'")
    )
    assert severities(before, after) == [severity]


@pytest.mark.parametrize(("condition", "expected"), [("sys.version_info[0] < 3", []), ("sys.argv", ["error"])])
def test_leaving_early_where_no_version_runs_leaves_nothing_out(condition, expected):
    leaving = body(f"if {condition}:\n    return\nassert f() == 1")
    assert severities("import sys\n" + body("assert f() == 1"), "import sys\n" + leaving) == expected


def test_a_lost_assertion_of_a_test_that_is_named_for_changed_code_is_a_warning():
    pairs = paired(body("assert shown().ok\nassert load() == 1"), body("assert load() == 1"))
    renamed = [
        replace(one, before=one.before.replace("test_it", "tests/test_show_config.py::test_it")) for one in pairs
    ]

    for given, touched, severity in ((pairs, {"show_config"}, "error"), (renamed, {"show_config"}, "warning"),
                                     (renamed, {"show"}, "error")):  # fmt: skip
        assert [one.severity for one in changes(given, touched=frozenset(touched))] == [severity]


@pytest.mark.parametrize(("module", "severity"), [("time", "warning"), ("shop", "error")])
def test_a_skip_where_the_language_lacks_something_says_less_only_there(module, severity):
    asked = f"hasattr({module}, 'clock')"
    after = f"if not {asked}:\n    pytest.skip()\nassert {asked} == f()"
    before, after = (f"import pytest\nimport {module}\n" + body(text) for text in (f"assert {asked} == f()", after))
    assert severities(before, after) == [severity]


FILLS = "def fill(found):\n    {}\n    for one in run():\n        found.append(one.name)\n\n\ndef test_it():\n    found = []\n    {}\n    assert found == []\n"


def test_a_list_that_a_helper_is_given_holds_what_the_helper_adds():
    before = FILLS.format("pass", "for one in run():\n        found.append(one.name)")
    assert severities(before, FILLS.format("pass", "fill(found)")) == []
    assert severities(before, FILLS.format("pass", "fill([])")) == ["error"]
    assert severities(before, FILLS.format("found = []", "fill(found)")) == ["error"]


@pytest.mark.parametrize("call", ["combinations([1, 2])", "permutations(2, [1])", "product(2)"])
def test_a_function_with_the_name_of_one_that_combines_rows_may_take_something_else(call):
    test = body(f"assert {call} == 3")
    assert severities(test, test.replace("== 3", "is not None")) == ["error"]


@pytest.mark.parametrize("after", ["assert 'late' in find(x)", "assert find(x)", "assert len(find(x)) == 2"])
def test_something_where_nothing_was_expected_is_another_result(after):
    (one,) = judged(body("assert find(x) is None"), body(after))
    assert (one.kind, one.severity) == ("expectation", "warning")


def test_one_of_several_where_nothing_was_expected_says_less():
    (one,) = judged(body("assert find(x) is None"), body("assert find(x) in (None, 2)"))
    assert (one.kind, one.severity) == ("loosened", "error")


RUN_BY = """
import os, sys
from compat import IS_PYPY, IN_CI
from shop import cart, price

def test_it(shop):
    {}
"""


@pytest.mark.parametrize(
    ("condition", "severity"),
    [
        ("IS_PYPY", "warning"),
        ("not IS_PYPY and sys.platform != 'win32'", "warning"),
        ("IN_CI", "error"),
        ("not os.environ.get('CI')", "error"),
        ("IS_PYPY and price(1)", "error"),
        ("price(1)", "error"),
        ("shop.is_open", "error"),
    ],
)
def test_a_setting_of_the_run_decides_where_it_is_asserted_and_a_computed_value_whether(condition, severity):
    plain = RUN_BY.format("assert cart().total == 2")
    assert severities(plain, RUN_BY.format(f"if {condition}:\n        assert cart().total == 2")) == [severity]


@pytest.mark.parametrize("leaving", ["return", "pytest.skip()"])
def test_what_an_assertion_allowed_for_before_may_be_a_condition(leaving):
    leave, exact = f"if not cart().supports:\n        {leaving}", "assert cart().total == 2"
    for allowed, severity in (("assert cart().strict or not cart().supports", "warning"), ("cart().supports", "error")):
        before, after = (RUN_BY.format("\n    ".join(one)) for one in ([allowed, exact], [allowed, leave, exact]))
        assert severities(before, after) == [severity]


@pytest.mark.parametrize(
    ("answer", "severity"),
    [
        ("'\\n'.join(one for one in total(Mock(x=1)))", "warning"),
        ("f'{total(Mock(x=1))}'", "warning"),
        ("(total(Mock(x=1)), 2)", "warning"),
        ("'\\n'.join(one for one in Mock(x=1).rows)", "error"),
        ("f'{Mock(x=1).total()}'", "error"),
        ("(Mock(x=1).total(), 2)", "error"),
    ],
)
def test_what_is_put_together_of_a_products_answers_is_no_fakes_own(answer, severity):
    before, after = (body(f"assert {one} == 'x'") for one in ("Shop().total()", answer))
    assert severities(before, after) == [severity]


@pytest.mark.parametrize(("touched", "severity"), [("cart", "warning"), ("price", "error")])
def test_what_changed_code_is_asserted_of_under_a_condition_is_a_warning_as_if_it_were_gone(touched, severity):
    plain, under = "assert cart().total == 2", "if shop.is_open:\n        assert cart().total == 2"
    found = changes(paired(RUN_BY.format(plain), RUN_BY.format(under)), touched=frozenset({touched}))
    assert [one.severity for one in found] == [severity]


TIMED = "import time\n\n\ndef test_it():\n    start = time.{0}()\n    run()\n    assert time.{0}() - start < {1}\n"


def test_a_wider_tolerance_is_one_beside_another_clock():
    before = TIMED.format("time", "0.06")
    assert severities(before, TIMED.format("monotonic", "0.06")) == []
    assert severities(before, TIMED.format("time", 5)) == ["error"]
    assert severities(before, TIMED.format("monotonic", 5)) == ["error"]


def test_a_wider_limit_of_what_another_function_of_the_product_returns_proves_nothing():
    assert severities(body("assert load(1) < 5"), body("assert fetch(1) < 9")) == ["warning"]


@pytest.mark.parametrize("order", ["['a', 'b']", "['b', 'a']", "('a', 'b')", "other()"])
@pytest.mark.parametrize("asked", ["sorted(names())", "set(names())"])
def test_an_order_that_is_not_asked_for_any_more_is_lost_however_it_was_written(asked, order):
    for expected in (order, "['a', 'b']"):
        assert severities(body(f"assert names() == {order}"), body(f"assert {asked} == {expected}")) == ["error"]


@pytest.mark.parametrize("there", ["names() is not None", "names()"])
@pytest.mark.parametrize("asked", ["sorted(names()) == ['a']", "set(names()) == {'a'}", "len(names()) == 1"])
def test_that_something_is_there_says_less_than_what_is_made_of_it(asked, there):
    assert severities(body(f"assert {asked}"), body(f"assert {there}")) == ["error"]


RAISES = "with pytest.{}:\n    put(1)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("raises(AssertionError, match='full')", "raises(ValueError, match='full')"),
        ("raises(FullError)", "raises(BoxError)"),
        ("warns(FutureWarning, match='old')", "warns(DeprecationWarning, match='old')"),
    ],
)
def test_another_kind_of_error_is_another_result(before, after):
    (found,) = judged(body(RAISES.format(before)), body(RAISES.format(after)))
    assert (found.severity, found.kind) == ("warning", "expectation")
    assert found.old != found.new != ""
    wider = judged(body(RAISES.format(before)), body(RAISES.format(after.split("(")[0] + "(Exception)")))
    assert [one.severity for one in wider] == ["error"]


def test_a_local_name_is_not_taken_for_the_function_of_a_module():
    before = 'import shop\n\n\ndef test_it():\n    assert shop.code("a" + "b") == "ab"\n'
    after = 'import shop\n\n\ndef test_it():\n    code = "ab"\n    assert shop.code(code) == code\n'
    assert severities(before, after) == []


ORDERS = """
def test_it():
    small = Order("ada")
    small.amount = 10
    big = Order("ada")
    big.amount = 50
    assert shipping(small) == {}
    assert shipping(big) == {}
"""
ADDED = "def test_it():\n    {1}\n    {0}\n"
SMALL = 'one = Order("ada")\n    one.add(10)\n    assert shipping(one) == 5'
LARGE = 'two = Order("ada")\n    two.add(50)\n    assert shipping(two) == 0'


def test_answers_of_one_expression_that_change_places_are_other_results():
    found = judged(ORDERS.format(5, 0), ORDERS.format(0, 5))
    assert [(one.kind, one.severity) for one in found] == [("expectation", "warning")]
    assert judged(ADDED.format(SMALL, LARGE), ADDED.format(LARGE, SMALL)) == []


ASKED = "server = make()\n{}\nassert server.count('a') == {}"
BEFORE, DONE = "before = server.count('a')", "attach(server)"


@pytest.mark.parametrize(
    ("steps", "severity"),
    [
        (f"{BEFORE}\n{DONE}", "warning"),
        (f"{DONE}\n{BEFORE}", "error"),
        (f"{BEFORE}\nattach(other)", "error"),
        (f"{BEFORE}\nprint(server)", "warning"),
    ],
)
def test_an_answer_that_was_asked_before_something_was_done_is_not_the_later_one(steps, severity):
    assert severities(body(ASKED.format(DONE, 0)), body(ASKED.format(steps, "before"))) == [severity]


def test_a_function_that_is_handed_both_what_was_read_and_what_was_sought_may_look_for_it():
    before = body("assert f'no {path()}' in out()")
    found = "assert re.search(f'no {path()}'.replace('/', '.'), out(), re.I)"
    assert severities(before, body(found)) == ["warning"]
    assert severities(before, body("assert bool(out())")) == ["error"]


CHOSEN = """
import pytest

@pytest.mark.parametrize("kind", sorted(({} for one in KINDS if {}), key=str))
def test_it(kind):
    assert load(kind) == 1
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("slowly(one)", "known(one)"), ("one", "known(one)")),
        (("one", "known(one)"), ("one", "known(one) and one.easy")),
    ],
)
def test_rows_that_a_condition_chose_before_are_other_rows_under_another_one(before, after):
    assert severities(CHOSEN.format(*before), CHOSEN.format(*after)) == ["warning"]
    every = CHOSEN.format(*before).replace(f" if {before[1]}", "")
    assert severities(every, CHOSEN.format(*after)) == ["error"]


OTHER = "def test_it():\n    {}\n    assert total([1]) == 1\n\ndef test_also():\n    {}\n    assert total([3]) == 3\n"


@pytest.mark.parametrize(
    ("also", "severity"), [("load('a').size == 2", "warning"), ("load('b').size == 2", "error"), ("True", "error")]
)
def test_what_another_test_newly_asserts_of_the_same_answer_may_stand_for_a_lost_assertion(also, severity):
    before = OTHER.format("assert load('a').name == 'a'", "pass")
    assert severities(before, OTHER.format("load('a')", f"assert {also}")) == [severity]


def test_one_new_assertion_stands_for_what_is_lost_of_one_answer_alone():
    before = OTHER.format("assert load('a').name == 'a'\n    assert load('b').name == 'b'", "pass")
    found = severities(before, OTHER.format("load('a'), load('b')", "assert load('a').size == 2"))
    assert sorted(found) == ["error", "warning"]


def test_a_deleted_test_may_be_a_part_of_a_kept_one_now():
    kept = "def test_all():\n    assert load('b').size == 1\n"
    gone = "def test_it():\n    assert load('a').size == 1\n"
    merged = kept + "    assert load('ab').sizes == [1, 1]\n"
    assert severities(kept + gone, merged) == ["warning"]
    assert severities(kept + gone, kept) == ["error"]
