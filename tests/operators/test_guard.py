"""`pk guard` on a real repository: what a change did to its tests, with or without a pact."""

import shutil
from datetime import date

import pytest

from pactkeeper.advice import Advice
from pactkeeper.errors import UsageError
from pactkeeper.operators.authored import supersede_atom
from pactkeeper.operators.check import Row
from pactkeeper.operators.guard import _of_cause, approve_change, guard_tests
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.authored import AtomChange
from tests.operators.atoms import accept, commit, run
from tests.operators.conftest import ADDS, FILE, REFUSED
from tests.repo.repositories import git

LOOSE = ("== 3", "> 0")
DAY = date(2999, 1, 1)


def guarded(shop, **view):
    with shop.open() as workspace:
        return guard_tests(workspace, StateView(**view), since=None if view.get("staged") else "HEAD")


def codes(report):
    return [(row.code, row.subject) for row in report.findings]


def test_an_unchanged_repository_holds(shop):
    report = guarded(shop)
    assert report.holds
    assert report.findings == ()


def test_a_loosened_assertion_is_an_error_with_both_facets(shop):
    shop.replace(FILE, *LOOSE)
    (row,) = guarded(shop).findings
    assert (row.code, row.severity, row.subject, row.line) == ("PK605", "error", ADDS, 2)
    assert row.detail == ("- add(1, 2) == 3", "+ add(1, 2) > 0")


def test_the_index_is_compared_with_head(shop):
    shop.replace(FILE, *LOOSE)
    assert guarded(shop, staged=True).holds
    shop.git("add", "-A")
    assert not guarded(shop, staged=True).holds


def test_a_test_that_moved_to_another_file_is_no_loss(shop):
    shop.write("tests/test_login.py", shop.read(FILE))
    (shop.root / FILE).unlink()
    assert guarded(shop).findings == ()


def test_a_test_renamed_out_of_collection_is_an_error(shop):
    shop.replace(FILE, "def test_adds", "def check_adds")
    assert codes(guarded(shop)) == [("PK601", ADDS)]


def test_a_setting_that_leaves_a_file_out_is_an_error_although_no_test_changed(shop):
    shop.write("pytest.ini", "[pytest]\npython_files = check_*.py\n")
    assert {(row.code, row.subject) for row in guarded(shop).findings} >= {("PK601", ADDS), ("PK601", REFUSED)}


def test_a_test_that_goes_with_its_code_is_no_error(shop):
    shop.write("shop.py", "def add(a, b):\n    return a + b\n\n\ndef login(token):\n    return token\n")
    shop.save("Add the product")
    shop.write("shop.py", "def login(token):\n    return token\n")
    source = shop.read(FILE)
    shop.write(FILE, source[source.index("def test_expired") :])
    assert guarded(shop).holds


def test_settings_of_a_linter_explain_no_lost_assertion(shop):
    test = "import { expect, it } from 'vitest';\nimport { rank } from './rank';\n\nit('ranks', () => {\n  expect(rank('error')).toBe(2);\n  expect(rank('off')).toBe(0);\n});\n"
    shop.write("package.json", '{ "devDependencies": { "vitest": "3.0.0" } }\n')
    shop.write("src/rank.ts", "export function rank(word) { return word === 'off' ? 0 : 2; }\n")
    shop.write("eslint.config.mjs", "export default [{ rules: { semi: 'error' } }];\n")
    shop.write("src/rank.test.ts", test)
    shop.save("Rank")
    shop.write("eslint.config.mjs", "export default [{ rules: { semi: 'error', quotes: 'error' } }];\n")
    shop.replace("src/rank.test.ts", "  expect(rank('error')).toBe(2);\n", "")
    (row,) = guarded(shop).findings
    assert (row.code, row.severity, row.message) == ("PK604", "error", "an assertion is gone")


SHIPPED = "from shop.fees import fee\n\n\ndef shipped(order):\n    return order + fee(order)\n\n\ndef label(order):\n    return str(order)\n"
SHIPPING = ("def test_shipped():\n    assert shipped(1) == 3\n", "def test_label():\n    assert label(1) == '1'\n")


@pytest.mark.parametrize(("gone", "source", "severity"), [
    (0, SHIPPED, "warning"), (1, SHIPPED, "error"), (0, SHIPPED.replace("shop.fees", "shop.other"), "error"),
])  # fmt: skip
def test_a_test_may_go_with_a_change_of_what_its_code_calls_in_another_file(shop, gone, source, severity):
    shop.write("src/shop/fees.py", "def fee(order):\n    return order * 2\n")
    shop.write("src/shop/shipping.py", source)
    shop.write("tests/test_shipping.py", "\n\n".join(SHIPPING))
    shop.save("shipping")
    shop.write("src/shop/fees.py", "def fee(order):\n    return order * 5\n")
    shop.write("tests/test_shipping.py", SHIPPING[1 - gone])
    assert [row.severity for row in guarded(shop).findings] == [severity]


CHAIN = {
    "src/shop/limits.py": "LIMIT = 3\n",
    "src/shop/fees.py": "from shop.limits import LIMIT\n\n\ndef fee(order):\n    return min(order, LIMIT)\n",
    "src/shop/bills.py": "from shop.fees import fee\n\n\nclass Bill:\n    def __init__(self, order):\n        self.sum = fee(order)\n",
    "src/shop/shipping.py": SHIPPED.replace("shop.fees import fee", "shop.bills import Bill").replace("fee(order)", "Bill(order).sum"),
    "web/core.ts": "const inner = <T extends object>(one: T) => {\n  return freeze(one)\n}\n"
    "const [first] = [inner];\n\nexport function shown<T>(one: T) {\n  return first(one)\n}\n",
}  # fmt: skip
SHOWN = "import {{ expect, it }} from 'vitest';\nit('{0}', () => {{\n  expect({0}(1)).toBe(2);\n}});\n"


