"""Which file of the repository an import names: relative paths, other names for places, packages.

Bare and private names: which package of the repository a file gets for one, and which file of it.

The file that a path without its suffix, a folder or a compiled file's name stands for.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.repo.languages.adapter import Target
from pactkeeper.repo.languages.javascript.projects.manifest import Manifest, targets, unbuilt
from pactkeeper.repo.languages.javascript.projects.scopes import Projects, Scope

_WRITTEN: Final = {".js": (".ts", ".tsx", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}
_ADDED: Final = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", ".d.mts", ".d.cts")


@dataclass(frozen=True, slots=True)
class Places:
    """The paths of one snapshot, with the manifests that say what a folder stands for."""

    paths: frozenset[str]
    manifests: Mapping[str, Manifest]

    def file(self, path: str) -> str | None:
        """The file at a path: itself, what it is compiled from, with a suffix added, or what the folder stands for."""
        found = self._single(path)
        if found is not None:
            return found
        manifest = self.manifests.get(path)
        entries = [joined(path, entry) for entry in manifest.entries] if manifest is not None else []
        choices = (self._single(place) or self._index(place) for place in (*entries, path))
        return next(filter(None, choices), None)

    def required(self, path: str) -> str | None:
        """The file at a path as Node.js finds it, to which it also adds the suffix of data."""
        return self.file(path) or (f"{path}.json" if f"{path}.json" in self.paths else None)

    def first(self, folder: str, places: Iterable[str]) -> str | None:
        """The first file among places below a folder."""
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
    """A path from the repository's root; one that leads out of it keeps its dots and so names no file."""
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
        """`name/rest`: a package that the repository links to, else one from outside.

        `meant` says that settings give the name to a place: where nothing lies there, it is no package either.
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
        """`#name`: what the nearest package.json says of it under `imports`; a tool's own where it says nothing."""
        manifest = next(self.above(folder), None)
        listed = targets(manifest.imports, module) if manifest is not None and manifest.imports is not None else None
        if manifest is None or listed is None:
            return MISSING if meant else Target(package=module)
        found = self._exported(manifest, [place for place in listed if place.startswith("./")])
        outside = next((place for place in listed if not place.startswith("./")), None)
        return here(found) if found is not None or outside is None else Target(package=package_name(outside))

    def above(self, folder: str) -> Iterator[Manifest]:
        """The manifests of a folder and those above it, the nearest first."""
        manifests = self.projects.manifests
        return (manifests[place] for place in upwards(folder) if place in manifests)

    def _linked(self, folder: str, name: str) -> Manifest | None:
        """The package of that name that a file in the folder gets; one that no manifest asks for can be no other."""
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
        """The root of the workspace that a file's package is a member of."""
        for one in above:
            if one.folder in self.projects.workspaces:
                return self.projects.workspaces[one.folder]
            if one.dependencies:
                return None  # a package of its own, whatever stands around it
        return None

    def _inside(self, owner: Manifest, rest: str) -> str | None:
        """The file of a package that stands behind its name, alone or with a `rest`."""
        listed = targets(owner.exports, f"./{rest}" if rest else ".") if owner.exports is not None else None
        found = self._exported(owner, listed or ())
        if found is None and not rest:
            found = self._exported(owner, owner.entries)
        return found or self.places.first(owner.folder, (rest, f"src/{rest}") if rest else _INDEXES)

    def _exported(self, owner: Manifest, listed: Sequence[str]) -> str | None:
        """The first of a package's own places that is there, else the source of one that a build makes."""
        inside = [posixpath.normpath(place) for place in listed if not place.startswith(("..", "/"))]
        found = self.places.first(owner.folder, inside)
        return found or self.places.first(owner.folder, (source for place in inside for source in unbuilt(place)))


def here(found: str | None) -> Target:
    """A file of the repository, or that there ought to be one."""
    return MISSING if found is None else Target((found,))


def upwards(folder: str) -> Iterator[str]:
    """A folder and all above it up to the repository's root, which is empty."""
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def package_name(module: str) -> str:
    """The package of a bare module, with its scope."""
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
