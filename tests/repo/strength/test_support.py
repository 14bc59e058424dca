"""Edits of helpers, fixtures and tables, judged by the tests that rest on them and that nobody touched."""

from collections.abc import Mapping

import pytest

from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository
from pactkeeper.repo.snapshot import Snapshot, worktree
from pactkeeper.repo.snapshot import commit as state_of
from pactkeeper.repo.strength import support
from pactkeeper.repo.strength.judging import Judgement, judge
from pactkeeper.repo.strength.reading import resting_on
from tests.repo.repositories import create, write

HELPERS = """\
import json
from pathlib import Path

CASES = [("a", 1), ("b", 2), ("c", 3)]
EXPECTED = {"total": 6}


def check_cart(cart, total):
    assert cart.total() == total


def normalise(given):
    return {key: value for key, value in given.items() if not key.startswith("_")}


class CartAssertions:
    def assert_total(self, cart, total):
        assert cart.total() == total
"""
CONFTEST = """\
import pytest
from shop import Cart


@pytest.fixture
def cart():
    return Cart({"a": 1, "b": 2, "c": 3})


@pytest.fixture(params=["a", "b"])
def name(request):
    return request.param


@pytest.fixture
def checked():
    cart = Cart()
    yield cart
    assert cart.total() >= 0


@pytest.fixture(autouse=True)
def no_leak():
    yield
    assert Cart().items == {}
"""
TESTS = """\
import pytest
from shop import parse
from .helpers import CASES, EXPECTED, CartAssertions, check_cart, normalise


def test_checked(checked):
    checked.add("a", 1)
    check_cart(checked, 1)


@pytest.mark.parametrize("key, price", CASES)
def test_case(key, price, cart):
    assert cart.items[key] == price


def test_expected(cart):
    assert cart.total() == EXPECTED["total"]


def test_name(name, cart):
    assert name in cart.names()


def test_parse():
    assert normalise(parse('{"a": 1, "_b": 2}')) == {"a": 1}


class TestThings(CartAssertions):
    def test_total(self, cart):
        self.assert_total(cart, 6)
"""
FILES = {
    "tests/__init__.py": "",
    "tests/helpers.py": HELPERS,
    "tests/conftest.py": CONFTEST,
    "tests/test_shop.py": TESTS,
}
H, F, T = "tests/helpers.py", "tests/conftest.py", "tests/test_shop.py"
CART = 'return Cart({"a": 1, "b": 2, "c": 3})'


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Repository:
    return create(tmp_path_factory.mktemp("shop"), FILES)


def side(snapshot: Snapshot) -> support.TestState:
    return support.TestState(snapshot, Discovery(processes=1).scan(snapshot))


def judged(shop: Repository, files: Mapping[str, str]) -> Judgement:
    """What it does to the shop if these of its files become those."""
    write(shop.root, {**FILES, **files})
    try:
        return judge(side(state_of(shop, "HEAD")), side(worktree(shop)))
    finally:
        for name in files.keys() - FILES.keys():
            (shop.root / name).unlink()
        write(shop.root, FILES)


def edited(shop: Repository, path: str, old: str, new: str) -> Judgement:
    assert old in FILES[path], old
    return judged(shop, {path: FILES[path].replace(old, new)})


def loud(judgement: Judgement) -> set[tuple[str, str]]:
    return {(one.severity, one.test.rpartition("::")[2]) for one in judgement.changes if one.severity != "note"}