@pytest.mark.parametrize(("path", "old", "new"), [
    ("src/shop/limits.py", "3", "4"), ("web/core.ts", "freeze(one)", "one"),
])  # fmt: skip
def test_a_test_may_go_with_a_change_far_below_what_it_calls(shop, path, old, new):
    tests = {"tests/test_shipping.py": "{1}\n\n{0}".format(*SHIPPING), "web/core.test.ts": SHOWN.format("shown")}
    for name, text in {**CHAIN, **tests}.items():
        shop.write(name, text)
    shop.save("shipping")
    shop.write(path, CHAIN[path].replace(old, new))
    shop.write("tests/test_shipping.py", SHIPPING[1] if path.startswith("src") else tests["tests/test_shipping.py"])
    shop.write("web/core.test.ts", SHOWN.format("shown") if path.startswith("src") else SHOWN.format("other"))
    assert {row.severity for row in guarded(shop).findings} == {"warning"}
    shop.write("tests/test_shipping.py", "")
    assert "error" in {row.severity for row in guarded(shop).findings}


ADDED = [
    f"def test_{name}():\n    assert add({n}, 1) == {n + 1}\n" for name, n in (("one", 1), ("two", 2), ("ten", 10))
]
SUMS = (
    "import pytest\n\n@pytest.mark.parametrize(('text', 'sum'), [{0}])\ndef test_every(text, sum):\n"
    "    one, other = text.split('+')\n    assert add(int(one), int(other)) == sum\n"
)


@pytest.mark.parametrize(
    ("rows", "severities"),
    [
        ([(4, 4), (1, 1), (2, 1), (10, 1)], {"warning"}),
        ([(4, 4), (1, 1)], {"error", "warning"}),
        ([(4, 4), (3, 3), (5, 5), (6, 6)], {"error"}),
    ],
)
def test_each_row_that_is_new_may_stand_for_a_test_that_is_gone(shop, rows, severities):
    def table(*rows):
        return SUMS.format(", ".join(f"('{one}+{other}', {one + other})" for one, other in rows))

    shop.write("tests/test_sums.py", table((4, 4)) + "\n\n" + "\n\n".join(ADDED))
    shop.save("sums")
    shop.write("tests/test_sums.py", table(*rows))
    assert {row.severity for row in guarded(shop).findings if row.code == "PK601"} == severities


PRINTS = "def run(order):\n    {0}\n"
RAN = "def test_run(capsys):\n    assert run(1) == 'Order 17 is shipped'\n"
PRINTED = "def test_run(capsys):\n    assert run(1)\n    assert capsys.readouterr().out.splitlines() == ['{0}', '']\n"
LOGS = "def test_{0}(caplog):\n    Shop(1).run()\n    assert caplog.{1}\n"


@pytest.mark.parametrize(("product", "said", "severity"), [
    ("print('Order 17 is', 'shipped')", "Order 17 is shipped", "warning"),
    ("print('Order 17 is', 'shipped')", "Done", "error"),
    ("return 'Order 17 is shipped'", "Order 17 is shipped", "error"),
])  # fmt: skip
def test_what_changed_code_answered_may_be_expected_of_what_it_prints(shop, product, said, severity):
    shop.write("shop.py", PRINTS.format("return 'Order 17 is shipped'"))
    shop.write("tests/test_run.py", RAN)
    shop.save("run")
    shop.write("shop.py", PRINTS.format(product))
    shop.write("tests/test_run.py", PRINTED.format(said))
    assert {row.severity for row in guarded(shop).findings} == {severity}


@pytest.mark.parametrize(
    ("product", "severity"), [("class Shop:\n    def run(self):\n        warn()\n", "warning"), ("", "error")]
)
def test_what_is_logged_is_about_all_that_a_test_does(shop, product, severity):
    shop.write("src/shop/core.py", "class Shop:\n    def run(self):\n        pass\n")
    shop.write("tests/test_logs.py", LOGS.format("quiet_run", "messages == ['fails']"))
    shop.save("logs")
    shop.write("tests/test_logs.py", LOGS.format("loud_run", "messages"))
    if product:
        shop.write("src/shop/core.py", product)
    assert {row.severity for row in guarded(shop).findings} == {severity}


def test_a_test_that_replaces_what_another_one_asserted_does_not_stand_for_it(shop):
    shop.write("tests/test_sums.py", ADDED[0])
    shop.save("sums")
    faked = "def test_all(monkeypatch):\n    monkeypatch.setattr('sums.add', lambda *_: 3)\n    add(2, 3)\n    assert total(1, 2) == 6\n"
    shop.write("tests/test_sums.py", faked)
    assert [row.severity for row in guarded(shop).findings] == ["error"]
    shop.write("tests/test_sums.py", faked.replace("sums.add", "sums.other"))
    assert [row.severity for row in guarded(shop).findings] == ["warning"]


def test_a_table_whose_rows_say_the_same_twice_may_move_to_another_name(shop):
    rows = SUMS.format("('1+1', 2), ('1+1', 2)")
    shop.write("tests/test_sums.py", rows)
    shop.save("sums")
    other = SUMS.format("('5+5', 10)").replace("import pytest\n", "")
    shop.write("tests/test_sums.py", rows.replace("test_every", "test_twice") + other)
    assert guarded(shop).holds


def test_what_a_fixture_asserts_stands_where_a_test_of_another_file_reaches_it(shop):
    fixture = (
        "import pytest\n\n@pytest.fixture\ndef box():\n    made = Box()\n    yield made\n    assert made.errors == []\n"
    )
    shop.write("tests/conftest.py", fixture)
    shop.write("tests/test_box.py", "def test_size(box):\n    assert box.size == 3\n")
    shop.write("tests/test_names.py", "def test_name(box):\n    assert box.name == 'a'\n")
    shop.save("Add a box")
    shop.write("tests/test_names.py", "def test_every_field_of_a_new_one():\n    assert Box().name == 'a'\n")
    assert guarded(shop).holds
    shop.replace("tests/test_box.py", "box", "crate")
    assert ("PK601", "tests/test_names.py::test_name") in codes(guarded(shop))


_FAKED = "it('charges', async () => {\n  const pay = jest.fn().mockReturnValue(1);\n  expect(buy(pay)).toBe(2);\n});\n"
_STORED = "// Jest Snapshot v1, https://goo.gl/fbAQLP\n\nexports[`cart prints 1`] = `one`;\n"


