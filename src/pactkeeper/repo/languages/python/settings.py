"""A project's test settings as values: one scope for every folder that has pytest settings, and one for the rest.

A file belongs to the nearest scope above it. A folder that an outer scope does not recurse into has no tests, whatever
settings it holds itself.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.intent.tests import Gap
from pactkeeper.repo.languages.adapter import NOTHING_ADDED, Added, Files
from pactkeeper.repo.languages.python.ignores import MENTION, Ignored, read_ignores
from pactkeeper.repo.languages.python.ini import NAMES, Found, settings_of
from pactkeeper.repo.languages.python.names import DEFAULT_CLASSES, DEFAULT_FUNCTIONS, Names
from pactkeeper.repo.languages.python.options import AddedOptions, read_options

DEFAULT_FILES: Final = ("test_*.py", "*_test.py")
DEFAULT_NORECURSE: Final = ("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}")


@dataclass(frozen=True, slots=True)
class Scope:
    """The settings for the files below `root` ("" is the repository); paths in it are relative to the repository.

    `file` is where they stand, None where pytest's defaults hold. `places` are the files and folders it collects from.
    """

    root: str = ""
    file: str | None = None
    files: tuple[str, ...] = DEFAULT_FILES
    classes: Names = DEFAULT_CLASSES
    functions: Names = DEFAULT_FUNCTIONS
    norecurse: tuple[str, ...] = DEFAULT_NORECURSE
    places: tuple[str, ...] = ("",)
    ignore: frozenset[str] = frozenset()
    ignore_glob: tuple[str, ...] = ()
    pythonpath: tuple[str, ...] = ()
    imported: bool = True


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the snapshot says about where tests are; `ignored` is by the folder of a `conftest.py`."""

    scopes: Mapping[str, Scope]
    ignored: Mapping[str, Ignored] = field(default_factory=dict)
    environments: frozenset[str] = frozenset()
    include: tuple[str, ...] = ()

    def scope(self, folder: str) -> Scope:
        """The nearest scope at or above a folder."""
        while folder and folder not in self.scopes:
            folder = folder.rpartition("/")[0]
        return self.scopes[folder]

    @property
    def pythonpath(self) -> tuple[str, ...]:
        """Every folder that settings add to `sys.path`."""
        return tuple(sorted({path for scope in self.scopes.values() for path in scope.pythonpath}))

    @property
    def functions(self) -> frozenset[str]:
        """Every word that makes a function a test somewhere."""
        return frozenset(word for scope in self.scopes.values() for word in scope.functions.words)


def read_settings(files: Files, added: Added = NOTHING_ADDED) -> tuple[Settings, tuple[Gap, ...]]:
    """Read all settings of a snapshot; what the pact adds holds in every scope."""
    tree = _Tree(files.paths)
    scopes = {"": Scope()}
    ignored: dict[str, Ignored] = {}
    gaps: list[Gap] = []
    for folder in sorted(tree.configured):
        found = settings_of(folder, files.read, tree.files.__contains__)
        gaps.extend(found.gaps)
        if found.file is not None:
            scopes[folder] = _scope(folder, found, tree, gaps)
    for path in tree.conftests:
        data = files.read(path)
        if data is not None and MENTION in data:
            ignored[posixpath.dirname(path)] = found_ignores = read_ignores(path, data)
            gaps.extend(found_ignores.gaps)
    scopes = {folder: _widened(scope, added) for folder, scope in scopes.items()}
    return Settings(scopes, ignored, frozenset(tree.environments), added.include), tuple(gaps)


def _widened(scope: Scope, added: Added) -> Scope:
    classes, functions = (*scope.classes.words, *added.classes), (*scope.functions.words, *added.functions)
    return replace(scope, classes=Names(classes), functions=Names(functions))


class _Tree:
    """The paths of a snapshot, sorted by what they mean for settings."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.files = frozenset(paths)
        self.configured: set[str] = set()
        self.conftests: list[str] = []
        self.environments: set[str] = set()
        self._folders: frozenset[str] | None = None
        for path in self.files:
            folder, _, name = path.rpartition("/")
            if name in NAMES:
                self.configured.add(folder)
            elif name == "conftest.py":
                self.conftests.append(path)
            elif name == "pyvenv.cfg":
                self.environments.add(folder)
        self.conftests.sort()

    @property
    def folders(self) -> frozenset[str]:
        """Every folder that holds a file, at whatever depth."""
        if self._folders is None:
            found: set[str] = set()
            for path in self.files:
                folder = path.rpartition("/")[0]
                while folder and folder not in found:
                    found.add(folder)
                    folder = folder.rpartition("/")[0]
            self._folders = frozenset(found)
        return self._folders

    def places(self, root: str, words: Iterable[str]) -> list[str]:
        """The files and folders that paths or globs name; a path that is not there names nothing."""
        found: list[str] = []
        for word in words:
            path = _join(root, word)
            if any(sign in word for sign in "*?["):
                found.extend(self._glob(path))
            elif path is not None and (not path or path in self.folders or path in self.files):
                found.append(path)
        return found

    def _glob(self, pattern: str | None) -> list[str]:
        if pattern is None:
            return []
        from pactkeeper.intent.patterns import matcher  # noqa: PLC0415 - few projects have globs there

        parts = pattern.count("/")
        matches = matcher((f"/{pattern}",) if not parts else (pattern,))
        every = self.folders | self.files
        return sorted(path for path in every if ("**" in pattern or path.count("/") == parts) and matches(path))


def _join(root: str, word: str) -> str | None:
    """A path relative to the repository; None where it leads out of it."""
    path = posixpath.normpath(posixpath.join(root, word))
    if path.startswith(("../", "/")) or path == "..":
        return None
    return "" if path == "." else path


def _scope(root: str, found: Found, tree: _Tree, gaps: list[Gap]) -> Scope:
    added = read_options(found.options.get("addopts", ()))
    options = {**found.options, **{name: tuple(value.split()) for name, value in added.overrides}}
    if added.doctest:
        gaps.append(Gap(found.file or root, f"doctests are collected too ({added.doctest}); they are not discovered"))
    places = _places(root, options, added, tree)
    joined = (_join(root, word) for word in added.ignore)
    return Scope(
        root,
        found.file,
        options.get("python_files") or DEFAULT_FILES,
        Names(options.get("python_classes") or DEFAULT_CLASSES.words),
        Names(options.get("python_functions") or DEFAULT_FUNCTIONS.words),
        options.get("norecursedirs", DEFAULT_NORECURSE),
        tuple(places),
        frozenset(path for path in joined if path is not None),
        tuple(posixpath.join(root, word) for word in added.ignore_glob),
        tuple(path for word in options.get("pythonpath", ()) if (path := _join(root, word)) is not None),
        (options.get("collect_imported_tests") or ("true",))[0].lower() not in {"false", "0", "no", "off"},
    )


def _places(root: str, options: Mapping[str, tuple[str, ...]], added: AddedOptions, tree: _Tree) -> list[str]:
    given = tree.places(root, added.places)
    return given or tree.places(root, options.get("testpaths", ())) or [root]
