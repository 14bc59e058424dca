from __future__ import annotations

import json
import sys

import pytest

from pactkeeper.repo.languages.javascript.adapter import JAVASCRIPT
from pactkeeper.repo.languages.javascript.settings.runner import union
from tests.repo.javascript.project import Project, discover

TEST = "it('t', () => {});"


def files_of(files, *paths):
    """Which of the paths hold tests, once each holds one."""
    tests, gaps = discover({**files, **dict.fromkeys(paths, TEST)})
    return sorted({t.file for t in tests}), gaps


def found(files, *paths):
    names, gaps = files_of(files, *paths)
    assert gaps == []
    return names


def package(**entries):
    return {"package.json": json.dumps(entries)}


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("**/*.{test,spec}.?(c|m)[jt]s?(x)", "a.test.ts", True),
        ("**/*.{test,spec}.?(c|m)[jt]s?(x)", "a/b/c.spec.mjs", True),
        ("**/*.{test,spec}.?(c|m)[jt]s?(x)", "a.tests.ts", False),
        ("**/?(*.)+(spec|test).[jt]s?(x)", "test.js", True),
        ("**/?(*.)+(spec|test).[jt]s?(x)", "my.test.jsx", True),
        ("**/?(*.)+(spec|test).[jt]s?(x)", "contest.js", False),
        ("test/*.js", "test/a/b.js", False),
        ("test/**/*.js", "test/a.js", True),
        ("!(*.skip).js", "a.js", True),
        ("!(a|b).js", "a.js", False),
        ("@(a|b)/**", "b/c/d.ts", True),
        ("src/**", "src/a", True),
        ("[!_]*.js", "_a.js", False),
        ("a{1,2,{3,4}}.js", "a4.js", True),
        ("**/+([a-z]).server.(spec|test).ts?(x)", "x/form.server.test.tsx", True),
    ],
)
def test_globs_match_as_the_tools_do(pattern, path, matches):
    assert union("", (pattern,)).match(f"/{path}") is matches


def test_pattern_that_repeats_repeats_matches_in_linear_time():
    assert not union("", ("+(+(a))b",)).match("/" + "a" * 100_000)


def test_vitest_defaults():
    assert found(
        package(devDependencies={"vitest": "3"}),
        "a.test.ts",
        "src/b.spec.jsx",
        "src/c.ts",
        "test/d.ts",
        "x/node_modules/e.test.ts",
    ) == ["a.test.ts", "src/b.spec.jsx"]


@pytest.mark.parametrize(
    "settings",
    [
        "import { defineConfig } from 'vitest/config';\nexport default defineConfig({ test: { include: ['unit/**/*.ts'], exclude: ['unit/skip/**'] } });",
        "export default { test: { include: ['unit/**/*.ts'], exclude: [`unit/skip/**`] } } satisfies UserConfig;",
        "const include = ['unit/**/*.ts'];\nconst test = { include, exclude: ['unit/skip/**'] };\nmodule.exports = { test };",
        "export default defineConfig(({ mode }) => ({ test: { include: ['unit/**/*.ts'], exclude: ['unit/skip/**'] } }));",
        "export default defineConfig(async () => {\n  const include = ['unit/**/*.ts'];\n  return { test: { include, exclude: ['unit/skip/**'] } };\n});",
        "import base from './base.js';\nexport default mergeConfig(base, defineConfig({ test: { exclude: ['unit/skip/**'] } }));",
        "export default defineConfig({ plugins: [react(), { transform(x) { return x + 1; } }], test: { include: ['unit/**/*.ts'], exclude: ['unit/skip/**'] } });",
    ],
)
def test_vitest_include_and_exclude(settings):
    files = {
        **package(),
        "vitest.config.ts": settings,
        "base.ts": "export default { test: { include: ['unit/**/*.ts'] } };",
    }
    assert found(files, "unit/a.ts", "unit/skip/b.ts", "c.test.ts") == ["unit/a.ts"]


def test_vitest_default_exclusions_can_be_spread():
    settings = "import { configDefaults, defineConfig } from 'vitest/config';\nexport default defineConfig({ test: { exclude: [...configDefaults.exclude, 'e2e/**'] } });"
    assert found(
        {**package(), "vite.config.mts": settings}, "a.test.ts", "e2e/b.test.ts", "node_modules/c.test.ts"
    ) == ["a.test.ts"]


