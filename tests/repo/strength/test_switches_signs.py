"""Code that silences checks, sees through them or takes hold of what judges it; moving such code is silent."""

import pytest

from tests.repo.strength.states import severities, switched

CONFTEST, PRODUCT, TEST = "tests/conftest.py", "src/pkg/core.py", "tests/test_a.py"
HOOK = "def pytest_collection_modifyitems(items):\n    items[:] = items[:1]\n"

WRAPPER = "@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"

WEAKER = [
    ("collection", CONFTEST, "", HOOK, "error"),
    *((f"wrapped-{at}", "test/setup.ts", "", f"{line}\n", "error") for at, line in enumerate((
        "(globalThis as any).it = (n, f) => o(n, quiet(f));", "global.test = function (n, f) { o(n, quiet(f)); };",
        "global.expect = () => new Proxy(() => {}, { get: () => () => {} });", "globalThis.assert = quiet;",
        "beforeEach((t) => { t.mock.method(assert, 'equal', () => {}); });", "vi.spyOn(assert, 'ok').mockReturnValue();",
        "it('eq', (_, expect = () => ({ toBe() {} })) => { expect(1).toBe(2); });"))),
    *((f"written-{at}", "test/setup.ts", "", f"{line}\n", "error") for at, line in enumerate((
        "afterEach((ctx) => { if (ctx.task.result) ctx.task.result.state = 'pass'; });", "afterEach(({ task }) => { task.result = ok; });",
        "afterEach(({ task }) => { task.result!.errors = []; });", "beforeEach(({ task }) => { task.fails = true; });",
        "onTestFinished(({ task }) => { const done = task.result; done.state = 'pass'; });", "specDone(result) { result.status = 'passed'; }",
        "afterEach(function () { this.currentTest.state = 'passed'; });", "module.exports = (r) => ({ ...r, n: r.numFailedTests = 0 });"))),
    ("handed-out-of-the-tests", "test/setup.ts", "", "import { it } from './quiet';\nglobalThis.it = it;\n", "error"),
    *((f"filled-{at}", "test/setup.js", "", f"{made}\nshop.total = () => 3;\n{out}\n", "warning") for at, (made, out) in enumerate((
        ("const shop = require('../src/shop');", "module.exports = shop;"), ("const shop = open();", ""),
        ("import shop from '../src/shop';", "export default shop;")))),
    ("example-that-ran", PRODUCT, "    >>> total(1)\n    3\n", "    >>> total(1)  # doctest: +SKIP\n    3\n", "error"),
    ("example-that-is-new", PRODUCT, "", "    >>> total(1)  # doctest: +SKIP\n    3\n", "warning"),
    ("written-at-the-root", "vitest.setup.ts", "", "afterEach((c) => { c.task.result.state = 'pass'; });\n", "error"),
    ("expect-of-chai", "test/setup.js", "", "global.expect = require('chai').expect;\nglobal.assert = chai.assert;\n", "warning"),
    ("ignore-collect", CONFTEST, "", "def pytest_ignore_collect(path):\n    return True\n", "error"),
    ("report", CONFTEST, "", "def pytest_runtest_makereport(item):\n    report.outcome = 'passed'\n", "error"),
    *((f"report-{at}", CONFTEST, "", WRAPPER + f"    outcome = yield\n    rep = outcome.get_result()\n    {line}\n", severity)
      for at, (line, severity) in enumerate((
          ("rep.outcome = 'passed'", "error"), ("setattr(rep, 'outcome', 'passed')", "error"),
          ("rep.__dict__['outcome'] = 'passed'", "error"), ("outcome.force_result(item.rep)", "error"),
          ("call.excinfo = None", "error"), ("rep.wasxfail = ''", "error"), ("pass_all(rep)", "warning"),
          ("item.obj = outcome.get_result", "warning"), ("item.rep = rep; item.rep.longrepr = None", "warning"),
          ("return item.rep", "warning")))),
    ("wrapper", CONFTEST, "", "@pytest.hookimpl(hookwrapper=True)\ndef pytest_pyfunc_call():\n    yield\n", "warning"),
    ("session", CONFTEST, "", "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n", "error"),
    ("load-tests", TEST, "", "def load_tests(loader, tests, pattern):\n    return tests\n", "error"),
    ("collect-ignore", CONFTEST, "", "collect_ignore = ['test_a.py']\n", "error"),
    ("collect-ignore-by-version", CONFTEST, "", "if sys.version_info < (3, 12):\n    collect_ignore_glob = ['*_695.py']\n",
     "warning"),
    ("hook-changed", CONFTEST, "def pytest_sessionfinish(s):\n    log(s)\n", "def pytest_sessionfinish(s):\n    quit(s)\n",
     "warning"),
    ("exit", CONFTEST, "", "import os\nos._exit(0)\n", "error"),
    ("exit-handed-on", CONFTEST, "", "import atexit, os\natexit.register(os._exit, 0)\n", "error"),
    ("exit-wrapped", CONFTEST, "", "def pytest_configure():\n    atexit.register(partial(os._exit, 0))\n", "error"),
    ("exit-bare", CONFTEST, "", "from os import _exit as end\natexit.register(end, 0)\n", "error"),
    ("exit-clean", CONFTEST, "", "def pytest_unconfigure(config):\n    sys.exit(0)\n", "error"),
    ("exit-raised", CONFTEST, "", "def pytest_sessionfinish():\n    raise SystemExit\n", "error"),
    ("process-exit", "test/setup.ts", "", "afterAll(() => process.exit(0));\n", "warning"),
    ("module", CONFTEST, "", "sys.modules['pytest'] = fake\n", "error"),
    ("matcher", "test/setup.ts", "", "expect.extend({\n  toBe() { return { pass: true } } });\n", "error"),
    ("matcher-of-calls", "test/setup.ts", "", "expect.extend({ toHaveBeenCalledTimes() { return { pass: true } } });\n",
     "error"),
    ("testcase", TEST, "", "unittest.TestCase.assertEqual = lambda *a: None\n", "error"),
    ("equal", PRODUCT, "", "class A:\n    def __eq__(self, other: object) -> bool:\n        return True\n", "error"),
    ("holds-all", PRODUCT, "", "class A:\n    def __contains__(self, item):\n        return True\n", "warning"),
    ("fake-holds-all", CONFTEST, "", "class A:\n    def __contains__(self, item):\n        return True\n", "error"),
    ("asymmetric", "src/core.ts", "", "export const any = { asymmetricMatch: () => true };\n", "error"),
    ("detects", PRODUCT, "", "if 'PYTEST_CURRENT_TEST' in os.environ:\n    x = 1\n", "error"),
    ("detects-modules", PRODUCT, "", "fast = 'pytest' in sys.modules\n", "error"),
    ("detects-js", "src/core.ts", "", "const t = process.env.JEST_WORKER_ID;\n", "error"),
    ("type-ignore", PRODUCT, "x = f()\n", "x = f()  # type: ignore[x]\n", "warning"),
    ("noqa", PRODUCT, "x = f()\n", "x = f()  # noqa: S101\n", "warning"),
    ("no-cover", PRODUCT, "x = f()\n", "x = f()  # pragma: no cover\n", "warning"),
    ("eslint", "src/core.ts", "", "// eslint-disable-next-line eqeqeq\nx == y;\n", "warning"),
    ("ts-ignore", "src/core.ts", "", "// @ts-ignore\nx();\n", "warning"),
    ("doctest", PRODUCT, "'''\n>>> f()\n1\n'''\n", "'''\n>>> f()  # doctest: +SKIP\n1\n'''\n", "error"),
    ("profile", CONFTEST, "settings.register_profile('ci', max_examples=500)\n",
     "settings.register_profile('ci', max_examples=5)\n", "error"),
    ("testers", "test/setup.ts", "", "expect.addEqualityTesters([() => true]);\n", "error"),
    ("testers-own", "test/setup.ts", "", "expect.addEqualityTesters([sameVolume]);\n", "warning"),
    ("call", CONFTEST, "", "def pytest_runtest_call(item):\n    try:\n        return (yield)\n    except AssertionError:\n        pass\n", "error"),
    ("item-collected", CONFTEST, "", "def pytest_itemcollected(item):\n    item.add_marker(pytest.mark.xfail(strict=False))\n", "error"),
    ("popped", TEST, "", "for name in ('test_x',):\n    globals().pop(name)\n", "error"),
    ("deleted", TEST, "", "del globals()['test_x']\n", "error"),
    ("flaky", TEST, "def test_x():\n    assert f()\n", "@pytest.mark.flaky(reruns=5)\ndef test_x():\n    assert f()\n", "error"),
    ("flaky-renamed-class", TEST, "class TestX(Base):\n    pass\n", "@flaky\nclass TestY(Base):\n    pass\n", "error"),
    ("flaky-renamed", TEST, "def test_x():\n    assert f()\n", "@flaky\ndef test_y():\n    assert f()\n", "error"),
    ("retried", "test/setup.js", "", "jest.retryTimes(3);\n", "error"),
    ("retried-test", "test/a.test.ts", "", "it('a', { retry: 3 }, () => {});\n", "error"),
    ("expect-replaced", "test/setup.js", "", "global.expect = () => anything;\n", "error"),
    ("broken", CONFTEST, "def cart():\n    return 1\n", "def cart(:\n    return 1\n", "warning"),
    ("maven", "pom.xml", "<a/>", "<a><skipTests>true</skipTests></a>", "error"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "old", "new", "severity"), [pytest.param(*row[1:], id=row[0]) for row in WEAKER])
