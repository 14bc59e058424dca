"""No fix gets through by making it easier to pass, and an honest one does."""

from dataclasses import replace

import pytest

from pactkeeper.catalog.read import read_pact
from pactkeeper.health.unread_tests import only_adds_tests
from pactkeeper.health.weakening import failing_still
from pactkeeper.intent.health import CheckResult, Diagnostic, FixTask, HealthCheck, Output
from pactkeeper.intent.pact import Pact
from tests.health.projects import PY, PYTHON, SHOP, TS, judged, replaced
from tests.matrix import some_stay

LOGIN, TAX, CART = f"{PY}::test_login", f"{PY}::TestPrice::test_tax", f"{TS}::cart::sums up"


def pact_of(snapshot):
    return read_pact({path: snapshot.read(path) for path in snapshot.paths if path.startswith("pact/")})


def python(old, new):
    return replaced(PY, old, new)


def script(old, new):
    return replaced(TS, old, new)


STATUS = "    assert answer.status == 200\n"
NAME = '    assert answer.name == "ada"\n'
RAISES = '    with pytest.raises(PermissionError):\n        login("eve", basket)\n'
DECLARED = "# @atom IA-0000001\ndef test_login(basket):"
TOTAL = "    expect(cart.total()).toBe(6);\n"

WEAKENINGS = {
    "the test is removed": ({PY: PYTHON[: PYTHON.index("# @atom IA-0000001")]}, "gone"),
    "the file is removed": ({PY: None}, "gone"),
    "the test is renamed away from discovery": (python("def test_login", "def check_login"), "gone"),
    "the file is renamed away": ({PY: None, "tests/shop_checks.py": PYTHON}, "gone"),
    "the test is commented out": (python(NAME, "").get(PY) and python("def test_login", "def _test_login"), "gone"),
    "a skip marker": (python("def test_login", "@pytest.mark.skip\ndef test_login"), "it is skipped now"),
    "an expected failure": (python("def test_login", "@pytest.mark.xfail\ndef test_login"), "it may fail now"),
    "a skip under a condition": (python("def test_login", "@pytest.mark.skipif(True, reason='')\ndef test_login"), "it is skipped now"),
    "a skip of the class": (python("class TestPrice", "@pytest.mark.skip\nclass TestPrice"), "it is skipped now"),
    "a skip of the module": (python("@pytest.fixture", "pytestmark = pytest.mark.skip\n\n\n@pytest.fixture"), "it is skipped now"),
    "a skip inside": (python(STATUS, '    pytest.skip("later")\n' + STATUS), "it is skipped now"),
    "an assertion is deleted": (python(NAME, ""), "an assertion is gone"),
    "truth instead of equality": (python("answer.status == 200", "answer.status"), "an assertion says less"),
    "membership instead of equality": (python("status == 200", "status in {200, 500}"), "an assertion says less"),
    "the value that is produced": (python("status == 200", "status == 500"), "another result is expected"),
    "an alternative": (python("status == 200", "status == 200 or True"), "an assertion is gone"),
    "a wider tolerance": (python("abs=0.01", "abs=100"), "an assertion says less"),
    "a wider exception": (python("raises(PermissionError)", "raises(Exception)"), "an assertion says less"),
    "a test that nobody declared": (python("price(0) == 0", "price(0) is not None"), "an assertion says less"),
    "no exception": (python(RAISES, ""), "an assertion is gone"),
    "a try around": (python(STATUS, "    try:\n        assert answer.status == 200\n    except AssertionError:\n        pass\n"), LOGIN),
    "an early return": (python(STATUS, "    return\n" + STATUS), "nothing is left that can fail"),
    "an assertion that never runs": (python(STATUS, "    if not answer:\n    " + STATUS), LOGIN),
    "a loop over nothing": (python(STATUS, "    for _ in []:\n    " + STATUS), LOGIN),
    "a parametrised case less": (python("[(100, 119), (200, 238)]", "[(100, 119)]"), TAX),
    "a parametrised case that suits": (python("(200, 238)", "(200, 200)"), TAX),
    "a case that is skipped": (python("(200, 238)", "pytest.param(200, 238, marks=pytest.mark.skip)"), TAX),
    "another input": (python('login("ada", basket)', 'login("root", basket)'), LOGIN),
    "the subject is replaced inside": (python('    answer = login("ada"', '    login = lambda *_: A()\n    answer = login("ada"'), LOGIN),
    "the subject comes from elsewhere": (python("from shop import", "from tests.helpers import"), "what is asserted is a fake's own answer"),
    "the fixture prepares less": (python("Basket([1, 2, 3])", "Basket([])"), "the same is asserted of something else"),
    "a later test of the same name": ({PY: PYTHON + "\n\ndef test_login():\n    pass\n"}, LOGIN),
    "a later value of the same name": ({PY: PYTHON + "\n\ntest_login = None\n"}, "its code is still there, but nothing collects it as a test any more"),
    "an assertion with a side effect": (python(STATUS, "    assert answer.__setattr__('status', 200) is None\n" + STATUS), LOGIN),
    "the link is removed": (python("# @atom IA-0000001\n", ""), "no longer linked"),
    "the link is another one": (python("@atom IA-0000001", "@atom IA-0000002"), "no longer linked"),
    "tests are left out by the pact": ({"pact/pact.toml": '[pact]\nformat = 1\n\n[tests]\nexclude = ["/tests"]\n'}, "declared"),
    "the commitment is taken back": ({"pact/commitments/COM-0000001.toml": None}, "declared"),
    "a new conftest that skips": ({"tests/conftest.py": "collect_ignore = ['test_shop.py']\n"}, "files of tests are no longer collected"),
    "a conftest that was there": ({"conftest.py": "collect_ignore_glob = ['*']\n"}, "files of tests are no longer collected"),
    "settings of pytest": (replaced("pyproject.toml", "-ra", "-ra --ignore=tests"), "its code is still there, but nothing collects it as a test any more"),
    "a new pytest.ini": ({"pytest.ini": "[pytest]\naddopts = -k nothing\n"}, "fewer tests are run"),
    "settings that cannot be read": ({"pyproject.toml": "[project\n"}, "what it asks for cannot be read"),
    "the script that runs tests": (replaced("package.json", "vitest run", "true"), "tests are no longer run here"),
    "a configuration of vitest": ({"vitest.config.ts": "export default { test: { exclude: ['**'] } }\n"}, "fewer files are run as tests"),
    "a laxer compiler": (replaced("tsconfig.json", '"strict": true', '"strict": false'), "types are checked less strictly"),
    "a helper of the tests": ({"tests/helpers.py": "def known():\n    return []\n"}, "may depend on it"),
    "a stored snapshot": ({"tests/__snapshots__/page.snap": "two\n"}, "may depend on it"),
    "a module in place of pytest": ({"pytest.py": "def raises(_): ...\n"}, "instead of the real one"),
    "a mock beside the module": ({"src/__mocks__/cart.ts": "export class Cart {}\n"}, "instead of the real one"),
    "a new test that patches for all": ({"tests/test_a.py": "import shop\nshop.login = lambda *_: 1\n"}, "it replaces something for every test of the run"),
    "the product knows that it is tested": ({SHOP: "import os\n\nfake = 'PYTEST_CURRENT_TEST' in os.environ\n"}, "whether a test"),
    "the product skips its test": ({SHOP: "import pytest\n\n\ndef login(*_):\n    pytest.skip('no')\n"}, "ends or skips"),
    "a silenced type checker": ({SHOP: "import nothing  # type: ignore\n"}, "a check is silenced"),
    "a silenced compiler": ({"src/cart.ts": "// @ts-nocheck\nexport class Cart {}\n"}, "a check is silenced"),
    "the product imports the judge": ({SHOP: "import pytest\n\npytest.raises = print\n"}, "what judges the tests is replaced"),
    "the product changes the judge": (
        {"src/cart.ts": 'import { expect } from "vitest";\nexpect.extend({ toBe: () => ({ pass: true }) });\n'},
        "what judges the tests is replaced",
    ),
    "a product that equals everything": (
        {SHOP: "class A:\n    def __eq__(self, other):\n        return True\n"},
        "equal to everything",
    ),
    "a product that ends the run": ({"src/cart.ts": "process.exit(0);\n"}, "it ends or skips the test that runs it"),
    "a plugin of the project": (
        replaced("pyproject.toml", "[tool", '[project.entry-points.pytest11]\nx = "shop"\n\n[tool'),
        "the project customises how its tests run",
    ),
    "another test runner": (replaced("package.json", '"vitest": "2"', '"vitest": "file:./mine"'), "a different program runs the tests"),
    "a patch that is never taken back": (
        {"tests/test_z.py": "from unittest import mock\n\nmock.patch('shop.login').start()\n"},
        "it replaces something for every test of the run",
    ),
    "a module that a new test mocks for the file": (
        script("  it(\"is nobody's\"", "  it(\"is new\", () => {\n    vi.mock(\"../src/cart\");\n  });\n\n  it(\"is nobody's\""),
        "for every test in the file",
    ),
    "an approved output": ({"tests/approved/page.txt": "two\n"}, "may depend on it"),
    "the script that a check runs": ({"ci/check.sh": "exit 0\n"}, "a check runs it"),
    "it.skip": (script('it("sums up"', 'it.skip("sums up"'), CART),
    "it.todo": (script('it("sums up", () => {\n' + "    const cart = new Cart(rows);\n", 'it.todo("sums up");\n  it("x", () => {\n    const cart = new Cart(rows);\n'), CART),
    "only another one": (script("it(\"is nobody's\"", "it.only(\"is nobody's\""), "it is skipped now"),
    "describe.skip": (script('describe("cart"', 'describe.skip("cart"'), TS),
    "anything will do": (script("toBe(6)", "toEqual(expect.anything())"), CART),
    "an expectation is deleted": (script(TOTAL, ""), CART),
    "any error will do": (script("toThrow(RangeError)", "toThrow()"), CART),
    "a mocked module": (script("\nconst rows", '\nvi.mock("../src/cart");\n\nconst rows'), TS),
    "an early return in a script": (script(TOTAL, "    return;\n" + TOTAL), CART),
    "other rows": (script("[1, 2, 3]", "[6]"), TS),
    "a before hook": (script("  // @atom IA-0000003", "  beforeEach(() => { Cart.prototype.total = () => 6; });\n  // @atom IA-0000003"), TS),
}  # fmt: skip

