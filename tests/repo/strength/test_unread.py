"""Edits of what may be a test and isn't read."""

import pytest

from pactkeeper.repo.discovery import Discovery, Selection
from pactkeeper.repo.languages.adapter import Added
from pactkeeper.repo.snapshot import commit as state_of
from pactkeeper.repo.snapshot import worktree
from pactkeeper.repo.strength import support
from pactkeeper.repo.strength.judging import judge
from tests.repo.repositories import create, write
from tests.repo.strength.test_support import side

FILE = "test/b.test.js"
UNREAD = "import { matrix } from './setup';\nmatrix('m', (given) => {\n  given.it('adds', () => {\n    check(add(1));\n  });\n});\n"
FILES = {
    "package.json": '{"devDependencies": {"vitest": "3"}}',
    "test/setup.js": "import { describe, it } from 'vitest';\n"
    "export function matrix(title, run) { describe(title, () => run({ it: wrapped(it) })); }\n",
    "test/a.test.js": UNREAD.replace("'m'", "'other'"),
    FILE: UNREAD,
}


def found(folder, text):
    project = create(folder, FILES)
    write(folder, {FILE: text})
    return judge(side(state_of(project, "HEAD")), side(worktree(project)))


@pytest.mark.parametrize(
    ("edit", "pair"),
    [
        (("given.it(", "given.it.skip("), ("given.it('adds', () => {", "given.it.skip('adds', () => {")),
        (("    check(add(1));\n", ""), ("check(add(1));", "")),
        (("    check(", "    return;\n    check("), ("", "return;")),
        (("  given.it('adds', () => {\n    check(add(1));\n  });\n", ""), ("given.it('adds', () => {", "")),
    ],
)
def test_a_changed_line_of_an_unread_test_is_a_warning_that_shows_it(tmp_path, edit, pair):
    (change,) = found(tmp_path, UNREAD.replace(*edit)).changes
    assert (change.kind, change.severity, change.test, change.old, change.new) == ("unread", "warning", FILE, *pair)


@pytest.mark.parametrize(
    "edit",
    [
        ("  given.it('adds'", "  given.it('new', () => {\n    check(add(2));\n  });\n  given.it('adds'"),
        ("check(add(1))", "check( add(1) )"),
        ("    check(", "    // why\n    check("),
        ("import", "import './other';\nimport"),
    ],
)
def test_a_new_test_a_comment_and_what_stands_around_an_unread_test_are_silent(tmp_path, edit):
    assert found(tmp_path, UNREAD.replace(*edit)).changes == ()


def test_what_was_not_seen_of_a_changed_file_comes_first(tmp_path):
    assert [gap.file for gap in found(tmp_path, UNREAD.replace("add(1)", "add(2)")).gaps] == [FILE, "test/a.test.js"]


@pytest.mark.parametrize(
    ("edit", "pairs"),
    [
        (("wanted: 2", "wanted: 3"), [("one: { given: 1, wanted: 2 },", "one: { given: 1, wanted: 3 },")]),
        (("  one: { given: 1, wanted: 2 },\n", ""), [("one: { given: 1, wanted: 2 },", "")]),
        (("const it", "const  other = 1;\n  const it"), []),
    ],
)
def test_a_changed_row_of_a_function_that_the_pact_says_declares_tests_is_a_warning(tmp_path, edit, pairs):
    table = (
        "import cases from 'kit';\ncases('adds', ({ given, wanted }) => {\n  const it = add(given);\n"
        "  expect(it).toBe(wanted);\n}, {\n  one: { given: 1, wanted: 2 },\n  two: { given: 2, wanted: 4 },\n});\n"
    )
    start, _, rows = table.partition("}, {\n")
    by_name = "const rows = {\n" + rows.replace(");", ";") + start + "}, rows);\n"
    assert rewritten(tmp_path / "in place", table, table.replace(*edit), ("cases",)) == pairs
    assert rewritten(tmp_path / "by name", by_name, by_name.replace(*edit), ("cases",)) == pairs
    if pairs:  # else the function of the test is edited, which isn't read either
        assert rewritten(tmp_path / "unknown", by_name, by_name.replace(*edit), ()) == pairs


def rewritten(folder, before, after, runners):
    project = create(folder, {"package.json": FILES["package.json"], FILE: before})
    write(folder, {FILE: after})
    reading = Discovery(processes=1, selection=Selection(Added(runners=runners)))
    states = (state_of(project, "HEAD"), worktree(project))
    found = judge(*(support.TestState(one, reading.scan(one)) for one in states)).changes
    return [(one.old, one.new) for one in found if (one.kind, one.severity) == ("unread", "warning")]


OPEN = {
    "package.json": '{"devDependencies": {"jest": "30"}}',
    "jest.config.js": "module.exports = { testRegex: chosen() };",
    "lib/a.checks.js": "it('a', () => {\n  expect(a).toBe(1);\n});\n",
}


def test_a_change_of_what_unread_settings_may_collect_is_a_warning(tmp_path):
    project = create(tmp_path, OPEN)
    write(tmp_path, {"lib/a.checks.js": "it('a', () => {\n});\n"})
    judged = judge(side(state_of(project, "HEAD")), side(worktree(project)))
    (change,) = judged.changes
    assert (change.kind, change.severity, change.old) == ("unread", "warning", "expect(a).toBe(1);")
    assert "and may be collected: jest.config.js cannot be read without running it" in change.message


def test_a_change_of_what_settings_surely_leave_out_is_silent(tmp_path):
    project = create(tmp_path, OPEN | {"jest.config.js": "module.exports = { testRegex: 'spec' };"})
    write(tmp_path, {"lib/a.checks.js": "it('a', () => {\n});\n"})
    judged = judge(side(state_of(project, "HEAD")), side(worktree(project)))
    assert judged.changes == ()
    assert any("is not collected: no settings of a runner name it" in gap.reason for gap in judged.gaps)