EVERY = {"test_checked", "test_case", "test_expected", "test_name", "test_parse", "test_total"}


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        (F, "@pytest.fixture(autouse=True)", "@pytest.fixture", {("error", test) for test in EVERY}),
        (H, '{"total": 6}', '{"total": ANY}', {("error", "test_expected")}),
        (H, '{"total": 6}', '{"total": Cart({"a": 1, "b": 2, "c": 3}).total()}', {("error", "test_expected")}),
        (H, '{"total": 6}', '{"total": 7}', {("warning", "test_expected")}),
        (H, "CASES = [", "CASES = [] and [", {("warning", "test_case")}),
        (H, "def check_cart", "async def check_cart", {("error", "test_checked")}),
        (H, 'return {key: value for key, value in given.items() if not key.startswith("_")}', 'return {"a": 1}',
         {("error", "test_parse")}),
        (F, CART, "return Mock(total=lambda: 6)",
         {("error", test) for test in ("test_case", "test_expected", "test_name", "test_total")}),
        (F, CART, "return SimpleNamespace(total=lambda: 6)",
         {("warning", test) for test in ("test_case", "test_expected", "test_name", "test_total")}),
    ],
)  # fmt: skip
def test_an_edit_beside_tests_is_compared_in_the_tests_that_rest_on_it(shop, path, old, new, said):
    assert loud(edited(shop, path, old, new)) >= said


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (F, CART, 'return Cart().add("a", 1).add("b", 2).add("c", 3)'),
        (F, CART, "return make_cart(a=1, b=2, c=3)\n\n\ndef make_cart(**items):\n    return Cart(items)"),
        (F, CART, 'cart = Cart({"a": 1, "b": 2, "c": 3})\n    yield cart\n    cart.clear()'),
        (H, 'CASES = [("a", 1), ("b", 2), ("c", 3)]',
         'CASES = [pytest.param(k, v, id=k) for k, v in [("a", 1), ("b", 2), ("c", 3)]]'),
        (H, '{"total": 6}', "dict(total=6)"),
        (H, "    assert cart.total() == total\n\n\ndef normalise",
         "    _check(cart, total)\n\n\ndef _check(cart, total):\n    assert cart.total() == total\n\n\ndef normalise"),
    ],
)  # fmt: skip
def test_another_way_to_write_a_helper_is_silent(shop, path, old, new):
    assert loud(edited(shop, path, old, new)) == set()


def test_the_loss_of_a_helper_is_told_at_the_helper(shop):
    found = edited(
        shop,
        H,
        "def check_cart(cart, total):\n    assert cart.total() == total",
        "def check_cart(cart, total):\n    return",
    )
    assert loud(found) == {("error", "check_cart")}


QUIET = """\
def quiet(check):
    def run(*given):
        try:
            check(*given)
        except AssertionError:
            pass
    return run


@quiet
def check_cart"""
OFF = [
    (H, HELPERS + "\n\ncheck_cart = lambda cart, total: None\n"),
    (H, HELPERS + "\n\ndef _nothing(cart, total):\n    pass\n\n\ncheck_cart = _nothing\n"),
    (H, HELPERS + "\n\nglobals()['check_cart'] = lambda *given: None\n"),
    (H, HELPERS.replace("def check_cart", QUIET)),
    (H, HELPERS.replace("total() == total\n\n\ndef", "total() == total\n    yield\n\n\ndef")),
    ("tests/helpers/__init__.py", HELPERS.replace("assert cart.total() == total", "pass")),
]
FAST = "\n\ntry:\n    from .fast import check_cart\nexcept ImportError:\n    pass\n"


@pytest.mark.parametrize(("path", "text"), OFF)
def test_a_helper_that_is_switched_off_is_an_error(shop, path, text):
    assert {severity for severity, _ in loud(judged(shop, {path: text}))} == {"error"}


@pytest.mark.parametrize(("body", "said"), [("pass", {"error"}), ("assert cart.total() == total", set())])
def test_a_helper_imported_later_stands_for_the_one_of_its_name(shop, body, said):
    files = {H: HELPERS + FAST, "tests/fast.py": f"def check_cart(cart, total):\n    {body}\n"}
    assert {severity for severity, _ in loud(judged(shop, files))} == said


FALLBACK = """\
try:
    from .fast import check_cart
except ImportError:
    def check_cart(cart, total):
        assert cart.total() == total
"""