HONEST = {
    "the product is mended": {SHOP: "def login(name, basket):\n    return basket\n"},
    "the product is moved": {SHOP: None, "shop/__init__.py": "def login(name, basket):\n    return basket\n"},
    "a new file of tests": {"tests/test_new.py": "from shop import price\n\n\ndef test_new():\n    assert price(1) == 1\n"},
    "a new test beside": {PY: PYTHON + "\n\ndef test_more():\n    assert price(2) == 2\n"},
    "a new class of tests": {PY: PYTHON + "\n\nclass TestMore:\n    def test_more(self):\n        assert price(2) == 2\n"},
    "a new test with an import of its own": {
        PY: PYTHON.replace("import pytest\n", "import math\n\nimport pytest\n") + "\n\ndef test_m():\n    assert math.pi\n"
    },
    "one more assertion": python(NAME, NAME + "    assert answer.token\n"),
    "one more row": python("(200, 238)", "(200, 238), (300, 357)"),
    "a comment": python(STATUS, "    # the answer of the shop\n" + STATUS),
    "another docstring": python("A known token opens the shop.", "A known token is let in."),
    "formatting": python('login("ada", basket)', "login(\n        'ada',\n        basket,\n    )"),
    "a test that is renamed": python("def test_nobody", "def test_somebody"),
    "an assertion with another input": python(STATUS, '    assert login("bob", basket)\n' + STATUS),
    "a test file that proves nothing": {"tests/test_other.py": "def test_free():\n    assert 1\n"},
    "a new dependency": replaced("pyproject.toml", "[]", '["httpx"]'),
    "a new package": replaced("package.json", '"dependencies": {}', '"dependencies": {"zod": "3"}'),
    "the readme speaks of silence": {"README.md": "Never write `# type: ignore` or PYTEST_CURRENT_TEST.\n"},
    "one more expectation": script(TOTAL, TOTAL + "    expect(cart.total()).toBeLessThan(7);\n"),
    "one more test in a script": script("  it(\"is nobody's\"", "  it(\"is new\", () => {\n    expect(1).toBe(1);\n  });\n\n  it(\"is nobody's\""),
    "a comment in a script": script(TOTAL, "    // all of it\n" + TOTAL),
    "a new draft with its link": {"pact/links/tests/test_other.py.toml": '["tests/test_other.py::test_free"]\natoms = ["IA-0000001"]\n'},
}  # fmt: skip


