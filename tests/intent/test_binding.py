"""Which test a case of a report is."""

from dataclasses import replace

import pytest

from pactkeeper.intent.binding import Files, bind
from pactkeeper.intent.results import Case
from tests.reconcile.worlds import a_test

PY, JS = "tests/unit/test_a.py", "web/a.test.ts"
ROOT = "/home/ada/shop"


def py(name, *suite, file=PY, line=10):
    return a_test(name, file=file, suite=suite, line=line)


def js(name, *suite, file=JS, line=10, **fields):
    return replace(a_test(name, file=file, suite=suite, line=line), language="typescript", **fields)


def bound(case, *tests, paths=()):
    """The ids of the tests that a case is, or the reason why it is none."""
    files = sorted({PY, JS, *(test.file for test in tests), *paths})
    (one,) = bind([case], tests, Files(files, ROOT))
    return one.reason or one.tests


def exact(file, *names, line=0):
    return Case(names, file, line)


def joined(*names, file="", line=0):
    return Case(names, file, line, joined=True)


def test_exact_names_in_their_file_are_the_test():
    one = js("works", "slug", "deep")
    assert bound(exact(f"{ROOT}/{JS}", "slug", "deep", "works"), one) == (one.id,)


@pytest.mark.parametrize("name", ["test_x[1]", "test_x[a::b]", "test_x[x[y]]"])
def test_parameter_sets_are_cases_of_one_python_test(name):
    one = py("test_x", "TestA")
    assert bound(exact(PY, "TestA", name), one) == (one.id,)


def test_brackets_are_part_of_a_title_in_javascript():
    assert bound(exact(JS, "reads [1]"), js("reads")) == "no test has this name"


@pytest.mark.parametrize("classname", ["tests.unit.test_a.TestA", "unit.test_a.TestA", "test_a.TestA"])
def test_dotted_classname_is_read_off_its_end(classname):
    one = py("test_x", "TestA")
    assert bound(joined(classname, "test_x[1]"), one) == (one.id,)


def test_class_of_the_same_name_elsewhere_is_not_taken():
    one = py("test_x", "TestA")
    assert bound(joined("tests.unit.test_b.TestA", "test_x"), one) == "no test has this name"


def test_functions_are_not_taken_for_those_of_a_class_that_nobody_knows():
    tests = (py("test_x"), py("test_y", line=20))
    cases = [joined("other.TestA", test.name) for test in tests]
    found = bind(cases, tests, Files((PY,), ROOT))
    assert [one.tests for one in found] == [(), ()]


def test_module_that_two_folders_have_is_ambiguous():
    two = (py("test_x", file="a/tests/test_a.py"), py("test_x", file="b/tests/test_a.py"))
    assert bound(joined("tests.test_a", "test_x"), *two) == "no test has this name"


@pytest.mark.parametrize(
    "case",
    [
        joined("slug joins words", "slug joins words"),
        joined("slug", "joins words", file=f"{ROOT}/{JS}"),
        joined("joins words", "slug joins words", file=f"{ROOT}/{JS}"),
        joined(JS, "slug > joins words", file=JS),
        joined("a.test.ts", "slug › joins words", file="a.test.ts"),
        joined("slug joins words", file=f"{ROOT}/{JS}"),
    ],
    ids=["jest-junit", "mocha xunit", "mocha-junit", "vitest", "playwright", "mocha json"],
)
def test_every_way_of_running_suites_and_name_together_is_understood(case):
    one = js("joins words", "slug")
    assert bound(case, one, js("joins words", "other")) == (one.id,)


def test_top_level_title_is_not_taken_for_one_inside_a_suite():
    assert bound(joined("slug", "deep"), js("deep")) == "no test has this name"


def test_suite_that_looks_like_a_file_is_a_suite():
    one = js("joins", "slug.js")
    assert bound(joined("slug.js", "joins", file="slug.js"), one, paths=("src/slug.js",)) == (one.id,)


def test_title_of_tests_in_two_files_is_ambiguous_without_a_file():
    two = (js("works"), js("works", file="web/b.test.ts"))
    assert bound(joined("works", "works"), *two).startswith("2 tests can have this name: ")
    assert bound(joined("works", "works", file="web/b.test.ts"), *two) == (two[1].id,)


def test_title_made_at_run_time_is_found():
    one = js("doubles %i to %i", "slug", cases=3)
    assert bound(exact(JS, "slug", "doubles 1 to 2"), one) == (one.id,)
    assert bound(joined("slug doubles 1 to 2", "slug doubles 1 to 2"), one) == (one.id,)


