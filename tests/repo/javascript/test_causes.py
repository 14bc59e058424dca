"""One small repository for every cause that once kept tests out of sight, with what is seen of it now."""

import base64
import json

import pytest

from pactkeeper.repo.languages.adapter import NONE_READ, Added
from pactkeeper.repo.languages.javascript.adapter import JAVASCRIPT
from tests.repo.javascript.project import MOCHA, NODE, PLAYWRIGHT, VITEST, discover

ONE = "it('one', () => {});\n"
TEST = "test('one', () => {});\n"


def scripts(**lines: str) -> dict[str, str]:
    return {"package.json": json.dumps({"devDependencies": {"mocha": "11"}, "scripts": lines})}


LAB = {
    "package.json": json.dumps(
        {"devDependencies": {"@hapi/lab": "26"}, "scripts": {"test": "lab -a @hapi/code checks"}}
    )
}

SEEN = {
    "runner merged and extended": {
        **PLAYWRIGHT,
        "base.ts": "import { test as base, mergeTests } from '@playwright/test';\n"
        "export const made = mergeTests(base, other).extend<{ x: number }>({});\n",
        "a.spec.ts": "import { made as test } from './base';\n" + TEST,
    },
    "local name of an import as evidence": {
        **PLAYWRIGHT,
        "a.spec.ts": "import { contextTest as it } from 'elsewhere/base';\n" + ONE,
    },
    "runner with types of another module": {
        **PLAYWRIGHT,
        "a.spec.ts": "import { test as base } from '@playwright/test';\n"
        "const test = base.extend<{ x: import('./types').T }>({ x: async ({}, use) => use(1) });\n" + TEST,
    },
    "runner in an object": {
        **VITEST,
        "a.test.ts": "import { it as check } from 'vitest';\nconst kit = { it: check, other: 1 };\nkit.it('one', () => {});\n",
    },
    "runner of the global object": {**VITEST, "a.test.ts": "globalThis.it('one', () => {});\n"},
    "function that is an element of something": {**MOCHA, "test/a.spec.js": "it('one', cases['one']);\n"},
    "runner that a function of the file gives": {
        **VITEST,
        "a.test.ts": "function make() { return it.skip; }\nconst check = make();\ncheck('one', () => {});\n",
    },
    "runner that an awaited function of another file gives": {
        **VITEST,
        "make.ts": "import { it } from 'vitest';\nexport async function make() { return it; }\n",
        "a.test.ts": "import { make } from './make';\nconst check = await make();\ncheck('one', () => {});\n",
    },
    "runner's global that the file stubs and puts back": {
        **MOCHA,
        "test/a.spec.js": "const known = it;\nbefore(() => { it = () => {}; });\nafter(() => { it = known; });\n" + ONE,
    },
    "script that starts a runner by its file": {
        **scripts(test="node bin/mocha.js 'checks/*.spec.cjs'"),
        "checks/a.spec.cjs": ONE,
    },
    "script that runs another one": {
        **scripts(run="nyc mocha --forbid-only", unit="npm run -s run -- 'checks/*.spec.js'"),
        "checks/a.spec.js": ONE,
    },
    "script in JavaScript that starts a runner": {
        **scripts(test="node tools/make.mjs test", check="mocha other"),
        "tools/make.mjs": "const BIN = './bin/', MOCHA = `${BIN}mocha `, FILES = '\"checks/{a,b}/**/*.js\"';\n"
        "run(`${find('c8')} -- ${MOCHA} -R dot -t ${limit()} ${FILES}`);\n",
        "checks/a/one.js": ONE,
    },
    "recipe of a Makefile": {**MOCHA, "Makefile": "test:\n\t@mocha checks/*.js\n", "checks/a.js": ONE},
    "name without its suffix": {**scripts(test="mocha --ui bdd checks/a.spec"), "checks/a.spec.js": ONE},
    "compiled tests of tsc": {
        "package.json": json.dumps({"scripts": {"test": "node --test dist/test/*.js"}}),
        "tsconfig.json": '{"compilerOptions": {"outDir": "dist", "rootDir": "."}}',
        "test/a.ts": "import test from 'node:test';\n" + TEST,
    },
    "compiled tests in a folder that other settings name": {
        "package.json": json.dumps({"devDependencies": {"mocha": "11"}, "scripts": {"test": "mocha made/test"}}),
        "tsconfig.base.json": '{"compilerOptions": {"outDir": "made"}}',
        "test/tsconfig.json": '{"extends": "../tsconfig.base.json", "compilerOptions": {"rootDir": ".."}}',
        "test/checks.ts": ONE,
    },
    "compiled tests without settings": {
        "package.json": json.dumps({"scripts": {"test": "node --test dist/**/*.test.js"}}),
        "src/a.test.ts": "import test from 'node:test';\n" + TEST,
    },
    "settings below a folder that is named as a workspace's are": {
        **VITEST,
        "workspaces/a/vitest.config.ts": "export default { test: { include: ['**/*.check.ts'] } }\n",
        "workspaces/a/one.check.ts": ONE,
    },
    "type tests that a script turns on": {
        "package.json": json.dumps({"scripts": {"test": "vitest run --typecheck"}}),
        "test/a.test-d.ts": ONE,
    },
    "type tests that a script runs alone": {
        "package.json": json.dumps({"scripts": {"test": "vitest --run && vitest --run --typecheck.only"}}),
        "vitest.config.ts": "export default { test: { include: ['test/**/*.spec.ts'] } }\n",
        "types/a.test-d.ts": ONE,
    },
    "exclude under a condition": {
        **VITEST,
        "vitest.config.ts": "export default { test: { exclude: [...(process.env.CI ? ['a.test.ts'] : [])] } }\n",
        "a.test.ts": ONE,
    },
    "computed element of a list": {
        "package.json": json.dumps({"devDependencies": {"jest": "30"}}),
        "jest.config.js": "module.exports = { testPathIgnorePatterns: [compute(), '/b/'] };\n",
        "a.test.js": ONE,
        "b/b.test.js": "it('ignored', () => {});\n",
    },
    "arguments handed on whole by another file": {
        **VITEST,
        "check.ts": "import { it } from 'vitest';\nexport const check = (...args) => it.skip(...args);\n",
        "a.test.ts": "import { check } from './check';\ncheck('one', () => {});\n",
    },
    "title handed on by another file": {
        **VITEST,
        "check.ts": "import { it } from 'vitest';\nexport function check(title, run) { it(title, run); }\n",
        "a.test.ts": "import { check } from './check';\ncheck('one', () => {});\n",
    },
    "macro that makes the title of its test": {
        "package.json": json.dumps({"devDependencies": {"ava": "8"}}),
        "test/a.js": "import test from 'ava';\nconst one = (t, x) => { t.truthy(x); };\none.title = () => 'x';\n"
        "test(one, {x: 1}, [2]);\n",
    },
    "script of lab, taken apart": {
        **LAB,
        "checks/a.js": "const Lab = require('@hapi/lab');\nconst { describe, it } = exports.lab = Lab.script();\n"
        "describe('s', () => {\n  it('one', () => {});\n});\n",
    },
    "script of lab by its members": {
        **LAB,
        "checks/b/a.js": "import { script } from '@hapi/lab';\nexport const lab = script();\nlab.test('one', () => {});\n",
    },
    "test in the source": {
        **VITEST,
        "vitest.config.ts": "export default { test: { includeSource: ['src/**/*.ts'] } }\n",
        "src/a.ts": "if (import.meta.vitest) {\n  const { it } = import.meta.vitest;\n  it('one', () => {});\n}\n",
    },
}