@pytest.mark.parametrize("name", some_stay(WEAKENINGS, each=3))
def test_a_fix_that_asks_less_is_refused_with_the_reason(tmp_path, name):
    change, reason = WEAKENINGS[name]
    lines = judged(tmp_path / "shop", change, read=pact_of)
    assert any(reason in line for line in lines), lines


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_fix_is_taken(tmp_path, name):
    assert judged(tmp_path / "shop", HONEST[name], read=pact_of) == ()


def test_where_nothing_is_linked_what_tests_rest_on_may_change_and_settings_may_not(tmp_path):
    change = {"tests/helpers.py": None, **replaced("tsconfig.json", "true", "false")}
    lines = judged(tmp_path / "shop", change, read=lambda _: Pact())
    assert [line.partition(":")[0] for line in lines] == ["tsconfig.json typescript.strict"]


def naming(snapshot):
    """The pact with a check that names files of tests."""
    pact = pact_of(snapshot)
    named = HealthCheck("named", ("pytest", PY, TS, "tests/test_other.py"), "test")
    health = replace(pact.settings.health, checks=(named,))
    return replace(pact, settings=replace(pact.settings, health=health))


@pytest.mark.slow
@pytest.mark.parametrize("name", HONEST)
def test_a_file_of_tests_that_a_check_names_takes_what_any_other_takes(tmp_path, name):
    assert judged(tmp_path / "shop", HONEST[name], read=naming) == ()