def test_suites_and_title_made_at_run_time_are_compared_part_by_part():
    one = js("works", "%s", "deep", cases=2)
    assert bound(exact(JS, "on Linux", "deep", "works"), one) == (one.id,)
    assert bound(exact(JS, "on Linux", "works"), one) == "no test has this name"


def test_title_that_is_put_together_is_found():
    one = js("'answers ' + code", "app", cases=None, dynamic=True)
    assert bound(joined("app", "answers 404", file=JS), one) == (one.id,)


def test_exact_title_comes_before_one_made_at_run_time():
    one = js("counts 1")
    assert bound(exact(JS, "counts 1"), js("counts ${n}", dynamic=True), one) == (one.id,)


def test_two_titles_made_at_run_time_that_fit_are_ambiguous():
    two = (js("counts ${n}", dynamic=True), js("counts %s", cases=2))
    assert bound(exact(JS, "counts 1"), *two).startswith("2 tests can have this name")


@pytest.mark.parametrize("one", [js("%s", "slug", cases=2), js("t.input", "slug", dynamic=True)])
def test_title_of_which_nothing_stays_the_same_is_told_where_no_other_can_have_the_name(one):
    other = js("words", dynamic=True)
    assert bound(exact(JS, "slug", "a b"), one, other) == (one.id,)
    assert bound(joined(JS, "slug > a b", file=JS), one) == (one.id,)
    assert bound(exact(JS, "slug", "a b"), one, js("name", "slug", dynamic=True)).startswith("2 tests can have")


def test_title_is_not_told_by_elimination_in_a_file_that_was_not_seen_whole():
    one = js("t.input", "slug", dynamic=True)
    (found,) = bind([exact(JS, "slug", "a b")], [one], Files((JS,), ROOT, frozenset({JS})))
    assert found.reason == "no test has this name"


def test_title_in_a_loop_that_the_report_has_is_no_expression():
    one = js("works", "slug", dynamic=True)
    first, second = bind([exact(JS, "slug", "works"), exact(JS, "slug", "fails")], [one], Files((JS,), ROOT))
    assert (first.tests, second.reason) == ((one.id,), "no test has this name")


def test_title_of_which_nothing_stays_the_same_is_never_told_without_a_file():
    assert bound(joined("a b", "a b"), js("%s", cases=2)) == "no test has this name"


def test_line_finds_a_test_whose_name_is_computed():
    one = js("name", "slug", dynamic=True, line=20)
    assert bound(exact(JS, "slug", "a b", line=20), one, js("other", dynamic=True, line=30)) == (one.id,)


def test_line_of_another_test_is_not_taken():
    assert bound(exact(JS, "slug", "a b", line=20), js("written out", line=20)) == "no test has this name"


def test_line_finds_the_class_that_declares_an_inherited_test():
    one = py("test_x", "Base", line=40)
    assert bound(exact(PY, "TestChild", "test_x[1]", line=40), one) == (one.id,)
    assert bound(exact(PY, "TestChild", "test_y", line=40), one) == "no test has this name"


def test_line_chooses_between_tests_of_one_name():
    first, second = js("top", line=10), replace(js("top", line=30), id=f"{JS}::top#2")
    assert bound(exact(JS, "top", line=30), first, second) == (second.id,)


def test_tests_of_one_name_are_all_named_where_nothing_tells_them_apart():
    first, second = js("top", line=10), replace(js("top", line=30), id=f"{JS}::top#2")
    assert bound(exact(JS, "top"), first, second) == (first.id, second.id)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (exact("gone.ts", "works"), "its file is not in the repository"),
        (exact("a.ts", "works"), "its file matches several in the repository"),
        (exact("src/a.ts", "works"), "no test was found in src/a.ts"),
        (exact(JS), "it stands for a whole file, not a test"),
        (exact(JS, "unheard of"), "no test has this name"),
    ],
)
def test_case_that_is_no_test_comes_with_the_reason(case, reason):
    assert bound(case, js("works"), paths=("src/a.ts", "lib/a.ts")) == reason


def test_vitest_puts_the_file_of_a_type_test_first():
    types = js("infers", "compose", file="web/a.test-d.ts")
    case = exact(f"{ROOT}/web/a.test-d.ts", "web/a.test-d.ts", "compose", "infers")
    assert bound(case, types) == (types.id,)
    named = js("infers", "a.test-d.ts", file="web/a.test-d.ts")
    bare = js("infers", file="web/a.test-d.ts")
    assert bound(exact(f"{ROOT}/web/a.test-d.ts", "a.test-d.ts", "infers"), bare, named) == (named.id,)
    assert bound(exact(f"{ROOT}/web/a.test-d.ts", "b.test-d.ts", "infers"), bare) == "no test has this name"