COMPILED = {
    "package.json": json.dumps({"scripts": {"test": "node --test dist/**/*.test.js"}}),
    "dist/a.test.js": "const test = require('node:test');\n" + TEST + "//# sourceMappingURL=a.test.js.map\n",
    "lib/a.test.ts": "import test from 'node:test';\n" + TEST,
}
MAPS = {
    "beside": json.dumps({"version": 3, "sources": ["../lib/a.test.ts"]}),
    "with a root": json.dumps({"version": 3, "sourceRoot": "../lib/", "sources": ["a.test.ts", "../../../etc/passwd"]}),
}


@pytest.mark.parametrize("cause", MAPS)
def test_a_compiled_test_is_found_in_the_source_that_its_map_names(cause):
    tests, gaps = discover({**COMPILED, "dist/a.test.js.map": MAPS[cause]})
    assert ([test.file for test in tests], gaps) == (["lib/a.test.ts"], [])


def test_a_map_may_be_written_into_the_compiled_file():
    encoded = base64.b64encode(MAPS["beside"].encode()).decode()
    compiled = TEST + f"//# sourceMappingURL=data:application/json;base64,{encoded}\n"
    tests, gaps = discover({**COMPILED, "dist/a.test.js": compiled})
    assert ([test.file for test in tests], gaps) == (["lib/a.test.ts"], [])


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"sources": 1}', '{"sources": [1]}', '{"sources": ["a"], "sourceRoot": 1}', "[" * 99_999],
)
def test_a_source_map_that_cannot_be_read_is_a_gap(text):
    tests, (gap,) = discover({**COMPILED, "dist/a.test.js.map": text})
    assert [test.file for test in tests] == ["dist/a.test.js"]
    assert (gap.file, gap.reason.partition(";")[0]) == ("dist/a.test.js", "its source map cannot be read")


