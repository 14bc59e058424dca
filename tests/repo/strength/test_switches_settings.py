"""Settings that ask less than before are reported; what only moved, or reads otherwise, is not."""

import pytest

from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles
from pactkeeper.repo.strength.switches.reading import Unreadable, flat, read_data, read_yaml
from tests.repo.python.snapshots import Memory
from tests.repo.strength.states import severities, switched

PYPROJECT, INI = "pyproject.toml", "pytest.ini"


def pytest_(line: str) -> str:
    return f"[tool.pytest.ini_options]\n{line}\n"


JEST = ("module.exports = {testMatch: ['**/test/a.test.ts'], testPathIgnorePatterns: ['b.test'],"
        " coverageThreshold: {global: {lines: 90, branches: 80}}};")  # fmt: skip
VITEST = ("export default {test: {include: ['**/test/a.test.ts'], exclude: ['b.test'],"
          " coverage: {thresholds: {lines: 90, branches: 80}}}};")  # fmt: skip

TS_JEST = "module.exports = {{ transform: {{ '^.+$': ['ts-jest', {{ {} }}] }} }};"
WEAKER = [
    *((f"ts-jest-{at}", "jest.config.js", TS_JEST.format(""), TS_JEST.format(option), said) for at, (option, said) in enumerate((
        ("diagnostics: false", "error"), ("diagnostics: { warnOnly: true }", "error"), ("isolatedModules: true", "warning"),
        ("diagnostics: { exclude: ['**/*.test.ts'] }", "warning")))),
    ("no-shell", ".npmrc", "fund=false\n", "fund=false\nscript-shell=/bin/true\n", "error"),
    ("node-options", ".npmrc", "fund=false\n", "fund=false\nnode-options=--require ./quiet.js\n", "warning"),
    ("ts-jest-globals", "jest.config.js", "module.exports = {};", "module.exports = { globals: { 'ts-jest': { diagnostics: false } } };",
     "error"),
    ("k", PYPROJECT, pytest_('addopts = "-q"'), pytest_('addopts = "-q -k \'not slow\'"'), "error"),
    ("mark", PYPROJECT, pytest_('addopts = "-q"'), pytest_('addopts = ["-q", "-m", "not slow"]'), "error"),
    *((f"letters-{at}", INI, "[pytest]\naddopts = -ra\n", f"[pytest]\naddopts = {line}\n", "error")
      for at, line in enumerate(("-ra -k pay", "-rA -m 'not slow'", "-ra --deselect tests/test_a.py::test_x", "-qrfE -k pay",
                                 "-n4 -k pay", "-xk pay", "-vkpay", "-r a -mslow", "-ra -oxfail_strict=false"))),
    ("no-value", INI, "[pytest]\naddopts = --cov\n", "[pytest]\naddopts = --cov -k pay\n", "error"),
    ("list", PYPROJECT, pytest_('addopts = ["-ra"]'), pytest_('addopts = ["-ra", "-k", "pay"]'), "error"),
    ("deselect", INI, "[pytest]\n", "[pytest]\naddopts = --deselect tests/test_a.py::test_x\n", "error"),
    ("ignore", INI, "[pytest]\n", "[pytest]\naddopts = --ignore=tests/test_a.py\n", "error"),
    ("ignore-glob", INI, "[pytest]\n", "[pytest]\naddopts = --ignore-glob=*_a.py\n", "error"),
    ("plugin-off", INI, "[pytest]\n", "[pytest]\naddopts = -p no:warnings\n", "error"),
    ("reruns", INI, "[pytest]\n", "[pytest]\naddopts = --reruns 3\n", "error"),
    ("collect-only", INI, "[pytest]\n", "[pytest]\naddopts = --co\n", "error"),
    ("no-cov", INI, "[pytest]\naddopts = --cov=pkg\n", "[pytest]\naddopts = --cov=pkg --no-cov\n", "error"),
    ("cov-under", INI, "[pytest]\naddopts = --cov-fail-under=90\n", "[pytest]\naddopts = --cov-fail-under=9\n", "error"),
    ("strict-lost", INI, "[pytest]\naddopts = --strict-markers\n", "[pytest]\naddopts =\n", "error"),
    ("w-error-lost", INI, "[pytest]\naddopts = -W error\n", "[pytest]\naddopts =\n", "error"),
    ("overruled", INI, "[pytest]\n", "[pytest]\naddopts = --override-ini=xfail_strict=false\n", "error"),
    ("testpaths", PYPROJECT, pytest_('testpaths = ["tests"]'), pytest_('testpaths = ["tests/test_a.py"]'), "error"),
    ("testpaths-new", PYPROJECT, pytest_(""), pytest_('testpaths = ["tests/test_a.py"]'), "warning"),
    ("python-files", INI, "[pytest]\npython_files = test_*.py\n", "[pytest]\npython_files = test_a*.py\n", "error"),
    ("functions", INI, "[pytest]\npython_functions = test check\n", "[pytest]\npython_functions = test\n", "error"),
    ("norecurse", INI, "[pytest]\n", "[pytest]\nnorecursedirs = tests\n", "error"),
    ("warnings", PYPROJECT, pytest_('filterwarnings = ["error"]'), pytest_(""), "error"),
    ("ignored", PYPROJECT, pytest_('filterwarnings = ["error"]'), pytest_('filterwarnings = ["error", "ignore::X"]'),
     "warning"),
    ("strict", PYPROJECT, "[tool.pytest]\nstrict = true\n", "[tool.pytest]\n", "error"),
    ("strict-but-one", PYPROJECT, "[tool.pytest]\nstrict = true\n",
     "[tool.pytest]\nstrict = true\nstrict_markers = false\n", "error"),
    ("xfail", PYPROJECT, pytest_("xfail_strict = true"), pytest_("xfail_strict = false"), "error"),
    ("timeout", PYPROJECT, pytest_("timeout = 10"), pytest_("timeout = 600"), "warning"),
    ("fail-under", ".coveragerc", "[report]\nfail_under = 90\n", "[report]\nfail_under = 50\n", "error"),
    ("under-by-a-bit", ".coveragerc", "[report]\nfail_under = 97.74\n", "[report]\nfail_under = 97.69\n", "warning"),
    ("under-gone", PYPROJECT, "[tool.coverage.report]\nfail_under = 90\n", "[tool.coverage.report]\n", "error"),
    ("omit", PYPROJECT, "[tool.coverage.run]\nbranch = true\n", '[tool.coverage.run]\nbranch = true\nomit = ["src/pkg/core.py"]\n',
     "warning"),
    ("excluded", ".coveragerc", "[report]\n", "[report]\nexclude_lines =\n    pragma: no cover\n    raise\n", "warning"),
    ("mypy-strict", PYPROJECT, "[tool.mypy]\nstrict = true\n", "[tool.mypy]\n", "error"),
    ("mypy-one", "mypy.ini", "[mypy]\nstrict = True\n", "[mypy]\nstrict = True\ndisallow_untyped_defs = False\n", "error"),
    ("mypy-ignore", "mypy.ini", "[mypy]\n", "[mypy]\n[mypy-pkg.*]\nignore_errors = True\n", "error"),
    ("mypy-override", PYPROJECT, "[tool.mypy]\n", '[[tool.mypy.overrides]]\nmodule = "pkg.*"\nignore_errors = true\n', "error"),
    ("mypy-files", PYPROJECT, '[tool.mypy]\nfiles = ["src", "tests"]\n', '[tool.mypy]\nfiles = ["tests"]\n', "error"),
    ("ruff", PYPROJECT, '[tool.ruff.lint]\nselect = ["E", "B"]\n', '[tool.ruff.lint]\nselect = ["E"]\n', "warning"),
    ("ruff-ignore", "ruff.toml", "[lint]\nignore = []\n", '[lint]\nignore = ["B006"]\n', "warning"),
    ("per-file", PYPROJECT, "[tool.ruff.lint]\n", '[tool.ruff.lint.per-file-ignores]\n"src/**" = ["F"]\n', "warning"),
    ("flake8", "setup.cfg", "[flake8]\n", "[flake8]\nextend-ignore = E501,F401\n", "warning"),
    ("pyright", "pyrightconfig.json", '{"typeCheckingMode": "strict"}', '{"typeCheckingMode": "basic"}', "error"),
    ("jest-ignore", "jest.config.js", "module.exports = {};", "module.exports = {testPathIgnorePatterns: ['a.test']};",
     "error"),
    ("vitest-variant", "vitest.config.build.ts", "export default {test: {exclude: []}};",
     "export default {test: {exclude: ['test/a.test.ts']}};", "error"),
    ("jest-variant", "jest.config.e2e.js", "module.exports = {testMatch: ['**/*.test.ts']};",
     "module.exports = {testMatch: ['**/a.test.ts']};", "error"),
    ("jest-match", "jest.config.js", "module.exports = {testMatch: ['**/*.test.ts']};",
     "module.exports = {testMatch: ['**/a.test.ts']};", "error"),
    ("jest-threshold", "package.json", '{"jest": {"coverageThreshold": {"global": {"lines": 90}}}}',
     '{"jest": {"coverageThreshold": {"global": {"lines": 10}}}}', "error"),
    ("vitest-dir", "vitest.config.ts", "export default {test: {dir: 'test'}};", "export default {test: {dir: 'test/unit'}};",
     "error"),
    ("vitest-define", "vitest.config.ts", "export default {};", "export default {define: {'rows.length': '4'}};", "warning"),
    ("vitest-plugin", "vite.config.ts", "export default {};",
     "export default {plugins: [{name: 'x', transform(code) { return code }}]};", "warning"),
    *((f"runner-{at}", "package.json", '{"devDependencies": {"vitest": "^4.0.0"}}', text, "error") for at, text in enumerate((
        '{"devDependencies": {"vitest": "npm:@acme/vitest@^4.0.0"}}', '{"devDependencies": {"vitest": "file:./tools/vitest"}}',
        '{"devDependencies": {"vitest": "^4.0.0"}, "resolutions": {"**/vitest": "link:tools/vitest"}}',
        '{"devDependencies": {"vitest": "^4.0.0"}, "pnpm": {"overrides": {"vitest": "./tools"}}}'))),
    ("runner-from-the-net", "package.json", '{"devDependencies": {"jest": "1"}}', '{"devDependencies": {"jest": "git+ssh://x/y"}}',
     "warning"),
    ("alias-to-tests", "vitest.config.ts", "export default {test: {alias: {pkg: 'src/index.ts'}}};",
     "export default {test: {alias: {pkg: 'test/stub.ts'}}};", "error"),
    ("alias-under-a-condition", "vitest.config.mts",
     "export default {test: {alias: {pkg: new URL(process.env.X ? 'dist' : 'src/index.ts', import.meta.url).pathname}}};",
     "export default {test: {alias: {pkg: new URL(process.env.X ? 'dist' : 'test/stub.ts', import.meta.url).pathname}}};", "error"),
    ("alias-in-a-long-expression", "vitest.config.mts",
     "export default {test: {alias: {pkg: new URL(process.env.TEST_DIST ? 'node_modules/of/some/package' : 'src/index.ts', u).pathname}}};",
     "export default {test: {alias: {pkg: new URL(process.env.TEST_DIST ? 'node_modules/of/some/package' : 'test/stub.ts', u).pathname}}};",
     "error"),
    ("unhandled", "vitest.config.ts", "export default {test: {}};", "export default {test: {onUnhandledError: () => false}};", "error"),
    *((f"own-{at}", "vitest.config.ts", "export default {test: {}};", f"export default {{test: {{{text}}}}};", "warning") for at, text in enumerate((
        "runner: './test/runner.ts'", "reporters: ['default', './test/report.ts']", "environment: './env.ts'", "projects: [{test: {include: ['src/**/*.test.ts']}}]", "projects: ['packages/*']"))),
    *((f"own-of-jest-{at}", "jest.config.js", "module.exports = {};", f"module.exports = {{{text}}};", "warning") for at, text in enumerate((
        "testRunner: './r.js'", "testEnvironment: '<rootDir>/env.js'", "testResultsProcessor: './x.js'", "transform: {'.*': './t.js'}",
        "filter: './f.js'", "resolver: './r.js'", "automock: true"))),
    ("forced", "pnpm-workspace.yaml", "packages: [a]\n", "overrides:\n  vitest: npm:@me/vitest@1\n", "error"),
    ("patched", "package.json", "{}", '{"pnpm": {"patchedDependencies": {"vitest@4": "patches/vitest.patch"}}}', "warning"),
    ("asyncio", PYPROJECT, pytest_('asyncio_mode = "auto"'), pytest_('asyncio_mode = "strict"'), "warning"),
    ("plugin-gone", PYPROJECT, '[dependency-groups]\ntests = ["pytest", "pytest-asyncio>=0.17"]\n', '[dependency-groups]\ntests = ["pytest"]\n',
     "warning"),
    ("interrogate", PYPROJECT, "[tool.interrogate]\nfail-under = 100\n", "[tool.interrogate]\nfail-under = 10\n", "error"),
    ("norecurse-below", PYPROJECT, pytest_('testpaths = ["tests"]'), pytest_('testpaths = ["tests"]\nnorecursedirs = ["unit"]'), "error"),
    ("no-tests", "vitest.config.ts", "export default defineConfig({test: {}});",
     "export default defineConfig({test: {passWithNoTests: true}});", "error"),
    ("vitest-exclude", "vitest.config.ts", "export default {test: {}};", "export default {test: {exclude: ['test/b*']}};",
     "error"),
    ("vitest-threshold", "vite.config.ts", "export default {test: {coverage: {thresholds: {lines: 80}}}};",
     "export default {test: {coverage: {}}};", "error"),
    ("vitest-timeout", "vitest.config.ts", "export default {test: {}};", "export default {test: {testTimeout: 90000}};",
     "warning"),
    ("retry", "vitest.config.ts", "export default {test: {}};", "export default {test: {retry: 3}};", "error"),
    ("retries", "playwright.config.ts", "export default {retries: 0};", "export default {retries: process.env.CI ? 3 : 0};",
     "error"),
    ("grep", "playwright.config.ts", "export default {};", "export default {grep: /smoke/};", "error"),
    ("forbid-only", "playwright.config.ts", "export default {forbidOnly: !!process.env.CI};",
     "export default {forbidOnly: false};", "error"),
    ("pixels", "playwright.config.ts", "export default {expect: {toHaveScreenshot: {maxDiffPixelRatio: 0.01}}};",
     "export default {expect: {toHaveScreenshot: {maxDiffPixelRatio: 0.5}}};", "error"),
    ("mocha", ".mocharc.json", '{"forbidOnly": true}', '{"forbidOnly": false}', "error"),
    ("mocha-grep", ".mocharc.yml", "spec: test\n", "spec: test\ngrep: fast\n", "error"),
    ("tsconfig", "tsconfig.json", '{"compilerOptions": {"strict": true}}', '{"compilerOptions": {}}', "error"),
    ("tsconfig-flag", "tsconfig.json", '{"compilerOptions": {"strict": true}}',
     '{"compilerOptions": {"strict": true, "strictNullChecks": false}}', "error"),
    ("solution-of-others", "tsconfig.json", '{"compilerOptions": {"strict": true}}',
     '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}', "warning"),
    ("tsconfig-of-a-package", "tsconfig.json", '{"compilerOptions": {"strict": true}}',
     '{"extends": "@shared/tsconfig", "include": ["."]}', "warning"),
    ("tsconfig-of-a-package-off", "tsconfig.json", '{"extends": "@shared/tsconfig", "compilerOptions": {"noImplicitAny": true}}',
     '{"extends": "@shared/tsconfig", "compilerOptions": {"noImplicitAny": false}}', "error"),
    ("tsconfig-tests", "tsconfig.json", '{"exclude": ["dist"]}', '{"exclude": ["dist", "test"]}', "warning"),
    ("eslint", ".eslintrc.json", '{"rules": {"eqeqeq": "error"}}', '{"rules": {"eqeqeq": ["off"]}}', "warning"),
    ("line-length", PYPROJECT, "[tool.ruff]\nline-length = 88\n", "[tool.ruff]\nline-length = 200\n", "warning"),
    ("complexity", PYPROJECT, "[tool.ruff.lint.mccabe]\nmax-complexity = 8\n",
     "[tool.ruff.lint.mccabe]\nmax-complexity = 20\n", "warning"),
    ("flake8-length", ".flake8", "[flake8]\nmax-line-length = 88\n", "[flake8]\nmax-line-length = 120\n", "warning"),
    ("eslint-length", ".eslintrc.json", '{"rules": {"max-len": ["error", 80]}}', '{"rules": {"max-len": ["error", 160]}}',
     "warning"),
    ("eslint-flat", "eslint.config.js", "export default [{rules: {eqeqeq: 2}}];", "export default [{rules: {eqeqeq: 0}}];",
     "warning"),
    ("eslint-flat-override", "eslint.config.js", "export default [{files: ['a.js'], rules: {eqeqeq: 2}}];",
     "export default [{files: ['a.js'], rules: {eqeqeq: 0}}];", "warning"),
    ("eslint-preset", "eslint.config.mjs", "export default team({ignores: []});", "export default team({ignores: ['src/**']});",
     "warning"),
    ("eslint-presets", "eslint.config.ts", "export default t.config(t.strict, {});",
     "export default t.config(t.strict, {ignores: ['**']});", "warning"),
    ("eslint-of-tests", ".eslintrc.json", '{"rules": {"@vitest/expect-expect": 2}}', '{"rules": {"@vitest/expect-expect": 0}}',
     "error"),
    ("eslint-of-comments", ".eslintrc.json", '{"rules": {"@typescript-eslint/prefer-ts-expect-error": 2}}', '{"rules": {}}',
     "warning"),
    ("eslint-of-a-preset", ".eslintrc.json", '{"extends": []}', '{"rules": {"vitest/expect-expect": "off"}}', "warning"),
    ("coverage-of-less", ".coveragerc", "[run]\nsource = src/pkg\n  tests\n", "[run]\nsource = tests\n", "error"),
    ("codecov", "codecov.yml", "coverage:\n  status:\n    project:\n      default:\n        target: 90%\n",
     "coverage:\n  status:\n    project:\n      default:\n        target: 20%\n", "error"),
    ("broken", PYPROJECT, pytest_("xfail_strict = true"), "[tool.pytest\n", "warning"),
    ("broken-json", "tsconfig.json", '{"compilerOptions": {"strict": true}}', '{"compilerOptions": {', "warning"),
    ("computed", "jest.config.js", "module.exports = {retries: 0};", "module.exports = make();", "warning"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "old", "new", "severity"), [pytest.param(*row[1:], id=row[0]) for row in WEAKER])