def test_a_file_of_tests_that_goes_from_jest_to_vitest_says_the_same(shop):
    shop.write("web/a.test.js", _FAKED)
    shop.write("web/__snapshots__/a.test.js.snap", _STORED)
    shop.save("Add a cart")
    shop.write("web/a.test.js", "import { expect, it, vi } from 'vitest';\n" + _FAKED.replace("jest.", "vi."))
    new = _STORED.replace(
        "Jest Snapshot v1, https://goo.gl/fbAQLP", "Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html"
    )
    shop.write("web/__snapshots__/a.test.js.snap", new.replace("cart prints", "cart > prints"))
    assert guarded(shop).findings == ()
    shop.write("web/__snapshots__/a.test.js.snap", new.replace("one", "two"))
    shop.replace("web/a.test.js", "mockReturnValue(1)", "mockReturnValue(3)")
    assert [row.code for row in guarded(shop).findings] == ["PK609", "PK610"]


def test_a_helper_that_asserts_no_more_is_an_error(shop):
    shop.write("tests/helpers.py", "def check(x):\n    assert x == 1\n")
    shop.save("Add a helper")
    shop.write("tests/helpers.py", "def check(x):\n    return x\n")
    assert [row.code for row in guarded(shop).findings if row.severity == "error"] == ["PK603"]


