"""Which file of the repository an import names: relative paths, aliases, packages.

Also bare and private names: which package of the repository they refer to, and which file in it.

Also paths without a suffix, folders, and names of compiled files.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.repo.languages.adapter import Target, upwards
from pactkeeper.repo.languages.javascript.projects.manifest import Manifest, targets, unbuilt
from pactkeeper.repo.languages.javascript.projects.scopes import Projects, Scope

_WRITTEN: Final = {".js": (".ts", ".tsx", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}
_ADDED: Final = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", ".d.mts", ".d.cts")


@dataclass(frozen=True, slots=True)
class Places:
    """The paths of one snapshot, with the manifests that determine a folder's entry file."""

    paths: frozenset[str]
    manifests: Mapping[str, Manifest]

    def file(self, path: str) -> str | None:
        """Return the file at a path: itself, its uncompiled source, with a suffix added, or the folder's entry file."""
        found = self._single(path)
        if found is not None:
            return found
        manifest = self.manifests.get(path)
        entries = [joined(path, entry) for entry in manifest.entries] if manifest is not None else []
        choices = (self._single(place) or self._index(place) for place in (*entries, path))
        return next(filter(None, choices), None)

    def required(self, path: str) -> str | None:
        """Return the file at a path as Node.js finds it, which also tries `.json`."""
        return self.file(path) or (f"{path}.json" if f"{path}.json" in self.paths else None)

    def first(self, folder: str, places: Iterable[str]) -> str | None:
        """Return the first file found among paths relative to a folder."""
        return next(filter(None, (self.file(joined(folder, place)) for place in places)), None)

    def _single(self, path: str) -> str | None:
        if path in self.paths:
            return path
        stem, suffix = posixpath.splitext(path)
        candidates = [stem + other for other in _WRITTEN.get(suffix, ())]
        candidates += [path + added for added in _ADDED]
        return next((candidate for candidate in candidates if candidate in self.paths), None)

    def _index(self, folder: str) -> str | None:
        indexes = (posixpath.join(folder, f"index{added}") for added in _ADDED)
        return next((index for index in indexes if index in self.paths), None)


def joined(folder: str, path: str) -> str:
    """Join a path to a folder of the repository; one that leads outside keeps its dots and so names no file."""
    place = posixpath.normpath(posixpath.join(folder, path))
    return "" if place == "." else place


MISSING: Final = Target(missing=("",))
_SCHEME: Final = re.compile(r"[a-zA-Z][\w+.-]+:")
_LINKED: Final = ("workspace:", "link:", "file:", "portal:")
_ELSEWHERE: Final = ("npm:", "http:", "https:", "git:", "git+", "github:")
_INDEXES: Final = ("src/index", "index", "lib/index")


