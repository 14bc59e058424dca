"""Edits of calls that declare tests through a function of another file."""

import pytest

from pactkeeper.repo.snapshot import commit as state_of
from pactkeeper.repo.snapshot import worktree
from pactkeeper.repo.strength.judging import judge
from tests.repo.repositories import create, write
from tests.repo.strength.test_support import side

FILE = "test/a.test.ts"
CALL = "  suite({ driver: new A() });\n"
SOURCE = (
    "import { describe, it, expect } from 'vitest';\nimport { A } from '../src/a';\nimport { suite } from './utils';\n"
    f"describe('a', () => {{\n{CALL}}});\n"
)
FILES = {
    "package.json": '{"devDependencies": {"vitest": "3"}}',
    "src/a.ts": "export class A { get(key) { return key + 1; } }\n",
    "test/utils.ts": "import { it, expect } from 'vitest';\n"
    "export function suite(options) { it('gets', () => { expect(options.driver.get(1)).toBe(2); }); }\n"
    "export function all(options) { suite(options); }\n"
    "export function print(options) { console.log(options); }\n",
    FILE: SOURCE,
}


def found(folder, new, old=SOURCE):
    project = create(folder, {**FILES, FILE: old})
    for path in (path for path, text in new.items() if text is None):
        (folder / path).unlink()
    write(folder, {path: text for path, text in new.items() if text is not None})
    changes = judge(side(state_of(project, "HEAD")), side(worktree(project))).changes
    return [(one.kind, one.severity, one.test, one.old, one.new) for one in changes]


def warned(old, new):
    return [("unread", "warning", FILE, old, new)]


WRITTEN = "suite({ driver: new A() })"


@pytest.mark.parametrize(
    ("edit", "pair"),
    [
        ((CALL, ""), (WRITTEN, "")),
        (("new A()", "{ get: () => 2 }"), (WRITTEN, "suite({ driver: { get: () => 2 } })")),
        (("'../src/a'", "'./fakes'"), (WRITTEN, WRITTEN)),
        (("describe('a'", "describe.skip('a'"), ("", "skip (by the suite)")),
        ((CALL, f"  if (process.env.SLOW)\n  {CALL}"), ("", "skip if not process.env.SLOW (by the file)")),
        ((CALL, f"  return;\n{CALL}"), ("", "skip (by the suite)")),
    ],
)
def test_a_call_that_is_lost_skipped_or_given_something_else_is_a_warning(tmp_path, edit, pair):
    ((kind, severity, test, old, new),) = found(
        tmp_path, {FILE: SOURCE.replace(*edit), "test/fakes.ts": "export class A { get() { return 2; } }\n"}
    )
    assert (kind, severity, test) == ("unread", "warning", FILE)
    if pair[0] != pair[1]:
        assert (old, new) == pair


def test_a_removed_file_of_calls_is_a_warning_unless_its_product_went_with_it(tmp_path):
    assert found(tmp_path / "tests", {FILE: None}) == warned(WRITTEN, "")
    assert found(tmp_path / "both", {FILE: None, "src/a.ts": None}) == [("unread", "note", FILE, WRITTEN, "")]


def test_a_call_at_the_top_of_a_file_through_a_function_that_calls_the_declaring_one_counts(tmp_path):
    source = "import { all } from './utils';\nall({ driver: 1 });\nall({ driver: 2 });\n"
    assert found(tmp_path, {FILE: source.replace("all({ driver: 2 });\n", "")}, source) == warned(
        "all({ driver: 2 })", ""
    )


def test_each_row_around_a_call_is_one(tmp_path):
    source = SOURCE.replace(CALL, "  for (const one of [1, 2]) {\n    suite({ driver: new A(one) });\n  }\n")
    assert found(tmp_path / "lost", {FILE: source.replace("1, 2", "1")}, source) == warned(
        "suite({ driver: new A(one) })", ""
    )
    assert found(tmp_path / "other", {FILE: source.replace("1, 2", "1, 3")}, source) == warned(
        "suite, one = 2", "suite, one = 3"
    )
    assert found(tmp_path / "more", {FILE: source.replace("1, 2", "1, 2, 3")}, source) == []


@pytest.mark.parametrize(
    "edit",
    [
        (CALL, "  suite(\n    // why\n    {\n      driver: new A()!,\n    },\n  );\n"),
        (CALL, CALL + "  suite({ driver: new A(1) });\n"),
        (CALL, "  suite({ driver: new A(), more() {\n it('new', () => { expect(1).toBe(one); });\n} });\n"),
        ("describe('a'", "describe('other'"),
    ],
)
def test_another_form_more_calls_and_more_tests_are_silent(tmp_path, edit):
    assert found(tmp_path, {FILE: SOURCE.replace(*edit)}) == []