@pytest.mark.parametrize("more", ["check_cart = functools.wraps(print)(check_cart)", "check = check_cart", FALLBACK])
def test_a_helper_that_is_only_wrapped_or_given_another_name_is_silent(shop, more):
    assert loud(judged(shop, {H: f"{HELPERS}\n\n{more}\n"})) == set()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("CASES.clear()", {("error", "test_case")}),
        ("CASES.pop()", {("warning", "test_case")}),
        ("del CASES[1:]", {("warning", "test_case")}),
        ('CASES.append(("d", 4))', set()),
        ("OTHERS.clear()", set()),
    ],
)
@pytest.mark.parametrize(("path", "head"), [(H, ""), (F, "from .helpers import CASES\n")])
def test_rows_that_a_statement_takes_from_a_table_are_missed(shop, path, head, line, said):
    assert loud(judged(shop, {path: f"{FILES[path]}\n\n{head}{line}\n"})) == said


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("cart.total = lambda: 6", {("error", "test_expected"), ("error", "test_total")}),
        ("cart.total = Mock(return_value=6)", {("error", "test_expected"), ("error", "test_total")}),
        ("cart.owner = 'Ada'", set()),
    ],
)
def test_a_fixture_that_answers_for_its_object_is_an_error(shop, new, said):
    made = f'cart = Cart({{"a": 1, "b": 2, "c": 3}})\n    {new}\n    return cart'
    assert loud(edited(shop, F, CART, made)) == said


def test_an_assertion_moved_from_after_the_test_to_before_it_is_an_error(shop):
    checks, gives = "    assert cart.total() >= 0\n", "    yield cart\n"
    assert loud(edited(shop, F, gives + checks, checks + gives)) == {("error", "checked after its yield")}
    assert loud(edited(shop, F, gives + checks, gives + checks.replace("assert", "total =").replace(" >= 0", "") +
                       "    assert total >= 0\n")) == set()  # fmt: skip


STARTING = "\n\ndef {}():\n    import shop\n    shop.Cart.names = lambda self: ['a', 'b']\n"


@pytest.mark.parametrize(
    ("hook", "said"), [("pytest_configure", {("error", "test_name")}), ("pytest_addoption", set())]
)
def test_a_hook_that_replaces_what_tests_assert_of_is_an_error(shop, hook, said):
    found = loud(judged(shop, {F: CONFTEST + STARTING.format(hook)}))
    assert {one for one in found if one[0] == "error"} == said


@pytest.mark.parametrize("named", ['["tests.fixtures"]', '"tests.fixtures"', '(\n    "tests.fixtures",\n)'])
def test_a_conftest_that_becomes_a_plugin_says_the_same(shop, named):
    plugged = {F: f"pytest_plugins = {named}\n", "tests/fixtures.py": CONFTEST}
    assert judged(shop, plugged).changes == ()
    weaker = {**plugged, "tests/fixtures.py": CONFTEST.replace("(autouse=True)", "")}
    assert {severity for severity, _ in loud(judged(shop, weaker))} == {"error"}
    hook = "\n\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n"
    taken = {**plugged, "tests/fixtures.py": CONFTEST + hook}
    assert {severity for severity, _ in loud(judged(shop, taken))} == {"error"}
    assert loud(judged(shop, {F: f"{CONFTEST}\n\npytest_plugins = ['other.plugin']\n"})) == {("warning", F)}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("loan.back is None and loan.out <= on", {("warning", "is_open as it answers")}),
        ("loan.back is None", {("warning", "is_open as it answers")}),
        ("True", {("warning", "is_open as it answers")}),
        ("loan.out == on and loan.back is None", set()),
        ("loan.back is None and loan.out == on and loan.due > on", set()),
    ],
)
def test_a_predicate_that_tests_ask_is_compared(tmp_path, answer, said):
    predicate = "def is_open(loan, on):\n    return {}\n"
    asking = "from .helpers import is_open\n\ndef test_it():\n    assert any(is_open(one, 3) for one in loans())\n"
    files = {H: predicate.format("loan.back is None and loan.out == on"), T: asking, "tests/__init__.py": ""}
    shop = create(tmp_path, files)
    write(tmp_path, {H: predicate.format(answer)})
    found = loud(judge(side(state_of(shop, "HEAD")), side(worktree(shop))))
    assert {one for one in found if one[1] != "test_it"} == said


