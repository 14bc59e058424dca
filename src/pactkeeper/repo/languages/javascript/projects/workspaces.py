"""Which packages of a repository link to each other: members of one workspace do, others come from a registry."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import Final

from pactkeeper.repo.languages.javascript.projects.manifest import Manifest, patterns
from pactkeeper.repo.languages.javascript.settings.runner import union
from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles

FILES: Final = ("pnpm-workspace.yaml", "lerna.json")


def workspaces(values: SettingsFiles, manifests: Mapping[str, Manifest], declaring: Iterable[str]) -> Mapping[str, str]:
    """The root of its workspace for each package's folder in one; `declaring` are files that declare members."""
    members = {folder: list(manifest.members) for folder, manifest in manifests.items() if manifest.members}
    for path in declaring:
        members.setdefault(posixpath.dirname(path), []).extend(patterns(values.of(path)))
    found: dict[str, str] = {}
    for root in sorted(members, key=len):
        found.update((folder, root) for folder in _members(root, members[root], manifests))
    return found


def _members(root: str, globs: Iterable[str], folders: Iterable[str]) -> list[str]:
    wanted = union(root, [glob.rstrip("/") for glob in globs if not glob.startswith("!")])
    unwanted = union(root, [glob[1:].rstrip("/") for glob in globs if glob.startswith("!")])
    return [
        folder
        for folder in folders
        if folder == root or (wanted.match(f"/{folder}") and not unwanted.match(f"/{folder}"))
    ]