@pytest.mark.parametrize(
    "change",
    [
        {"tests/test_other.py": "import sys\n\nsys.exit(0)\n\n\ndef test_free():\n    assert True\n"},
        {"tests/test_other.py": None},
        python("return Basket([1, 2, 3])", "return Basket([])"),
    ],
    ids=["it ends at once", "it is gone", "a fixture"],
)
def test_a_file_of_tests_that_a_check_names_is_not_loosened(tmp_path, change):
    assert judged(tmp_path / "shop", change, read=naming) != ()


GO, GO_TEST = (
    "ledger_test.go",
    """\
package ledger

func TestMax(t *testing.T) {
\tif got := Max([]int{1, 9}); got != 9 {
\t\tt.Errorf("Max = %d", got)
\t}
}
""",
)
JAVA, JAVA_TEST = (
    "src/test/java/RangeTest.java",
    """\
class RangeTest {
    @Test
    void upper() {
        assertFalse(new Range(1, 4).has(4));
    }
}
""",
)
RUST, RUST_TEST = (
    "src/lib.rs",
    """\
pub fn clamp(x: i32) -> i32 {
    x
}

#[cfg(test)]
mod tests {
    #[test]
    fn high() {
        assert_eq!(clamp(400), 100);
    }
}
""",
)
MORE_GO = "\nfunc TestMin(t *testing.T) {\n\tif Min(1) != 1 {\n\t\tt.Fatal()\n\t}\n}\n"
MORE_JAVA = "    @Test\n    void lower() {\n        assertTrue(new Range(1, 4).has(1));\n    }\n\n"
MORE_RUST = "    #[test]\n    fn low() {\n        assert_eq!(clamp(-4), 0);\n    }\n\n"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (GO, GO_TEST, GO_TEST + MORE_GO),
        (GO, GO_TEST, GO_TEST.replace("\t", "    ")),
        (JAVA, JAVA_TEST, JAVA_TEST.replace("    @Test\n", MORE_JAVA + "    @Test\n")),
        (RUST, RUST_TEST, RUST_TEST.replace("    #[test]\n", MORE_RUST + "    #[test]\n")),
        (RUST, RUST_TEST, RUST_TEST.replace("    x\n", "    x.min(100)\n")),
        (RUST, "fn a() {}\n", "fn a() {}\n" + RUST_TEST),
        (PY, "assert 1\n", "assert 2\n"),
    ],
    ids=["go", "go formatted", "java", "rust", "rust's product", "rust's first tests", "a language that is read"],
)
def test_whole_tests_may_be_added_in_a_language_that_is_not_read(path, old, new):
    assert only_adds_tests(path, old, new)