@dataclass(frozen=True, slots=True)
class Packages:
    """The packages of a repository as its own files see them."""

    projects: Projects
    places: Places
    _named: dict[str, list[Manifest]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for _, manifest in sorted(self.projects.manifests.items()):
            self._named.setdefault(manifest.name, []).append(manifest)

    def bare(self, folder: str, module: str, *, meant: bool) -> Target:
        """Resolve `name/rest` to a package that the repository links to, else to a third-party one.

        `meant` means that settings alias the name: if nothing is there and no manifest depends on it, it is missing.
        """
        if _SCHEME.match(module):
            return Target(package=module.removeprefix("node:"))
        name = package_name(module)
        owner = self._linked(folder, name)
        if owner is not None:
            return here(self._inside(owner, module[len(name) + 1 :]))
        depended = any(name in one.dependencies for one in self.above(folder))
        return MISSING if meant and not depended else Target(package=name)

    def private(self, folder: str, module: str, *, meant: bool) -> Target:
        """Resolve `#name` through `imports` of the nearest package.json; without an entry, it belongs to a tool."""
        manifest = next(self.above(folder), None)
        listed = targets(manifest.imports, module) if manifest is not None and manifest.imports is not None else None
        if manifest is None or listed is None:
            return MISSING if meant else Target(package=module)
        found = self._exported(manifest, [place for place in listed if place.startswith("./")])
        outside = next((place for place in listed if not place.startswith("./")), None)
        return here(found) if found is not None or outside is None else Target(package=package_name(outside))

    def above(self, folder: str) -> Iterator[Manifest]:
        """Yield the manifests of a folder and its ancestors, nearest first."""
        manifests = self.projects.manifests
        return (manifests[place] for place in upwards(folder) if place in manifests)

    def _linked(self, folder: str, name: str) -> Manifest | None:
        """Return the package that a name means in a folder; without a dependency, itself or the sole one."""
        candidates = self._named.get(name)
        if not candidates:
            return None
        above = list(self.above(folder))
        asked = next((one.dependencies[name] for one in above if name in one.dependencies), "")
        if asked.startswith(_ELSEWHERE):
            return None
        if asked.startswith(_LINKED):
            return candidates[0]
        itself = next((one for one in above if one.name == name), None)
        if not asked and (itself is not None or len(candidates) == 1):
            return itself or candidates[0]
        root = self._workspace(above)
        return next(
            (one for one in candidates if root is not None and self.projects.workspaces.get(one.folder) == root), None
        )

    def _workspace(self, above: Sequence[Manifest]) -> str | None:
        """Return the root of the workspace that a file's package belongs to."""
        for one in above:
            if one.folder in self.projects.workspaces:
                return self.projects.workspaces[one.folder]
            if one.dependencies:
                return None  # a separate package, whatever surrounds it
        return None

    def _inside(self, owner: Manifest, rest: str) -> str | None:
        """Return the file that a package's name imports, alone or followed by `rest`."""
        listed = targets(owner.exports, f"./{rest}" if rest else ".") if owner.exports is not None else None
        found = self._exported(owner, listed or ())
        if found is None and not rest:
            found = self._exported(owner, owner.entries)
        return found or self.places.first(owner.folder, (rest, f"src/{rest}") if rest else _INDEXES)

    def _exported(self, owner: Manifest, listed: Sequence[str]) -> str | None:
        """Return the first of a package's listed files that exists, else the source of one that a build makes."""
        inside = [posixpath.normpath(place) for place in listed if not place.startswith(("..", "/"))]
        found = self.places.first(owner.folder, inside)
        return found or self.places.first(owner.folder, (source for place in inside for source in unbuilt(place)))


def here(found: str | None) -> Target:
    """Return a target for a file of the repository, or `MISSING` for one that should exist."""
    return MISSING if found is None else Target((found,))


def package_name(module: str) -> str:
    """Return the package of a bare module, with its scope."""
    return "/".join(module.split("/")[: 2 if module.startswith("@") else 1])


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
        """Return the file that `module` names in `importer`; None for third-party packages and missing files."""
        return next(iter(self.target(importer, module).files), None)

    def target(self, importer: str, module: str) -> Target:
        """Resolve an import to a file, a third-party package, or a missing target that should be in the repository."""
        key = (posixpath.dirname(importer), module)
        if key not in self._known:
            self._known[key] = self._target(*key)
        return self._known[key]

    def _target(self, folder: str, written: str) -> Target:
        module = written.rpartition("!")[2]  # webpack's loaders precede it
        found = self._look(folder, module)
        if found.missing and "?" in module:
            found = self._look(folder, module.partition("?")[0])  # Vite's syntax for another form of a file
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
        """Return the file that an alias or base folder leads to, and whether an alias was certainly meant."""
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
        """Yield the scopes at or above a folder, up to its package unless that belongs to a workspace."""
        for place in upwards(folder):
            if place in self.projects.scopes:
                yield self.projects.scopes[place]
            manifest = self.projects.manifests.get(place)
            if manifest is not None and manifest.dependencies and place not in self.projects.workspaces:
                return
