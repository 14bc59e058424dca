from __future__ import annotations

import pytest

from tests.repo.javascript.project import JEST, MOCHA, NODE, PLAYWRIGHT, VITEST, collected, discover, titles


def places(files):
    return [(test.file, test.line, test.name, test.dynamic) for test in collected(files)]


@pytest.mark.parametrize(
    "source",
    [
        "const maybeIt = process.env.CI ? it : it.skip;\nmaybeIt('t', () => {});",
        "const maybeIt = flag && it.only || it;\nmaybeIt('t', () => {});",
        "import { test as it } from 'vitest';\nit('t', () => {});",
        "import { it as check } from 'vitest';\ncheck('t', () => {});",
        "import * as v from 'vitest';\nv.it.skip('t', () => {});",
        "const { it: check } = require('mocha');\ncheck('t', () => {});",
        "const { it } = await import('vitest');\nit('t', () => {});",
        "const mocha = require('mocha');\nmocha.it('t', () => {});",
        "const it = require('mocha').it;\nit('t', () => {});",
        "import { test as base } from 'vitest';\nconst test = base.extend({ db: 1 });\ntest('t', () => {});",
        "import { test as base } from 'vitest';\nexport const check = base.extend({}).extend({});\ncheck.only('t', () => {});",
        "const itIf = (condition) => (condition ? it : it.skip);\nitIf(x)('t', () => {});",
        "function itIf(condition) {\n  if (condition) { return it; }\n  return it.skip;\n}\nitIf(x)('t', () => {});",
        "let check = it;\nif (slow) check = it.skip;\ncheck('t', () => {});",
        "let check;\nif (slow) { check = it.skip; } else { check = it; }\ncheck('t', () => {});",
        "const { it } = globalThis;\nit('t', () => {});",
        "if (import.meta.vitest) {\n  const { it } = import.meta.vitest;\n  it('t', () => {});\n}",
        "declare const it: any;\nit('t', () => {});",
        "const d = describe;\nd('s', () => { it('t', () => {}); });",
        "import { test as a, mergeTests } from '@playwright/test';\nconst test = mergeTests(a, a);\ntest('t', () => {});",
    ],
)
def test_another_name_of_a_runner_declares(source):
    assert [title.split(" > ")[-1] for title in titles(source)] == ["t"]


def test_alias_that_stands_for_itself_ends():
    assert titles("var it = it || other;\nit('t', () => {});") in (["t"], [])


def test_extended_test_of_another_file_declares():
    files = {
        **PLAYWRIGHT,
        "e2e/fixtures.ts": "import { test as base } from '@playwright/test';\nexport const test = base.extend({});\nexport { expect } from '@playwright/test';",
        "e2e/index.ts": "export * from './fixtures';",
        "e2e/a.spec.ts": "import { test, expect } from './index';\ntest('t', async () => {});",
        "e2e/b.spec.ts": "import { test as setup } from './fixtures.js';\nsetup('log in', async () => {});",
    }
    found = collected(files)
    assert [(t.file, t.name, t.framework) for t in found] == [
        ("e2e/a.spec.ts", "t", "playwright"),
        ("e2e/b.spec.ts", "log in", "playwright"),
    ]


def test_helper_in_the_same_file_is_shown_at_its_own_call():
    source = "function check(name, input) {\n  it(`checks ${name}`, () => { run(input); });\n}\ncheck('a', 1);\ncheck('b', 2);"
    assert places({**VITEST, "a.test.ts": source}) == [("a.test.ts", 2, "checks ${name}", True)]


def test_helper_of_another_file_is_shown_where_it_is_called():
    files = {
        **VITEST,
        "helpers.ts": "import { it } from 'vitest';\nexport function itBoth(name, fn) {\n  it(name, () => fn(1));\n}",
        "a.test.ts": "import { itBoth } from './helpers';\nitBoth('works', () => {});\nitBoth(NAME, () => {});",
    }
    assert places(files) == [("a.test.ts", 2, "works", False), ("a.test.ts", 3, "NAME", True)]


def test_helper_that_adds_to_the_name_makes_it_dynamic():
    files = {
        **JEST,
        "helpers.js": "exports.itBoth = (name, fn) => {\n  it(`${name} (sync)`, fn);\n  it(`${name} (async)`, fn);\n};",
        "a.test.js": "const { itBoth } = require('./helpers');\nitBoth('works', () => {});",
    }
    assert places(files) == [("a.test.js", 2, "works", True)]


