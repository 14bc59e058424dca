"""A test that nobody has words for yet may not quietly get weaker either."""

import re

import pytest

from pactkeeper.operators.adopt import change_debt, start_pact
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.reconcile import reconcile_repo
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.request import Request
from pactkeeper.repo.strength.reading import reader
from tests.operators.atoms import accept, found, run
from tests.operators.conftest import ADDS, FILE, REFUSED

DEBT = "pact/debt.txt"


@pytest.fixture
def indebted(shop):
    """The shop with a new pact: both tests are debt."""
    run(shop, start_pact)
    return shop


def test_a_folder_to_start_with_counts_the_folders_below_it(shop):
    shop.write("tests/unit/test_more.py", "def test_more():\n    assert more() == 1\n")
    assert run(shop, start_pact).folders == (("tests", 3), ("tests/unit", 1))


def test_a_line_of_debt_says_how_strong_its_test_is(indebted):
    lines = indebted.read(DEBT).splitlines()
    assert [line.split("~")[1] for line in lines if "::" in line] == ["9x1", "9x1"]


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("assert add(1, 2) == 3", "pass", ("PK116", "error")),
        ("assert add(1, 2) == 3", "add(1, 2)", ("PK116", "error")),
        ("def test_adds", "@pytest.mark.skip\ndef test_adds", ("PK116", "error")),
        ("== 3", "> 0", ("PK116", "warning")),
        ("== 3", "== 4", ("PK107", "warning")),
        ("== 3", "== 3\n    assert add(2, 2) == 4", ("PK107", "warning")),
    ],
    ids=["gutted", "calls alone", "skipped", "looser", "another result", "one assertion more"],
)
def test_debt_that_asserts_less_is_told_from_debt_that_changed(indebted, old, new, finding):
    assert found(indebted) == []
    indebted.replace(FILE, old, new)
    assert found(indebted) == [finding]


def test_recording_the_test_as_it_is_settles_it(indebted):
    indebted.replace(FILE, "== 3", "> 0")
    run(indebted, change_debt, "add", (ADDS,), reason="any positive sum will do")
    assert found(indebted) == []
    assert "~4x1~" in indebted.read(DEBT)


def test_debt_from_before_raises_no_alarm_and_is_marked_by_the_next_accept(indebted):
    indebted.write(DEBT, re.sub("~[^ ]*", "", indebted.read(DEBT)))
    indebted.replace(FILE, "== 3", "> 0")
    assert found(indebted) == [("PK107", "warning")]
    indebted.replace(FILE, "> 0", "== 3")
    accept(indebted, REFUSED)
    assert f"~9x1~{reader()} {ADDS}\n" in indebted.read(DEBT)


MERGED = """\
@pytest.mark.parametrize(("one", "two", "total"), [(5, 6, 11), (2, 2, 4)])
def test_sums(one, two, total):
    assert add(one, two) == total
"""


def merged(shop, after):
    """Replace two debt tests by one, after a commit that has them."""
    shop.write(
        "tests/test_sum.py",
        "def test_three():\n    assert add(5, 6) == 11\n\n\ndef test_four():\n    assert add(2, 2) == 4\n",
    )
    run(shop, change_debt, "add", ("tests/test_sum.py::test_three", "tests/test_sum.py::test_four"), reason="old")
    shop.save("Sums")
    shop.write("tests/test_sum.py", "import pytest\n\n\n" + after)
    report = run(shop, check_repo, StateView())
    return [(row.code, row.subject) for row in report.findings if "test_sum" in row.subject and row.code != "PK203"]


@pytest.mark.parametrize(
    "after",
    [
        MERGED,
        "class TestSum:\n    def test_both(self):\n        assert add(5, 6) == 11\n        assert add(2, 2) == 4\n",
        "def test_other_name():\n    two = 2\n    assert add(two, two) == 4\n",
    ],
    ids=["a table", "one test of a class", "another name"],
)
def test_a_test_made_of_debt_stays_debt_and_prune_records_it(indebted, after):
    assert merged(indebted, after) == []
    run(indebted, change_debt, "prune")
    lines = [line for line in indebted.read(DEBT).splitlines() if "test_sum.py::" in line]
    assert len(lines) == 1
    assert [row.code for row in run(indebted, check_repo, StateView()).findings if "test_sum" in row.subject] == []