def test_a_setting_that_asks_less_is_reported(path, old, new, severity):
    beside = {"tests/unit/test_c.py": "", "packages/a.ts": ""}
    found = switched(beside | {path: old}, beside | {path: new})

    assert severity in {change.severity for change in found}
    assert all(change.kind == "switched_off" and change.test.startswith(path) for change in found)


@pytest.mark.parametrize(("path", "old", "new"), [pytest.param(*row[1:4], id=row[0]) for row in WEAKER])
def test_the_way_back_is_at_most_a_note(path, old, new):
    backward = {path: new}
    exempt = "testpaths" in new or "broken" in new or "make()" in new or "grep" in new or "projects" in new

    assert severities(backward, {path: old}) <= {"note"} or exempt


@pytest.mark.parametrize(
    "later",
    [
        VITEST.replace("lines: 90", "lines: 80"),
        VITEST.replace(", branches: 80", ""),
        VITEST.replace("exclude: ['b.test']", "exclude: ['test/']"),
        VITEST.replace("**/test/a.test.ts", "**/test/none.test.ts"),
    ],
)
def test_another_runner_that_asks_less_is_an_error(later):
    assert "error" in severities({"jest.config.js": JEST}, {"vitest.config.mjs": later})


def test_a_new_file_of_settings_that_counts_instead_is_compared_with_the_old_one():
    old = {"vitest.config.mts": "export default {test: {dir: 'test'}};"}
    found = switched(old, {**old, "vitest.config.ts": "export default {test: {dir: 'test/unit'}};"})
    assert [(change.severity, change.test) for change in found] == [("error", "vitest.config.ts vitest.dir")]