def test_suite_helper_makes_a_suite_of_each_call():
    source = """
    describeDb('users', () => { it('reads', () => {}); });
    function describeDb(name, fn) { describe(name, () => { connect(); fn(); }); }
    """
    assert titles(source) == ["users > reads"]


def test_suite_helper_of_another_file():
    files = {
        **VITEST,
        "db.ts": "export const describeDb = (name, fn) => describe(name, () => fn());",
        "a.test.ts": "import { describeDb } from './db';\ndescribeDb('users', () => { it('reads', () => {}); });",
    }
    assert [t.suite for t in collected(files)] == [("users",)]


@pytest.mark.parametrize(
    ("shared", "caller"),
    [
        (
            "module.exports = function (make) { describe('store', () => { it('saves', () => {}); }); };",
            "require('./shared')(make);",
        ),
        (
            "module.exports = (make) => { it('saves', () => {}); };",
            "const shared = require('./shared');\ndescribe('x', () => { shared(make); });",
        ),
        (
            "exports.store = function () { it('saves', () => {}); };",
            "const shared = require('./shared');\nshared.store();",
        ),
        ("export default function () { it('saves', () => {}); }", "import shared from './shared';\nshared();"),
        ("export function store() { it('saves', () => {}); }", "import * as shared from './shared';\nshared.store();"),
        ("it('saves', () => {});", "require('./shared');"),
        ("it('saves', () => {});", "import './shared';"),
        (
            "export function store() { it('saves', () => {}); }",
            "import { store } from './shared';\ndescribe('x', store);",
        ),
        (
            "function inner() { it('saves', () => {}); }\nexport function store() { inner(); }",
            "import { store } from './shared';\nstore();",
        ),
    ],
)
def test_suites_of_another_file_are_shown_where_they_are_written(shared, caller):
    files = {**MOCHA, "test/a.js": caller, "test/lib/shared.js": shared}
    files["test/a.js"] = caller.replace("./shared", "./lib/shared")
    assert [(t.file, t.name, t.framework) for t in collected(files)] == [("test/lib/shared.js", "saves", "mocha")]


def test_shared_suite_that_nobody_calls_is_none():
    files = {
        **MOCHA,
        "test/a.js": "const { used } = require('./lib/shared');\nused();",
        "test/lib/shared.js": "exports.used = () => { it('a', () => {}); };\nexports.unused = () => { it('b', () => {}); };",
    }
    assert [t.name for t in collected(files)] == ["a"]


def test_made_functions_that_declare_are_shown_where_they_are_called():
    files = {
        **VITEST,
        "suite.ts": """
            import { it } from 'vitest';
            export function suite(fn) {
              return {
                test: (config) => config,
                run: async (folder) => { for (const name of list(folder)) { it(name, () => fn(name)); } },
              };
            }
            """,
        "a.test.ts": "import { suite } from './suite';\nconst { test, run } = suite(async () => {});\nexport { test };\nawait run(__dirname);",
    }
    assert places(files) == [("a.test.ts", 4, "run(__dirname)", True)]


def test_function_that_nothing_calls_declares_nothing():
    source = "function test_(name) { it(name, () => {}); }\ntest_.only = (name) => { it.only(name, () => {}); };\ntest_('a');"
    assert [place[1] for place in places({**VITEST, "a.test.ts": source})] == [1]


def test_suite_with_a_named_function_holds_what_the_function_declares():
    assert titles("function users() { it('reads', () => {}); }\ndescribe('users', users);") == ["users > reads"]


def test_helper_through_a_workspace_package_and_tsconfig_paths():
    helper = "export function itBoth(name, fn) { it(name, fn); }"
    files = {
        "package.json": '{"devDependencies": {"vitest": "^3"}}',
        "packages/kit/package.json": '{"name": "@acme/kit"}',
        "packages/kit/src/index.ts": helper,
        "src/helpers.ts": helper,
        "tsconfig.json": '{ // paths\n "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"], } } }',
        "a.test.ts": "import { itBoth } from '@acme/kit';\nitBoth('a', () => {});",
        "b.test.ts": "import { itBoth } from '@/helpers';\nitBoth('b', () => {});",
    }
    assert [t.name for t in collected(files)] == ["a", "b"]