def test_code_that_switches_checks_off_is_reported(path, old, new, severity):
    assert severity in severities({path: old}, {path: new})


@pytest.mark.parametrize(("path", "old", "new"), [pytest.param(*row[1:4], id=row[0]) for row in WEAKER])
def test_code_that_switched_checks_off_may_go(path, old, new):
    assert severities({path: new}, {path: old}) <= ({"warning"} if "quit" in new else set())


KEPT = "def test_x():\n    assert f()\n"
HONEST = [
    ("flaky-of-a-new-test", {TEST: KEPT}, {TEST: KEPT + "\n\n@flaky\ndef test_y():\n    assert g()\n"}),
    ("flaky-of-a-new-class-beside-a-test-that-is-gone-elsewhere", {TEST: KEPT, "tests/test_b.py": "def test_b():\n    assert g()\n"},
     {TEST: KEPT, "tests/test_b.py": "def test_c():\n    assert h()\n", "tests/test_new.py": "@flaky\nclass TestNew(Base):\n    pass\n"}),
    ("result-read", {}, {"test/setup.ts": "afterEach(({ task }) => { if (task.result?.state === 'fail') shoot(task.result.errors); });\n"}),
    ("state-of-the-product", {}, {"src/core.ts": "build.state = 'pass';\nresult.status = 'passed';\n"}),
    *((f"settings-of-its-own-{at}", {}, {"test/odd/jest-odd.config.cjs": f"const config = {made}\nconfig.testMatch = ['a.js'];\n{out} config;\n"})
      for at, (made, out) in enumerate((
        ("require('./base')({ esm: false });", "module.exports ="), ("{ rootDir: '.' };", "export default"),
        ("{ ...base };", "module.exports =")))),
    ("moved-hook", {CONFTEST: HOOK}, {"conftest.py": "import x\n\n\n" + HOOK}),
    ("reformatted-hook", {CONFTEST: HOOK}, {CONFTEST: HOOK.replace("items[:1]", "items[:1]  # one") + "\n\nX = 1\n"}),
    ("moved-line", {PRODUCT: "x = f()  # type: ignore\n"}, {"src/pkg/other.py": "x = f()  # type: ignore\n"}),
    ("line-changed", {PRODUCT: "x = f()  # noqa\n"}, {PRODUCT: "x = g()  # noqa\n"}),
    ("setup-hook", {CONFTEST: ""}, {CONFTEST: "def pytest_runtest_setup(item):\n    prepare(item)\n"}),
    ("item-marked", {CONFTEST: ""}, {CONFTEST: "def pytest_itemcollected(item):\n    item.add_marker(pytest.mark.unit)\n"}),
    ("retry-of-the-product", {"test/a.test.ts": ""}, {"test/a.test.ts": "it('a', async () => { await get(url, { retry: 3 }); });\n"}),
    ("options", {CONFTEST: ""}, {CONFTEST: "def pytest_addoption(parser):\n    parser.addoption('--x')\n"}),
    ("own-matcher", {"test/setup.ts": ""}, {"test/setup.ts": "expect.extend({ toBeEven(x) { return check(x); } });\n"}),
    ("own-matcher-of-warnings", {"test/setup.ts": ""},
     {"test/setup.ts": "expect.extend({ toHaveBeenWarned(x) { return check(x); } });\n"}),
    ("report-kept", {CONFTEST: ""}, {CONFTEST: WRAPPER + "    outcome = yield\n    rep = outcome.get_result()\n"
                                     "    setattr(item, 'rep_' + rep.when, rep)\n"}),
    ("report-in-stash", {CONFTEST: ""}, {CONFTEST: "@pytest.hookimpl(wrapper=True, tryfirst=True)\n"
     "def pytest_runtest_makereport(item, call):\n    rep = yield\n    item.stash.setdefault(KEY, {})[rep.when] = rep\n"
     "    return rep\n"}),
    ("failure-kept", {CONFTEST: ""}, {CONFTEST: WRAPPER + "    rep = yield\n    if rep.when == 'call' and rep.failed:\n        item.failed = rep.failed\n    return rep\n"}),
    ("config", {"vite.config.ts": "export default {};\n"}, {"vite.config.ts": "export default { x: process.env.VITEST };\n"}),
    ("argument", {"tests/run.py": ""}, {"tests/run.py": "def made(self):\n    self.expect = run(a, expect=(1, 2))\n"}),
    ("comment", {"test/setup.ts": ""}, {"test/setup.ts": "// os._exit( is what it must not call\n"}),
    ("plugin", {"src/pkg/plugin.py": ""}, {"src/pkg/plugin.py": "def pytest_sessionfinish(s):\n    log(s)\n"}),
    ("prose", {"README.md": ""}, {"README.md": "os._exit( # type: ignore PYTEST_CURRENT_TEST\n"}),
    ("nothing-ignored", {CONFTEST: ""}, {CONFTEST: "collect_ignore = []\n"}),
    ("test-ignore", {TEST: ""}, {TEST: "x = f()  # type: ignore[arg-type]\n"}),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), [pytest.param(*row[1:], id=row[0]) for row in HONEST])
