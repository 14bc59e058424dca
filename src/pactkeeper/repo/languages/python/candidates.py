"""Which files a runner would collect tests from, by their paths alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Final, Literal

from pactkeeper.intent.patterns import matcher
from pactkeeper.repo.languages.python.settings import Scope, Settings

UNITTEST_FILES: Final = "test*.py"  # Django's `tests.py` included
Runner = Literal["pytest", "unittest"]


class Candidates:
    """The choice of files under some settings; remembers what it decided about folders."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._excluded: dict[str, bool] = {"": False}
        self._scopes: dict[str, Scope] = {}
        self._added = matcher(settings.include)

    def choose(self, paths: Iterable[str]) -> list[str]:
        """The files that may declare tests."""
        return [path for path in paths if path.endswith(".py") and self.runner(path) is not None]

    def scope(self, path: str) -> Scope:
        """The settings for a file."""
        folder = path.rpartition("/")[0]
        if folder not in self._scopes:
            self._scopes[folder] = self._settings.scope(folder)
        return self._scopes[folder]

    def runner(self, path: str) -> Runner | None:
        """Who would collect from a file: without any settings a file that only unittest's pattern matches is its."""
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
        """The rule that keeps a module from being collected."""
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
        """Whether collection does not enter a folder; what leads to a place that is named is always entered."""
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
        for folder in _upward(parent) if self._settings.ignored else ():
            ignored = self._settings.ignored.get(folder)
            if ignored is not None:  # of each name the nearest conftest.py that has it counts
                paths, patterns = paths or ignored.paths, patterns or ignored.patterns
        return path in paths or any(fnmatchcase(path, pattern) for pattern in patterns)


def _upward(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def _below(path: str, place: str) -> bool:
    return not place or path == place or path.startswith(f"{place}/")


def _matches(pattern: str, path: str) -> bool:
    """Match as pytest does: a pattern without a slash is for the last part, any other for the end of the path."""
    if "/" in pattern:
        return fnmatchcase(f"/{path}", f"*/{pattern}")
    return fnmatchcase(path.rpartition("/")[2], pattern)


def _is_test_package(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return name == "__init__.py" and folder.rpartition("/")[2].startswith("test")
