"""Snapshots that a runner wrote: what an entry loses or gets."""

from typing import cast

import pytest

from pactkeeper.repo.snapshot import Snapshot, worktree
from pactkeeper.repo.snapshot import commit as state_of
from pactkeeper.repo.strength.judging import judge
from pactkeeper.repo.strength.stored import stored_changes
from tests.repo.repositories import create, write
from tests.repo.strength.states import State
from tests.repo.strength.test_support import side

SNAP = """// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html

exports[`parses > one 1`] = `
{
  "a": 1,
}
`;

exports[`parses > two 1`] = `
{
  "a": 1,
  "b": 2,
}
`;
"""
AMBER = """# serializer version: 1
# name: test_one
  dict({
    'a': 1,
  })
# ---
"""


def told(path: str, old: str, new: str) -> list[tuple[str, str, str]]:
    before, after = (cast("Snapshot", State({path: text})) for text in (old, new))
    return [(one.severity, one.old, one.new) for one in stored_changes(before, after, [path], {})]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('  "a": 1,\n}', '  "a": 1,\n  "z": 3,\n}', ("warning", "", '"z": 3,')),
        ('  "a": 1,\n}', '  "a": 1,\n  "b": 2,\n}', ("warning", "", '"b": 2,')),
        ('  "a": 1,\n  "b"', '  "b"', ("warning", '"a": 1,', "")),
        ('"b": 2', '"b": 3', ("warning", '"b": 2,', '"b": 3,')),
    ],
)
def test_an_entry_that_loses_or_gets_a_line_is_a_warning(old, new, said):
    assert old in SNAP
    assert told("src/__snapshots__/a.test.ts.snap", SNAP, SNAP.replace(old, new, 1)) == [said]


def test_an_entry_of_syrupy_that_gets_a_line_is_a_warning():
    after = AMBER.replace("'a': 1,\n", "'a': 1,\n    'b': 2,\n")
    assert told("tests/__snapshots__/test_a.ambr", AMBER, after) == [("warning", "", "'b': 2,")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("parses > one 1", "reads > one 1"),
        ("Vitest Snapshot v1", "Vitest Snapshot v2"),
        ("`;\n\nexports", "`;\n\nexports[`parses > new 1`] = `9`;\n\nexports"),
    ],
)
def test_a_new_entry_another_name_or_header_is_silent(old, new):
    assert old in SNAP
    assert told("src/__snapshots__/a.test.ts.snap", SNAP, SNAP.replace(old, new, 1)) == []


def test_each_entry_that_was_rewritten_is_named_with_its_own_line():
    path = "src/__snapshots__/a.test.ts.snap"
    new = SNAP.replace('"a": 1', '"a": 7').replace('"b": 2', '"b": 8')
    before, after = (cast("Snapshot", State({path: text})) for text in (SNAP, new))
    found = [(one.test, one.line, one.message, one.old, one.new) for one in stored_changes(before, after, [path], {})]
    assert found == [
        (f"{path}::parses > one 1", 5, "a stored expectation was rewritten", '"a": 1,', '"a": 7,'),
        (f"{path}::parses > two 1", 11, "a stored expectation was rewritten, in 2 lines", '"a": 1,', '"a": 7,'),
    ]


def test_an_entry_under_another_name_is_told_with_what_it_says_now():
    assert told("a.snap", SNAP, SNAP.replace("two 1`] = `\n{\n", "three 1`] = `\n{\n").replace('"b": 2', '"c": 3')) == [
        ("warning", '"b": 2,', '"c": 3,')
    ]


def test_the_entries_of_a_file_that_was_written_anew_are_counted():
    old, new = ("".join(f"exports[`t {at}`] = `{sign}{at}`;\n" for at in range(14)) for sign in "xy")
    before, after = (cast("Snapshot", State({"a.snap": text})) for text in (old, new))
    found = list(stored_changes(before, after, ["a.snap"], {}))
    assert [one.test for one in found] == [*(f"a.snap::t {at}" for at in range(10)), "a.snap"]
    assert (found[-1].message, found[-1].old) == (
        "4 more of its stored expectations were rewritten",
        "t 10, t 11, t 12, t 13",
    )


def test_the_line_of_a_golden_file_counts_blank_lines():
    before, after = (cast("Snapshot", State({"tests/golden/a.txt": f"\n\n{text}\n"})) for text in ("one", "two"))
    assert [one.line for one in stored_changes(before, after, ["tests/golden/a.txt"], {})] == [3]


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("assert shop.render(1) == (HERE / 'data' / 'cart.json').read_text()", 1),
        ("assert shop.render(1) == read_text('tests/data/cart.json')", 1),
        ("assert shop.written[0] == normalize('/foo/data/cart.json')", 0),
        ("assert shop.written[0] == 'cart.json'", 0),
        ("assert shop.written[0] == HERE / 'data' / 'cart.json'", 0),
        ("assert shop.render(1) == read_text('other/cart.json')", 0),
    ],
)
def test_only_a_file_that_a_test_reads_to_compare_with_is_expected(tmp_path, line, number):
    text = f"import shop\nfrom files import HERE, normalize, read_text\n\n\ndef test_it():\n    {line}\n"
    project = create(tmp_path, {"tests/test_shop.py": text, "tests/data/cart.json": '{"a": 1}\n'})
    write(tmp_path, {"tests/data/cart.json": '{"a": 2}\n'})
    found = judge(side(state_of(project, "HEAD")), side(worktree(project))).changes
    assert [one.test for one in found if one.kind == "expectation"] == ["tests/data/cart.json"] * number
