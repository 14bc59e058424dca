"""Files that a JavaScript runner loads around every test count as part of each."""

from collections.abc import Mapping
from typing import cast

import pytest

from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.setups import setup_changes
from tests.repo.strength.states import State, severities

SETUP, TEST, CONFIG = "test/setup.ts", "test/visit.test.ts", "vitest.config.ts"
NAMING = "export default defineConfig({ test: { setupFiles: ['./test/setup.ts'] } });\n"
CHECK = "afterEach(() => { expect(console.error).not.toHaveBeenCalled(); });\n"
THROW = (
    "beforeEach(() => {\n  vi.spyOn(console, 'warn').mockImplementation(() => { throw new Error('warned'); });\n});\n"
)
FILES = {
    CONFIG: NAMING,
    SETUP: CHECK,
    TEST: "import { visit } from '../src/visit';\ntest('visits', () => { expect(visit()).toBe(1); });\n",
    "src/visit.ts": "export function visit() { return 1; }\n",
    "src/log.ts": "export function log() {}\n",
}


def compared(before: Mapping[str, str], after: Mapping[str, str]) -> list[Change]:
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    old, new = (cast("Snapshot", State(files)) for files in (before, after))
    return list(setup_changes(old, new, changed, {TEST}))


def loudest(after: Mapping[str, str | None], before: Mapping[str, str] = FILES) -> set[tuple[str, str]]:
    files = {path: text for path, text in {**before, **after}.items() if text is not None}
    return {(one.severity, one.kind) for one in compared(before, files) if one.severity != "note"}


@pytest.mark.parametrize(("setup", "found"), [
    (CHECK + "beforeEach((c) => { c.skip(); });\n", ("error", "skipped")),
    (CHECK + "vi.mock('../src/visit', () => ({ visit: () => 1 }));\n", ("error", "mocked")),
    (CHECK + "vi.mock('../src/log');\n", ("warning", "mocked")),
    ("vi.useFakeTimers();\n", ("error", "removed")),
    ("afterEach(() => { expect(console.error).toBeDefined(); });\n", ("warning", "changed")),
], ids=["skips", "mocks-the-subject", "mocks-another", "check-removed", "check-exchanged"])  # fmt: skip
def test_what_a_setup_file_does_to_every_test_is_reported(setup, found):
    assert found in loudest({SETUP: setup})


def test_a_hook_of_a_setup_file_that_forgets_calls_before_it_asks_for_them_is_an_error():
    forgetful = CHECK.replace("{ expect", "{ console.error.mockClear(); expect")
    assert loudest({SETUP: forgetful}) == {("error", "grown")}


def test_a_setup_file_that_only_prepared_something_may_go_with_a_warning():
    before = {**FILES, SETUP: "beforeAll(() => { install(plugin); });\n"}
    assert loudest({SETUP: None, CONFIG: "export default {};\n"}, before) == {("warning", "removed")}


def test_a_fake_in_a_setup_file_that_no_longer_throws_is_a_warning():
    quiet = THROW.replace("throw new Error('warned');", "")
    assert loudest({SETUP: quiet}, {**FILES, SETUP: THROW}) == {("warning", "removed")}


def test_a_split_setup_file_that_checks_or_throws_less_is_reported():
    config = NAMING.replace("]", ", './test/more.ts']")
    before = {**FILES, SETUP: CHECK + THROW}
    parts = {SETUP: "expect.extend({});\n", CONFIG: config}
    assert loudest({**parts, "test/more.ts": CHECK + THROW}, before) == set()
    assert loudest({**parts, "test/more.ts": CHECK}, before) == {("warning", "removed")}
    assert loudest({**parts, "test/more.ts": THROW}, before) == {("error", "removed")}


@pytest.mark.parametrize("after", [
    {SETUP: "// quiet\n" + CHECK + "vi.mock('node:fs');\n"},
    {SETUP: None, "tools/around.ts": CHECK, CONFIG: NAMING.replace("test/setup", "tools/around")},
    {SETUP: CHECK + THROW},
    {SETUP: "expect.extend({});\n", "test/more.ts": CHECK, CONFIG: NAMING.replace("]", ", './test/more.ts']")},
], ids=["more", "moved", "stricter", "split"])  # fmt: skip
def test_a_setup_file_that_moves_or_does_more_is_silent(after):
    assert loudest(after) == set()


def test_a_setup_file_that_settings_no_longer_name_is_an_error():
    assert loudest({CONFIG: NAMING.replace("setupFiles: ['./test/setup.ts']", "")}) == {("error", "removed")}


def test_a_setup_file_that_settings_name_anew_is_read():
    before = {
        **FILES,
        CONFIG: NAMING.replace("setupFiles: ['./test/setup.ts']", ""),
        SETUP: "beforeEach((c) => c.skip());\n",
    }
    assert loudest({CONFIG: NAMING}, before) == {("error", "skipped")}


@pytest.mark.parametrize(("path", "text"), [
    ("package.json", '{"jest": {"setupFilesAfterEnv": ["<rootDir>/test/setup"]}}'),
    ("jest.config.js", "module.exports = { globalSetup: require.resolve('./test/setup.ts') };\n"),
    (".mocharc.json", '{"require": ["./test/setup.ts"]}'),
    ("bunfig.toml", '[test]\npreload = ["./test/setup.ts"]\n'),
])  # fmt: skip
def test_setup_files_of_other_runners_are_read(path, text):
    before = {**FILES, path: text, CONFIG: ""}
    assert loudest({SETUP: "// nothing\n"}, before) == {("error", "removed")}


@pytest.mark.parametrize(("key", "value", "found"), [
    ("../src/core", "/test/fake.ts", {"error"}),
    ("^.*/src/core$", "<rootDir>/support/other.ts", {"error"}),
    ("some-package", "./test/fake.ts", {"warning"}),
    ("\\\\.(css|less)$", "<rootDir>/test/style.js", set()),
    ("@", "/src", set()),
    ("../src/core", "./src/core.ts", set()),
])  # fmt: skip
def test_an_alias_that_replaces_a_file_of_the_product_is_an_error(key, value, found):
    for path, text in (
        (CONFIG, f"export default {{ resolve: {{ alias: {{ '{key}': '{value}' }} }} }};"),
        ("jest.config.js", f"module.exports = {{ moduleNameMapper: {{ '{key}': '{value}' }} }};"),
    ):
        assert severities({path: "export default {};"}, {path: text}) == found