def test_vitest_directory_and_root():
    assert found(
        {**package(), "vitest.config.ts": "export default { test: { dir: 'test' } }"}, "test/a.test.ts", "b.test.ts"
    ) == ["test/a.test.ts"]
    assert found(
        {**package(), "vitest.config.ts": "export default { root: './app' }"}, "app/a.test.ts", "b.test.ts"
    ) == ["app/a.test.ts"]


def test_vitest_projects_by_folder_and_in_place():
    settings = "export default { test: { projects: ['packages/*', { test: { name: 'unit', include: ['unit/*.ts'] } }, { extends: true, test: { root: './web' } }], include: ['**/*.check.ts'] } }"
    files = {
        **package(),
        "vitest.config.ts": settings,
        "packages/a/package.json": "{}",
        "packages/b/vitest.config.ts": "export default { test: { include: ['spec/**/*.ts'] } }",
    }
    chosen = found(
        files,
        "packages/a/x.test.ts",
        "packages/b/spec/y.ts",
        "packages/b/z.test.ts",
        "unit/u.ts",
        "web/w.check.ts",
        "top.test.ts",
    )
    assert chosen == ["packages/a/x.test.ts", "packages/b/spec/y.ts", "unit/u.ts", "web/w.check.ts"]


def test_vitest_workspace_file():
    files = {
        **package(),
        "vitest.workspace.ts": "export default defineWorkspace(['pkg/*']);",
        "pkg/a/package.json": "{}",
    }
    assert found(files, "pkg/a/x.test.ts", "y.test.ts") == ["pkg/a/x.test.ts"]


def test_tests_in_the_sources_of_vitest():
    files = {**package(), "vitest.config.ts": "export default { test: { includeSource: ['src/**/*.ts'] } }"}
    source = "export const add = 1;\nif (import.meta.vitest) {\n  const { it } = import.meta.vitest;\n  it('adds', () => {});\n}"
    tests, _ = discover({**files, "src/add.ts": source})
    assert [(t.file, t.name, t.framework) for t in tests] == [("src/add.ts", "adds", "vitest")]


def test_what_vitest_settings_compute_is_a_gap():
    files = {**package(), "vitest.config.ts": "export default { test: {\n  include: globSync('x'),\n} }"}
    names, gaps = files_of(files, "a.test.ts")
    assert [(g.file, g.line) for g in gaps] == [("vitest.config.ts", 2)]
    assert names == ["a.test.ts"]


def test_settings_of_vite_that_say_nothing_about_tests_change_nothing():
    files = {**package(devDependencies={"vite": "6"}), "vite.config.ts": "export default defineConfig({ plugins: [] })"}
    assert found(files, "a.test.ts") == ["a.test.ts"]


def test_jest_defaults_and_keys_of_the_manifest():
    assert found(package(devDependencies={"jest": "29"}), "__tests__/a.js", "b.spec.tsx", "test.js", "c.js") == [
        "__tests__/a.js",
        "b.spec.tsx",
        "test.js",
    ]
    manifest = package(jest={"testMatch": ["<rootDir>/checks/**/*.js"], "testPathIgnorePatterns": ["/old/"]})
    assert found(manifest, "checks/a.js", "checks/old/b.js", "c.test.js") == ["checks/a.js"]


def test_half_a_character_in_a_setting_is_no_error():
    manifest = package(name="\ud800", scripts={"test": "jest \ud800"}, jest={"testRegex": "\ud800|check"})
    assert found(manifest, "a.check.js", "b.test.js") == ["a.check.js"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            "testRegex: '(/__tests__/.*|(\\\\.|/)(test|spec))\\\\.[jt]sx?$'",
            ["lib/d.test.js", "src/__tests__/a.js", "src/b.test.js"],
        ),
        ("testRegex: ['.*\\\\.check\\\\.js$']", ["src/c.check.js"]),
        ("testRegex: /check/", ["src/c.check.js"]),
        ("roots: ['<rootDir>/src'], testMatch: ['**/*.check.js', '!**/c.*']", []),
        ("roots: ['lib']", ["lib/d.test.js"]),
        ("rootDir: './lib'", ["lib/d.test.js"]),
        ("testPathIgnorePatterns: ['<rootDir>/src/', '__tests__']", ["lib/d.test.js"]),
        ("...require('./base')", ["lib/d.test.js"]),
        ("preset: './preset'", ["src/c.check.js"]),
    ],
)
def test_jest_settings(options, expected):
    files = {
        **package(),
        "jest.config.js": f"module.exports = {{ {options} }};",
        "base.js": "module.exports = { roots: ['<rootDir>/lib'] };",
        "preset/jest-preset.js": "module.exports = { testMatch: ['**/*.check.js'] };",
    }
    assert found(files, "src/__tests__/a.js", "src/b.test.js", "src/c.check.js", "lib/d.test.js") == expected