ROWS = """\
package ledger

var later = []row{
\t{"big"},
}

func TestMax(t *testing.T) {
\tfor _, one := range []struct{ name string; in, want int }{
\t\t{"one", 1, 1},
\t\t{"two", 2, 4},
\t} {
\t\tcheck(t, one)
\t}
}
"""
MORE_IF = '\t}\n\tif got := Max([]int{3}); got != 3 {\n\t\tt.Fatalf("Max = %d", got)\n\t}\n}\n'


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (GO, ROWS, ROWS.replace("2, 4},\n", '2, 4},\n\t\t{"three", 3, 9},\n\t\t{"four", -4, 16},\n')),
        (GO, GO_TEST, GO_TEST.replace("\t}\n}\n", MORE_IF)),
        (RUST, RUST_TEST, RUST_TEST.replace("100);\n", "100);\n        assert!(clamp(-1) < 0);\n")),
        (JAVA, JAVA_TEST, JAVA_TEST.replace("(4));\n", "(4));\n        assertTrue(new Range(1, 4).has(3));\n")),
    ],
    ids=["rows", "go", "rust", "java"],
)
def test_rows_and_last_assertions_may_be_added_in_a_language_that_is_not_read(path, old, new):
    assert only_adds_tests(path, old, new)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (GO, ROWS, ROWS.replace('{"big"},\n', '{"big"},\n\t{"two"},\n')),
        (GO, ROWS, ROWS.replace('\t\t{"one"', '\t\t{"zero", 0, 0},\n\t\t{"one"')),
        (GO, ROWS, ROWS.replace("2, 4},\n", '2, 4},\n\t\t{"three", quit(), 9},\n')),
        (RUST, RUST_TEST, RUST_TEST.replace("        assert", "        assert!(clamp(1) == 1);\n        assert")),
        (RUST, RUST_TEST, RUST_TEST.replace("100);\n", "100);\n        assert_eq!(exit(0), ());\n")),
        (RUST, RUST_TEST, RUST_TEST.replace("100);\n", "100);\n        assert!(true); return;\n")),
        (RUST, RUST_TEST, RUST_TEST.replace("100);\n", "100);\n        clamp(0);\n")),
        (JAVA, JAVA_TEST, JAVA_TEST.replace("(4));\n", "(4));\n        assumeTrue(false);\n")),
    ],
    ids=[
        "a list of exceptions",
        "above the first row",
        "a new call in a row",
        "above",
        "an end",
        "a return",
        "no assertion",
        "assume",
    ],
)
def test_what_may_take_something_away_is_no_mere_addition(path, old, new):
    assert not only_adds_tests(path, old, new)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (GO, GO_TEST, GO_TEST.replace("{\n\tif", '{\n\tt.Skip("later")\n\tif', 1)),
        (GO, GO_TEST, GO_TEST.replace("Errorf", "Logf")),
        (GO, GO_TEST, "//go:build integration\n\n" + GO_TEST),
        (GO, GO_TEST, ""),
        (JAVA, JAVA_TEST, JAVA_TEST.replace("    @Test\n", "    @Disabled\n    @Test\n")),
        (JAVA, JAVA_TEST, JAVA_TEST.replace("    @Test\n", MORE_JAVA + "    @Disabled\n    @Test\n")),
        (JAVA, JAVA_TEST, JAVA_TEST.replace("    @Test\n", MORE_JAVA + "    /*\n    @Test\n")),
        (RUST, RUST_TEST, RUST_TEST.replace("    #[test]\n", "    #[test]\n    #[ignore]\n")),
        (RUST, RUST_TEST, RUST_TEST.replace("#[cfg(test)]", "#[cfg(any())]\n#[cfg(test)]")),
        (RUST, RUST_TEST, RUST_TEST.replace("#[cfg(test)]", "#[cfg(never)]")),
        (RUST, RUST_TEST, RUST_TEST.replace("        assert", MORE_RUST + "        if true {\n return;\n }\n        assert")),
    ],
    ids=["skip", "log", "build tag", "gone", "disabled", "disabled beside a new test", "comment", "ignore", "cfg above",
         "cfg instead", "return beside a new test"],
)  # fmt: skip
def test_nothing_else_may_become_of_tests_that_are_not_read(path, old, new):
    assert not only_adds_tests(path, old, new)