FLAT = "export default [{rules: {eqeqeq: 2, semi: 0}}, {files: ['a.js'], rules: {curly: 'off', yoda: 2}}];"
_RULED = (
    '{"rules": {"eqeqeq": 2, "semi": [0]}, "overrides": [{"files": ["a.js"], "rules": {"curly": 0, "yoda": "error"}}]}'
)
MOVED = FLAT.replace("{files: ['a.js']", "{files: ['b.js'], rules: {'no-var': 'off'}}, {files: ['a.js']")


def test_a_block_of_rules_is_compared_with_the_one_for_the_same_files():
    (one,) = switched({"eslint.config.mjs": FLAT}, {"eslint.config.mjs": MOVED})
    assert one.test.endswith("rules.no-var")
    other = FLAT.replace("['a.js']", "['a.js', 'b.js']")
    assert switched({"eslint.config.mjs": FLAT}, {"eslint.config.mjs": other}) == []
    (one,) = switched({"eslint.config.mjs": FLAT}, {"eslint.config.mjs": other.replace("yoda: 2", "yoda: 0")})
    assert one.test.endswith("rules.yoda")


def test_settings_that_a_required_function_makes_are_exported():
    made = "module.exports = require('standard')({ rules: { eqeqeq: 2 } })"
    (one,) = switched({"eslint.config.js": made}, {"eslint.config.js": made.replace("2", "0")})
    assert one.test.endswith("rules.eqeqeq")
    (one,) = switched({}, {"eslint.config.js": "module.exports = require('standard')(chosen)"})
    assert "no settings are exported" not in one.message