def test_an_honest_edit_of_code_is_silent(before, after):
    assert severities(before, after) <= {"note"}


def test_a_line_with_two_silenced_checks_that_stood_before_is_not_new():
    stood = "a = 1\n{}from old import b  # noqa: PLC0415  # pragma: no cover\n{}"
    before = {PRODUCT: stood.format("x = 1\n", "y = 1\n")}
    assert severities(before, {PRODUCT: stood.format("x = 2\n", "y = 2\n")}) == set()
    (found,) = switched(before, {PRODUCT: stood.format("x = 2\n", "y = 2  # noqa: E741\n")})
    assert found.new == "y = 2  # noqa: E741"


def test_a_new_silenced_check_is_shown_and_not_a_reworded_one():
    before = {PRODUCT: "a = f()  # noqa: S311 - old words\n\nb = g()\n"}
    after = {PRODUCT: "a = f()  # noqa: S311 - new words\n\nb = g()  # noqa: E501\n"}
    assert [(one.line, one.new) for one in switched(before, after)] == [(3, "b = g()  # noqa: E501")]


EXITS = [
    ("text-about-running", TEST, "X = 'exec(os._exit(0))'\nY = f()\n", set()),
    ("program-text", "tests/test_x.py", "CRASH = f'''\nimport os\nos._exit({STATUS})\n'''\n", set()),
    ("inside-the-braces", "tests/test_x.py", "X = f'{os._exit(0)}'\n", {"error"}),
    ("exit-failing", CONFTEST, "def pytest_configure():\n    sys.exit('Python 3.11 is needed')\n", set()),
    ("exit-replaced", TEST, "def test_a(monkeypatch):\n    monkeypatch.setattr(os, '_exit', print)\n    check(os._exit)\n", set()),
    ("child", TEST, "def test_a():\n    pid = os.fork()\n    if pid == 0:\n        os._exit(0)\n    os.waitpid(pid, 0)\n", {"warning"}),
    ("child-at-once", TEST, "def test_a():\n    if not os.fork():\n        os._exit(0)\n", {"warning"}),
    ("parent", TEST, "def test_a():\n    pid = os.fork()\n    if pid == 0:\n        run()\n    else:\n        os._exit(0)\n", {"error"}),
    ("parent-first", TEST, "def test_a():\n    if os.fork():\n        os._exit(0)\n", {"error"}),
    ("helper", "tests/forking.py", "def exit_child(status):\n    try:\n        save()\n    finally:\n        os._exit(status)\n", {"warning"}),
    ("helper-handed", TEST, "def test_a():\n    def child():\n        os._exit(0)\n    fork_process(child)\n", {"warning"}),
    ("helper-of-a-child", TEST, "def end():\n    os._exit(0)\ndef test_a():\n    if os.fork() == 0:\n        end()\n", {"warning"}),
    ("helper-called", TEST, "def end():\n    os._exit(0)\ndef test_a():\n    end()\n", {"error"}),
    ("helper-of-a-helper", CONFTEST, "def end():\n    os._exit(0)\ndef bye():\n    end()\ndef pytest_unconfigure():\n    bye()\n", {"error"}),
    ("at-exit", "tests/ending.py", "def end():\n    os._exit(0)\natexit.register(end)\n", {"error"}),
    ("at-exit-of-a-test", TEST, "def test_a():\n    def end():\n        os._exit(0)\n    atexit.register(end)\n", {"error"}),
    ("fixture", CONFTEST, "@pytest.fixture(autouse=True)\ndef end():\n    yield\n    os._exit(0)\n", {"error"}),
    ("set-up", TEST, "class TestA:\n    def teardown_method(self):\n        os._exit(0)\n", {"error"}),
    ("text-that-is-run", TEST, "exec('os._exit(0)')\n", {"error"}),
    ("unread", TEST, "def test_a(:\n    os._exit(0)\n", {"error"}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "new", "told"), [pytest.param(*row[1:], id=row[0]) for row in EXITS])