def test_a_map_that_names_files_outside_of_the_repository_changes_nothing():
    text = json.dumps({"sources": ["../../etc/passwd", "/etc/passwd", "\0", "webpack:///src/a.ts"]})
    tests, gaps = discover({**COMPILED, "dist/a.test.js.map": text})
    assert ([test.file for test in tests], gaps) == (["dist/a.test.js"], [])


@pytest.mark.parametrize("cause", SEEN)
def test_a_rule_sees_the_test(cause):
    assert [test.name for test in discover(SEEN[cause])[0]] == ["one"]


def test_a_function_that_hands_its_arguments_on_whole_declares_any_number_of_tests():
    tests, _ = discover(
        {**VITEST, "a.test.ts": "const check = (...args) => it.skip(...args);\ncheck('one', () => {});\n"}
    )
    assert [(test.name, test.dynamic, test.cases) for test in tests] == [("...args", True, None)]


UNREAD = {
    "function of a package": "import { rule } from 'rules';\nrule('two', () => {});\n",
    "value of a file that says nothing of tests": "import { rule } from './rules';\nrule('two', () => {});\n",
    "beside others in a suite": "import { rule } from 'rules';\ndescribe('s', () => {\n  rule('two', () => {});\n});\n",
}


@pytest.mark.parametrize("cause", UNREAD)
def test_a_call_that_looks_like_a_declaration_beside_tests_is_a_gap(cause):
    tests, (gap,) = discover({**VITEST, "rules.ts": "export const rule = make();\n", "a.test.ts": ONE + UNREAD[cause]})
    assert [test.name for test in tests] == ["one"]
    assert gap.reason.startswith("1 call looks like a declaration and is not read: nothing says what rule is")


@pytest.mark.parametrize(
    "source",
    [
        "before('set up', () => {});\n",
        "import { mock } from 'mocks';\nconst made = mock('name', () => {});\n",
        "import { emitter } from 'events';\nemitter.on('end', () => {});\n",
        "function local(name, run) { run(); }\nlocal('name', () => {});\n",
        "it('two', () => {\n  within('name', () => {});\n});\n",
    ],
)
def test_a_call_that_declares_nothing_is_no_gap(source):
    assert discover({**VITEST, "a.test.ts": ONE + source})[1] == []


SETUP = (
    "import { describe, it } from 'vitest';\n"
    "export function matrix(title, run) { describe(title, () => run({}, { describe, it: wrapped(it) })); }\n"
)
MATRIX = "import { matrix } from './setup';\n"
TAKEN = {
    "destructured": "matrix('m', (t, { it }) => {\n  it('two', () => {});\n});\n",
    "in a suite that is handed as well": "matrix('m', (t, { describe, it }) => {\n  describe('s', () => {\n"
    "    it('two', () => {});\n  });\n});\n",
    "skipped": "matrix('m', (t, { test }) => {\n  test.skip('two', () => {});\n});\n",
    "by itself": "matrix('m', (t, it) => {\n  it.skip('two', () => {});\n});\n",
}


@pytest.mark.parametrize("cause", TAKEN)
def test_a_runner_that_a_titled_callback_takes_under_its_name_declares_tests_that_may_run_often(cause):
    (test,), gaps = discover({**VITEST, "setup.ts": SETUP, "a.test.ts": MATRIX + TAKEN[cause]})
    suites = ("m", "s") if "describe" in TAKEN[cause] else ("m",)
    assert (test.suite, test.name, test.cases, gaps) == (suites, "two", None, [])


HANDED = {
    "in an object": "matrix('m', (t, given) => {\n  given.it('two', () => {});\n});\n",
    "to a callback without a title": "matrix(({ it }) => {\n  it('two', () => {});\n});\n",
    "to a function of the file": "function checks(it) {\n  it('two', () => {});\n}\nchecks(it);\n",
}