def test_jest_projects_by_folder_file_and_in_place():
    files = {
        **package(
            jest={
                "projects": [
                    "<rootDir>/packages/*",
                    "<rootDir>/tools/jest.tools.js",
                    {"displayName": "x", "testMatch": ["**/x/*.js"]},
                ]
            }
        ),
        "packages/a/package.json": json.dumps({"jest": {"testMatch": ["**/own/*.js"]}}),
        "packages/b/jest.config.ts": "import type { Config } from 'jest';\nconst config: Config = { testRegex: 'deep' };\nexport default config;",
        "tools/jest.tools.js": "module.exports = async () => ({ testMatch: ['**/t.js'] });",
    }
    chosen = found(
        files,
        "packages/a/own/a.js",
        "packages/a/b.test.js",
        "packages/b/deep.js",
        "tools/t.js",
        "x/y.js",
        "top.test.js",
    )
    assert chosen == ["packages/a/own/a.js", "packages/b/deep.js", "tools/t.js", "x/y.js"]


def test_projects_that_depend_on_the_environment_are_all_taken():
    settings = """
    const web = { rootDir: '.', testMatch: ['**/*.web.js'] };
    const server = { rootDir: '.', testMatch: ['**/*.server.js'] };
    const projects = () => {
      if (!process.env.ONLY) { return [web, server]; }
      switch (process.env.ONLY) { case 'web': return [web]; }
    };
    module.exports = { projects: projects() };
    """
    files = {
        **package(scripts={"test": "jest --config ./scripts/jest/jest.config.js"}),
        "scripts/jest/jest.config.js": settings,
    }
    assert found(files, "src/a.web.js", "src/b.server.js", "src/c.test.js") == ["src/a.web.js", "src/b.server.js"]


def test_settings_file_of_any_name_that_a_script_gives():
    files = {
        **package(scripts={"e2e": "NODE_ENV=test npx jest -c test/e2e.json"}),
        "test/e2e.json": '{ "rootDir": ".", "testRegex": ".e2e.ts$" }',
    }
    assert found(files, "test/a.e2e.ts", "b.test.ts") == ["test/a.e2e.ts"]


def test_create_react_app():
    assert found(package(scripts={"test": "react-scripts test"}), "src/a.test.js", "b.test.js") == ["src/a.test.js"]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (package(devDependencies={"mocha": "11"}), ["test/a.js"]),
        (package(scripts={"test": "mocha test/ test/unit"}), ["test/a.js", "test/unit/b.js"]),
        (
            package(scripts={"test": "nyc --x mocha -r ./test/setup --recursive --exit"}),
            ["test/a.js", "test/unit/b.js"],
        ),
        (
            package(scripts={"test": "mocha 'test/**/*.{js,ts}' --ignore test/a.js"}),
            ["test/unit/b.js", "test/unit/c.ts"],
        ),
        (package(scripts={"test": r"mocha -g \(a\|b\).c -i test/unit"}), ["test/unit/b.js"]),
        (package(scripts={"test": "mocha --extension ts --recursive"}), ["test/unit/c.ts"]),
        (package(mocha={"spec": "test/unit/*.js"}), ["test/unit/b.js"]),
        (
            {**package(), ".mocharc.yml": "# x\nspec:\n  - 'test/unit/*'  # all\nui: tdd\n"},
            ["test/unit/b.js", "test/unit/c.ts"],
        ),
        ({**package(), ".mocharc.json": '{ /* c */ "spec": ["test/unit"], "extension": ["ts"], }'}, ["test/unit/c.ts"]),
        (
            {**package(), ".mocharc.js": "module.exports = { spec: ['test/*.js'], ignore: ['test/x.js'] };"},
            ["test/a.js"],
        ),
        (
            {
                **package(),
                ".mocharc.cjs": "'use strict';\nmodule.exports = { recursive: true, extension: ['js', 'ts'] };",
            },
            ["test/a.js", "test/unit/b.js", "test/unit/c.ts"],
        ),
    ],
)
def test_mocha_settings(files, expected):
    assert found(files, "test/a.js", "test/unit/b.js", "test/unit/c.ts", "other/d.js") == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("export default defineConfig({ testDir: './e2e' });", ["e2e/a.spec.ts"]),
        ("export default { testDir: 'e2e', testMatch: '*.e2e.ts' };", ["e2e/b.e2e.ts"]),
        ("export default { testMatch: /.*\\.e2e\\.ts/ };", ["e2e/b.e2e.ts"]),
        (
            "export default { testDir: path.join(__dirname, 'e2e'), testIgnore: ['**/a.*'] , testMatch: [/spec/, '**/*.e2e.ts'] };",
            ["e2e/b.e2e.ts"],
        ),
        (
            "export default { projects: [{ name: 'x', testDir: 'other' }, { name: 'y', testMatch: /b\\.e2e/ }] };",
            ["e2e/b.e2e.ts", "other/c.spec.ts"],
        ),
    ],
)
def test_playwright_settings(settings, expected):
    files = {**package(), "playwright.config.ts": settings}
    assert found(files, "e2e/a.spec.ts", "e2e/b.e2e.ts", "other/c.spec.ts") == expected