def test_a_person_judges_what_became_of_tests_that_are_not_read(tmp_path):
    project = tmp_path / "shop"
    lines = judged(project, {GO: GO_TEST.replace("Errorf", "Logf")}, read=lambda _: Pact(), also={GO: GO_TEST})
    assert lines == (
        f"{GO}: Pactkeeper can't read tests in Go, and one changed; a person must decide whether that is intended",
    )


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("main_test.go", "package ledger\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n", "takes hold"),
        ("src/test/java/Range.java", "class Range {}\n", "instead of the real one"),
        ("ledger.go", 'var under = flag.Lookup("test.v") != nil\n', "whether a test runs"),
    ],
)
def test_new_code_does_not_stand_in_the_way_of_tests_that_are_not_read(tmp_path, path, text, reason):
    files = {GO: GO_TEST, "src/main/java/Range.java": "class Range {}\n"}
    (line,) = judged(tmp_path / "shop", {path: text}, read=lambda _: Pact(), also=files)
    assert reason in line


CHECK = FixTask(
    id="fix-0000001",
    description="",
    scope=(),
    acceptance="",
    branch="",
    created_at="2026-01-02T03:04:05+00:00",
    commit="c1",
    category="test",
    checks=("test",),
    fingerprints=("fp-own",),
)
OTHER = Diagnostic("test", "test", "error", "another failure", test="test_z")


def test_a_check_that_passes_speaks_for_the_fix():
    assert failing_still(CHECK, [CheckResult("test", "test", "pass", code=0)]) == ()


@pytest.mark.parametrize("verdict", ["not applicable", "could not run", "timed out"])
def test_a_check_that_could_not_judge_speaks_against_the_fix(verdict):
    (refusal,) = failing_still(CHECK, [CheckResult("test", "test", verdict, reason="no such script")])
    assert refusal.reason == f"{verdict}: no such script"


def test_a_check_that_was_not_run_speaks_against_the_fix():
    assert [one.subject for one in failing_still(CHECK, [])] == ["test"]


def test_what_other_tasks_are_to_mend_does_not_hold_a_fix_up():
    result = CheckResult("test", "test", "fail", code=1, diagnostics=(OTHER,))
    assert failing_still(CHECK, [result], others={OTHER.fingerprint}) == ()


def test_a_failure_that_nobody_mends_holds_the_fix_up():
    result = CheckResult("test", "test", "fail", code=1, diagnostics=(OTHER,))
    assert [one.reason for one in failing_still(CHECK, [result])] == ["it still fails (exit code 1): another failure"]


def test_a_report_that_was_cut_off_forgives_nothing():
    result = CheckResult("test", "test", "fail", code=1, diagnostics=(OTHER,), output=Output("a", "b", 9))
    assert failing_still(CHECK, [result], others={OTHER.fingerprint}) != ()