def test_an_exit_is_an_error_where_the_run_itself_may_reach_it(path, new, told):
    ends = {change.severity for change in switched({path: ""}, {path: new}) if " ends " in change.message}
    assert ends == told
    assert severities({path: new}, {path: new + "\nX = 1\n"}) == set()


def test_a_helper_that_a_test_starts_to_call_becomes_an_error():
    old = "def end():\n    os._exit(0)\n"
    assert severities({TEST: old}, {TEST: old + "def test_a():\n    end()\n"}) == {"error"}


MARKS = "def pytest_collection_modifyitems(config, items):\n"
EACH = "    for item in items:\n"
SKIP = "item.add_marker(pytest.mark.skip(reason='no links'))\n"
MARKERS = [
    ("early-return", f"    if hasattr(os, 'link'):\n        return\n    skip = pytest.mark.skip(reason='no links')\n{EACH}        if item.get_closest_marker('links') is not None:\n            item.add_marker(skip)\n", "warning"),
    ("option", f"    if not config.getoption('--slow'):\n    {EACH}            if 'slow' in item.keywords:\n                {SKIP}", "warning"),
    ("inside", f"{EACH}        if sys.platform == 'win32':\n            {SKIP}", "warning"),
    ("all", f"{EACH}        {SKIP}", "error"),
    ("one-by-name", f"{EACH}        if 'test_a' in item.nodeid:\n            {SKIP}", "error"),
    ("constant", f"    if True:\n    {EACH}            {SKIP}", "error"),
    ("xfail", f"    if sys.platform == 'win32':\n    {EACH}            {SKIP.replace('skip', 'xfail')}", "error"),
    ("and-more", f"    if sys.platform == 'win32':\n    {EACH}            {SKIP}    items.clear()\n", "error"),
    ("in-the-condition", f"    if sys.platform == 'win32' and items.clear():\n    {EACH}            {SKIP}", "error"),
    ("in-a-mark", f"    if sys.platform == 'win32':\n    {EACH}            {SKIP.replace('skip(', 'skip(items.clear(), ')}", "error"),
    ("behind-a-branch", f"    if sys.platform == 'win32':\n        pass\n{EACH}        {SKIP}", "error"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "told"), [pytest.param(*row[1:], id=row[0]) for row in MARKERS])