@pytest.mark.parametrize("line", ["    assert add(3, 3) == 6\n", "    assert add(one, two) < 9\n"])
def test_a_test_that_asserts_more_than_the_debt_it_replaces_needs_words(indebted, line):
    assert merged(indebted, MERGED + line) == [("PK101", "tests/test_sum.py::test_sums")]


@pytest.mark.parametrize(
    ("body", "finding"),
    [
        ("assert add(1, 2) == 3\n    assert add(2, 2) == 4", ("PK107", "warning")),
        ("assert add(1, 2) == 4", ("PK107", "warning")),
        ("add(1, 2)", ("PK116", "error")),
    ],
    ids=["more", "another result", "nothing"],
)
def test_debt_that_left_its_class_and_changed_is_the_same_debt(shop, body, finding):
    shop.write(FILE, "class TestSums:\n    def test_adds_two_numbers(self):\n        assert add(1, 2) == 3\n")
    run(shop, start_pact)
    shop.write(FILE, f"def test_adds_two_numbers():\n    {body}\n")
    shop.git("commit", "--quiet", "--all", "--message=Dissolve the class")
    run(shop, change_debt, "prune")
    assert [(row.code, row.severity) for row in run(shop, check_repo, StateView()).findings] == [finding]


BY_MODULE = """\
from importlib import import_module

import pytest

from shop import sums


def test_limit():
    assert sums.LIMIT == 3


@pytest.mark.parametrize("number", [1, 2])
def test_each(number):
    assert import_module("shop.sums").add(number, 0) == number


def test_only_calls(number):
    sums.reset(number)
"""


def renamed(shop):
    """Rename a module of the product and its tests, after a commit in which they are debt."""
    shop.write(
        "shop/sums.py", "LIMIT = 3\n\n\ndef add(one, two):\n    return one + two\n\n\ndef reset(number):\n    pass\n"
    )
    shop.write("shop/basket.py", "from shop.sums import add\n\nsums = [1]\ntotals = add(*sums, 2)\n")
    shop.write("tests/test_sums.py", BY_MODULE)
    shop.save("Sums")
    run(shop, start_pact)
    shop.git("mv", "shop/sums.py", "shop/totals.py")
    shop.git("mv", "tests/test_sums.py", "tests/test_totals.py")
    shop.replace("shop/basket.py", "shop.sums", "shop.totals")
    shop.write(
        "tests/test_totals.py",
        BY_MODULE.replace("import sums", "import totals")
        .replace("sums.", "totals.")
        .replace("shop.sums", "shop.totals"),
    )


def test_debt_whose_module_was_renamed_is_debt_even_where_a_text_names_it_or_it_only_calls(shop):
    renamed(shop)
    assert [row for row in run(shop, check_repo, StateView()).findings if row.code != "PK203"] == []
    with shop.open() as workspace:
        assert reconcile_repo(workspace, Request()).needs_words == ()
    run(shop, change_debt, "prune")
    assert run(shop, check_repo, StateView()).findings == ()


READ = "test('adds', () => {\n  expect(add(1, 2)).toBe(3);\n  expect(add(2, 2)).toBe(4);\n});\n"
TWO = READ.replace(";\n  expect(add(2,", ";\n});\ntest('adds twos', () => {\n  expect(add(2,")
ROWS = """\
test.each([[1, 2, 3], [2, 2, 4]])('%i and %i', (one, two, sum) => {
  expect(add(one, two)).toBe(sum);
});
"""
CHOSEN = """\
const isProd = process.env.NODE_ENV === "production"
test("an object", () => {
  expect(() => original({})).toThrowError(isProd ? `nr: 15` : `got: [object Object]`)
  expect(() => original(3)).toThrowError(isProd ? `nr: 15` : `got: 3`)
})
"""
HELPED = """\
const isProd = process.env.NODE_ENV === "production"
function expectRefused(value, shown) {
  expect(() => original(value)).toThrowError(isProd ? `nr: 15` : `got: ${shown}`)
}
test("an object is refused", () => {
  expectRefused({}, "[object Object]")
  expectRefused(3, "3")
})
"""


