"""Read the settings of a repository that determine which file an import names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.intent.tests import Gap
from pactkeeper.repo.languages.javascript.projects import scopes
from pactkeeper.repo.languages.javascript.projects.manifest import Manifest, manifest_of
from pactkeeper.repo.languages.javascript.projects.scopes import (
    FILES,
    Projects,
    Scope,
    mapped,
    refused,
    renamed,
    workspaces,
)
from pactkeeper.repo.languages.javascript.settings.runner import NEVER, place
from pactkeeper.repo.languages.javascript.settings.unknown import Unknown
from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles

_BUNDLER: Final = re.compile(
    r"(?:vite|vitest|webpack|rspack|jest)(?=[.-])[.\w-]*\.(?:config|base|common|shared)\b.*\.(?:[cm]?[jt]s|json)\Z"
)
_MENTIONS: Final = (b"alias", b"moduleNameMapper")
_UNREADABLE: Final = "the names that it gives to places cannot be read"
_REPEATING: Final = "pathsToModuleNameMapper"  # of ts-jest: repeats the aliases of a tsconfig


@dataclass(slots=True)
class _Found:
    """Paths of settings files, by kind."""

    manifests: list[str] = field(default_factory=list)
    tsconfigs: list[str] = field(default_factory=list)
    workspaces: list[str] = field(default_factory=list)
    bundlers: list[str] = field(default_factory=list)


def read_projects(values: SettingsFiles) -> Projects:
    """Read every package.json and tsconfig, and the aliases of bundlers and runners."""
    found = _sorted(values)
    gaps = [*_unreadable(values, (*found.manifests, *found.tsconfigs))]
    manifests = _manifests(values, found.manifests)
    scopes: dict[str, Scope] = {}
    for folder, scope in _scopes(values, found, manifests, gaps):
        scopes[folder] = scopes.get(folder, Scope()) + scope
    return Projects(manifests, scopes, workspaces(values, manifests, found.workspaces), tuple(gaps))


def _unreadable(values: SettingsFiles, paths: Iterable[str]) -> Iterator[Gap]:
    for path in paths:
        if not isinstance(values.of(path), dict) or path in values.broken:
            yield Gap(path, "the file is not a JSON object, so what it says of imports is unknown")


def _manifests(values: SettingsFiles, paths: Sequence[str]) -> dict[str, Manifest]:
    contents = {posixpath.dirname(path): values.of(path) for path in paths}
    return {folder: manifest_of(folder, value) for folder, value in contents.items() if isinstance(value, dict)}


def _scopes(
    values: SettingsFiles, found: _Found, manifests: Mapping[str, Manifest], gaps: list[Gap]
) -> Iterator[tuple[str, Scope]]:
    """Yield folders with the aliases of each settings file, type checkers before bundlers and runners."""
    names = {one.name: folder for folder, one in sorted(manifests.items(), reverse=True) if one.name}
    yield from scopes.scopes(values, found.tsconfigs, names)
    for path in found.manifests:
        options = _jest(values.of(path))
        gaps += _refused(path, options.get("moduleNameMapper"))
        yield posixpath.dirname(path), _mapper(options, posixpath.dirname(path))
    for path in found.bundlers:
        yield from _bundler(values, path, gaps)


def _sorted(values: SettingsFiles) -> _Found:
    found = _Found()
    for path in values.files.paths:
        name = path.rpartition("/")[2]
        if name == "package.json":
            kind = found.manifests
        elif name in FILES:
            kind = found.workspaces
        elif scopes.NAME.match(name):
            kind = found.tsconfigs
        elif _BUNDLER.match(name):
            kind = found.bundlers
        else:
            continue
        if not NEVER.search(path):
            kind.append(path)
    return found


def _jest(manifest: object) -> Mapping[str, object]:
    options = manifest.get("jest") if isinstance(manifest, dict) else None
    return options if isinstance(options, dict) else {}


def _refused(path: str, table: object) -> Iterator[Gap]:
    for source in refused(table):
        yield Gap(path, f"the pattern {source[:80]!r} is broken or could run away, so what it maps is unknown")


def _mapper(options: Mapping[str, object], folder: str) -> Scope:
    root = options.get("rootDir")
    return Scope(
        tuple(mapped(options.get("moduleNameMapper"), place(folder, root) if isinstance(root, str) else folder))
    )


def _bundler(values: SettingsFiles, path: str, gaps: list[Gap]) -> Iterator[tuple[str, Scope]]:
    """Yield the aliases in one settings file of Vite, Vitest, webpack or Jest."""
    source = values.files.read(path)
    if source is None or not any(word in source for word in _MENTIONS):
        return
    folder = posixpath.dirname(path)
    settings = values.of(path)
    if not isinstance(settings, dict):
        gaps.append(Gap(path, f"{_UNREADABLE} without running it"))
        return
    tables = [*_aliases(settings), settings.get("moduleNameMapper")]
    gaps += [
        Gap(path, f"{_UNREADABLE} without running it: {one.start}", one.line) for one in map(_unknown, tables) if one
    ]
    gaps += _refused(path, tables[-1])
    for table in tables[:-1]:
        gaps += _refused(path, table) if isinstance(table, list) else ()
        yield folder, Scope(tuple(renamed(table, folder)))
    yield folder, _mapper(settings, folder)


def _aliases(settings: Mapping[str, object]) -> Iterator[object]:
    for owner in (settings.get("resolve"), settings.get("test")):
        if isinstance(owner, dict) and "alias" in owner:
            yield owner["alias"]


def _unknown(table: object) -> Unknown | None:
    """Return the first part of a table that depends on running the settings, unless it repeats a tsconfig."""
    entries = list(table.values()) if isinstance(table, dict) else table if isinstance(table, list) else []
    inner = [entry.get("replacement") if isinstance(entry, dict) else entry for entry in entries]
    unknown = (one for one in (table, *inner) if isinstance(one, Unknown) and _REPEATING not in one.source)
    return next(unknown, None)
