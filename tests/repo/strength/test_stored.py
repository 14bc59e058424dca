"""Snapshots that a runner wrote: what an entry loses or gets."""

from typing import cast

import pytest

from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.stored import stored_changes
from tests.repo.strength.states import State

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