def test_a_hook_that_only_skips_under_a_condition_is_a_warning(body, told):
    assert severities({CONFTEST: ""}, {CONFTEST: MARKS + body}) == {told}


def test_a_hook_that_skipped_under_a_condition_and_now_drops_tests_is_an_error():
    old = MARKS + MARKERS[0][1]

    assert severities({CONFTEST: old}, {CONFTEST: old + "    items.clear()\n"}) == {"error"}


def test_a_hook_that_kept_the_report_and_now_rewrites_it_is_an_error():
    kept = WRAPPER + "    outcome = yield\n    item.rep = outcome\n"

    assert severities({CONFTEST: kept}, {CONFTEST: kept + "    outcome.get_result().outcome = 'passed'\n"}) == {"error"}


GENERATES = (
    "def pytest_generate_tests(metafunc):\n    metafunc.parametrize('a', [pytest.param(1, marks=pytest.mark.skip)])\n"
)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({}, {"tests/test_new.py": GENERATES}, set()),
        ({TEST: ""}, {TEST: GENERATES}, {"error"}),
        ({"tests/test_old.py": ""}, {"tests/test_new.py": GENERATES}, {"error"}),
        ({}, {"tests/new/conftest.py": GENERATES}, {"error"}),
    ],
)
def test_a_hook_of_a_new_file_of_tests_reaches_only_new_tests(before, after, told):
    assert severities(before, after) == told