@pytest.mark.parametrize("cause", HANDED)
def test_a_call_of_a_runner_that_is_handed_in_is_a_gap(cause):
    tests, (gap,) = discover({**VITEST, "setup.ts": SETUP, "a.test.ts": MATRIX + HANDED[cause]})
    assert tests == []
    name = "given" if cause == "in an object" else "it"
    assert gap.reason == (
        f"1 call looks like a declaration and is not read: nothing says what {name} is; "
        f'if tests are declared so, write `runners = ["{name}"]` under `[tests]` in pact/pact.toml (`pk init` makes it)'
    )


@pytest.mark.parametrize(
    "source",
    [
        "shared({ it });\n",
        "shared({ it: it.skip });\n",
        "require('./shared')(it);\n",
        "for (const check of [it, it.skip]) check('two', () => {});\n",
        "it.call(null, 'two', () => {});\n",
        "class Kit {\n  constructor(check = it) { this.check = check; }\n}\n",
    ],
)
def test_a_runner_that_is_handed_on_is_a_gap(source):
    tests, (gap,) = discover({**VITEST, "a.test.ts": ONE + source})
    assert [test.name for test in tests] == ["one"]
    assert (
        gap.reason == "it is handed on; tests that are declared by it there may be missing" or "2 places" in gap.reason
    )


def test_a_name_that_is_a_suite_or_a_test_holds_tests():
    text = "const either = flat ? it : describe;\n(skip ? either.skip : either)(name, () => {\n  it('two', () => {});\n});\n"
    tests, gaps = discover({**MOCHA, "test/a.spec.js": text})
    assert ([test.name for test in tests], gaps) == (["name", "two"], [])


def test_the_setting_that_the_gap_names_reads_a_runner_that_is_handed_in():
    files = {**VITEST, "setup.ts": SETUP, "a.test.ts": MATRIX + HANDED["to a function of the file"]}
    (test,), gaps = discover(files, Added(runners=("it",)))
    assert (test.suite, test.name, gaps) == ((), "two", [])


@pytest.mark.parametrize(
    "source",
    [
        "test('two', ({ context }) => {\n  context('three', () => {});\n});\n",
        "function unused(it) {\n  it('two', () => {});\n}\n",
        "test('two', pattern => {\n  pattern.test('three');\n});\n",
        "const pattern = /x/;\npattern.test('two');\n",
    ],
)
def test_a_parameter_inside_a_test_or_in_code_that_nothing_calls_is_no_gap(source):
    assert discover({**VITEST, "a.test.ts": ONE + source})[1] == []


@pytest.mark.parametrize(
    "imports",
    [
        "import t from 'tap';\n",
        "import { t } from 'tap';\n",
        "import * as t from 'tap';\n",
        "const t = require('tap');\n",
    ],
)
def test_tests_of_tap_are_read_by_its_module(imports):
    source = imports + "t.test('one', async t => {\n  t.equal(1, 1);\n});\n"
    (test,), gaps = discover({"package.json": "{}", "test/a.js": source})
    assert (test.name, test.framework, gaps) == ("one", "tap", [])


def test_the_context_of_tap_that_a_function_is_given_declares_its_tests():
    source = "import t from 'tap';\nconst run = (size, t) => {\n  t.test('one', t => t.end());\n};\nrun(1, t);\n"
    (test,), _ = discover({"package.json": "{}", "test/a.js": source})
    assert (test.name, test.framework) == ("one", "tap")


def test_a_file_that_tap_runs_without_a_declared_test_is_a_gap():
    files = {"package.json": "{}", "test/a.js": "import t from 'tap';\nt.equal(1, 1);\n"}
    tests, (gap,) = discover(files)
    assert (tests, gap.file) == ([], "test/a.js")
    assert gap.reason.startswith("tap runs the file as one test")


def test_an_exclude_under_a_condition_is_a_gap():
    assert any("depends on a condition" in gap.reason for gap in discover(SEEN["exclude under a condition"])[1])


def test_a_tester_that_declares_by_its_own_rules_is_a_gap():
    source = "const { RuleTester } = require('eslint');\nconst ruleTester = new RuleTester();\nruleTester.run('no-x', rule, {valid: [], invalid: []});\n"
    tests, (gap,) = discover({**MOCHA, "test/a.js": source})
    assert (tests, gap.line, gap.reason) == ([], 3, "1 call of ruleTester.run may declare tests, which are not read")


