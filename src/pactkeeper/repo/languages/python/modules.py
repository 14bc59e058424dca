"""Find which file of the repository an import names, without knowing `sys.path`.

A name is searched where Python would find it from the importing file: next to its outermost package; in the folders
that settings name, nearest first; in every folder above it and that folder's usual source folders; and finally anywhere
in the repository, if only one place has it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

_SOURCE_FOLDERS: Final = ("", "src", "lib", "python", "test", "tests")


class Modules:
    """The importable modules among the paths of a snapshot; `roots` are the settings' additions to `sys.path`."""

    def __init__(self, paths: Iterable[str], roots: Sequence[str] = ()) -> None:
        self._files = {path for path in paths if path.endswith(".py")}
        self._folders: set[str] = set()
        self._bases: dict[str, set[str]] = {}
        self._roots = tuple(roots)
        self._found: dict[tuple[str, str], str | None] = {}
        for path in self._files:
            self._add(path)

    def _add(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        if name != "__init__.py":
            self._bases.setdefault(name[:-3], set()).add(folder)
        while folder and folder not in self._folders:
            self._folders.add(folder)
            folder, _, name = folder.rpartition("/")
            self._bases.setdefault(name, set()).add(folder)

    def module(self, path: str) -> str | None:
        """Return the file or folder that `path`, without suffix, is as a module; None if there is none."""
        if f"{path}.py" in self._files and f"{path}/__init__.py" not in self._files:
            return f"{path}.py"
        if f"{path}/__init__.py" in self._files:
            return f"{path}/__init__.py"
        return path if path in self._folders else None

    def inside(self, module: str, name: str) -> str | None:
        """Return the submodule `name` of a package or folder."""
        folder = module.removesuffix("/__init__.py")
        return self.module(f"{folder}/{name}") if not folder.endswith(".py") else None

    def find(self, importer: str, dotted: str) -> str | None:
        """Return the file (or namespace package's folder) that an import in `importer` names; None if third-party."""
        folder = importer.rpartition("/")[0]
        key = (folder, dotted)
        if key not in self._found:
            self._found[key] = self._relative(folder, dotted) if dotted.startswith(".") else self._find(folder, dotted)
        return self._found[key]

    def _relative(self, folder: str, dotted: str) -> str | None:
        name = dotted.lstrip(".")
        for _ in range(len(dotted) - len(name) - 1):
            if not folder:
                return None
            folder = folder.rpartition("/")[0]
        if name:
            return self.module("/".join(part for part in (folder, *name.split(".")) if part))
        return (self.module(folder) or folder) if folder else None

    def _find(self, folder: str, dotted: str) -> str | None:
        first, *rest = dotted.split(".")
        places = self._bases.get(first, set())
        if not places or (first in sys.stdlib_module_names and first != "test"):
            return None
        tail = "/".join((first, *rest))
        for base in self._search(folder):
            if base in places:
                found = self.module(f"{base}/{tail}" if base else tail)
                if found is not None:
                    return found
        outer = [place for place in places if not self.is_package(place)]
        found_outside = {self.module(f"{place}/{tail}" if place else tail) for place in outer} - {None}
        return found_outside.pop() if len(found_outside) == 1 else None

    def _search(self, folder: str) -> Iterator[str]:
        """Yield the folders that may be on `sys.path` for a file in `folder`, nearest first."""
        while self.is_package(folder):
            folder = folder.rpartition("/")[0]
        yield folder
        yield from sorted(self._roots, key=lambda root: -_shared(root, folder))
        while True:
            for name in _SOURCE_FOLDERS:
                place = "/".join(part for part in (folder, name) if part)
                if not self.is_package(place):
                    yield place
            if not folder:
                return
            folder = folder.rpartition("/")[0]

    def is_package(self, folder: str) -> bool:
        """Whether the folder is a regular package."""
        return bool(folder) and f"{folder}/__init__.py" in self._files


def _shared(one: str, other: str) -> int:
    """Count the leading folders that two paths share."""
    pairs = zip(one.split("/"), other.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
