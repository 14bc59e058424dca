"""Tests that no package of a JavaScript workspace runs any more: their package left it, or they left their package."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.test_side import SCRIPTS

_DECLARING: Final = frozenset({"package.json", "pnpm-workspace.yaml", "lerna.json"})
_DELEGATES: Final = re.compile(
    rb"\s(?:--workspaces|-ws|-r|--recursive|--filter)\b|workspaces (?:foreach|run)|\b(?:turbo|lerna|nx|rush) "
)  # a script that leaves it to the packages to test themselves


def workspace_changes(
    before: Snapshot, after: Snapshot, changed: Collection[str], tested: tuple[Collection[str], Collection[str]]
) -> Iterator[Change]:
    """Yield each package with tests that left its workspace, and each test that moved to where no package is.

    `tested` are the files with tests before and now.
    """
    olds, news = ({path for path in side if path.endswith(SCRIPTS)} for side in tested)
    declares = any(posixpath.basename(path) in _DECLARING for path in changed)
    moved = {path: old for path in news - olds for old in olds - news if _name(path) == _name(old)}
    if not (declares or moved) or "package.json" not in {posixpath.basename(path) for path in before.paths}:
        return
    was, now = _members(before), _members(after)
    for folder, root in sorted(was.items()):
        left = sorted(path for path in news & olds if _package(path, was) == folder)
        if folder not in {root, *now} and left:
            message = f"the tests of {folder} are no longer run with those of the workspace"
            yield Change("switched_off", f"{_manifest(root)} workspaces", message, folder, "", 0,
                         "error" if _delegates(after, root) else "warning")  # fmt: skip
    for path, old in sorted(moved.items()):
        folder = _package(old, was)
        root = was.get(folder, folder)
        if folder != root and _delegates(after, root) and _package(path, now) in {"", root}:
            message = "it moved out of the packages of the workspace, and none of them may run it"
            yield Change("switched_off", path, message, old, path, 0, "warning")


def _members(snapshot: Snapshot) -> Mapping[str, str]:
    """Map each package of a workspace to the folder of the workspace."""
    from pactkeeper.repo.languages.javascript.projects.read import read_projects  # noqa: PLC0415 - loads the parser
    from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles  # noqa: PLC0415 - likewise

    return read_projects(SettingsFiles(snapshot)).workspaces


def _package(path: str, members: Mapping[str, str]) -> str:
    """Return the innermost package that a file is in; "" for none, or the one at the top."""
    above = posixpath.dirname(path)
    while above and above not in members:
        above = posixpath.dirname(above)
    return above


def _delegates(snapshot: Snapshot, root: str) -> bool:
    return _DELEGATES.search(snapshot.read(_manifest(root)) or b"") is not None


def _manifest(root: str) -> str:
    return posixpath.join(root, "package.json")


def _name(path: str) -> str:
    return posixpath.basename(path)