def test_what_a_long_list_has_more_is_shown_before_it_is_cut():
    lines = "".join(f"    this line is left out and is called {at}\n" for at in range(9))
    files = [{".coveragerc": f"[report]\nexclude_lines =\n{lines}{more}"} for more in ("", "    raise Odd\n")]
    (one,) = switched(*files)
    assert (one.old, one.new) == ("coverage.report.exclude_lines = …", "coverage.report.exclude_lines = …, raise Odd")


@pytest.mark.parametrize(("kept", "lost"), [("forbidOnly: true, retries: 0", set()), ("retries: 0", {"error"})])
def test_settings_that_move_to_another_folder_beside_others_are_compared_with_what_they_were(kept, lost):
    made = "export default {{testDir: '{}', {}}};"
    manifest = {"package.json": '{"scripts": {"e2e": "playwright test"}}'}
    before = {**manifest, "playwright.config.js": made.format("./e2e", "forbidOnly: true, retries: 0")}
    after = {**manifest, "test/e2e/playwright.config.ts": made.format(".", kept), "test/e2e/a.test.ts": ""}
    assert {one.severity for one in switched(before, after)} == lost


NOT_FLAT = {".eslintrc": _RULED, ".eslintrc.json": _RULED, ".eslintrc.cjs": f"module.exports = {_RULED};"}
HONEST = [
    ("mypy-flags-become-strict", {PYPROJECT: '[tool.mypy]\ndisallow_untyped_defs = true\n'
                                             '[[tool.mypy.overrides]]\nmodule = "tests.*"\ncheck_untyped_defs = true\n'},
     {PYPROJECT: "[tool.mypy]\nstrict = true\n"}),
    *((f"shell-{at}", {".npmrc": "fund=false\n"}, {".npmrc": f"fund=false\nscript-shell={shell}\n"}) for at, shell in enumerate((
        "/bin/bash", "pwsh", "C:\\\\Program Files\\\\git\\\\bin\\\\bash.exe"))),
    ("ts-jest-as-ever", {"jest.config.js": TS_JEST.format("")}, {"jest.config.js": TS_JEST.format("diagnostics: true")}),
    ("tstyche-as-ever", {"tstyche.json": "{}"}, {"tstyche.json": '{"testFileMatch": ["**/*.tst.*"]}'}),
    ("tsconfig-renamed", {"tsconfig-base.json": '{"compilerOptions": {"strict": true}}'},
     {"tsconfig.json": '{"compilerOptions": {"strict": true}}'}),
    ("strict-of-pytest-9", {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-ra --strict-markers'\nxfail_strict = true\n"},
     {"pyproject.toml": "[tool.pytest]\nstrict = true\naddopts = ['-ra']\n"}),
    ("jest-to-c8", {"package.json": '{"jest": {"coverageThreshold": {"global": {"statements": 100}}}}'},
     {"package.json": '{"c8": {"check-coverage": true, "lines": 100}}'}),
    ("moved-to-ini", {PYPROJECT: pytest_('testpaths = ["tests"]\nxfail_strict = true\naddopts = "-q -m fast"')},
     {PYPROJECT: "", INI: "[pytest]\ntestpaths = tests\nxfail_strict = true\naddopts = -q -m fast\n"}),
    ("moved-from-cfg", {"setup.cfg": "[tool:pytest]\nxfail_strict = true\n[coverage:report]\nfail_under = 90\n"},
     {PYPROJECT: pytest_("xfail_strict = true") + "[tool.coverage.report]\nfail_under = 90\n"}),
    ("strict-for-all", {PYPROJECT: pytest_('addopts = ["-ra", "--strict-markers", "--strict-config"]\nxfail_strict = true')},
     {PYPROJECT: '[tool.pytest]\nstrict = true\naddopts = ["-ra"]\n'}),
    ("mypy-moved", {"mypy.ini": "[mypy]\nstrict = True\n"}, {PYPROJECT: "[tool.mypy]\nstrict = true\n"}),
    ("flake8-to-ini", {".flake8": "[flake8]\nignore = E501\n"}, {"tox.ini": "[flake8]\nignore = E501\n"}),
    ("comments", {INI: "[pytest]\naddopts = -q\n"}, {INI: "[pytest]\n# quiet\naddopts =\n    -q\n    -ra\n"}),
    ("letters-apart", {INI: "[pytest]\naddopts = -qra -k pay\n"}, {INI: "[pytest]\naddopts = -q -r a -kpay --capture no\n"}),
    ("versions", {PYPROJECT: '[project]\nversion = "1"\n'}, {PYPROJECT: '[project]\nversion = "2"\n'}),
    ("strict-spelt-out", {"tsconfig.json": '{"compilerOptions": {"strict": true, "noImplicitAny": true}}'},
     {"tsconfig.json": '{\n  // all of it\n  "compilerOptions": {"strict": true,},\n}'}),
    ("emits", {"tsconfig.json": '{"compilerOptions": {"noEmit": true}}'}, {"tsconfig.json": '{"compilerOptions": {}}'}),
    ("extended", {"tsconfig.json": '{"compilerOptions": {"strict": true}}'},
     {"tsconfig.json": '{"extends": "./tsconfig.base.json"}', "tsconfig.base.json": '{"compilerOptions": {"strict": true}}'}),
    ("solution", {"tsconfig.json": '{"compilerOptions": {"strict": true}}'},
     {"tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": "./node"}]}',
      "tsconfig.app.json": '{"compilerOptions": {"strict": true}}', "node/tsconfig.json": '{"compilerOptions": {"strict": true}}'}),
    ("ignores-build", {"jest.config.js": "module.exports = {};"},
     {"jest.config.js": "module.exports = {testPathIgnorePatterns: ['/node_modules/', '/dist/']};"}),
    ("renamed-folder", {INI: "[pytest]\ntestpaths = spec\n"}, {INI: "[pytest]\ntestpaths = tests\n"}),
    ("to-package", {"jest.config.js": "module.exports = {coverageThreshold: {global: {lines: 90}}};"},
     {"package.json": '{"jest": {"coverageThreshold": {"global": {"lines": 90}}}}'}),
    ("cjs-to-esm", {"jest.config.js": "module.exports = {bail: 2, retries: 1};"},
     {"jest.config.mjs": "const bail = 2;\nexport default {retries: 1, bail};"}),
    ("jest-to-vitest", {"jest.config.js": JEST}, {"vitest.config.mjs": VITEST}),
    ("vitest-to-jest", {"vitest.config.mjs": VITEST}, {"jest.config.js": JEST}),
    ("nyc-to-vitest", {".nycrc": '{"lines": 90}', ".mocharc.json": '{"spec": ["test/*.test.ts"]}'},
     {"vitest.config.ts": "export default {test: {include: ['test/*.test.ts'], coverage: {thresholds: {lines: 90}}}};"}),
    ("vite-to-vitest", {"vite.config.ts": "export default {test: {retry: 1, coverage: {thresholds: {lines: 80}}}};"},
     {"vitest.config.ts": "export default {test: {retry: 1, coverage: {thresholds: {lines: 80}}}};"}),
    ("defined", {"vitest.config.ts": "export default {};"},
     {"vitest.config.ts": "export default {define: {__DEV__: 'true', 'process.env.MODE': '1', 'import.meta.env.X': '2'}};"}),
    ("expression-further-down", {"vitest.config.ts": "export default {define: {'a.b': made()}, test: {retry: tries()}};"},
     {"vitest.config.ts": "// What is made\nexport default {define: {'a.b': made()}, test: {retry: tries()}};"}),
    ("plugin", {"vitest.config.ts": "export default {};"}, {"vitest.config.ts": "export default {plugins: [react()]};"}),
    ("same-files", {"vitest.config.ts": "export default {test: {}};", "test/made.ts": ""},
     {"vitest.config.ts": "export default {test: {include: ['test/**/*.test.ts'], bail: 1, environment: 'jsdom'}};", "test/made.ts": ""}),
    ("projects", {"vitest.config.ts": "export default {test: {}};"},
     {"vitest.config.ts": "export default {test: {projects: [{test: {include: ['test/a*.ts']}}, {test: {include: ['test/b*.ts']}}]}};"}),
    ("transformed", {"jest.config.js": "module.exports = {};"},
     {"jest.config.js": "module.exports = {transform: {'.*': 'ts-jest'}, testEnvironment: 'jsdom', bail: true};"}),
    ("plugin-moved", {PYPROJECT: '[project.optional-dependencies]\ntests = ["pytest-asyncio>=0.17"]\n'},
     {PYPROJECT: '[dependency-groups]\ntests = ["pytest-asyncio>=0.23"]\n'}),
    ("searched-all-the-same", {PYPROJECT: pytest_('testpaths = ["tests"]')}, {PYPROJECT: pytest_('testpaths = ["tests"]\nnorecursedirs = ["tests"]')}),
    ("dependencies", {"package.json": '{"devDependencies": {"vitest": "^4.0.0", "retry": "1"}}'},
     {"package.json": '{"devDependencies": {"vitest": "^5.0.0", "retry": "2", "jest": "npm:jest@30"}, "overrides": {"vitest": "5.0.1"}}'}),
    ("other-dependency", {"package.json": "{}"}, {"package.json": '{"dependencies": {"left": "file:./left", "own": "link:../own"}}'}),
    ("alias-of-helpers", {"vitest.config.ts": "export default {};", "test/helpers/a.ts": ""},
     {"vitest.config.ts": "export default {test: {alias: {'@helpers': 'test/helpers'}}};", "test/helpers/a.ts": ""}),
    ("alias-of-a-helper-moved", {"vitest.config.ts": "export default {test: {alias: {made: 'test/made.ts'}}};"},
     {"vitest.config.ts": "export default {test: {alias: {made: 'test/tools/made.ts'}}};"}),
    ("config-beside", {"vitest.config.ts": "export default {test: {dir: 'test'}};"},
     {"vitest.config.ts": "export default {test: {dir: 'test'}};", "vite.config.ts": "export default {test: {dir: 'test/unit'}};"}),
    ("config-of-more", {"vite.config.ts": "export default {test: {dir: 'test'}};"},
     {"vite.config.ts": "export default {test: {dir: 'test'}};",
      "vitest.config.ts": "import base from './vite.config';\nexport default mergeConfig(base, {test: {globals: true}});"}),
    ("select-all", {"ruff.toml": 'select = ["E", "F"]\n'}, {"ruff.toml": '[lint]\nselect = ["ALL"]\n'}),
    ("package-gone", {"web/jest.config.js": "module.exports = {coverageThreshold: {global: {lines: 9}}};"}, {}),
    ("omits-tests", {".coveragerc": "[run]\nbranch = True\n"}, {".coveragerc": "[run]\nbranch = True\nomit = tests/*\n"}),
    ("extended", {"ruff.toml": 'lint.select = ["E", "F"]\n'}, {"ruff.toml": 'lint.extend-select = ["E", "F"]\n'}),
    ("new-package", {}, {"web/vitest.config.ts": "export default {test: {include: ['a.test.ts']}};"}),
    ("tests-not-there-before", {INI: "[pytest]\n"}, {INI: "[pytest]\nnorecursedirs = plugins\n",
                                                     "tests/plugins/test_c.py": ""}),
    *((f"eslint-made-flat-{name[10:] or 'plain'}", {name: text}, {"eslint.config.js": FLAT}) for name, text in NOT_FLAT.items()),
    ("computed-before", {"eslint.config.js": "export default make({});"}, {"eslint.config.js": "export default make({x});"}),
    ("new-checker", {PYPROJECT: ""}, {PYPROJECT: '[tool.pyright]\ninclude = ["src"]\nreportPrivateUsage = "warning"\n'}),
    ("default-said", {"mypy.ini": "[mypy]\n"}, {"mypy.ini": "[mypy]\nwarn_return_any = False\n"}),
    ("renamed-package", {".coveragerc": "[run]\nsource = old\n", "old/core.py": ""},
     {".coveragerc": "[run]\nsource = new\n", "new/core.py": ""}),
    ("warnings-as-a-setting", {"tox.ini": "[testenv]\ncommands = pytest -Werror\n"},
     {"tox.ini": "[testenv]\ncommands = pytest\n", INI: "[pytest]\nfilterwarnings = error\n"}),
    ("reordered", {"ruff.toml": 'select = ["E", "F"]\n'}, {"ruff.toml": 'select = [\n  "F",\n  "E",\n]\n'}),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), [pytest.param(*row[1:], id=row[0]) for row in HONEST])
