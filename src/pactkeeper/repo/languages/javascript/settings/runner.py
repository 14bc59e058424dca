"""One configured test runner of the repository: which files it collects."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pactkeeper.repo.languages.javascript.settings.globs import translate
from pactkeeper.repo.languages.javascript.settings.linear import Expressions, either, python_form

COMMON: Final = (
    "**/*.{test,spec,tests,specs,cy,e2e,e2e-spec,e2e-test,unit,integration}.?(c|m)[jt]s?(x)",
    "**/*{-test,_test,-spec,_spec,Test,Spec,.test-d}.?(c|m)[jt]s?(x)",
    "**/{__tests__,__test__,test,tests,spec,specs,e2e,cypress}/**/*.?(c|m)[jt]s?(x)",
    "**/{test,tests,spec}.?(c|m)[jt]s?(x)",
)
NEVER: Final = re.compile(r"(?:^|/)node_modules/")


@dataclass(frozen=True, slots=True)
class Runner:
    """A runner with the folder its settings stand in.

    `wanted` and `unwanted` match paths as if the repository's root were `/`, because settings speak of absolute paths.
    `interface` is Mocha's: `bdd`, `tdd`, `qunit` or `exports`.
    """

    framework: str
    folder: str
    wanted: Expressions
    unwanted: Expressions
    interface: str = ""

    def collects(self, path: str) -> bool:
        """Whether the runner takes a file for a test file."""
        absolute = f"/{path}"
        return self.wanted.match(absolute) and not self.unwanted.match(absolute)


def globbed(
    framework: str, folder: str, include: Iterable[str], *, exclude: Iterable[str] = (), interface: str = ""
) -> Runner:
    """A runner that collects by glob patterns relative to its folder; a leading slash means the repository's root."""
    return Runner(framework, folder, union(folder, include), union(folder, exclude), interface)


def union(folder: str, patterns: Iterable[str]) -> Expressions:
    """What any of the glob patterns matches."""
    return either(expression(folder, pattern) for pattern in patterns)


def expression(folder: str, pattern: str) -> str:
    """The expression of one glob pattern."""
    if pattern.startswith("/"):
        folder, pattern = "", pattern.lstrip("/")
    while pattern.startswith("../"):
        folder, pattern = posixpath.dirname(folder), pattern[3:]
    pattern = pattern.removeprefix("./")
    return re.escape(root_of(folder)) + translate(pattern) + "$"


def root_of(folder: str) -> str:
    """How the paths of everything below a folder begin."""
    return f"/{folder}/" if folder else "/"


def searched(regex: str, folder: str) -> str:
    """A JavaScript expression that is searched in absolute paths; `<rootDir>` is the folder."""
    return ".*?(?:" + python_form(regex.replace("<rootDir>", f"/{folder}" if folder else "")) + ")"


def place(folder: str, path: str) -> str:
    """A path as settings write it, relative to the repository's root; empty for the root itself."""
    path = path.replace("<rootDir>", "/" + folder).replace("//", "/")
    joined = path.lstrip("/") if path.startswith("/") else posixpath.join(folder, path)
    normal = posixpath.normpath(joined) if joined else ""
    return "" if normal in {".", ""} or normal.startswith("..") else normal