def test_a_moved_file_and_an_import_by_another_name_are_silent(tmp_path):
    assert found(tmp_path / "moved", {FILE: None, "test/more/b.test.ts": SOURCE.replace("'.", "'../.")}) == []
    named = SOURCE.replace("{ A }", "{ A as Real }").replace("new A", "new Real")
    assert found(tmp_path / "named", {FILE: named}) == []


def test_a_list_may_grow_but_loses_nothing(tmp_path):
    source = SOURCE.replace("new A()", "[1, 2]")
    assert found(tmp_path / "more", {FILE: source.replace("[1, 2]", "[3, 2, 1]")}, source) == []
    assert found(tmp_path / "less", {FILE: source.replace("[1, 2]", "[2]")}, source) == warned(
        "suite({ driver: [1, 2] })", "suite({ driver: [2] })"
    )
    assert found(tmp_path / "option", {FILE: source.replace("{ d", "{ quick: true, d")}, source) == warned(
        "suite({ driver: [1, 2] })", "suite({ quick: true, driver: [1, 2] })"
    )


REACHED = [
    ("import suite from './default';", "suite(1);"),
    ("import { suite } from './index';", "suite(1);"),
    ("import { named } from './index';", "named(1);"),
    ("import * as suites from './utils';", "suites.suite(1);"),
    ("const suite = require('./common');", "suite(1);"),
    ("", "require('./common')(1);"),
    ("import { suite } from './utils';", "describe('a', suite);"),
]


@pytest.mark.parametrize(("head", "call"), REACHED)
def test_a_declaring_function_is_found_however_it_is_imported(tmp_path, head, call):
    shared = "function (given) { it('gets', () => { expect(given).toBe(2); }); }\n"
    others = {
        "test/default.ts": f"export default {shared}",
        "test/common.ts": f"module.exports = {shared}",
        "test/index.ts": "export * from './utils';\nexport { default as named } from './default';\n",
    }
    project = create(tmp_path, {**FILES, **others, FILE: f"{head}\n{call}\n"})
    write(tmp_path, {FILE: f"{head}\n"})
    (change,) = judge(side(state_of(project, "HEAD")), side(worktree(project))).changes
    assert (change.kind, change.old) == ("unread", call.rstrip(";"))


def test_an_imported_function_that_declares_no_test_does_not_count(tmp_path):
    source = SOURCE.replace("suite", "print")
    assert found(tmp_path, {FILE: source.replace("  print({ driver: new A() });\n", "")}, source) == []


HELPER = (
    "export let castAll = (fn, { valid = [] }) => {\n  valid.forEach(([value, result]) => {\n"
    "    it(`casts ${value}`, () => {\n      expect(fn(value)).toBe(result);\n    });\n  });\n};\n"
)
CALLING = (
    "import * as own from './helpers';\nimport { num } from '../src/num';\nown.castAll(num, { valid: [['5', 5]] });\n"
)
IN_JEST = {
    "package.json": '{"devDependencies": {"jest": "29"}, "jest": {"testRegex": "test/.*js$", "testPathIgnorePatterns": ["helpers"]}}',
    "src/num.js": "export const num = (x) => Number(x);\n",
    "test/helpers.js": HELPER,
    "test/num.js": CALLING,
}
VITEST = {
    "package.json": '{"devDependencies": {"vitest": "3"}}',
    "vitest.config.js": "export default { test: { include: ['test/**/*.js'], exclude: ['test/helpers.js'] } };\n",
    "test/helpers.js": f"import {{ expect, it }} from 'vitest';\n{HELPER}",
    "test/num.js": f"import {{ expect, it }} from 'vitest';\n{CALLING}",
}


def moved_to_vitest(folder, **new):
    project = create(folder, IN_JEST)
    write(folder, {**VITEST, **new})
    judged = judge(side(state_of(project, "HEAD")), side(worktree(project)))
    return [one.kind for one in judged.changes if one.severity != "note"], [gap.reason for gap in judged.gaps]


def test_tests_that_another_runner_lists_at_the_calls_that_declare_them_are_not_gone(tmp_path):
    assert moved_to_vitest(tmp_path) == ([], [])


@pytest.mark.parametrize(
    ("path", "edit"),
    [
        ("test/num.js", ("own.castAll(num, { valid: [['5', 5]] });", "")),
        ("test/helpers.js", ("toBe(", "toBeGreaterThan(")),
    ],
    ids=["the call is gone", "its assertion is another one"],
)
def test_along_with_another_runner_what_is_lost_is_still_said(tmp_path, path, edit):
    assert moved_to_vitest(tmp_path, **{path: VITEST[path].replace(*edit)})[0]