def test_an_honest_edit_of_settings_is_silent(before, after):
    assert severities(before, after) <= {"note"}


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        (PYPROJECT, ".".join(["a"] * 5_000) + " = 1\n", "dotted parts"),
        (PYPROJECT, f"a = {'9' * 5_000}\n", "4300"),
        ("package.json", '{"jest": ' + '{"a": ' * 300 + "1" + "}" * 301, "100 deep"),
    ],
)
def test_settings_that_no_tool_reads_are_reported_as_unread(path, text, why):
    assert [one for one in switched({path: ""}, {path: text}) if why in one.message or why in str(one)]


def test_a_file_that_wins_over_the_settings_in_use_is_seen():
    before = {PYPROJECT: pytest_("xfail_strict = true")}

    assert "error" in severities(before, before | {INI: "[pytest]\n"})


def test_thresholds_that_fall_together_are_one_change_with_both_facets():
    old = "module.exports = {coverageThreshold: {global: {lines: 90, branches: 80}}};"
    new = "module.exports = {\n  coverageThreshold: {global: {lines: 10, branches: 20}},\n};"

    (change,) = switched({"jest.config.js": old}, {"jest.config.js": new})

    assert change.old == "jest.coverageThreshold.global.branches = 80, jest.coverageThreshold.global.lines = 90"
    assert change.new == "jest.coverageThreshold.global.branches = 20, jest.coverageThreshold.global.lines = 10"
    assert change.line == 2