FAKES = """\
class FakeStore:
    def put(self, loan):
        if not self.open:
            raise RuntimeError("no transaction")
        self.loans.append(loan)
"""
REFUSED = ("warning", "FakeStore.put")
GUARD = "@pytest.fixture{}\ndef no_network(monkeypatch):\n    def refuse(*given):\n        raise RuntimeError\n    monkeypatch.setattr(socket, 'connect', refuse)\n"


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("pass", {REFUSED}),
        ("raise ValueError(loan)", set()),
        ("assert loan.known", set()),
        ("self.refuse()\n\n    def refuse(self):\n        raise RuntimeError('no')", set()),
    ],
)
def test_a_fake_that_refuses_nothing_any_more_is_a_warning(tmp_path, new, said):
    files = {
        "tests/fakes.py": FAKES,
        T: "from .fakes import FakeStore\n\ndef test_it():\n    assert Shop(FakeStore()).lend() == 1\n",
    }
    shop = create(tmp_path, files)
    write(tmp_path, {"tests/fakes.py": FAKES.replace('raise RuntimeError("no transaction")', new)})
    assert loud(judge(side(state_of(shop, "HEAD")), side(worktree(shop)))) == said


@pytest.mark.parametrize(
    ("mark", "said"), [("", {("warning", "no_network")}), ("(autouse=True, scope='module')", set())]
)
def test_a_guarding_fixture_that_must_be_asked_for_is_a_warning(tmp_path, mark, said):
    shop = create(tmp_path, {F: GUARD.format("(autouse=True)"), T: "def test_it():\n    assert f() == 1\n"})
    write(tmp_path, {F: GUARD.format(mark)})
    assert loud(judge(side(state_of(shop, "HEAD")), side(worktree(shop)))) == said


def test_tests_beyond_the_bound_are_noted(shop, monkeypatch):
    monkeypatch.setattr(support, "_MOST_TESTS", 2)
    found = edited(shop, F, "@pytest.fixture(autouse=True)", "@pytest.fixture")
    assert found.tests == 2
    assert [(one.message, one.severity) for one in found.changes if one.kind == "unread"] == [
        ("4 more tests may rest on what changed here; they were not compared", "warning")
    ]


def test_tests_that_name_what_changed_are_compared_first(tmp_path, monkeypatch):
    monkeypatch.setattr(support, "_MOST_TESTS", 2)
    tests = {f"tests/test_{name}.py": f"from shop import {name}\n\n\ndef test_it():\n    assert {name}(1) == 1\n"
             for name in ("add", "divide", "subtract")}  # fmt: skip
    shop = create(tmp_path, {F: "import pytest\n", **tests})
    fake = "@pytest.fixture(autouse=True)\ndef fake(monkeypatch):\n    monkeypatch.setattr(shop, 'subtract', lambda n: 1)\n"
    write(tmp_path, {F: f"import pytest\n\n\n{fake}"})
    found = judge(side(state_of(shop, "HEAD")), side(worktree(shop))).changes
    assert ("error", "tests/test_subtract.py::test_it") in {(one.severity, one.test) for one in found}


@pytest.mark.parametrize("skip", ["pytest.skip('later')", "if os.environ.get('CI'):\n        pytest.skip('later')"])
def test_a_skip_in_a_shared_fixture_is_told_once_at_its_line(shop, skip):
    found = edited(shop, F, f"    {CART}", f"    {skip}\n    {CART}").changes
    (told,) = [one for one in found if one.severity != "note"]
    assert (told.severity, told.test, told.line) == ("error", f"{F}::cart", 7 + skip.count("\n"))


@pytest.mark.parametrize(
    ("settings", "severity"), [({}, "error"), ({"requirements.txt": "PyYAML\n"}, "warning")], ids=["unknown", "known"]
)
def test_a_skip_for_a_missing_module_is_an_error_where_nothing_else_names_it(shop, settings, severity):
    needing = TESTS.replace("def test_parse():\n", "def test_parse():\n    pytest.importorskip('yaml')\n")
    assert loud(judged(shop, {T: needing, **settings})) == {(severity, "test_parse")}


def test_an_edited_test_that_a_shared_fixture_skips_is_told_at_its_own_line(shop):
    files = {F: CONFTEST.replace(f"    {CART}", f"    pytest.skip('later')\n    {CART}"), T: TESTS + "\n\nX = 1\n"}
    told = {one.test: (one.line, one.new) for one in judged(shop, files).changes if one.test.startswith(T)}
    assert told[f"{T}::test_expected"] == (16, f"skip (by the fixture cart of {F})")


def test_untouched_tests_of_an_edited_file_are_compared_too(shop):
    files = {H: HELPERS.replace('{"total": 6}', '{"total": ANY}'), T: TESTS.replace("checked, 1", "checked, 1 + 0")}
    assert ("error", "test_expected") in loud(judged(shop, files))


