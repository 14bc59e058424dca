"""Tests that are no longer collected under their names, although these names still stand in their file."""

import pytest

from pactkeeper.repo.snapshot import commit as state_of
from pactkeeper.repo.snapshot import worktree
from pactkeeper.repo.strength.judging import judge
from tests.repo.repositories import create, write
from tests.repo.strength.test_support import loud, side

FILE = "test/index.js"
MANIFEST = '{"devDependencies": {"mocha": "11", "tape": "5"}, "scripts": {"test": "mocha test && tape test"}}'
BEFORE = "describe('parse', () => {\n  it('counts', () => {\n    assert.equal(parse('a b'), made(2));\n  });\n});\n"
STEPS = "const test = require('tape');\ntest('parse', (t) => {\n%s\n  t.end();\n});\n"


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("t.test('counts', (st) => { st.equal(other('a b'), 2); st.end(); });", "warning"),
        ("t.equal(other('a b'), 2, 'counts');", "warning"),
        ("// t.test('counts', (st) => { st.equal(parse('a b'), 2); st.end(); });", "error"),
        ("t.test.skip('counts', (st) => { st.equal(parse('a b'), 2); st.end(); });", "error"),
        ("t.equal(other('a b'), 2);", "error"),
    ],
)
def test_a_test_whose_name_only_stands_in_a_step_of_another_one_may_be_that_step(tmp_path, steps, said):
    head = "const assert = require('assert');\n"
    project = create(tmp_path, {"package.json": MANIFEST, FILE: head + BEFORE})
    write(tmp_path, {FILE: STEPS % steps})
    assert (said, "counts") in loud(judge(side(state_of(project, "HEAD")), side(worktree(project))))