def test_a_stricter_setting_is_a_note():
    (change,) = switched({"ruff.toml": 'lint.select = ["E"]\n'}, {"ruff.toml": 'lint.select = ["E", "B"]\n'})

    assert (change.kind, change.severity) == ("stronger", "note")


def test_yaml_whose_aliases_multiply_cannot_be_read():
    layers = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))

    assert severities({}, {"codecov.yml": f"a0: &a0 [x]\n{layers}\n"}) == {"warning"}


def test_a_line_under_no_value_is_no_bug():
    with pytest.raises(Unreadable):
        read_data("setup.cfg", b"[a]\nb\n  c\n", SettingsFiles(Memory({})))


def test_half_a_character_is_read_as_a_replacement():
    found = dict(flat(read_yaml('{"run": ["\\ud800"], "\\udfff": "\\ud800 x"}')))
    assert found == {"run": ("\ufffd",), "\ufffd": "\ufffd x"}


def test_settings_that_move_to_another_folder_are_compared_there():
    strict, other = "export default {forbidOnly: true, retries: 0}", "export default {retries: 0}"
    before = {"playwright.config.js": strict}
    assert severities(before, {"test/e2e/playwright.config.ts": strict}) == set()
    assert severities(before, {"test/e2e/playwright.config.ts": other}) == {"error"}


