"""The file that a path without its suffix, a folder or a compiled file's name stands for."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.repo.languages.javascript.projects.manifest import Manifest

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
