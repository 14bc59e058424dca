"""Which files of the repository JavaScript's and TypeScript's imports name."""

import json

import pytest

from pactkeeper.repo.languages.javascript.adapter import JavaScriptImporting
from tests.repo.imported import gaps, leads_to

IMPORTING = JavaScriptImporting()


def imported(module, files, importer="src/app.ts"):
    """Where one import leads; an entry that is no text is written as JSON."""
    texts = {path: text if isinstance(text, str) else json.dumps(text) for path, text in files.items()}
    (found,) = leads_to(IMPORTING, {**texts, importer: f"import x from '{module}'"}, importer)
    return found


@pytest.mark.parametrize(
    ("module", "path"),
    [
        ("./a", "src/a.ts"),
        ("./a", "src/a.tsx"),
        ("./a", "src/a.jsx"),
        ("./a", "src/a.d.ts"),
        ("./a", "src/a/index.ts"),
        ("./a", "src/a.json"),
        ("./a.js", "src/a.js"),
        ("./a.js", "src/a.ts"),
        ("./a.js", "src/a.tsx"),
        ("./a.mjs", "src/a.mts"),
        ("./a.cjs", "src/a.cts"),
        ("./a.css", "src/a.css"),
        ("./a.svg?raw", "src/a.svg"),
        ("raw!./a.txt", "src/a.txt"),
        (".", "src/index.ts"),
        ("..", "index.js"),
        ("../lib/a", "lib/a.mjs"),
        ("/lib/a", "lib/a.ts"),
    ],
)
def test_path_names_the_file_that_tools_find(module, path):
    assert imported(module, {path: ""}) == path


def test_source_goes_before_what_it_is_compiled_to():
    assert imported("./a", {"src/a.js": "", "src/a.ts": "", "src/a.d.ts": ""}) == "src/a.ts"


def test_what_runs_goes_before_its_declaration():
    assert imported("./a", {"src/a.js": "", "src/a.d.ts": ""}) == "src/a.js"


@pytest.mark.parametrize("module", ["./gone", "../../../outside", "./gone.css", "/gone"])
def test_path_that_leads_nowhere_is_lost_and_not_foreign(module):
    assert imported(module, {}) == f"?{module}"


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("react", "react"),
        ("react/jsx-runtime", "react"),
        ("@acme/kit/dates", "@acme/kit"),
        ("node:fs/promises", "fs/promises"),
        ("https://example.org/x.js", "https://example.org/x.js"),
        ("#virtual", "#virtual"),
    ],
)
def test_name_that_the_repository_does_not_have_is_foreign(module, package):
    assert imported(module, {"package.json": {"name": "web"}}) == f"<{package}"


def test_folder_stands_for_what_its_manifest_names():
    files = {"src/kit/package.json": {"main": "lib/main"}, "src/kit/lib/main.js": "", "src/kit/index.js": ""}
    assert imported("./kit", files) == "src/kit/lib/main.js"


def test_folders_that_name_each_other_end_somewhere():
    files = {"src/a/package.json": {"main": "../b"}, "src/b/package.json": {"main": "../a"}}
    assert imported("./a", files) == "?./a"


