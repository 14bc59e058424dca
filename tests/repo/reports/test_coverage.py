"""What is read from each format of coverage."""

import pytest

from pactkeeper.intent.coverage import FunctionCoverage
from pactkeeper.intent.results import Case
from pactkeeper.repo.reports import detect, read_coverage
from tests.repo.reports.reading import report, sample

FORMATS = {
    "coverage-py.json": ("coverage.py JSON", "shop/basket.py", (8, 12)),
    "cobertura-py.xml": ("Cobertura XML", "/home/ada/shop/shop/basket.py", (8, 12)),
    "cobertura-istanbul.xml": ("Cobertura XML", "/home/ada/shop/src/slug.js", (2, 3)),
    "lcov-py.info": ("LCOV", "shop/basket.py", (8, 12)),
    "lcov-istanbul.info": ("LCOV", "src/slug.js", (2, 3)),
    "lcov2.info": ("LCOV", "src/shop.c", (4, 4)),
    "istanbul.json": ("Istanbul JSON", "/home/ada/shop/src/slug.js", (2, 3)),
    "istanbul-summary.json": ("Istanbul summary", "/home/ada/shop/src/slug.js", (2, 3)),
}
BASKET_COVERED, BASKET_MISSING = ((1, 3), (5, 7), (10, 10), (14, 14)), ((8, 8), (11, 11), (15, 16))


@pytest.mark.parametrize("name", FORMATS)
def test_format_is_told_by_content_and_lines_are_counted(name):
    form, path, totals = FORMATS[name]
    given = report(sample(name).data, "misleading.txt")
    found = read_coverage(given)
    assert (detect(given).name, path in found.files, found.totals) == (form, True, totals)


@pytest.mark.parametrize("name", ["coverage-py.json", "cobertura-py.xml", "lcov-py.info"])
def test_three_formats_of_one_run_say_the_same_of_its_lines(name):
    file = read_coverage(sample(name)).files[FORMATS[name][1]]
    assert (file.covered, file.missing) == (BASKET_COVERED, BASKET_MISSING)


@pytest.mark.parametrize("name", ["cobertura-istanbul.xml", "lcov-istanbul.info", "istanbul.json"])
def test_formats_of_istanbul_say_the_same_of_its_lines(name):
    file = read_coverage(sample(name)).files[FORMATS[name][1]]
    assert (file.covered, file.missing) == (((1, 2),), ((3, 3),))


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("coverage-py.json", FunctionCoverage("Basket.never", 10, 11, ran=False)),
        ("lcov-py.info", FunctionCoverage("Basket.never", 10, 11, ran=False)),
        ("istanbul.json", FunctionCoverage("never", 2, 4, ran=False)),
        ("lcov-istanbul.info", FunctionCoverage("never", 2, 0, ran=False)),
        ("cobertura-istanbul.xml", FunctionCoverage("(anonymous_0)", 1, 1, ran=True)),
        ("lcov2.info", FunctionCoverage("add", 3, 9, ran=True)),
        ("lcov2.info", FunctionCoverage("helper,with,commas", 20, 0, ran=True)),
    ],
)
def test_functions_are_read_with_whether_they_ran(name, function):
    assert function in read_coverage(sample(name)).files[FORMATS[name][1]].functions


def test_code_outside_of_functions_is_no_function():
    file = read_coverage(sample("coverage-py.json")).files["shop/basket.py"]
    assert "" not in {one.name for one in file.functions}


def test_contexts_say_which_lines_each_test_ran():
    by_test = {one.case: one.files for one in read_coverage(sample("coverage-py.json")).by_test}
    case = Case(("TestBasket", "test_add[-1]"), "tests/unit/test_basket.py")
    assert by_test[case] == {"shop/basket.py": ((3, 3), (6, 7))}


def test_what_ran_on_import_is_said_of_no_test():
    assert all(str(one.case) for one in read_coverage(sample("coverage-py.json")).by_test)


@pytest.mark.parametrize(
    ("context", "case"),
    [
        ("tests/a.py::test_x|setup", Case(("test_x",), "tests/a.py")),
        ("nightly|tests/a.py::test_x|run", Case(("test_x",), "tests/a.py")),
        ("tests.a.TestX.test_y", Case(("tests.a.TestX", "test_y"), joined=True)),
    ],
)
def test_contexts_of_pytest_cov_and_of_coverage_itself_name_tests(context, case):
    file = f'{{"executed_lines": [1], "missing_lines": [], "contexts": {{"1": ["", "{context}"]}}}}'
    given = report(f'{{"meta": {{"version": "7.6"}}, "files": {{"a.py": {file}}}}}')
    assert [one.case for one in read_coverage(given).by_test] == [case]


def test_records_of_one_file_are_summed():
    file = read_coverage(sample("lcov2.info")).files["src/shop.c"]
    assert file.covered == ((3, 4), (11, 11), (20, 20))


def test_summary_knows_how_many_lines_and_not_which():
    file = read_coverage(sample("istanbul-summary.json")).files["/home/ada/shop/src/slug.js"]
    assert (file.hit, file.total, file.covered, file.missing) == (2, 3, (), ())


def test_line_of_a_method_counts_once():
    found = read_coverage(sample("cobertura-istanbul.xml"))
    assert found.totals == (2, 3)


def test_path_below_several_source_folders_stays_relative():
    given = sample("cobertura-py.xml").data.replace(b"<sources>", b"<sources><source>/other</source>")
    assert "basket.py" in read_coverage(report(given)).files


def test_older_istanbul_keeps_a_file_below_data():
    inner = sample("istanbul.json").data.decode()
    body = inner[inner.index(": {") + 2 : inner.rindex("}")]
    given = report(f'{{"a.js": {{"path": "a.js", "data": {body}}}}}')
    assert read_coverage(given).totals == (2, 3)