def test_the_first_new_line_is_shown():
    old = "a = f()  # noqa\n"

    (change,) = switched({PRODUCT: old}, {PRODUCT: "import os\n\n" + old + "b = g()  # noqa\n"})

    assert (change.new, change.line) == ("b = g()  # noqa", 4)


@pytest.mark.parametrize(
    "text", ["expect.extend({" * 9_000, "#" + " " * 90_000, "def __eq__(" * 9_000, "session.run(" * 9_000]
)
def test_hostile_text_is_read_in_time(text):
    assert switched({PRODUCT: ""}, {PRODUCT: text}) == []


EXPECTING = "// @ts-expect-error it takes a number\nformat('');\n"


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("// @ts-ignore it takes a number\nformat('');\n", {"warning"}),
        ("format('' as any);\n", {"warning"}),
        ("format(<any>'');\n", {"warning"}),
        (f"// @ts-nocheck\n{EXPECTING.replace('expect-error', 'ok')}", {"warning"}),
        ("format(1);\n", set()),
        (f"{EXPECTING}parse(x as any);\n", set()),
    ],
)
def test_an_error_that_the_compiler_is_expected_to_find_is_not_silenced(after, said):
    assert severities({"test/a.test.ts": EXPECTING}, {"test/a.test.ts": after}) == said


MORE = "// @ts-expect-error\nparse(\n  // @ts-expect-error\n  1,\n);\n"


@pytest.mark.parametrize("path", ["test/a.test.ts", "test/a.test-d.ts"])
@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("format('');\n" + MORE, {"warning"}),
        (EXPECTING + MORE.replace("// @ts-expect-error\n", "", 1), {"warning"}),
        (EXPECTING + MORE.replace("  // @ts-expect-error\n", ""), {"warning"}),
        (MORE + EXPECTING, set()),
        (f"format('');\n{EXPECTING}{MORE}", set()),
        (EXPECTING.replace("it takes", "// only") + MORE, set()),
        (MORE, set()),
    ],
)
def test_a_line_that_stands_without_its_expected_error_is_told_where_others_stay(path, after, said):
    assert severities({path: EXPECTING + MORE}, {path: after}) == said


def test_an_expected_error_that_moves_to_another_file_stays_one():
    moved = {"test/a.test.ts": "parse(x as any);\n", "test/c.test.ts": EXPECTING}
    assert severities({"test/a.test.ts": EXPECTING}, moved) == set()


QUOTED = [HOOK, "import pytest\npytest.exit('now')\n", "assert.equal = () => {};\n", "collect_ignore = ['a.py']\n"]


@pytest.mark.parametrize("source", QUOTED)
def test_source_text_in_a_string_of_a_test_is_no_code(source):
    assert severities({TEST: ""}, {TEST: f"def test_it():\n    assert judged({source!r})\n"}) == set()
    assert severities({TEST: ""}, {TEST: f'SOURCE = """\n{source}"""\n'}) == set()


def test_source_text_that_is_run_is_code():
    assert severities({CONFTEST: ""}, {CONFTEST: f"exec({HOOK!r})\nexec('pytest.exit(0)')\n"}) != set()
    assert severities(
        {PRODUCT: '"""\n>>> total(1)\n3\n"""\n'}, {PRODUCT: '"""\n>>> total(1)  # doctest: +SKIP\n3\n"""\n'}
    ) == {"error"}


RETRIED = "@pytest.mark.flaky(reruns=2)\ndef test_{}():\n    assert f() == {}\n\n\n"


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (RETRIED.format("new", 3) + RETRIED.format("old", 1), set()),
        (RETRIED.format("old", 1) + RETRIED.format("plain", 2), {"error"}),
        (RETRIED.format("plain", 2) + RETRIED.format("old", 1), {"error"}),
    ],
)
def test_a_line_that_decorates_what_it_decorated_is_not_new_wherever_the_texts_differ(after, told):
    plain = "def test_plain():\n    assert f() == 2\n\n\n"
    kept = "" if "test_plain" in after else plain
    assert severities({TEST: RETRIED.format("old", 1) + plain}, {TEST: after + kept}) == told