def test_the_pact_names_functions_that_declare():
    files = {**NODE, "a.test.ts": "import { serverTest } from '@acme/kit';\nserverTest('one', async () => {});\n"}
    assert discover(files)[0] == []
    assert [test.name for test in discover(files, Added(runners=("serverTest",)))[0]] == ["one"]


@pytest.mark.parametrize(("rest", "spans"), [(", {\n  a: 1,\n}", ((2, 4),)), (", [1]", ((2, 2),)), (", 1000", ())])
def test_rows_after_the_function_of_a_declaring_call_are_a_gap(rest, spans):
    source = f"import cases from '@acme/kit';\ncases('one', (it) => {{}}{rest});\n"
    tests, gaps = discover({**NODE, "a.test.ts": source}, Added(runners=("cases",)))
    assert [test.name for test in tests] == ["one"]
    assert [gap.spans for gap in gaps] == [spans] * bool(spans)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        (ONE, 1),
        ("import { test } from 'vitest';\n" + TEST, 1),
        ("/regex/.test('text', () => {});\n", 0),
        ("// it('one', () => {})\n", 0),
        ("const text = `it('one', () => {})`;\n", 0),
    ],
)
def test_a_file_that_nothing_collects_is_judged_by_its_syntax(source, count):
    seen = JAVASCRIPT.glimpse("src/a.js", source.encode())
    assert (seen.count if seen is not None else 0) == count


def test_tests_by_a_local_name_of_unknown_origin_are_a_gap():
    source = (
        "import { expect } from '@playwright/test';\n"
        "const test = registry['test'];\n"
        "test('adds', async ({ x }) => { expect(x).toBe(1); });\n"
    )
    tests, gaps = discover({**PLAYWRIGHT, "e2e/a.spec.ts": source})
    assert tests == []
    assert [(gap.file, gap.line) for gap in gaps] == [("e2e/a.spec.ts", 3)]


def test_files_that_a_script_imports_are_collected_once():
    files = {**scripts(test="mocha test/index.js"), "test/index.js": "require('./a.test.js');\n", "test/a.test.js": ONE}
    tests, gaps = discover(files)
    assert [test.id for test in tests] == ["test/a.test.js::one"]
    assert gaps == []


CASES = "import cases from 'lab-cases';\ncases(given, { name: 'one' });\n"


@pytest.mark.parametrize("path", ["test/cases.js", "test/cases.test.js", "test/fixtures/cases.spec.js"])
def test_a_collected_file_without_a_test_that_is_read_is_a_gap(path):
    files = {**scripts(test="mocha 'test/**/*.js'"), path: CASES, "test/a.test.js": ONE}
    tests, gaps = discover(files)
    assert [test.name for test in tests] == ["one"]
    assert [(gap.file, gap.reason) for gap in gaps] == [(path, NONE_READ)]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("test/kit.js", CASES + "export const kit = cases;\n"),
        ("test/fixtures/page.js", CASES),
        ("test/setup.js", CASES),
        ("test/index.js", "import './a.test.js';\n"),
    ],
)
def test_a_file_that_serves_collected_ones_is_no_gap(path, source):
    files = {**scripts(test="mocha 'test/**/*.js'"), path: source, "test/a.test.js": ONE}
    assert discover(files)[1] == []


def test_files_of_type_tests_are_one_gap():
    made = "import { expectType } from 'tsd';\nexpectType<number>(one());\n"
    files = {"package.json": "{}", "a.test-d.ts": made, "b.test-d.ts": made}
    (gap,) = discover(files)[1]
    assert (gap.file, gap.reason) == ("a.test-d.ts", "type tests are not read: 2 files like this one")


def test_a_package_of_the_repository_that_is_named_like_a_part_of_the_runner_is_read():
    files = {
        "package.json": json.dumps({"workspaces": ["packages/*"], "devDependencies": {"jest": "30"}}),
        "packages/kit/package.json": json.dumps({"name": "@jest/kit", "main": "index.ts"}),
        "packages/kit/index.ts": "export function checked(...args) {\n  return test(...args);\n}\n",
        "a.test.ts": "import { checked } from '@jest/kit';\nchecked('one', () => {});\n",
    }
    tests, gaps = discover(files)
    assert ([test.id for test in tests], gaps) == (["a.test.ts::one"], [])