def test_subtests_of_node_belong_to_their_test():
    source = """
    const { test, describe, it } = require('node:test');
    test('outer', async (t) => {
      await t.test('inner', async (t) => { await t.test('deep', () => {}); t.skip(); });
      t.plan(2);
      items.test('no');
    });
    test('options', { skip: true }, (ctx) => { ctx.test('sub', () => {}); });
    test(function named() {});
    describe('s', () => { it('x', () => {}); });
    function helper(t) { t.test('handed on', () => {}); return t.test('no test'); }
    test('by name', helper);
    """
    assert titles(source, base=NODE, path="test/a.js") == [
        "outer",
        "outer > inner",
        "outer > inner > deep",
        "options",
        "options > sub",
        "named",
        "s > x",
        "handed on",
        "by name",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "import test from 'node:test';\ntest('t', () => {});",
        "const test = require('node:test');\ntest.skip('t', () => {});",
        "import test from 'node:test';\ntest.it('t', () => {});",
        "import * as t from 'node:test';\nt.test('t', () => {});",
        "import { test } from 'node:test';\ntest.describe('s', () => { test.it('t', () => {}); });",
    ],
)
def test_node_module_by_every_import(source):
    found = collected({**NODE, "test/a.mjs": source})
    assert [(t.name, t.framework) for t in found] == [("t", "node:test")]


def test_deno_tests_but_not_their_steps():
    source = """
    Deno.test('a', async (t) => { await t.step('step', () => {}); });
    Deno.test({ name: 'b', fn() {} });
    Deno.test({ fn: () => {}, name: 'c', ignore: true });
    Deno.test(function d() {});
    Deno.test('e', { permissions: {} }, () => {});
    Deno.test.only('f', () => {});
    Deno.test.ignore({ name: 'g' }, () => {});
    Deno.readTextFile('x');
    """
    base = {"deno.json": "{}"}
    assert titles(source, base=base, path="a_test.ts") == ["a", "b", "c", "d", "e", "f", "g"]


def test_behaviour_style_of_deno():
    source = "import { describe, it } from 'jsr:@std/testing@1/bdd';\ndescribe('s', () => { it({ name: 'a', fn() {} }); it.skip('b', () => {}); });"
    found = collected({"deno.jsonc": "{}", "a.test.ts": source})
    assert [(t.suite, t.name, t.framework) for t in found] == [(("s",), "a", "deno"), (("s",), "b", "deno")]


def test_bun_conditions():
    source = "import { test, describe } from 'bun:test';\ntest.if(mac)('a', () => {}); test.skipIf(x)('b', () => {}); test.todoIf(x)('c', () => {}); describe.if(x)('s', () => { test('d', () => {}); });"
    base = {"package.json": '{"scripts": {"test": "bun test"}}'}
    assert titles(source, base=base) == ["a", "b", "c", "s > d"]


def test_qunit_modules_with_and_without_callback():
    source = """
    QUnit.module('flat');
    QUnit.test('a', (assert) => { assert.ok(true); });
    QUnit.module('next', { before() {} });
    QUnit.skip('b', () => {});
    QUnit.module('nested', (hooks) => { QUnit.test.each('c', [1, 2], (assert, n) => {}); });
    """
    base = {"package.json": '{"devDependencies": {"qunit": "2"}}'}
    assert titles(source, base=base, path="test/a.js") == ["flat > a", "next > b", "nested > c"]


def test_modules_imported_from_qunit():
    source = "import { module, test } from 'qunit';\nmodule('m', function (hooks) { test('a', () => {}); });"
    base = {"package.json": '{"devDependencies": {"qunit": "2"}}'}
    assert titles(source, base=base, path="tests/a-test.js") == ["m > a"]


def test_mocha_interfaces():
    tdd = "suite('s', () => { setup(() => {}); test('a', () => {}); test.skip('b', () => {}); });"
    qunit = "suite('one');\ntest('a', () => {});\nsuite('two');\ntest('b', () => {});"
    exports = "module.exports = {\n  before() {},\n  list: {\n    'is empty': function () {},\n    sub: { works() {} },\n  },\n};\nexports.more = { runs: () => {} };"
    for ui, source, expected in (
        ("tdd", tdd, ["s > a", "s > b"]),
        ("qunit", qunit, ["one > a", "two > b"]),
        ("exports", exports, ["list > is empty", "list > sub > works", "more > runs"]),
    ):
        base = {**MOCHA, ".mocharc.json": f'{{"ui": "{ui}"}}'}
        assert sorted(titles(source, base=base, path="test/a.js")) == sorted(expected)


