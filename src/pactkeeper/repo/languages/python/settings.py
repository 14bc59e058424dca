"""A project's test settings as values: one scope for every folder with pytest settings, and one for the rest.

A file belongs to the nearest scope above it. A folder that an outer scope doesn't recurse into has no tests, whatever
settings it contains itself.

Also what pytest's `addopts` say about which files are collected.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final, Literal

from pactkeeper.intent.patterns import matcher
from pactkeeper.intent.tests import Gap
from pactkeeper.repo.languages.adapter import NOTHING_ADDED, Added, Files, upwards
from pactkeeper.repo.languages.python.ini import NAMES, Found, settings_of
from pactkeeper.repo.languages.python.names import (
    DEFAULT_CLASSES,
    DEFAULT_FUNCTIONS,
    MENTION,
    Ignored,
    Names,
    read_ignores,
)

DEFAULT_FILES: Final = ("test_*.py", "*_test.py")
DEFAULT_NORECURSE: Final = ("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}")


@dataclass(frozen=True, slots=True)
class Scope:
    """The settings for the files below `root` ("" is the repository); its paths are relative to the repository.

    `file` is where they are set, None for pytest's defaults. `places` are the files and folders to collect from.
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
    """Everything the snapshot says about where tests are; `ignored` is keyed by the folder of a `conftest.py`."""

    scopes: Mapping[str, Scope]
    ignored: Mapping[str, Ignored] = field(default_factory=dict)
    environments: frozenset[str] = frozenset()
    include: tuple[str, ...] = ()

    def scope(self, folder: str) -> Scope:
        """Return the nearest scope at or above a folder."""
        while folder and folder not in self.scopes:
            folder = folder.rpartition("/")[0]
        return self.scopes[folder]

    @property
    def pythonpath(self) -> tuple[str, ...]:
        """Every folder that settings add to `sys.path`."""
        return tuple(sorted({path for scope in self.scopes.values() for path in scope.pythonpath}))

    @property
    def functions(self) -> frozenset[str]:
        """Every word that makes a function a test in some scope."""
        return frozenset(word for scope in self.scopes.values() for word in scope.functions.words)


def read_settings(files: Files, added: Added = NOTHING_ADDED) -> tuple[Settings, tuple[Gap, ...]]:
    """Read all settings of a snapshot; what the pact adds applies to every scope."""
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
    """The paths of a snapshot, grouped by their relevance to settings."""

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
        """Every folder that contains a file, at any depth."""
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
        """Return the files and folders that paths or globs name; a path that doesn't exist names nothing."""
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
    """Return a path relative to the repository; None if it is outside."""
    path = posixpath.normpath(posixpath.join(root, word))
    if path.startswith(("../", "/")) or path == "..":
        return None
    return "" if path == "." else path