def test_what_is_far_from_a_changed_file_is_read_last():
    order = sorted(["web/test_a.py", "tests/unit/test_b.py", "tests/test_c.py"],
                   key=lambda path: support._distance(path, ["tests/helpers.py"]))  # fmt: skip
    assert order == ["tests/test_c.py", "tests/unit/test_b.py", "web/test_a.py"]


BASE = """\
import unittest
from shop import Till


class Torn:
    def setUp(self):
        self.till = Till()

    def tearDown(self):
        self.assertEqual(self.till.open, 0)


class Contract:
    def test_contract(self):
        self.assertEqual(self.made(), 1)
"""
PAYING = "import unittest\nfrom .base import Contract, Torn\n\n\nclass TestMade(Contract, unittest.TestCase):\n    made = lambda self: 1\n\n\nclass TestPaying(Torn, unittest.TestCase):\n    def test_pay(self):\n        self.assertEqual(self.till.pay(), 1)\n"


def test_a_shared_file_with_tests_of_its_own_is_followed_as_well(tmp_path):
    shop = create(tmp_path, {"tests/base.py": BASE, "tests/test_pay.py": PAYING, "tests/__init__.py": ""})
    write(tmp_path, {"tests/base.py": BASE.replace("self.assertEqual(self.till.open, 0)", "pass")})
    assert ("error", "test_pay") in loud(judge(side(state_of(shop, "HEAD")), side(worktree(shop))))


def test_types_of_parameters_change_nothing(tmp_path):
    given = "def every(*wanted):\n    assert names() == list(wanted)\n\n\ndef test_names():\n    every('a', 'b')\n"
    typed = given.replace("*wanted", "*wanted: str")
    shop = create(tmp_path, {T: given})
    write(tmp_path, {T: typed})
    found = judge(side(state_of(shop, "HEAD")), side(worktree(shop)))
    assert [one.old for one in found.changes] == []


CONTRACT = "class CacheTests:\n    Cache = None\n\n    def test_size(self):\n        assert self.Cache(2).size == 2\n"
HEIR = "from cache import Lru, Random\nfrom .contract import CacheTests\n\n\nclass TestRandom(CacheTests):\n    Cache = Random\n"


def test_another_class_under_inherited_tests_is_a_warning(tmp_path):
    create(tmp_path, {"tests/__init__.py": "", "tests/contract.py": CONTRACT, "tests/test_random.py": HEIR})
    repo = Repository.open(tmp_path)
    write(tmp_path, {"tests/test_random.py": HEIR.replace("Cache = Random", "Cache = Lru")})
    found = judge(side(state_of(repo, "HEAD")), side(worktree(repo))).changes
    assert [(one.severity, one.old, one.new) for one in found] == [("warning", "Cache = Random", "Cache = Lru")]


STATES = {
    "shop/state.py": "class State:\n    OPEN = 1\n    CLOSED = 2\n\n\nclass Refused(Exception):\n    pass\n\n\nclass Late(Refused):\n    pass\n",
    "shop/desk.py": "from shop.state import Late, State\n\n\ndef state(n):\n    if n < 0:\n        raise ValueError(n)\n    if n > 9:\n        raise Late(n)\n    return State.OPEN\n",
    "tests/test_desk.py": "import pytest\nfrom shop.desk import state\nfrom shop.state import Late, State\n\n\ndef test_state():\n    assert state(1) is State.OPEN\n\n\ndef test_refused():\n    with pytest.raises(ValueError):\n        state(-1)\n    with pytest.raises(Late):\n        state(11)\n",
}


@pytest.mark.parametrize(
    ("name", "other", "severity"),
    [("OPEN", "CLOSED", "warning"), ("ValueError", "Exception", "error"), ("ValueError", "KeyError", "warning"),
     ("Late", "Refused", "warning")],
)  # fmt: skip
def test_a_name_that_still_stands_elsewhere_was_not_renamed(tmp_path, name, other, severity):
    repository = create(tmp_path, STATES)
    changed = {path: text.replace(name, other) for path, text in STATES.items() if path != "shop/state.py"}
    write(tmp_path, changed)
    found = judge(side(state_of(repository, "HEAD")), side(worktree(repository))).changes
    assert {one.severity for one in found} - {"note"} == {severity}


