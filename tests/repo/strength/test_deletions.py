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


RENAMED = "import { it, expect } from 'vitest';\n"
THREE = "it('%s', () => {\n  const it = raw('foo');\n  expect(it.type).toBe('identifier');\n%s  expect(it.text).toBe('foo');\n});\n"
NAMED = "  expect(it.name).toBe('foo');\n"
LIKE = "it('a literal stays', () => {\n  expect(raw('x').text).toBe('x');\n});\n"


@pytest.mark.parametrize("beside", ["", LIKE])
@pytest.mark.parametrize(("kept", "said"), [("", [("error", "removed")]), (NAMED, [])])
def test_a_renamed_test_is_the_new_one_with_most_of_its_assertions(tmp_path, beside, kept, said):
    path = "test/raw.test.js"
    manifest = '{"devDependencies": {"vitest": "3"}}'
    project = create(tmp_path, {"package.json": manifest, path: RENAMED + THREE % ("identifier", NAMED)})
    write(tmp_path, {path: RENAMED + beside + THREE % ("plain identifier", kept)})
    found = judge(side(state_of(project, "HEAD")), side(worktree(project))).changes
    assert [(one.severity, one.kind) for one in found if one.severity != "note"] == said


def test_an_error_that_a_type_test_no_longer_expects_is_told_once(tmp_path):
    path = "types/index.test-d.ts"
    source = "expectType<A>(x);\n// @ts-expect-error\nf(1);\n"
    project = create(tmp_path, {"package.json": '{"devDependencies": {"tsd": "1"}}', path: source})
    write(tmp_path, {path: source.replace("// @ts-expect-error\n", "")})
    found = judge(side(state_of(project, "HEAD")), side(worktree(project))).changes
    assert [(one.severity, one.kind) for one in found] == [("error", "removed")]


def test_what_is_new_in_a_renamed_test_stands_for_another_lost_one(tmp_path):
    path = "test/raw.test.js"
    one = "it('%s', () => {\n  expect(raw('foo').text).toBe('x');\n%s});\n"
    bare = "it('is bare', () => {\n  expect(raw('foo')).not.toHaveProperty('toString');\n});\n"
    project = create(
        tmp_path,
        {"package.json": '{"devDependencies": {"vitest": "3"}}', path: RENAMED + one % ("reads", "") + bare},
    )
    new = "  expect(Object.getPrototypeOf(raw('foo'))).toBeNull();\n"
    write(tmp_path, {path: RENAMED + one % ("reads into a bare object", new)})
    found = judge(side(state_of(project, "HEAD")), side(worktree(project))).changes
    assert [(one.severity, one.kind) for one in found if one.severity != "note"] == [("warning", "deleted")]


SHOP = (
    "def rate(kind):\n    return 2 if kind else 1\n\n\ndef total(cart):\n    name = cart.name\n"
    "    return Bill(name, rate(cart.kind))\n\n\ndef label(item):\n    name = item.name\n    return name\n"
)
BILLED = "from shop.cart import total\n\n\ndef test_bill():\n    assert total(cart()).name == 'a'\n"
LEFT = "from shop.cart import total\n"
BESIDE = "the test is gone; code beside what it imports changed along with it"
ABOUT = "the test is gone; the code it is about changed along with it"
LOST = "the test is gone: 1 of 1 assertions stand nowhere else"
UNCOLLECTED = "its code is still there, but nothing collects it as a test any more"


