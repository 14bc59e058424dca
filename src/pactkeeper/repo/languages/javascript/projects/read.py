"""Read what the settings of a repository say about which file an import names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.intent.tests import Gap
from pactkeeper.repo.languages.adapter import Files
from pactkeeper.repo.languages.javascript.projects import Projects, tsconfig
from pactkeeper.repo.languages.javascript.projects.manifest import manifest_of
from pactkeeper.repo.languages.javascript.projects.scopes import Scope, mapped, renamed
from pactkeeper.repo.languages.javascript.projects.workspaces import FILES, workspaces
from pactkeeper.repo.languages.javascript.settings.runner import NEVER, place
from pactkeeper.repo.languages.javascript.settings.unknown import Unknown
from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles

_BUNDLER: Final = re.compile(
    r"(?:vite|vitest|webpack|rspack|jest)(?:[.-][\w-]+)*\.(?:config|base|common|shared)\b.*\.[cm]?[jt]s\Z"
)
_MENTIONS: Final = (b"alias", b"moduleNameMapper")


@dataclass(slots=True)
class _Found:
    """Paths of settings files by what they are."""

    manifests: list[str] = field(default_factory=list)
    tsconfigs: list[str] = field(default_factory=list)
    workspaces: list[str] = field(default_factory=list)
    bundlers: list[str] = field(default_factory=list)


def read_projects(files: Files) -> Projects:
    """Read every package.json, tsconfig, and the aliases of bundlers and runners."""
    values = SettingsFiles(files)
    found = _sorted(values)
    gaps: list[Gap] = []
    contents = {path: values.of(path) for path in found.manifests}
    gaps += [
        Gap(path, "the manifest is no JSON object") for path, value in contents.items() if not isinstance(value, dict)
    ]
    manifests = {
        posixpath.dirname(path): manifest_of(posixpath.dirname(path), value)
        for path, value in contents.items()
        if isinstance(value, dict)
    }
    names = {one.name: folder for folder, one in sorted(manifests.items(), reverse=True) if one.name}
    scopes: dict[str, Scope] = {}
    named = [*tsconfig.scopes(values, found.tsconfigs, names)]
    named += [(posixpath.dirname(path), _jest(value, posixpath.dirname(path))) for path, value in contents.items()]
    named += [entry for path in found.bundlers for entry in _bundler(values, path, gaps)]
    for folder, scope in named:
        scopes[folder] = scopes.get(folder, Scope()) + scope
    return Projects(manifests, scopes, workspaces(values, manifests, found.workspaces), tuple(gaps))


def _sorted(values: SettingsFiles) -> _Found:
    found = _Found()
    for path in values.files.paths:
        name = path.rpartition("/")[2]
        if name == "package.json":
            kind = found.manifests
        elif name in FILES:
            kind = found.workspaces
        elif tsconfig.NAME.match(name):
            kind = found.tsconfigs
        elif _BUNDLER.match(name):
            kind = found.bundlers
        else:
            continue
        if not NEVER.search(path):
            kind.append(path)
    return found


def _jest(manifest: object, folder: str) -> Scope:
    options = manifest.get("jest") if isinstance(manifest, dict) else None
    return _mapper(options, folder) if isinstance(options, dict) else Scope()


def _mapper(options: Mapping[str, object], folder: str) -> Scope:
    root = options.get("rootDir")
    return Scope(
        tuple(mapped(options.get("moduleNameMapper"), place(folder, root) if isinstance(root, str) else folder))
    )


def _bundler(values: SettingsFiles, path: str, gaps: list[Gap]) -> Iterator[tuple[str, Scope]]:
    """The names that one settings file of Vite, Vitest, webpack or Jest gives."""
    source = values.files.read(path)
    if source is None or not any(word in source for word in _MENTIONS):
        return
    folder = posixpath.dirname(path)
    settings = values.of(path)
    if not isinstance(settings, dict):
        gaps.append(Gap(path, "the names that it gives to places cannot be read without running it"))
        return
    for table in _aliases(settings):
        if isinstance(table, Unknown):
            gaps.append(
                Gap(path, f"the names that it gives to places cannot be read without running it: {table.source}")
            )
        yield folder, Scope(tuple(renamed(table, folder)))
    yield folder, _mapper(settings, folder)


def _aliases(settings: Mapping[str, object]) -> Iterator[object]:
    test, resolve = settings.get("test"), settings.get("resolve")
    for owner in (resolve, test):
        if isinstance(owner, dict) and "alias" in owner:
            yield owner["alias"]