@pytest.mark.parametrize(("name", "other"), [("OPEN", "STARTED"), ("Late", "TooLate"), ("State", "Stage")])
def test_a_name_that_nothing_has_any_more_was_renamed(tmp_path, name, other):
    repository = create(tmp_path, STATES)
    write(tmp_path, {path: text.replace(name, other) for path, text in STATES.items()})
    assert {one.severity for one in judge(side(state_of(repository, "HEAD")), side(worktree(repository))).changes} <= {
        "note"
    }


LEAF = {
    "package.json": '{ "devDependencies": { "vitest": "3.0.0" } }\n',
    "__tests__/null.js": "import { produce } from '../src/produce';\nit('keeps null', () => { expect(produce(null)).toBe(null); });\n",
    "__tests__/setup.js": "globalThis.price = 3;\n",
    "__tests__/other.js": "it('is null', () => { expect(price ?? null).toBe(3); });\n",
}


@pytest.mark.parametrize(
    ("changed", "more", "resting"),
    [
        ("__tests__/null.js", {}, {"__tests__/null.js"}),
        ("__tests__/null.js", {"__tests__/all.js": "import './null';\n"}, {"__tests__/null.js", "__tests__/all.js"}),
        ("__tests__/null.js", {"__tests__/null.js": "export const one = 1;\nit('a', () => {});\n"},
         {"__tests__/null.js", "__tests__/other.js"}),
        ("__tests__/setup.js", {}, set()),
        ("__tests__/setup.js", {"vitest.config.js": "export default { test: { setupFiles: './__tests__/setup.js' } };\n"},
         {"__tests__/null.js", "__tests__/other.js"}),
        ("__tests__/gone.js", {}, {"__tests__/null.js", "__tests__/other.js"}),
    ],
)  # fmt: skip
def test_nothing_rests_on_a_script_that_exports_nothing_unless_it_is_imported_or_set(tmp_path, changed, more, resting):
    state = worktree(create(tmp_path, {**LEAF, **more}))
    tests = {path for path in {**LEAF, **more} if path.startswith("__tests__/") and path != "__tests__/setup.js"}
    assert resting_on(state, {changed}, tests) == resting


BENCH = "bench('price', () => {\n  if (fast) return price(1);\n});\n"
RUNS = '{"devDependencies": {"vitest": "3"}, "scripts": {"bench": "node test/bench/price.mjs"}}'


@pytest.mark.parametrize(
    ("manifest", "test", "said"),
    [
        (RUNS.replace("node test/bench/price.mjs", ""), "", set()),
        (RUNS, "", {"a script beside the tests decides something else now"}),
        (RUNS, "import './bench/price.mjs';\n", {"tests share this code, and what it decides has changed"}),
    ],
)
def test_a_script_that_no_test_imports_is_not_shared_by_tests(tmp_path, manifest, test, said):
    text = f"import {{ it }} from 'vitest';\n{test}it('a', () => {{ expect(1).toBe(one); }});\n"
    project = create(tmp_path, {"package.json": manifest, "test/bench/price.mjs": BENCH, "test/a.test.js": text})
    write(tmp_path, {"test/bench/price.mjs": BENCH.replace("if (fast)", "if (slow)")})
    found = judge(side(state_of(project, "HEAD")), side(worktree(project))).changes
    assert {one.message for one in found} == said


def test_a_test_file_with_dots_in_its_name_is_not_what_others_call_by_its_first_word(tmp_path):
    test = "describe('res', () => {\n  it('%s', () => { assert.equal(res('%s'), 'export default'); });\n});\n"
    files = {
        f"test/res.{name}.js": "const assert = require('assert');\n" + test % (name, name) for name in ("json", "get")
    }
    project = create(tmp_path, {"package.json": '{"devDependencies": {"mocha": "11"}}', **files})
    assert resting_on(state_of(project, "HEAD"), {"test/res.json.js"}, files) == {"test/res.json.js"}
    write(tmp_path, {"test/res.get.js": f"require('./res.json');\n{files['test/res.get.js']}"})
    assert resting_on(worktree(project), {"test/res.json.js"}, files) == set(files)