@pytest.mark.parametrize(
    ("path", "edit", "left", "said"),
    [
        ("shop/cart.py", ("return 2 if", "return 3 if"), LEFT, ABOUT),
        ("shop/cart.py", ("Bill(name, ", "Bill(name.strip(), "), LEFT, ABOUT),
        ("shop/cart.py", ("    return name\n", "    return name\n\n\ndef cart():\n    return {}\n"), LEFT, ABOUT),
        ("shop/cart.py", ("name = item.name", "name = item.name.strip()"), LEFT, BESIDE),
        ("shop/label.py", ("return name\n", "return name.strip()\n"), LEFT, BESIDE),
        ("store/label.py", ("return name\n", "return name.strip()\n"), LEFT, LOST),
        ("store/json/label.py", ("return name\n", "return name.strip()\n"), LEFT, LOST),
        (
            "shop/label.py",
            ("return name\n", "return name.strip()\n"),
            BILLED.replace("def test", "# def test"),
            UNCOLLECTED,
        ),
    ],
)
def test_code_that_changed_where_a_deleted_test_imports_from_may_have_taken_its_promise(
    tmp_path, path, edit, left, said
):
    head = "import json\n"
    project = create(tmp_path, {"shop/cart.py": SHOP, path: SHOP, "tests/test_shop.py": head + BILLED})
    write(tmp_path, {path: SHOP.replace(*edit), "tests/test_shop.py": head + left})
    found = judge(side(state_of(project, "HEAD")), side(worktree(project))).changes
    severity = "warning" if said in {ABOUT, BESIDE} else "error"
    assert [(one.severity, one.message) for one in found if one.severity != "note"] == [(severity, said)]


def test_a_script_imports_from_a_folder_and_an_index_from_all_that_is_below(tmp_path):
    test = "import {{ total }} from '../src/{}';\nit('adds', () => {{\n  expect(total([1])).toBe(1);\n}});\n"
    files = {"package.json": '{"devDependencies": {"vitest": "3"}}', "src/deep/label.js": "export const label = 1;\n"}
    for name, severity in (("cart.js", "error"), ("index.js", "warning"), ("deep/cart", "warning")):
        path = "test/a.test.js"
        project = create(tmp_path / name.replace("/", "-"), {**files, path: test.format(name)})
        changed = {"src/deep/label.js": "export const label = 2;\n", path: "export {};\n"}
        write(tmp_path / name.replace("/", "-"), changed)
        found = judge(side(state_of(project, "HEAD")), side(worktree(project))).changes
        assert [(one.severity, one.kind) for one in found if one.severity != "note"] == [(severity, "deleted")]


def test_what_a_files_import_does_to_its_assertions_is_told_once(tmp_path):
    path, head = "test/total.test.js", "import { test } from 'node:test';\nimport { total } from '../src/shop.js';\n"
    each = "test('of %d', () => { assert.equal(total(%d), 1); assert.deepEqual(total([]), { sum: 1 }); });\n"
    text = (
        "import assert from 'node:assert/strict';\n"
        + head
        + each.replace("total(%d), 1", "String(total(%d)), '1'") % (9, 9)
        + "".join(each % (one, one) for one in range(3))
    )
    project = create(tmp_path, {"package.json": '{"scripts": {"test": "node --test"}}', path: text})
    write(tmp_path, {path: text.replace("assert/strict", "assert")})
    (change,) = judge(side(state_of(project, "HEAD")), side(worktree(project))).changes
    assert (change.severity, change.kind) == ("error", "loosened")
    assert change.message.endswith(": 8 in all")


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("counts words", "the test is gone: 2 of 2 assertions stand nowhere else"),
        ("counts", "its code is still there, but nothing collects it as a test any more"),
    ],
)
def test_a_longer_title_is_not_that_of_a_test_that_is_gone(tmp_path, title, said):
    head = "const assert = require('assert');\n"
    gone = "  it('counts', () => {\n    assert.equal(parse('a'), 1);\n    assert.equal(parse('b'), 2);\n  });\n"
    other = f"  it.later('{title}', () => {{\n    assert.equal(other('c'), 3);\n  }});\n"
    suite = "describe('parse', () => {\n%s});\n"
    project = create(
        tmp_path, {"package.json": MANIFEST, FILE: head + suite % (gone + other.replace("it.later", "it"))}
    )
    write(tmp_path, {FILE: head + suite % other.replace("it.later", "it" if title != "counts" else "it.later")})
    found = judge(side(state_of(project, "HEAD")), side(worktree(project))).changes
    assert said in [one.message for one in found if one.kind == "deleted"]