def _scope(root: str, found: Found, tree: _Tree, gaps: list[Gap]) -> Scope:
    added = read_options(found.options.get("addopts", ()))
    options = {**found.options, **{name: tuple(value.split()) for name, value in added.overrides}}
    if added.doctest:
        gaps.append(Gap(found.file or root, f"doctests are collected too ({added.doctest}); they are not discovered"))
    if added.deselected:
        reason = f"tests that a plain run leaves out ({' '.join(added.deselected)}) are listed too"
        gaps.append(Gap(found.file or root, reason, options=added.deselected))
    places = _places(root, options, added, tree)
    joined = (_join(root, word) for word in added.ignore)
    return Scope(
        root,
        found.file,
        options.get("python_files", DEFAULT_FILES),
        Names(options.get("python_classes", DEFAULT_CLASSES.words)),
        Names(options.get("python_functions", DEFAULT_FUNCTIONS.words)),
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


UNITTEST_FILES: Final = "test*.py"  # including Django's `tests.py`
Runner = Literal["pytest", "unittest"]


class Candidates:
    """Selects files under given settings; decisions about folders are cached."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._excluded: dict[str, bool] = {"": False}
        self._scopes: dict[str, Scope] = {}
        self._added = matcher(settings.include)

    def choose(self, paths: Iterable[str]) -> list[str]:
        """Return the files that may declare tests."""
        return [path for path in paths if path.endswith(".py") and self.runner(path) is not None]

    def scope(self, path: str) -> Scope:
        """Return the settings for a file."""
        folder = path.rpartition("/")[0]
        if folder not in self._scopes:
            self._scopes[folder] = self._settings.scope(folder)
        return self._scopes[folder]

    def runner(self, path: str) -> Runner | None:
        """Return who would collect from a file: without settings, unittest gets files that only its pattern matches."""
        folder, _, name = path.rpartition("/")
        scope = self.scope(path)
        if self._added(path):
            return "pytest"
        if not any(_below(path, place) for place in scope.places):
            return None
        if path not in scope.places and (self._excludes(folder) or self._ignored(path, folder, scope)):
            return None
        if path in scope.places or any(_matches(pattern, path) for pattern in scope.files):
            return "pytest"
        if scope.file is None and (fnmatchcase(name, UNITTEST_FILES) or _is_test_package(path)):
            return "unittest"
        return None

    def left_out(self, path: str) -> str:
        """Return the rule that keeps a module from being collected."""
        folder, _, name = path.rpartition("/")
        scope = self.scope(path)
        origin = scope.file or "pytest's defaults"
        if not any(_below(path, place) for place in scope.places):
            return f"{origin} collects from {' '.join(scope.places)} only"
        if self._excludes(folder) or self._ignored(path, folder, scope):
            return f"{origin} or a conftest.py keeps pytest out of it"
        return f"{name!r} matches no pattern of python_files in {origin} ({' '.join(scope.files)})"

    def _excludes(self, folder: str) -> bool:
        if folder not in self._excluded:
            parent = folder.rpartition("/")[0]
            self._excluded[folder] = self._excludes(parent) or self._stops(folder, parent)
        return self._excluded[folder]

    def _stops(self, folder: str, parent: str) -> bool:
        """Whether collection doesn't enter a folder; one that leads to a named place is always entered."""
        scope = self._settings.scope(parent)
        if any(_below(place, folder) for place in scope.places if place != scope.root):
            return False
        if folder in self._settings.environments or self._ignored(folder, parent, scope):
            return True
        return any(_matches(pattern, folder) for pattern in scope.norecurse)

    def _ignored(self, path: str, parent: str, scope: Scope) -> bool:
        if path in scope.ignore or any(fnmatchcase(path, pattern) for pattern in scope.ignore_glob):
            return True
        paths: tuple[str, ...] = ()
        patterns: tuple[str, ...] = ()
        for folder in upwards(parent) if self._settings.ignored else ():
            ignored = self._settings.ignored.get(folder)
            if ignored is not None:  # for each name, the nearest conftest.py that sets it counts
                paths, patterns = paths or ignored.paths, patterns or ignored.patterns
        return path in paths or any(fnmatchcase(path, pattern) for pattern in patterns)


def _below(path: str, place: str) -> bool:
    return not place or path == place or path.startswith(f"{place}/")


def _matches(pattern: str, path: str) -> bool:
    """Match as pytest does: a pattern without a slash matches the last part, any other the end of the path."""
    if "/" in pattern:
        return fnmatchcase(f"/{path}", f"*/{pattern}")
    return fnmatchcase(path.rpartition("/")[2], pattern)


def _is_test_package(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return name == "__init__.py" and folder.rpartition("/")[2].startswith("test")


# Options that may directly precede a path without taking it as their value.
_FLAGS: Final = frozenset(
    {"-v", "-vv", "-vvv", "-q", "-qq", "-s", "-x", "-l", "--strict", "--strict-markers", "--strict-config", "--lf"}
    | {"--ff", "--doctest-modules", "--doctest-continue-on-failure", "--pyargs", "--showlocals", "--verbose"}
    | {"--quiet", "--exitfirst", "--no-header", "--no-summary", "--collect-in-virtualenv", "--no-cov", "--nomigrations"}
)
_DESELECTING: Final = frozenset({"-k", "--deselect"})
_VALUED: Final = _DESELECTING | {"--ignore", "--ignore-glob", "--override-ini", "-o", "--doctest-glob", "-p"}


@dataclass(frozen=True, slots=True)
class AddedOptions:
    """The parts of `addopts` that decide what is collected; in `overrides`, the last setting of a name wins.

    `deselected` are options that keep collected tests from running, each with its value.
    """

    ignore: tuple[str, ...] = ()
    ignore_glob: tuple[str, ...] = ()
    overrides: tuple[tuple[str, str], ...] = ()
    doctest: str = ""
    places: tuple[str, ...] = ()
    deselected: tuple[str, ...] = ()


def read_options(words: Sequence[str]) -> AddedOptions:
    """Parse the words of `addopts`; `places` are words that may be paths to collect from."""
    values: dict[str, list[str]] = {"--ignore": [], "--ignore-glob": [], "--override-ini": [], "place": []}
    doctest = ""
    off = False
    deselected: list[str] = []
    for option, value in _pairs(words):
        name = "--override-ini" if option == "-o" else option
        if name in values and value is not None:
            values[name].append(value)
        elif option in _DESELECTING and value is not None:
            deselected += (option, value)
        elif option == "-p" and value == "no:doctest":
            off = True
        elif option in {"--doctest-modules", "--doctest-glob"}:
            doctest = option
    overrides = [item.partition("=") for item in values["--override-ini"]]
    return AddedOptions(
        tuple(values["--ignore"]),
        tuple(values["--ignore-glob"]),
        tuple((name.strip(), value.strip()) for name, _, value in overrides),
        "" if off else doctest,
        tuple(values["place"]),
        tuple(deselected),
    )


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Yield options with their values; a word that no option takes is a `place`."""
    pending: str | None = None
    free = True
    for word in words:
        if pending is not None:
            yield pending, word
            pending, free = None, True
        elif word.startswith("-"):
            name, equals, value = word.partition("=")
            short = word[:2] if word[:2] in {"-o", "-p", "-k"} and len(word) > 2 and not word.startswith("--") else ""  # noqa: PLR2004
            if short:
                yield short, word[2:]
            elif equals:
                yield name, value
            elif name in _VALUED:
                pending = name
            else:
                yield name, None
            free = bool(equals or short) or name in _FLAGS or name.startswith("-r")
        elif free:
            yield "place", word
        else:
            free = True
