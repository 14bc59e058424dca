"""What the packages of a JavaScript workspace test themselves, and whether the workspace still has them do it."""

import json
from collections.abc import Mapping
from typing import cast

import pytest

from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.workspaces import workspace_changes
from tests.repo.strength.states import State

EACH = "npm test --workspaces"


def workspace(members: list[str], script: str = EACH, more: Mapping[str, str] | None = None) -> dict[str, str]:
    root = json.dumps({"name": "all", "workspaces": members, "scripts": {"test": script}})
    packages = {f"packages/{name}/package.json": json.dumps({"name": name}) for name in "ab"}
    return {"package.json": root, **packages, **(more or {})}


def compared(before: Mapping[str, str], after: Mapping[str, str]) -> list[tuple[str, str, str]]:
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    tested = [[path for path in side if ".test." in path] for side in (before, after)]
    states = [cast("Snapshot", State(side)) for side in (before, after)]
    found = workspace_changes(states[0], states[1], changed, (tested[0], tested[1]))
    return [(one.severity, one.test, one.old) for one in found]


A, B = {"packages/a/test/a.test.js": "a"}, {"packages/b/test/b.test.js": "b"}


@pytest.mark.parametrize(("script", "severity"), [(EACH, "error"), ("turbo run test", "error"), ("jest", "warning")])
def test_a_package_with_tests_that_leaves_its_workspace_is_reported(script, severity):
    before = workspace(["packages/*"], script, A | B)
    after = workspace(["packages/b"], script, A | B)
    assert compared(before, after) == [(severity, "package.json workspaces", "packages/a")]


def test_a_package_without_tests_may_leave_and_one_with_tests_may_be_named_in_another_way():
    assert compared(workspace(["packages/*"], EACH, B), workspace(["packages/b"], EACH, B)) == []
    assert compared(workspace(["packages/*"], EACH, A), workspace(["packages/a", "packages/b"], EACH, A)) == []


def test_tests_that_move_to_where_no_package_is_are_a_warning():
    moved = {"packages/c/test/a.test.js": "a"}
    before, after = workspace(["packages/*"], EACH, A), workspace(["packages/*"], EACH, moved)
    assert compared(before, after) == [("warning", "packages/c/test/a.test.js", "packages/a/test/a.test.js")]
    with_package = after | {"packages/c/package.json": '{"name": "c"}'}
    assert compared(before, with_package) == []
    assert compared(workspace(["packages/*"], "jest", A), workspace(["packages/*"], "jest", moved)) == []
