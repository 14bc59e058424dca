"""Code that no test reaches."""

from pactkeeper.intent.binding import Files
from pactkeeper.intent.coverage import (
    CodePlace,
    Coverage,
    FileCoverage,
    FunctionCoverage,
    TestLines,
    percent,
    spans,
    uncovered,
)
from pactkeeper.intent.links import link_tests
from pactkeeper.intent.results import Case
from tests.reconcile.worlds import FILE, a_pact, a_record, a_test, an_atom

SHOP, CART = "src/shop.py", "src/cart.py"
RAN, NEVER = FunctionCoverage("ran", 2, 5, ran=True), FunctionCoverage("never", 7, 9, ran=False)


def a_file(*functions, hit=3, total=6):
    return FileCoverage(((1, hit),) if hit else (), ((hit + 1, total),), total, hit, functions)


def report(files, *by_test):
    return Coverage("cov.json", "coverage.py", files, by_test)


def lines_of(test, *lines):
    return TestLines(Case((test,), FILE), {SHOP: spans(lines)})


def found(*reports, sources=(SHOP,)):
    """With the linked test `test_login` and the orphan `test_other`."""
    pact = a_pact(an_atom("IA-1"), records=[a_record("test_login", atoms=["IA-1"])])
    linked = link_tests([a_test("test_login"), a_test("test_other")], pact)
    return uncovered(reports, sources, linked, Files((SHOP, CART, FILE, "lib/cart.py"), "/home/ada/shop"))


def test_function_that_never_ran_is_listed():
    assert found(report({SHOP: a_file(RAN, NEVER)})).functions == (CodePlace(SHOP, 7, "never", 9),)


def test_file_of_which_no_line_ran_is_listed_without_its_functions():
    one = found(report({SHOP: a_file(NEVER, hit=0)}))
    assert (one.files, one.functions) == ((CodePlace(SHOP),), ())


def test_file_without_code_is_not_uncovered():
    assert found(report({SHOP: FileCoverage((), (), 0, 0)})).files == ()


def test_file_that_no_report_names_is_not_called_uncovered():
    one = found(report({SHOP: a_file(RAN)}), sources=(SHOP, CART))
    assert one.files == ()


def test_what_ran_in_one_report_ran():
    once = FunctionCoverage("never", 7, 9, ran=True)
    one = found(report({SHOP: a_file(NEVER, hit=0)}), report({SHOP: a_file(once)}))
    assert (one.files, one.functions) == ((), ())


def test_files_beside_the_sources_are_left_out():
    assert found(report({FILE: a_file(NEVER, hit=0), SHOP: a_file(RAN)})).files == ()


def test_path_that_means_no_file_or_several_is_listed():
    one = found(report({"/usr/lib/x.py": a_file(), "cart.py": a_file(), SHOP: a_file()}))
    assert one.unplaced == ("/usr/lib/x.py", "cart.py")


def test_function_that_only_a_test_without_intent_ran_is_listed():
    one = found(report({SHOP: a_file(RAN)}, lines_of("test_other", 3, 4)))
    assert one.unintended == (CodePlace(SHOP, 2, "ran", 5),)


def test_function_that_a_linked_test_ran_too_has_intent():
    assert not found(report({SHOP: a_file(RAN)}, lines_of("test_other", 3), lines_of("test_login", 4))).unintended


def test_test_that_is_not_known_may_have_intent():
    assert not found(report({SHOP: a_file(RAN)}, lines_of("test_gone", 3))).unintended


def test_loading_a_module_reaches_no_function():
    assert not found(report({SHOP: a_file(RAN)}, lines_of("test_other", 1, 2))).unintended


def test_report_that_does_not_tell_tests_apart_says_nothing_of_intent():
    assert not found(report({SHOP: a_file(RAN)})).unintended


def test_only_all_is_a_hundred_percent():
    assert (percent(1999, 2000), percent(2000, 2000), percent(0, 0)) == ("99.9", "100.0", "-")


def test_lines_that_follow_each_other_are_one_span():
    assert spans([3, 1, 2, 7, 7]) == ((1, 3), (7, 7))
