"""Which file of the repository an import names: relative paths, other names for places, packages."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field

from pactkeeper.repo.languages.adapter import Target
from pactkeeper.repo.languages.javascript.projects import Projects
from pactkeeper.repo.languages.javascript.projects.packages import Packages, Places, here, joined, upwards
from pactkeeper.repo.languages.javascript.projects.scopes import Scope


@dataclass(slots=True)
class Resolution:
    """Resolves modules against the files of one snapshot."""

    paths: frozenset[str]
    projects: Projects = field(default_factory=Projects)
    _places: Places = field(init=False)
    _packages: Packages = field(init=False)
    _known: dict[tuple[str, str], Target] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._places = Places(self.paths, self.projects.manifests)
        self._packages = Packages(self.projects, self._places)

    def resolve(self, importer: str, module: str) -> str | None:
        """The file that `module` names in `importer`; None for packages from outside and for what is not there."""
        return next(iter(self.target(importer, module).files), None)

    def target(self, importer: str, module: str) -> Target:
        """Where an import leads: one file, a package from outside, or nowhere though it ought to be here."""
        key = (posixpath.dirname(importer), module)
        if key not in self._known:
            self._known[key] = self._target(*key)
        return self._known[key]

    def _target(self, folder: str, written: str) -> Target:
        module = written.rpartition("!")[2]  # what stands before are webpack's loaders
        found = self._look(folder, module)
        if found.missing and "?" in module:
            found = self._look(folder, module.partition("?")[0])  # Vite's way to ask for another form of a file
        return Target(missing=(written,)) if found.missing else found

    def _look(self, folder: str, module: str) -> Target:
        if module.startswith(("./", "../")) or module in {".", ".."}:
            return here(self._places.required(joined(folder, module)))
        if module.startswith("/"):
            owner = next(self._packages.above(folder), None)
            return here(self._places.file(joined("" if owner is None else owner.folder, module[1:])))
        found, meant = self._renamed(folder, module)
        if found is not None:
            return here(found)
        look = self._packages.private if module.startswith("#") else self._packages.bare
        return look(folder, module, meant=meant)

    def _renamed(self, folder: str, module: str) -> tuple[str | None, bool]:
        """The file that one of the names given to places leads to, and whether one of them was surely meant."""
        meant = False
        for scope in self._scopes(folder):
            for alias in scope.aliases:
                stands_for = alias.stands_for(module)
                found = self._places.first("", stands_for or ())
                if found is not None:
                    return found, True
                meant = meant or (stands_for is not None and not alias.vague)
            found = next(filter(None, (self._places.file(joined(base, module)) for base in scope.bases)), None)
            if found is not None:
                return found, True
        return None, meant

    def _scopes(self, folder: str) -> Iterator[Scope]:
        """What settings at or above a folder say, up to its package where that belongs to no workspace."""
        for place in upwards(folder):
            if place in self.projects.scopes:
                yield self.projects.scopes[place]
            manifest = self.projects.manifests.get(place)
            if manifest is not None and manifest.dependencies and place not in self.projects.workspaces:
                return
