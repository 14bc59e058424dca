"""A test of which nothing runs the body is reported, whatever it asserts."""

import pytest

from tests.repo.strength.edits import judged

SUITE = "import unittest\nfrom django import test\n{}\nclass TestCart({}):\n    {}def test_it(self):\n        self.assertEqual(make().x, 1)\n{}"
TEST = "{}def test_it():\n    assert make().x == 1\n{}"
MAKES_GENERATOR, MAKES_COROUTINE = ("", "    yield\n"), ("async ", "")


def suite(base: str, start: str = "", end: str = "", before: str = "") -> str:
    return SUITE.format(before, base, start, f"    {end}" if end else "")


def told(before: str, after: str, **files: str) -> list[tuple[str, str]]:
    return [(one.message, one.severity) for one in judged(before, after, **files)]


LOST = [("nothing runs its body now", "error")]


@pytest.mark.parametrize("edit", [MAKES_GENERATOR, MAKES_COROUTINE], ids=["generator", "coroutine"])
@pytest.mark.parametrize(
    ("base", "before"),
    [("unittest.TestCase", ""), ("Base", "class Base(unittest.TestCase): pass"), ("object", "")],
    ids=["plain", "inherited", "pytest"],
)
def test_nothing_runs_the_body_of_a_method_that_became_a_generator_or_coroutine(edit, base, before):
    assert told(suite(base, before=before), suite(base, edit[0], edit[1], before)) == LOST
    assert told(suite(base, edit[0], edit[1], before), suite(base, edit[0], edit[1], before)) == []


def test_who_awaits_coroutines_runs_them_but_no_generators():
    case = "unittest.IsolatedAsyncioTestCase"
    assert told(suite(case), suite(case, *MAKES_COROUTINE)) == []
    assert told(suite(case), suite(case, *MAKES_GENERATOR)) == LOST
    assert told(suite("test.TestCase"), suite("test.TestCase", *MAKES_COROUTINE)) == []


@pytest.mark.parametrize("edit", [MAKES_GENERATOR, MAKES_COROUTINE], ids=["generator", "coroutine"])
def test_nothing_runs_the_body_of_a_function_that_became_a_generator_or_coroutine(edit):
    assert told(TEST.format("", ""), TEST.format(*edit)) == LOST
    assert [one.kind for one in judged(TEST.format(*edit), "")] == ["deleted"]


@pytest.mark.parametrize(
    ("start", "files"),
    [
        ("@pytest.mark.asyncio\nasync ", {}),
        ("@waits\nasync ", {}),
        ("pytestmark = [pytest.mark.anyio]\n\nasync ", {}),
        ("async ", {"conftest": "def pytest_pyfunc_call(pyfuncitem): ..."}),
    ],
    ids=["mark", "decorator", "mark-of-file", "hook"],
)
def test_a_coroutine_that_a_plugin_may_await_runs(start, files):
    assert told(TEST.format("", ""), TEST.format(start, ""), **files) == []


def test_rows_that_a_generator_gave_to_nose_are_tests():
    assert told(TEST.format("", ""), TEST.format("", "    yield check, 1\n")) == []


SWITCHED = "class Base:\n    {}\n\n\nclass TestCart(Base):\n    {}\n    def test_it(self):\n        assert make().x == 1\n\n\n{}"


@pytest.mark.parametrize("where", [("{}", "pass", ""), ("pass", "{}", ""), ("pass", "pass", "TestCart.{}"), ("pass", "pass", "{}")],
                         ids=["base", "class", "class-of-file", "file"])  # fmt: skip
@pytest.mark.parametrize(
    ("value", "severity"),
    [("bool(os.environ.get('FULL'))", "error"), ("sys.platform == 'win32'", "warning"), ("enabled()", "warning")],
)
def test_a_computed_switch_skips_its_tests_where_it_is_false(where, value, severity):
    switched = SWITCHED.format(*(one.format(f"__test__ = {value}") for one in where))
    assert told(SWITCHED.format("pass", "pass", ""), switched) == [("it is skipped under a condition now", severity)]


def test_the_nearest_switch_decides():
    switched = SWITCHED.format("__test__ = enabled()", "__test__ = True", "")
    assert told(SWITCHED.format("pass", "pass", ""), switched) == []


SKIPPED = "import shop\nfrom shop import Cart\n\n\n{}def test_it():\n    {}\n    assert shop.total(Cart()) == 1\n"
SHOP = "class Cart: ...\n"


@pytest.mark.parametrize("condition", ["sys.argv", "len(sys.argv) >= 1", "__name__ != '__main__'"])
def test_a_condition_that_holds_in_every_run_skips_always(condition):
    skipped = SKIPPED.format(f"@pytest.mark.skipif({condition}, reason='')\n", "pass")
    assert told(SKIPPED.format("", "pass"), skipped) == [("it is skipped now", "error")]


@pytest.mark.parametrize(
    ("mark", "step"),
    [
        ("@pytest.mark.skipif(not hasattr(shop, 'sum'), reason='')\n", "pass"),
        ("@unittest.skipUnless(hasattr(Cart, 'sum'), 'old')\n", "pass"),
        ("@pytest.mark.skipif(os.path.exists('tests/shop.py'), reason='')\n", "pass"),
        ("", "if 'sum' not in dir(shop):\n        pytest.skip('old')"),
        ("", "pytest.importorskip('shop.sums')"),
    ],
    ids=["module", "class", "file", "in-the-test", "submodule"],
)
def test_a_skip_that_files_of_the_repository_decide_is_an_error_where_they_are_there(mark, step):
    before, after = SKIPPED.format("", "pass"), SKIPPED.format(mark, step)
    (kind,) = {one.kind for one in judged(before, after, shop=SHOP)}
    assert kind == "skipped"
    assert [one[1] for one in told(before, after, shop=SHOP)] == ["error"]
    assert [one[1] for one in told(before, after)] == ["warning"]


TIMED_OUT = "def test_it():\n    with pytest.raises(Late):\n        book(desk)\n{}    assert {}\n"


@pytest.mark.parametrize("asserted", ["desk.calls == 3", "desk.rows[0] == 'a'", "desk.bookings == {}"])
def test_what_is_asserted_behind_a_call_that_has_to_raise_is_not_reached(asserted):
    moved = TIMED_OUT.format("    ", asserted)
    assert told(TIMED_OUT.format("", asserted), moved) == [
        ("an assertion can no longer fail: nothing reaches it", "error")
    ]
