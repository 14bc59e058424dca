"""Find the file that an import names: relative paths, packages of the repository, and `paths` of tsconfig files."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_WRITTEN: Final = {".js": (".ts", ".tsx", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}
_ADDED: Final = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")


@dataclass(frozen=True, slots=True)
class Alias:
    """`paths` of one tsconfig: inside `folder`, `before` + anything + `after` stands for one of `places` (with `*`)."""

    folder: str
    before: str
    after: str
    places: tuple[str, ...]


@dataclass(slots=True)
class Importing:
    """Resolves modules against the files of one snapshot; `packages` maps a package's name to its folder."""

    paths: frozenset[str]
    packages: Mapping[str, str] = field(default_factory=dict)
    aliases: Sequence[Alias] = ()
    _known: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def resolve(self, importer: str, module: str) -> str | None:
        """The file that `module` names in `importer`; None for packages from outside."""
        key = (posixpath.dirname(importer), module)
        if key not in self._known:
            self._known[key] = self._resolve(*key)
        return self._known[key]

    def _resolve(self, folder: str, module: str) -> str | None:
        if not module:
            return None
        if module.startswith("."):
            return self._file(posixpath.normpath(posixpath.join(folder, module)))
        for alias in self.aliases:
            inside = folder == alias.folder or not alias.folder or folder.startswith(f"{alias.folder}/")
            if inside and module.startswith(alias.before) and module.endswith(alias.after):
                rest = module[len(alias.before) : len(module) - len(alias.after)]
                found = next(filter(None, (self._file(place.replace("*", rest)) for place in alias.places)), None)
                if found is not None:
                    return found
        return self._packaged(module)

    def _packaged(self, module: str) -> str | None:
        parts = module.split("/")
        count = 2 if module.startswith("@") else 1
        folder = self.packages.get("/".join(parts[:count]))
        if folder is None:
            return None
        rest = "/".join(parts[count:])
        places = [posixpath.join(folder, rest), posixpath.join(folder, "src", rest)]
        return next(filter(None, (self._file(posixpath.normpath(place)) for place in places)), None)

    def _file(self, path: str) -> str | None:
        if path in self.paths:
            return path
        stem, suffix = posixpath.splitext(path)
        candidates = [stem + other for other in _WRITTEN.get(suffix, ())]
        candidates += [path + added for added in _ADDED]
        candidates += [posixpath.join(path, f"index{added}") for added in _ADDED]
        return next((candidate for candidate in candidates if candidate in self.paths), None)