def test_node_runner_by_its_arguments_and_defaults():
    assert found(
        package(scripts={"test": "node --test"}), "a.test.js", "test/b.js", "src/c.js", "test-d.mjs", "e_test.cjs"
    ) == ["a.test.js", "e_test.cjs", "test-d.mjs", "test/b.js"]
    assert found(
        package(scripts={"test": "node --import tsx --test --test-reporter spec 'src/**/*.check.ts'"}),
        "src/a.check.ts",
        "b.test.js",
    ) == ["src/a.check.ts"]
    assert found(package(scripts={"test": "tsx --test lib"}), "lib/x/a.ts", "b.test.js") == ["lib/x/a.ts"]


def test_other_runners():
    assert found(
        {
            **package(devDependencies={"jasmine": "5"}),
            "spec/support/jasmine.json": '{"spec_dir": "checks", "spec_files": ["**/*Check.js", "!**/no*"]}',
        },
        "checks/aCheck.js",
        "checks/noCheck.js",
        "spec/bSpec.js",
    ) == ["checks/aCheck.js"]
    assert found(
        {
            **package(),
            "cypress.config.ts": "export default defineConfig({ e2e: { specPattern: 'it/**/*.ts' }, component: {} })",
        },
        "it/a.ts",
        "src/b.cy.tsx",
        "cypress/e2e/c.js",
    ) == ["it/a.ts", "src/b.cy.tsx"]
    assert found({**package(), "cypress.json": '{"integrationFolder": "flows"}'}, "flows/a.js", "b.js") == [
        "flows/a.js"
    ]
    assert found(
        {**package(scripts={"test": "bun test"}), "bunfig.toml": '[test]\nroot = "./checks"\n'},
        "checks/a_test.ts",
        "b.test.ts",
    ) == ["checks/a_test.ts"]
    assert found(
        {"deno.jsonc": '{ "test": { "include": ["src/"], "exclude": ["src/old"] } } // x'},
        "src/a_test.ts",
        "src/old/b_test.ts",
        "c_test.ts",
    ) == ["src/a_test.ts"]


def test_several_runners_share_a_repository_by_their_patterns():
    files = {
        **package(devDependencies={"vitest": "3", "@playwright/test": "1"}),
        "vitest.config.ts": "export default { test: { include: ['src/**/*.test.ts'] } }",
        "playwright.config.ts": "export default { testDir: 'e2e' }",
    }
    tests, _ = discover(
        {
            **files,
            "src/a.test.ts": TEST,
            "e2e/b.spec.ts": "import { test } from '@playwright/test';\ntest('b', async () => {});",
        }
    )
    assert [(t.file, t.framework) for t in tests] == [("e2e/b.spec.ts", "playwright"), ("src/a.test.ts", "vitest")]


def test_nearest_package_names_the_runner():
    files = {
        **package(devDependencies={"jest": "29"}),
        "web/package.json": json.dumps({"devDependencies": {"vitest": "3"}}),
        "api/package.json": json.dumps({"scripts": {"test": "mocha"}}),
    }
    tests, _ = discover({**files, "a.test.js": TEST, "web/b.test.js": TEST, "api/test/c.js": TEST})
    assert {(t.file, t.framework) for t in tests} == {
        ("a.test.js", "jest"),
        ("web/b.test.js", "vitest"),
        ("api/test/c.js", "mocha"),
    }