def test_a_file_whose_content_git_lacks_is_said_not_to_be_seen(shop):
    shop.write("media/logo.sketch", "drawn")
    shop.save("Add a logo")
    blob = git(shop.root, "rev-parse", "HEAD:media/logo.sketch")
    (shop.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    (shop.root / "media/logo.sketch").unlink()
    shop.replace(FILE, *LOOSE)
    report = guarded(shop)
    assert [row.code for row in report.findings] == ["PK605"]
    assert "media/logo.sketch: git does not have its content" in report.unseen


def test_what_a_sparse_checkout_leaves_out_is_not_gone(shop):
    shop.write("web/tsconfig.json", '{"compilerOptions": {"strict": true}}')
    shop.write(".github/workflows/ci.yml", "jobs: {a: {steps: [{run: pytest}]}}")
    shop.save("Add settings")
    shop.git("sparse-checkout", "set", "--no-cone", "/tests/", "/src/")
    shop.write(".github/workflows/lint.yml", "jobs: {a: {steps: [{run: ruff check}]}}")
    assert guarded(shop).findings == ()


def test_a_committed_promise_is_named(shop):
    shop.replace(FILE, *LOOSE)
    (row,) = guarded(shop).findings
    assert not any("committed" in line for line in row.detail)


def test_an_approval_counts_once_it_stands_in_the_base(shop):
    shop.replace(FILE, *LOOSE)
    (row,) = guarded(shop).findings
    with shop.open() as workspace:
        approve_change(workspace, row.fingerprint, why="any sum will do", until=DAY, since="HEAD")
    assert not guarded(shop).holds
    shop.git("add", ".pactkeeper")
    shop.git("commit", "-qm", "Approve")
    report = guarded(shop)
    assert report.holds
    assert next(why for _, why in report.approved).endswith("any sum will do")


def test_an_approval_ends_with_its_day(shop):
    shop.replace(FILE, *LOOSE)
    (row,) = guarded(shop).findings
    with shop.open() as workspace:
        approve_change(workspace, row.fingerprint, why="for now", until=date(2000, 1, 1), since="HEAD")
    shop.git("add", ".pactkeeper")
    shop.git("commit", "-qm", "Approve")
    assert not guarded(shop).holds


TABLE = """import pytest
from shop import square

@pytest.mark.parametrize(("one", "result"), [(1, 1), (2, 4), (3, 9), (4, 16)])
def test_squares(one, result):
    assert square(one) == result
"""


def test_findings_of_one_cause_name_each_test_and_the_lines_that_are_known():
    rows = [
        Row("PK610", "warning", test.partition("::")[0], line, test, "", "changed", Advice(""), "")
        for test, line in (
            ("a.py::one", 3),
            ("b.py::two", 0),
            ("c.py::three", 4),
            ("c.py::three", 9),
            ("c.py::four", 0),
        )
    ]
    told = ("and 4 more of this kind:", "  b.py::two", "  c.py::four", "  c.py::three (at 4, 9)")
    assert _of_cause(rows).detail == told


def test_each_assertion_that_a_test_lost_for_one_reason_is_shown():
    lost = ("a.py::one", "- f(1) == 2"), ("a.py::one", "- f(range(2)) == 3"), ("a.py::two", "- f(4) == 5")
    rows = [Row("PK604", "warning", "a.py", 3, name, "", "gone", Advice(""), "", (line,)) for name, line in lost]
    told = ("- f(1) == 2", "and 2 more of this kind:", "  a.py::one (at 3)", "- f(range(2)) == 3", "  a.py::two (at 3)")
    assert _of_cause(rows).detail == told


def test_deleted_tests_of_one_file_are_all_named(shop):
    texts = [f"def test_{name}():\n    assert add({name!r}, '') == {name!r}\n" for name in ("one", "two", "three")]
    shop.write("shop.py", "def add(a, b):\n    return a + b\n")
    shop.write("tests/test_more.py", "\n\n".join(["from shop import add", *texts]))
    shop.save("Add three tests")
    shop.write("shop.py", "def add(a, b):\n    return b + a\n")
    shop.write("tests/test_more.py", "")
    (row,) = (one for one in guarded(shop).findings if one.code == "PK601")
    listed = {row.subject, *(line.strip() for line in row.detail if line.startswith("  "))}
    assert listed == {f"tests/test_more.py::test_{name}" for name in ("one", "two", "three")}


def test_tests_that_are_left_with_the_same_hollow_line_have_one_cause(shop):
    head = "from shop import add\n\n"
    tests = "def test_{0}():\n    {1}assert {2} is not None\n\n"
    shop.write("shop.py", "def add(a, b):\n    return a + b\n")
    shop.write("tests/test_more.py", head + "".join(tests.format(one, "", f"add({one!r}, 1)") for one in "abc"))
    shop.git("add", "-A")
    shop.git("commit", "-qm", "Add three tests")
    own = "def run():\n        add(1, 2)\n    "
    shop.write("tests/test_more.py", head + "".join(tests.format(one, own, "run") for one in "abc"))
    (row,) = guarded(shop).findings
    assert (row.code, row.severity, "and 2 more of this kind:" in row.detail) == ("PK603", "error", True)


def test_all_cases_of_a_line_are_approved_at_once(shop):
    shop.write("tests/test_table.py", TABLE)
    shop.save("Add a table")
    shop.replace("tests/test_table.py", "== result", "> 0")
    (row,) = guarded(shop).findings
    assert row.detail[-2] == "and 3 more of this kind:"
    assert row.detail[-1].endswith("(at 6)")
    with shop.open() as workspace:
        assert approve_change(workspace, f"tests/test_table.py:{row.line}", why="ok", until=DAY, since="HEAD") == 4
    shop.git("add", ".pactkeeper")
    shop.git("commit", "-qm", "Approve")
    assert guarded(shop).holds


def test_what_is_approved_already_is_not_written_twice(shop):
    shop.replace(FILE, *LOOSE)
    (row,) = guarded(shop).findings
    with shop.open() as workspace:
        approve_change(workspace, row.fingerprint, why="ok", until=DAY, since="HEAD")
        with pytest.raises(UsageError, match="already"):
            approve_change(workspace, row.fingerprint, why="ok", until=DAY, since="HEAD")


def test_an_unknown_fingerprint_is_refused(shop):
    with shop.open() as workspace, pytest.raises(UsageError, match="g1:nothing"):
        approve_change(workspace, "g1:nothing", why="?", until=DAY, since="HEAD")


def test_a_fingerprint_of_another_base_is_refused_with_what_is_missing(shop):
    with (
        shop.open() as workspace,
        pytest.raises(UsageError, match="as printed, and --since if `pk guard` was given it"),
    ):
        approve_change(workspace, "g1:nothing", why="?", until=DAY)


def test_a_commit_needs_a_base(shop):
    with shop.open() as workspace, pytest.raises(UsageError, match="--since"):
        guard_tests(workspace, StateView("HEAD"))


# @atom IA-XBSKV3A
def test_a_test_that_is_being_typed_is_unread_and_no_weakening(shop):
    shop.write(FILE, "def test_adds_two_numbers(:\n    assert add(1")
    found = [(row.code, row.severity) for row in guarded(shop).findings if row.subject == ADDS]
    assert found == [("PK613", "warning")]


def test_a_changed_file_that_cannot_be_read_is_a_warning_and_not_taken_for_fine(shop):
    shop.write(FILE, shop.read(FILE) + "\ndef test_broken(:\n")
    rows = [row for row in guarded(shop).findings if row.path == FILE and row.subject == FILE]
    assert [(row.code, row.severity) for row in rows] == [("PK613", "warning")]
    assert "could not be compared" in rows[0].message


def test_a_broken_file_that_the_change_left_alone_is_no_warning(shop):
    shop.write("tests/test_old.py", "def test_broken(:\n")
    shop.save("Break a file")
    shop.replace(FILE, *LOOSE)
    assert [row.code for row in guarded(shop).findings] == ["PK605"]


def test_a_test_that_another_one_repeats_is_no_loss(shop):
    double = "def test_twice():\n    assert add(2, 2) == 4\n\n\ndef test_once():\n    assert add(2, 2) == 4\n"
    shop.write("tests/test_double.py", double)
    shop.save("double")
    shop.write("tests/test_double.py", double[double.index("def test_once") :])
    assert codes(guarded(shop)) == []

    shop.write("tests/test_double.py", "def test_once():\n    assert add(2, 2)\n")
    assert codes(guarded(shop)) != []


def test_a_deleted_test_is_not_taken_for_one_that_nothing_collects(shop):
    shop.write("tests/test_names.py", "class TestA:\n    def test_x(self):\n        assert a() == 1\n\n\n"
               "class TestB:\n    def test_x(self):\n        assert b() == 1\n")  # fmt: skip
    shop.save("names")
    shop.write("tests/test_names.py", "class TestA:\n    def test_x(self):\n        assert a() == 1\n")
    assert "nothing collects" not in str(guarded(shop))


def test_a_fixture_of_a_conftest_that_skips_now_is_an_error(shop):
    shop.write("tests/conftest.py", "import pytest\n\n@pytest.fixture\ndef rows():\n    return [1]\n")
    shop.write("tests/test_rows.py", "def test_rows(rows):\n    assert len(rows) == 1\n")
    shop.save("Add rows")
    shop.replace("tests/conftest.py", "return", "pytest.skip('later')\n    return")
    (row,) = guarded(shop).findings
    assert (row.code, row.severity, row.subject) == ("PK602", "error", "tests/conftest.py::rows")


INHERITED = """\
import pytest

class TestA:
    def test_x(self):
        assert read() == 1

class TestB(TestA):
    mode = 2

class TestC(TestB):
    mode = 3
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("class TestC(TestB):\n    mode = 3\n", "", [("PK601", "TestC")]),
        ("class TestC(TestB)", "class TestC", [("PK601", "TestC")]),
        ("class TestC", "@pytest.mark.skip\nclass TestC", [("PK601", "TestC")]),
        ("mode = 3", "pytestmark = pytest.mark.skip(reason='')", [("PK601", "TestC")]),
        ("mode = 3", "pytestmark = [pytest.mark.skip]", [("PK601", "TestC")]),
        ("mode = 3", "pytestmark = pytest.mark.skipif(slow(), reason='')", [("PK602", "TestA::test_x")]),
        ("mode = 3", "pytestmark = pytest.mark.xfail", [("PK602", "TestA::test_x")]),
        ("mode = 3", "__test__ = False", [("PK601", "TestC")]),
        ("mode = 3", "def test_x(self):\n        pass", [("PK603", "TestC::test_x")]),
        ("TestC", "TestD", []),
    ],
)
def test_a_class_that_no_longer_runs_an_inherited_test_is_told(shop, old, new, told):
    path = "tests/test_kinds.py"
    shop.write(path, INHERITED)
    shop.save("Add kinds")
    shop.replace(path, old, new)
    assert codes(guarded(shop)) == [(code, f"{path}::{name}") for code, name in told]


def test_a_file_that_goes_with_a_class_that_inherits_is_told(shop):
    path = "tests/test_more.py"
    shop.write("tests/test_kinds.py", "class TestA:\n    def test_x(self):\n        assert read() == 1\n")
    shop.write(path, "from tests.test_kinds import TestA\n\nclass TestB(TestA):\n    mode = 2\n")
    shop.save("Add kinds")
    (shop.root / path).unlink()
    assert codes(guarded(shop)) == [("PK601", f"{path}::TestB")]


def test_a_renamed_class_still_runs_what_it_inherits_where_another_one_is_deleted(shop):
    mixin = "class Kinds:\n    def test_x(self):\n        assert self.read() == 1\n"
    made = "from tests.kinds import Kinds\n\nclass Test{0}(Kinds):\n    def test_own_{0}(self):\n        assert {0}() == 2\n"
    shop.write("tests/kinds.py", mixin)
    shop.write("tests/test_one.py", made.format("a"))
    shop.write("tests/test_two.py", made.format("b"))
    shop.save("Add kinds")
    shop.replace("tests/test_one.py", "class Testa", "class TestRenamed")
    (shop.root / "tests/test_two.py").unlink()
    told = {row.subject for row in guarded(shop).findings if "inherits" in row.message}
    assert told == {"tests/test_two.py::Testb"}
    shop.replace("tests/test_one.py", "TestRenamed(Kinds)", "TestRenamed")
    told = {row.subject for row in guarded(shop).findings if row.code == "PK601" and row.severity != "note"}
    assert any("Kinds" in one or "Testa" in one for one in told)


KINDS = """\
import pytest

class TestA:
    @pytest.fixture
    def kind(self):
        return Kind(1)

    def test_x(self, kind):
        assert kind.size == self.size()

    def size(self):
        return 1

class TestB(TestA):
    @pytest.fixture
    def kind(self):
        return Kind(2)

    def size(self):
        return 2
"""


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("Kind(2)", "Kind(3)", "PK610"),
        ("return Kind(2)", "pytest.skip('later')", "PK604"),
        ("return 2", "return Kind(2).size", "PK604"),
        ("class TestB(TestA)", "class TestB", "PK604"),
    ],
)
def test_what_a_class_changes_of_inherited_tests_is_compared(shop, old, new, code):
    path = "tests/test_kinds.py"
    shop.write(path, KINDS)
    shop.save("Add kinds")
    shop.replace(path, old, new)
    (row,) = [one for one in guarded(shop).findings if one.subject == f"{path}::TestA::test_x"]
    assert (row.code, row.detail[0]) == (code, "- Kind(2).size == 2")


@pytest.mark.parametrize(("params", "severity"), [("[1]", "warning"), ("[]", "error")])
def test_a_fixture_of_a_conftest_with_fewer_rows_is_told(shop, params, severity):
    fixture = "import pytest\n\n@pytest.fixture(params=[1, 2])\ndef rows(request):\n    return make(request.param)\n"
    shop.write("tests/conftest.py", fixture)
    shop.save("Add rows")
    shop.replace("tests/conftest.py", "[1, 2]", params)
    (row,) = guarded(shop).findings
    assert (row.code, row.severity, row.subject) == ("PK605", severity, "tests/conftest.py::rows")


def test_a_promise_that_the_change_replaces_is_told_with_what_replaces_it(shop):
    accept(shop, ADDS)
    (old,) = (link.atom for link in shop.world().by_id[ADDS].links)
    commit(shop, old)
    shop.save("Promise")
    shop.replace(FILE, *LOOSE)
    assert guarded(shop).findings[0].detail[-1] == f"it proves {old}, which is committed"
    new = run(shop, supersede_atom, old, AtomChange(intent="Adding positive numbers gives a positive number.")).new
    assert guarded(shop).findings[0].detail[-1] == f"it proves {old}, which is committed"
    commit(shop, new)
    told = f"it proved {old}, which the change replaces with {new}, committed as well: Adding positive numbers gives a positive number."
    assert guarded(shop).findings[0].detail[-1] == told


def test_a_type_test_outside_of_any_test_is_compared(shop):
    path = "typings/index.test-d.ts"
    shop.write(path, "expectType<Option>(base.env('PORT'))\n")
    shop.save("A type test")
    shop.write(path, "expectType<any>(base.env('PORT'))\n")
    assert codes(guarded(shop)) == [("PK605", f"{path}::types")]
    (shop.root / path).unlink()
    assert codes(guarded(shop)) == [("PK601", f"{path}::types")]


def test_a_type_test_changed_with_the_declaration_it_is_about_is_no_error(shop):
    path, types = "typings/index.tst.ts", "typings/index.d.ts"
    shop.write(types, "export type Reply = { code: number };\n")
    shop.write(path, "expect(x).type.toBe<Reply>()\nexpect(x).type.toBeAssignableTo<Partial<Reply>>()\n")
    shop.save("A type and its test")
    shop.write(types, "export type Answer = { code: number };\n")
    shop.write(path, "expect(x).type.toBe<Answer>()\n")
    assert {row.severity for row in guarded(shop).findings} <= {"warning", "info"}


PACKAGE = {"demo/package.json": '{"scripts": {"test": "jest"}}', "demo/index.js": "export const one = () => 1;\n"}
SPEC = "import { pad } from 'pad';\ntest('one', () => { expect(pad(1)).toBe('1'); });\n"


@pytest.mark.parametrize(("kept", "severities"), [((), {"warning"}), (("demo/index.js",), {"error"})])
def test_tests_may_go_with_the_whole_package_they_belong_to(shop, kept, severities):
    for path, text in {**PACKAGE, "demo/index.test.js": SPEC}.items():
        shop.write(path, text)
    shop.save("A demonstration")
    for path in {*PACKAGE, "demo/index.test.js"} - set(kept):
        (shop.root / path).unlink()
    assert {row.severity for row in guarded(shop).findings if "one" in row.subject} == severities


@pytest.mark.parametrize(
    ("named", "severity"),
    [("", "warning"), ("run: cd examples/web && npm test\n", "error"), ('packages: ["examples/*"]\n', "error")],
    ids=["nothing runs it", "a step runs it", "a part of the project"],
)
def test_what_goes_with_a_whole_package_is_a_warning_unless_something_names_the_package(shop, named, severity):
    shop.write("examples/web/package.json", '{"scripts": {"test": "jest"}, "devDependencies": {"jest": "29"}}')
    shop.write("examples/web/web.test.js", "test('greets', () => { expect(greet()).toBe('hello') })\n")
    shop.write("package.json", "{}")
    shop.write("ci.yml", named)
    shop.save("Example")
    shutil.rmtree(shop.root / "examples")
    found = guarded(shop).findings
    assert {row.code for row in found} == {"PK601"}
    assert {row.severity for row in found} == {severity}


def left(shop, before, after):
    """The severities of what is said where these files, None for none, become those."""
    for files, message in ((before, "before"), (after, "after")):
        for path, text in files.items():
            if text is None:
                (shop.root / path).unlink()
            else:
                shop.write(path, text)
        if message == "before":
            shop.save(message)
    return {row.severity for row in guarded(shop).findings}


CALLED = "def test_decode():\n    assert box.read_long(1) == 3\n"
NATIVE = "int read_long(int size) {\n    return size;\n}\n"


@pytest.mark.parametrize(
    ("after", "severity"), [(NATIVE.replace("int size", "long size"), "warning"), (NATIVE, "error")]
)
def test_a_test_may_go_with_a_change_of_compiled_code(shop, after, severity):
    kept = "\n\ndef test_kept():\n    assert 1 + f() == 2\n"
    before = {"src/box.c": NATIVE, "tests/test_box.py": CALLED + kept}
    assert left(shop, before, {"src/box.c": after, "tests/test_box.py": kept.lstrip()}) == {severity}


@pytest.mark.parametrize(("plugin", "severity"), [("def other():\n    return 1\n", "warning"), (None, "error")])
def test_a_test_may_go_with_a_fixture_that_the_product_gave(shop, plugin, severity):
    given = "def event_loop():\n    return 1\n\n\ndef other():\n    return 1\n"
    source = "def test_runs(event_loop):\n    assert now() == 1\n\n\ndef test_kept():\n    assert f() == 2\n"
    after = {"src/plugin.py": plugin or given, "tests/test_loop.py": source[source.index("def test_kept") :]}
    assert left(shop, {"src/plugin.py": given, "tests/test_loop.py": source}, after) == {severity}


def test_a_test_that_a_written_program_holds_now_is_a_warning(shop):
    source = "def test_inner():\n    assert f() == 2\n"
    run = f'def test_outer(pytester):\n    pytester.makepyfile("""\\\n{source}""")\n    assert pytester.runpytest().ret == 0\n'
    assert left(shop, {"tests/test_loop.py": source}, {"tests/test_loop.py": run}) == {"warning"}


# @atom IA-CNDGRWP
@pytest.mark.parametrize(
    "text", ['"""\n{}"""\n', 'OLD = """\n{}"""\n', 'def test_now():\n    """\n{}"""\n    assert g() == 2\n']
)
def test_a_test_that_is_commented_out_as_a_text_is_gone(shop, text):
    source = "def test_inner():\n    assert f() == 2\n"
    assert "error" in left(shop, {"tests/test_loop.py": source}, {"tests/test_loop.py": text.format(source)})


def test_a_test_that_becomes_a_suite_is_a_warning(shop):
    package = {"package.json": '{"devDependencies": {"vitest": "3"}}'}
    old = "import { test, expect } from 'vitest';\ntest('levels', ({ end }) => { end(); });\n"
    new = "import { describe, test, expect } from 'vitest';\ndescribe('levels', () => { test('a', () => { expect(f()).toBe(1); }); });\n"
    assert left(shop, {**package, "test/a.test.js": old}, {"test/a.test.js": new}) == {"warning"}


TYPED = "expectError<string>(log({a: 1}, 'x %s', {}))\n"


@pytest.mark.parametrize(
    ("declared", "severity"), [("interface Log { (a: object): void }\n", "warning"), (None, "error")]
)
def test_a_type_test_is_no_proof_where_declared_types_changed(shop, declared, severity):
    before = {
        "package.json": '{"devDependencies": {"tsd": "1"}}',
        "index.d.ts": "interface Log { (): void }\n",
        "test/index.test-d.ts": "import { expectError } from 'tsd'\n" + TYPED + "expectError(info(1))\n",
    }
    after = {"test/index.test-d.ts": before["test/index.test-d.ts"].replace(TYPED, "")}
    assert left(shop, before, after | ({"index.d.ts": declared} if declared else {})) == {severity}


INVOICE = "class Invoice:\n    def __init__(self, net):\n        self.net = net\n\n    def total(self):\n        return self.net - 4\n"


@pytest.mark.parametrize(("module", "name", "said"), [("billing", "Bill", []), ("tests.support", "Draft", ["PK608"])])
def test_a_class_under_its_new_name_is_the_same_and_a_fake_in_its_place_is_not(shop, module, name, said):
    shop.write("billing.py", INVOICE)
    shop.write(FILE, "from billing import Invoice\n\n\ndef test_total():\n    assert Invoice(7).total() == 3\n")
    shop.save("invoices")
    shop.replace("billing.py", "Invoice", "Bill")
    shop.write("tests/support.py", INVOICE.replace("Invoice", "Draft"))
    shop.write(FILE, f"from {module} import {name}\n\n\ndef test_total():\n    assert {name}(7).total() == 3\n")
    assert [row.code for row in guarded(shop).findings] == said


SLUG = "from names import slug\n\n\ndef test_slug():\n    assert slug('A b') == 'a-b'\n"
FAKING = """import names
import pytest


@pytest.fixture(autouse=True)
def stable(monkeypatch):
    monkeypatch.setattr(names, "slug", lambda text: "a-b")
"""


@pytest.mark.parametrize("known", [None, "import pytest\n"])
def test_a_new_fixture_for_every_test_that_fakes_what_they_assert_is_an_error(shop, known):
    shop.write("tests/test_slug.py", SLUG)
    if known is not None:
        shop.write("tests/conftest.py", known)
    shop.save("names")
    shop.write("tests/conftest.py", FAKING)
    assert codes(guarded(shop)) == [("PK608", "tests/test_slug.py::test_slug")]
    shop.write("tests/conftest.py", FAKING.replace('"slug"', '"other"'))
    assert codes(guarded(shop)) == []


def test_two_tests_may_become_one_that_says_more(shop):
    refused = "    with pytest.raises(ValueError):\n        get('/gone')\n"
    first = f"import pytest\n\n\ndef test_refused():\n{refused}"
    second = f"\n\ndef test_not_kept():\n{refused}    assert '/gone' not in cache\n"
    shop.write("tests/test_cache.py", first + second)
    shop.save("cache")
    both = first.replace("ValueError", "ValueError, match='gone'") + "    assert '/gone' not in cache\n"
    shop.write("tests/test_cache.py", both)
    assert [row for row in guarded(shop).findings if row.severity == "error"] == []
    shop.write("tests/test_cache.py", both.replace("    assert '/gone' not in cache\n", ""))
    assert [row.severity for row in guarded(shop).findings] == ["error"]


COMPARED = """from pathlib import Path

DATA = Path(__file__).parent / "data"


def test_report():
    assert render((DATA / "rows.txt").read_text()) == (DATA / "report.txt").read_text()
"""


def test_a_rewritten_file_that_a_test_compares_with_is_a_warning(shop):
    shop.write("tests/test_report.py", COMPARED)
    for name in ("rows", "report"):
        shop.write(f"tests/data/{name}.txt", "one 1\ntwo 2\n")
    shop.save("report")
    for name in ("rows", "report"):
        shop.write(f"tests/data/{name}.txt", "one 1\ntwo 3\n")
    assert [(row.code, row.severity, row.subject) for row in guarded(shop).findings] == [
        ("PK609", "warning", "tests/data/report.txt")
    ]


def test_a_stored_expectation_that_a_test_now_writes_out_is_not_gone(shop):
    shop.write("tests/test_page.py", "def test_page():\n    assert page(1) == read('page.txt')\n")
    shop.write("tests/golden/page.txt", "<h1>Shop</h1>\n<p>open</p>\n")
    shop.save("page")
    (shop.root / "tests/golden/page.txt").unlink()
    assert codes(guarded(shop)) == [("PK601", "tests/golden/page.txt")]
    text = "<h1>Shop</h1>\n<p>open</p>\n"
    shop.write("tests/test_page.py", f'def test_page():\n    assert page(1) == """\\\n{text}"""\n')
    assert "tests/golden/page.txt" not in {row.subject for row in guarded(shop).findings}


def test_a_file_that_a_test_reads_may_move_or_be_written_out(shop):
    reads = "import pathlib\n\nDATA = pathlib.Path(__file__).parent / '{}'\n\n\ndef test_page():\n    assert {} == 3\n"
    read = "page((DATA / 'page.txt').read_text())"
    shop.write("tests/test_page.py", reads.format("data", read))
    shop.write("tests/data/page.txt", "<h1>Shop</h1>\n")
    shop.save("page")
    (shop.root / "tests/data/page.txt").unlink()
    shop.write("tests/pages/page.txt", "<h1>Shop</h1>\n")
    shop.write("tests/test_page.py", reads.format("pages", read))
    assert guarded(shop).findings == ()
    shop.write("tests/test_page.py", reads.format("pages", "page('<h1>Shop</h1>\\n')"))
    assert guarded(shop).findings == ()
    shop.write("tests/test_page.py", reads.format("pages", "page('<h1>Shops</h1>\\n')"))
    assert guarded(shop).findings != ()


_TAKES = "import { expect, it } from 'vitest';\n\nit('cart prints', () => { expect(print()).toMatchSnapshot(); });\n"


def test_a_snapshot_may_only_be_deleted_with_what_takes_it(shop):
    shop.write("web/a.test.js", _TAKES)
    shop.write("web/__snapshots__/a.test.js.snap", _STORED)
    shop.save("Add a cart")
    (shop.root / "web/__snapshots__/a.test.js.snap").unlink()
    assert [(row.code, row.severity) for row in guarded(shop).findings] == [("PK601", "error")]
    shop.write("web/a.test.js", _TAKES.replace("toMatchSnapshot()", "toBe('one')"))
    assert guarded(shop).holds
    (shop.root / "web/a.test.js").unlink()
    shop.write("shop/a.test.js", _TAKES)
    shop.write("shop/__snapshots__/a.test.js.snap", _STORED)
    assert [row.severity for row in guarded(shop).findings if row.severity != "note"] == []


ROWS = "import pytest\n\n\n@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_full(n):\n    box.fill(n)\n    assert box.full\n"


def test_rows_that_go_into_a_new_test_of_the_file_are_no_loss(shop):
    shop.write("tests/test_box.py", ROWS)
    shop.save("box")
    fewer = ROWS.replace("[1, 2, 3]", "[1, 2]")
    shop.write("tests/test_box.py", fewer)
    assert codes(guarded(shop)) == [("PK605", "tests/test_box.py::test_full")]
    shop.write("tests/test_box.py", fewer + "\n\ndef test_large():\n    box.fill(3)\n    assert box.full == 3\n")
    assert codes(guarded(shop)) == []


@pytest.mark.parametrize("condition", ["if (process.env.FULL) ", "if (false) ", "process.env.FULL && "])
def test_a_condition_written_in_front_of_a_test_is_an_error(shop, condition):
    source = "import { expect, it } from 'vitest';\n\nit('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n"
    shop.write("web/a.test.js", source)
    shop.save("web")
    shop.write("web/a.test.js", source.replace("it('adds'", f"{condition}it('adds'"))
    assert codes(guarded(shop)) == [("PK602", "web/a.test.js::adds")]


GOLDEN = """import pytest

@pytest.fixture
def golden(request):
    def check(name, text):
        path = GOLDEN / name
        if request.config.getoption("--update"):
            path.write_text(text)
            {}
        assert text == path.read_text()

    return check
"""


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("assert mask(text) == mask(path.read_text())", {"error"}),
        ("assert set(text.splitlines()) == set(path.read_text().splitlines())", {"error"}),
        ("expected = path.read_text()\n        if text != expected:\n            why = diff(text, expected)\n            pytest.fail(why)", set()),
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["return", "pytest.fail('rewritten')"])
def test_what_a_fixture_gives_to_tests_is_compared_although_an_option_rewrites_its_files(shop, end, new, said):
    before = GOLDEN.format(end)
    after = before.replace("assert text == path.read_text()", new)
    assert left(shop, {"tests/conftest.py": before}, {"tests/conftest.py": after}) == said


QUOTED = "from shop import cheapest, quote\n\ndef test_quote():\n    assert quote(2) == 5\n\n\ndef test_cheapest({}):\n{}    assert cheapest(4) == 5\n"
REPLACING = [
    ("monkeypatch", "    monkeypatch.setattr('shop.{}', lambda n: 5)\n"),
    ("mocker", "    mocker.patch('shop.{}', return_value=5)\n"),
]


@pytest.mark.parametrize(("given", "line"), REPLACING)
@pytest.mark.parametrize(("name", "said"), [("quote", {"warning"}), ("sleep", set())])
def test_a_test_that_replaces_what_other_tests_assert_of_is_a_warning(shop, given, line, name, said):
    before, after = QUOTED.format("", ""), QUOTED.format(given, line.format(name))
    assert left(shop, {"tests/test_quote.py": before}, {"tests/test_quote.py": after}) == said


PRICED = "from prices.shipping import cost\n\ndef test_cost():\n    assert cost(40) == 0\n"
TOP = "import prices.shipping\n\nprices.shipping.FREE_FROM = 40\n"
STEADY = "import pytest\nimport prices.shipping\n\n@pytest.fixture(autouse=True)\ndef steady(monkeypatch):\n    {}\n"
AGAIN = "monkeypatch.setattr(prices.shipping, 'FREE_FROM', 40)"


@pytest.mark.parametrize(
    ("before", "after"),
    [("", TOP), ("", STEADY.format(AGAIN)), (STEADY.format("pass"), STEADY.format(AGAIN))],
    ids=["at top level", "in a new fixture", "in a known fixture"],
)
def test_a_constant_that_a_conftest_sets_is_an_error_for_the_tests_below_it(shop, before, after):
    shop.write("tests/test_cost.py", PRICED)
    assert left(shop, {"tests/conftest.py": before}, {"tests/conftest.py": after}) >= {"error"}


SNAPSHOT = '// Vitest Snapshot v1\n\nexports[`report > {} 1`] = `\n"total {}"\n`;\n\nexports[`{} 1`] = `"a"`;\n'


@pytest.mark.parametrize(
    ("names", "total", "said"), [(("a busy day", "b"), 3, set()), (("the day", "b"), 4, {"warning"})]
)
def test_a_snapshot_under_another_name_is_the_same_snapshot(shop, names, total, said):
    path = "test/__snapshots__/report.test.ts.snap"
    before, after = SNAPSHOT.format("the day", 3, "a"), SNAPSHOT.format(names[0], total, names[1])
    assert left(shop, {path: before}, {path: after}) == said


MAKES = (
    "import { Cart } from '../src/cart.js';\nexport function full() {\n  const cart = new Cart();\n  return cart;\n}\n"
)
USES = (
    "import { it } from 'node:test';\nimport assert from 'node:assert/strict';\nimport { full } from './full.js';\n\n"
    "it('is full', () => {\n  assert.throws(() => full().put(1), /full/);\n  assert.equal(full().count(), 9);\n});\n"
)


@pytest.mark.parametrize(("old", "new", "told"), [
    ("  return cart;", "  cart.put = () => { throw new Error('full'); };\n  return cart;", True),
    ("new Cart()", "{ put: () => 1, count: () => 9 }", True),
    ("new Cart()", "Object.assign(new Cart(), { count: () => 9 })", True),
    ("return cart;", "return new Proxy(cart, { get: () => () => 9 });", True),
    ("new Cart()", "new (class extends Cart { count() { return 9; } })()", True),
    ("const cart = new Cart();\n  return cart;", "return new Cart();", False),
    ("  return cart;", "  cart.onEmpty = () => {};\n  cart.name = 'full';\n  return cart;", False),
])  # fmt: skip
def test_what_a_helper_puts_in_place_of_the_product_is_reported_of_the_tests_that_use_it(shop, old, new, told):
    shop.write("package.json", '{"type": "module", "scripts": {"test": "node --test"}}\n')
    shop.write("test/full.js", MAKES)
    shop.write("test/cart.test.js", USES)
    shop.save("web")
    shop.replace("test/full.js", old, new)
    found = [row.code for row in guarded(shop).findings if row.severity != "info"]
    assert ("PK608" in found, bool(found)) == (told, told)


def test_a_pact_that_cannot_be_read_afterwards_may_give_promises_up(shop):
    shop.write("pact/pact.toml", "[pact]\nformat = 1\n")
    shop.save("pact")
    shop.write("pact/atoms/new.toml", "= 1\n")
    (row,) = guarded(shop).findings
    assert (row.code, row.severity, row.path, row.line) == ("PK613", "warning", "pact/atoms/new.toml", 1)


def test_a_field_that_a_helper_sets_in_its_class_instead_of_the_constructor_is_silent(shop):
    shop.write("package.json", '{"type": "module", "scripts": {"test": "node --test"}}\n')
    shop.write("test/full.js", "export class Till {\n  constructor() {\n    this.open = 0;\n  }\n}\n")
    shop.save("web")
    shop.write("test/full.js", "export class Till {\n  open = 0;\n}\n")
    assert codes(guarded(shop)) == []


@pytest.mark.parametrize("pact", ["", "[pact]\nformat = 1\n", '[pact]\nformat = 1\n\n[tests]\nexclude = ["docs/**"]\n'])
def test_a_setting_of_the_pact_that_takes_tests_out_is_an_error(shop, pact):
    if pact:
        shop.write("pact/pact.toml", pact)
        shop.save("Add a pact")
    shop.write("pact/pact.toml", f'[pact]\nformat = 1\n\n[tests]\nexclude = ["docs/**", "{FILE}"]\n')
    (row,) = guarded(shop).findings
    assert (row.code, row.severity, row.path) == ("PK612", "error", "pact/pact.toml")
    assert ADDS in row.detail[0]
    shop.write("pact/pact.toml", '[pact]\nformat = 1\n\n[tests]\nexclude = ["docs/**"]\n')
    assert guarded(shop).findings == ()