def test_this_skip_declares_nothing():
    source = "describe('s', function () { before(function () { this.skip(); }); it('a', function () { this.skip(); }).timeout(500); });"
    assert titles(source, base=MOCHA, path="test/a.js") == ["s > a"]


def test_cypress_and_jasmine_globals():
    cypress = {"package.json": '{"devDependencies": {"cypress": "13"}}'}
    source = "describe('s', { tags: '@x' }, () => { it('a', { browser: 'chrome' }, () => { cy.get('it'); }); specify('b', () => {}); });"
    assert titles(source, base=cypress, path="cypress/e2e/a.cy.js") == ["s > a", "s > b"]
    jasmine = {"package.json": '{"devDependencies": {"jasmine": "5"}}'}
    assert titles(
        "fdescribe('s', () => { xit('a'); it('b', (done) => done()); });", base=jasmine, path="spec/aSpec.js"
    ) == ["s > a", "s > b"]


def test_suite_of_vitest_hands_its_test_function_to_the_callback():
    source = "import { describe } from 'vitest';\ndescribe('s', (it) => { it('a', () => {}); });"
    assert titles(source) == ["s > a"]


def test_test_inside_a_test_is_none():
    assert titles("it('a', () => { it('b', () => {}); });") == ["a"]


def test_names_that_a_function_of_another_file_makes_up_stand_where_the_runner_locates_them():
    shared = "const test = require('node:test');\nmodule.exports.checks = (method, t) => {\n  const test = t.test;\n  const upper = method.toUpperCase();\n  test(`${upper} works`, () => {});\n};"
    files = {
        **NODE,
        "test/a.test.js": "const t = require('node:test');\nrequire('../lib/shared').checks('put', t);",
        "lib/shared.js": shared,
    }
    assert places(files) == [("lib/shared.js", 5, "${upper} works", True)]
    vitest = "export const checks = (method) => {\n  const upper = method.toUpperCase();\n  it(`${upper} works`, () => {});\n};"
    files = {**VITEST, "a.test.js": "import { checks } from './shared';\n\nchecks('put');", "shared.js": vitest}
    assert places(files) == [("a.test.js", 3, "put", True)]


@pytest.mark.parametrize(
    ("imports", "files"),
    [
        ("import { test } from '@acme/fixtures';", {}),
        ("import { test } from '#fixtures';", {}),
        ("import { test } from './fixtures';", {"fixtures.ts": "export const { test } = makeFixtures();"}),
        ("import { test as base } from '@acme/fixtures';\nconst test = base.extend({});", {}),
    ],
)
def test_test_function_that_cannot_be_followed_is_taken_by_its_name(imports, files):
    source = f"{imports}\ntest('t', async () => {{}});\ntest(/pattern/, text);\ntest('text', pattern);"
    found = collected({**PLAYWRIGHT, **files, "a.spec.ts": source})
    assert [(t.name, t.framework) for t in found] == [("t", "playwright")]


@pytest.mark.parametrize("runner", ["ava", "tape"])
def test_runners_without_settings_are_known_by_their_module(runner):
    found = collected(
        {"package.json": "{}", "test/a.js": f"const test = require('{runner}');\ntest('t', (t) => {{ t.end(); }});"}
    )
    assert [(t.name, t.framework) for t in found] == [("t", runner)]


def test_the_projects_own_prefix_is_read_in_comments_and_other_tags_are_left_alone():
    files = {
        "pact/pact.toml": '[pact]\nformat = 1\natom_prefix = "REQ-A"\n',
        "a.test.ts": "import { it } from 'vitest'\n// @atom REQ-A-1\nit('x', { tags: ['@JIRA-123'] }, () => {})\n",
        "package.json": '{"devDependencies": {"vitest": "3"}}',
    }
    ((test,), _) = discover(files)
    assert [(one.atoms, one.malformed) for one in test.annotations] == [(("REQ-A-1",), ())]


def test_an_annotation_attached_to_nothing_is_a_gap():
    files = {"a.test.ts": "import { it } from 'vitest'\nit('x', () => {})\n\nconst a = 1\n// @atom IA-1\n"}
    assert any("attached to no test" in gap.reason for gap in discover(files)[1])