TSCONFIG = {"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["gen/*", "src/*"], "kit": ["src/kit/main.ts"]}}}
ALIASED = {"src/a.ts": "", "src/kit/main.ts": "", "src/kit/dates.ts": ""}


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("@/a", "src/a.ts"),
        ("kit", "src/kit/main.ts"),
        ("kit/dates", "<kit"),
        ("kit-tools", "<kit-tools"),
        ("src/a", "src/a.ts"),
        ("@/gone", "?@/gone"),
    ],
)
def test_tsconfig_gives_names_to_places(module, expected):
    assert imported(module, {**ALIASED, "tsconfig.json": TSCONFIG}) == expected


def test_longest_pattern_of_a_tsconfig_wins():
    paths = {"*": ["any/*"], "@/*": ["src/*"], "@/kit/*": ["kit/*"]}
    files = {"tsconfig.json": {"compilerOptions": {"paths": paths}}, "kit/a.ts": "", "src/kit/a.ts": "", "any/b.ts": ""}
    assert imported("@/kit/a", files) == "kit/a.ts"
    assert imported("b", files) == "any/b.ts"
    assert imported("react", files) == "<react"


def test_tsconfig_may_have_comments_and_trailing_commas():
    text = '{ // names\n "compilerOptions": { "paths": { "@/*": ["./src/*",], }, }, }'
    assert imported("@/a", {**ALIASED, "tsconfig.json": text}) == "src/a.ts"


@pytest.mark.parametrize(
    ("extends", "base"),
    [
        ("../tsconfig.base.json", "tsconfig.base.json"),
        ("../tsconfig.base", "tsconfig.base.json"),
        (["../none.json", "../tsconfig.base.json"], "tsconfig.base.json"),
        ("@acme/config/ts.json", "config/ts.json"),
        ("@acme/config", "config/tsconfig.json"),
    ],
)
def test_tsconfig_extends_others_whose_paths_start_where_they_stand(extends, base):
    target = "src/a.ts" if base.startswith("tsconfig") else "config/src/a.ts"
    files = {
        "config/package.json": {"name": "@acme/config"},
        base: {"compilerOptions": {"paths": {"@/*": ["./src/*"]}}},
        "web/tsconfig.json": {"extends": extends, "compilerOptions": {"strict": True}},
        target: "",
    }
    assert imported("@/a", files, "web/main.ts") == target


def test_tsconfigs_that_extend_each_other_end_somewhere():
    files = {"tsconfig.json": {"extends": "./tsconfig.b.json"}, "tsconfig.b.json": {"extends": "./tsconfig.json"}}
    assert imported("a", files) == "<a"


def test_nearest_tsconfig_goes_first():
    files = {"tsconfig.json": {"compilerOptions": {"paths": {"~/*": ["./lib/*"]}}}, "lib/a.ts": "", "web/lib/a.ts": ""}
    assert imported("~/a", {**files, "web/tsconfig.json": files["tsconfig.json"]}, "web/x.ts") == "web/lib/a.ts"
    assert imported("~/a", files, "web/x.ts") == "lib/a.ts"


def test_names_end_where_a_package_outside_the_workspace_begins():
    files = {
        "package.json": {"name": "kit", "workspaces": ["packages/*"]},
        "tsconfig.json": {"compilerOptions": {"paths": {"kit": ["./src/kit.ts"]}}},
        "src/kit.ts": "",
        "packages/web/package.json": {"dependencies": {"kit": "^1.0.0"}},
        "examples/shop/package.json": {"dependencies": {"kit": "^1.0.0"}},
    }
    assert imported("kit", files, "packages/web/a.ts") == "src/kit.ts"
    assert imported("kit", files, "examples/shop/a.ts") == "<kit"


KIT = {
    "package.json": {"workspaces": ["packages/*"]},
    "packages/kit/src/index.ts": "",
    "packages/kit/src/dates/iso.ts": "",
    "packages/kit/src/private.ts": "",
    "packages/web/package.json": {"dependencies": {"@acme/kit": "workspace:*"}},
}


@pytest.mark.parametrize(
    ("manifest", "module", "expected"),
    [
        ({}, "@acme/kit", "src/index.ts"),
        ({}, "@acme/kit/dates/iso", "src/dates/iso.ts"),
        ({}, "@acme/kit/src/private", "src/private.ts"),
        ({"main": "dist/index.js"}, "@acme/kit", "src/index.ts"),
        ({"exports": "./src/index.ts"}, "@acme/kit", "src/index.ts"),
        ({"exports": {"import": "./dist/index.mjs"}}, "@acme/kit", "src/index.ts"),
        ({"exports": {".": {"source": "./src/index.ts", "default": "./dist/x.js"}}}, "@acme/kit", "src/index.ts"),
        ({"exports": {"./d": "./dist/dates/iso.js"}}, "@acme/kit/d", "src/dates/iso.ts"),
        ({"exports": {"./d/*": {"types": "./dist/dates/*.d.ts"}}}, "@acme/kit/d/iso", "src/dates/iso.ts"),
        ({"exports": {"./d/": "./dist/dates/"}}, "@acme/kit/d/iso", "src/dates/iso.ts"),
        ({"exports": {"./p": ["./gone.js", "./src/private.ts"]}}, "@acme/kit/p", "src/private.ts"),
    ],
)
def test_package_of_the_workspace_names_its_sources(manifest, module, expected):
    files = {**KIT, "packages/kit/package.json": {"name": "@acme/kit", **manifest}}
    assert imported(module, files, "packages/web/a.ts") == f"packages/kit/{expected}"


def test_package_of_the_workspace_without_such_a_file_is_lost():
    files = {**KIT, "packages/kit/package.json": {"name": "@acme/kit"}}
    assert imported("@acme/kit/gone", files, "packages/web/a.ts") == "?@acme/kit/gone"


@pytest.mark.parametrize(
    ("declared", "asked", "links"),
    [
        ({"package.json": {"workspaces": ["packages/*"]}}, "^1.0.0", True),
        ({"package.json": {"workspaces": {"packages": ["packages/**"]}}}, "^1.0.0", True),
        ({"pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n"}, "^1.0.0", True),
        ({"lerna.json": {"packages": ["packages/*"]}}, "^1.0.0", True),
        ({"package.json": {"workspaces": ["packages/*", "!packages/web"]}}, "^1.0.0", False),
        ({"package.json": {"workspaces": ["apps/*"]}}, "^1.0.0", False),
        ({}, "^1.0.0", False),
        ({}, "file:../kit", True),
        ({}, "link:../kit", True),
        ({}, None, True),
        ({"package.json": {"workspaces": ["packages/*"]}}, "npm:other@^1", False),
    ],
)
def test_package_links_to_another_only_as_its_manager_would(declared, asked, links):
    files = {
        "packages/kit/package.json": {"name": "kit"},
        "packages/kit/index.js": "",
        "packages/web/package.json": {"dependencies": {} if asked is None else {"kit": asked}},
        **declared,
    }
    assert imported("kit", files, "packages/web/a.js") == ("packages/kit/index.js" if links else "<kit")


def test_package_may_name_itself():
    files = {"package.json": {"name": "kit", "exports": {"./a": "./src/a.ts"}}, "src/a.ts": ""}
    assert imported("kit/a", files, "test/a.test.ts") == "src/a.ts"


@pytest.mark.parametrize(
    ("module", "expected"),
    [("#a", "src/a.ts"), ("#in/b", "src/in/b.ts"), ("#out", "<@acme/out"), ("#gone", "?#gone"), ("#else", "<#else")],
)
def test_private_names_of_a_package_lead_where_it_says(module, expected):
    table = {
        "#a": {"node": "./gone.js", "default": "./dist/a.js"},
        "#in/*": "./src/in/*.ts",
        "#out": "@acme/out/x",
        "#gone": "./gone.js",
    }
    files = {"package.json": {"imports": table}, "src/a.ts": "", "src/in/b.ts": ""}
    assert imported(module, files) == expected


VITE = "import path from 'path'\nimport { defineConfig } from 'vite'\nexport default defineConfig({ %s })"


@pytest.mark.parametrize(
    ("settings", "module"),
    [
        ("resolve: { alias: { '@': path.resolve(__dirname, 'src') } }", "@/a"),
        ("resolve: { alias: { '@/': '/src/' } }", "@/a"),
        ("test: { alias: { shop: new URL('./src/a.ts', import.meta.url).pathname } }", "shop"),
        ("resolve: { alias: [{ find: '~', replacement: path.resolve(__dirname, './src') }] }", "~/a"),
        ("resolve: { alias: [{ find: /^@\\//, replacement: path.join(__dirname, 'src/') }] }", "@/a"),
        ("resolve: { alias: [{ find: /^x-(.*)$/, replacement: path.resolve(__dirname, 'src') + '/$1' }] }", "x-a"),
    ],
)
def test_vite_gives_names_to_places(settings, module):
    assert imported(module, {"vite.config.ts": VITE % settings, "src/a.ts": ""}) == "src/a.ts"


def test_name_that_vite_gives_stands_alone_or_before_a_slash():
    files = {"vite.config.ts": VITE % "resolve: { alias: { shop: '/src' } }", "src/a.ts": ""}
    assert imported("shop/a", files) == "src/a.ts"
    assert imported("shopping/a", files) == "<shopping"


@pytest.mark.parametrize(
    "files",
    [
        {"package.json": {"jest": {"moduleNameMapper": {"^lib/(.*)$": "<rootDir>/src/$1"}}}},
        {"package.json": {"jest": {"rootDir": "src", "moduleNameMapper": {"^lib/(.*)$": "<rootDir>/$1"}}}},
        {
            "jest.config.js": "module.exports = { moduleNameMapper: { '^lib/(.*)$': ['<rootDir>/gone/$1', './src/$1'] } }"
        },
        {"webpack.config.js": "module.exports = { resolve: { alias: { lib: __dirname + '/src' } } }"},
    ],
)
def test_jest_and_webpack_give_names_to_places(files):
    assert imported("lib/a", {**files, "src/a.ts": ""}) == "src/a.ts"


def test_name_that_jest_maps_to_a_foreign_package_stays_what_it_is():
    files = {"package.json": {"jest": {"moduleNameMapper": {"\\.css$": "identity-obj-proxy"}}}, "src/a.css": ""}
    assert imported("./a.css", files) == "src/a.css"


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("package.json", "{", "the file is not a JSON object, so what it says of imports is unknown"),
        ("tsconfig.json", "[]", "the file is not a JSON object, so what it says of imports is unknown"),
        ("vite.config.ts", "export default make({ alias: 1 }, 2)", "without running it"),
        ("vite.config.ts", VITE % "resolve: { alias: names() }", "without running it: names()"),
        ("vite.config.ts", VITE % "resolve: { alias: { a: names() } }", "without running it: names()"),
        ("jest.config.js", "module.exports = { moduleNameMapper: names() }", "without running it: names()"),
        ("jest.config.js", "module.exports = { moduleNameMapper: { '(a+)+(?=b)': './b' } }", "what it maps is unknown"),
        ("package.json", '{"jest": {"moduleNameMapper": {"(": "./b"}}}', "what it maps is unknown"),
        (
            "vite.config.ts",
            VITE % "resolve: { alias: [{ find: /(a+)+(?=b)/, replacement: 'b' }] }",
            "what it maps is unknown",
        ),
    ],
)
def test_settings_that_cannot_be_read_are_a_gap(path, text, reason):
    (gap,) = gaps(IMPORTING, {path: text})
    assert gap.file == path
    assert gap.reason.endswith(reason)


def test_names_that_ts_jest_repeats_from_a_tsconfig_are_no_gap():
    text = "module.exports = { moduleNameMapper: pathsToModuleNameMapper(options.paths) }"
    assert gaps(IMPORTING, {"jest.config.js": text}) == []


def test_installed_packages_and_minified_bundles_are_no_part_of_the_structure():
    paths = ["a.ts", "b.min.js", "c.d.ts", "node_modules/d/e.js", "f.css"]
    assert IMPORTING.sources(paths) == ["a.ts", "c.d.ts"]