def test_without_any_settings_the_usual_names_are_candidates():
    assert found({}, "a.test.js", "test/b.js", "__tests__/c.ts", "src/d.js", "tests/e.ts") == [
        "__tests__/c.ts",
        "a.test.js",
        "test/b.js",
        "tests/e.ts",
    ]


def test_settings_that_import_each_other_in_a_circle_end():
    files = {
        **package(),
        "vitest.config.ts": "import o from './other';\nexport default o;",
        "other.ts": "import v from './vitest.config';\nexport default v;",
    }
    _, gaps = files_of(files, "a.test.ts")
    assert gaps


@pytest.mark.parametrize(
    ("made", "first"),
    [("[{}]", "['a']"), ("[{}]", "'a'"), ("`{}`", "'a'"), ("{}", "'a'"), ("() => [{}]", "() => ['a']")],
)
def test_settings_whose_names_repeat_names_end_with_a_gap(made, first):
    parts = {"`{}`": ("${%s}", ""), "{}": ("%s", " + "), "[{}]": ("...%s", ", ")}
    part, between = parts.get(made, ("...%s()", ", "))
    names = [made.replace("{}", between.join([part % f"c{at + 1}"] * 20)) for at in range(9)]
    lines = [f"const c{at} = {one};" for at, one in enumerate([*names, first])]
    wanted = "c0()" if "=>" in made else "c0"
    settings = "\n".join([*lines, f"export default {{ test: {{ include: {wanted} }} }};"])
    _, gaps = files_of({**package(), "vitest.config.ts": settings}, "a.test.ts")
    assert any("'include' cannot be read" in gap.reason for gap in gaps)


def test_settings_files_that_import_each_other_twice_end():
    line = "import {{ a as x, b as y }} from './s{}';\nexport const a = [...x, ...y];\nexport const b = [...y, ...x];"
    files = {f"s{at}.ts": line.format(at + 1) for at in range(40)} | {"s40.ts": "export const a = ['a'], b = ['b'];"}
    files["vitest.config.ts"] = "import { a } from './s0';\nexport default { test: { include: a } };"
    _, gaps = files_of({**package(), **files}, "a.test.ts")
    assert any("'include' cannot be read" in gap.reason for gap in gaps)


def test_a_broken_manifest_is_parsed_once():
    parsed = 0

    def count(frame, event, _argument):
        nonlocal parsed
        parsed += event == "call" and frame.f_code.co_name == "tree_of"

    sys.setprofile(count)
    try:
        JAVASCRIPT.configure(Project({"package.json": b'{"jest": {"testMatch": ["**/*.js"'}))
    finally:
        sys.setprofile(None)
    assert parsed == 1


def test_broken_manifest_is_no_crash():
    discover(
        {
            "package.json": "{ not json",
            "a.test.js": TEST,
            "tsconfig.json": '{"compilerOptions": {"paths": 3}}',
            "deno.json": "[]",
        }
    )


@pytest.mark.parametrize(
    ("enabled", "collected", "said"),
    [
        ("true", True, ""),
        ("false", False, ""),
        ("!process.argv.includes('bench')", True, ""),
        ("process.argv.includes('types')", False, ""),
        ("!!process.env.TYPES", True, "typecheck.enabled cannot be read without running it"),
    ],
)
def test_type_tests_are_collected_where_a_plain_run_may_check_them(enabled, collected, said):
    settings = f"export default {{ test: {{ typecheck: {{ enabled: {enabled} }} }} }};"
    names, gaps = files_of({"vitest.config.ts": settings}, "a.test-d.ts")
    assert names == ["a.test-d.ts"] * collected
    assert [said in gap.reason for gap in gaps] == [True] * bool(said)


NO_TEST = "import { expect } from '@jest/globals';\nexpect(1).toBe(1);"


def test_a_file_that_settings_which_cannot_be_read_may_collect_is_not_said_to_be_collected():
    files = {"jest.config.js": "module.exports = { ...require('preset/jest') };", "types/a.test.ts": NO_TEST}
    _, gaps = discover(files)
    (gap,) = (one for one in gaps if one.file == "types/a.test.ts")
    assert "a runner may collect this file (jest.config.js cannot be read without running it)" in gap.reason
    assert gap.spans