def test_coverage_sources_that_move_to_pyproject_as_packages_are_the_same():
    before = {"setup.cfg": "[coverage:run]\nsource = shop, till\n", "shop/a.py": "x = 1\n", "till/a.py": "x = 1\n"}
    run = '[tool.coverage.run]\nsource_pkgs = ["shop"'
    moved = {**before, "setup.cfg": "[metadata]\nname = shop\n"}
    assert severities(before, {**moved, PYPROJECT: f'{run}, "till"]\n'}) == set()
    assert severities(before, {**moved, PYPROJECT: f"{run}]\n"}) == {"error"}


@pytest.mark.parametrize(("before", "said"), [({}, {"error"}), ({"tstyche.config.json": "{}"}, {"error"})])
def test_type_tests_that_are_no_longer_found_are_an_error(before, said):
    tests = {"types/index.tst.ts": "expect<string>().type.toBe<string>();\n"}
    narrowed = {"tstyche.config.json": '{"testFileMatch": ["nothing/**"]}'}
    assert severities({**tests, **before}, {**tests, **narrowed}) == said


TYPED = '[dependency-groups]\ntype = ["{0}"]\n[tool.{0}]\nstrict = true\n'


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ({PYPROJECT: TYPED.format("ty"), "tox.ini": "[testenv]\ncommands = ty check\n"}, {"warning"}),
        (
            {PYPROJECT: TYPED.format("ty"), "tox.ini": "[testenv]\ncommands =\n    ty check\n    mypy src\n"},
            {"error", "warning"},
        ),
    ],
)
def test_the_settings_of_a_checker_that_nothing_runs_any_more_went_with_it(after, told):
    before = {PYPROJECT: TYPED.format("mypy"), "tox.ini": "[testenv]\ncommands = mypy src\n"}
    assert {one.severity for one in switched(before, after) if "types are checked" in one.message} == told


PROJECTS = "export default {{test: {{projects: [{}]}}}};"
UNIT, GC = "{{test: {{exclude: ['{}']}}}}", "{test: {name: 'gc', include: ['test/a.test.ts']}}"
PAGES = "{test: {include: ['test/c*.ts']}}"


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ([UNIT.format("test/a.test.ts"), GC, PAGES], {"warning"}),
        ([UNIT.format("test/a.test.ts"), PAGES], {"error"}),
        ([UNIT.format("test/b.test.ts"), GC, PAGES], {"error"}),
    ],
)
def test_what_one_project_leaves_out_for_another_one_still_runs(after, told):
    tests = {"test/a.test.ts": "", "test/b.test.ts": "", "test/c.test.ts": ""}
    before, now = (PROJECTS.format(", ".join(one)) for one in ([UNIT.format("dist/**"), PAGES], after))
    assert severities({**tests, "vitest.config.ts": before}, {**tests, "vitest.config.ts": now}) == told