@pytest.mark.parametrize(
    ("before", "now", "found"),
    [
        (CHOSEN, HELPED, []),
        (CHOSEN, HELPED.replace("original(value)", "other(value)"), ["PK101"]),
        (READ, READ.replace("'adds'", "'sums'").replace("4)", "4);\n  expect(add(0, 0)).toBe(0)"), ["PK101"]),
        (READ, READ.replace("test(", "test.concurrent("), []),
        (READ, READ.replace("add(1, 2)", "add(2, 1)"), ["PK107"]),
        (TWO, ROWS, []),
        (TWO, ROWS.replace("[1, 2, 3]", "[1, 2, 3], [0, 0, 0]"), ["PK101"]),
    ],
    ids=[
        "one of two messages", "of something else", "one assertion more", "declared in another way", "other input",
        "as rows", "one row more",
    ],
)  # fmt: skip
def test_debt_that_is_written_in_another_way_and_asserts_the_same_is_the_same_debt(shop, before, now, found):
    shop.write("sum.test.js", before)
    shop.save("Sums")
    run(shop, start_pact)
    shop.write("sum.test.js", now)
    assert [row.code for row in run(shop, check_repo, StateView()).findings if row.code != "PK203"] == found
    run(shop, change_debt, "prune")
    assert [row.code for row in run(shop, check_repo, StateView()).findings] == found


def test_prune_marks_every_line(indebted):
    indebted.write(DEBT, re.sub("~[^ ]*", "", indebted.read(DEBT)))
    run(indebted, change_debt, "prune")
    assert indebted.read(DEBT).count("~9x1~") == 2


RESTING = """\
import pytest

from shop import add
from tests.helpers import check_sum


@pytest.fixture
def pair():
    return [1, 2]


def check(x):
    assert x == 3


def test_adds_two_numbers(pair):
    assert add(*pair) == 3


def test_by_a_helper_of_its_file():
    check(add(1, 2))


def test_by_a_helper_of_another_file():
    check_sum(add(1, 2))
"""
HELPERS = "tests/helpers.py"
THIRD = f"{FILE}::test_by_a_helper_of_another_file"


@pytest.fixture
def resting(shop):
    """The shop with debt that asserts through its own file, and through another one."""
    shop.write(FILE, RESTING)
    shop.write(HELPERS, "def check_sum(x):\n    assert x == 3\n")
    run(shop, start_pact)
    return shop


def weaker(shop):
    return {
        (row.subject.rpartition("::")[2], row.severity)
        for row in run(shop, check_repo, StateView()).findings
        if row.code == "PK116"
    }


@pytest.mark.parametrize(
    ("path", "old", "new", "found"),
    [
        (HELPERS, "assert x == 3", "return x", {("test_by_a_helper_of_another_file", "error")}),
        (HELPERS, "assert x == 3", "assert x > 0", {("test_by_a_helper_of_another_file", "warning")}),
        (FILE, "assert x == 3", "return x", {("test_by_a_helper_of_its_file", "error")}),
        (FILE, "return [1, 2]", "pytest.skip('later')", {("test_adds_two_numbers", "error")}),
        (HELPERS, "assert x == 3", "wanted = 3\n    assert wanted == x", set()),
    ],
    ids=["gutted", "looser", "gutted in its file", "a fixture that skips", "the same in other words"],
)
def test_debt_that_did_not_change_is_weaker_where_what_it_rests_on_is(resting, path, old, new, found):
    assert weaker(resting) == set()
    resting.replace(path, old, new)
    assert weaker(resting) == found


def test_a_whole_file_that_is_skipped_is_weaker(resting):
    resting.replace(FILE, "import pytest\n", "import pytest\n\npytestmark = pytest.mark.skip\n")
    assert {severity for _, severity in weaker(resting)} == {"error"}
    assert len(weaker(resting)) == 3


def test_prune_does_not_take_a_gutted_helper_for_recorded(resting):
    resting.replace(HELPERS, "assert x == 3", "return x")
    run(resting, change_debt, "prune")
    assert weaker(resting) == {("test_by_a_helper_of_another_file", "error")}
    run(resting, change_debt, "add", (THIRD,), reason="what it gives is looked at elsewhere")
    assert weaker(resting) == set()


def test_prune_records_what_the_debt_rests_on_now(resting):
    before = resting.read(DEBT)
    resting.replace(HELPERS, "assert x == 3", "assert x == 3, 'the sum'")
    run(resting, change_debt, "prune")
    changed = set(resting.read(DEBT).splitlines()) ^ set(before.splitlines())
    assert {line.partition(" ")[2] for line in changed} == {HELPERS}
