"""One configured test runner of the repository: which files it collects."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.repo.languages.javascript.settings.globs import translate

COMMON: Final = (
    "**/*.{test,spec,tests,specs,cy,e2e,e2e-spec,e2e-test,unit,integration}.?(c|m)[jt]s?(x)",
    "**/*{-test,_test,-spec,_spec,Test,Spec,.test-d}.?(c|m)[jt]s?(x)",
    "**/{__tests__,__test__,test,tests,spec,specs,e2e,cypress}/**/*.?(c|m)[jt]s?(x)",
    "**/{test,tests,spec}.?(c|m)[jt]s?(x)",
)
_NOTHING: Final = re.compile(r"(?!)")
NEVER: Final = re.compile(r"(?:^|/)node_modules/")


@dataclass(frozen=True, slots=True)
class Runner:
    """A runner with the folder its settings stand in.

    `wanted` and `unwanted` match paths as if the repository's root were `/`, because settings speak of absolute paths.
    `interface` is Mocha's: `bdd`, `tdd`, `qunit` or `exports`.
    """

    framework: str
    folder: str
    wanted: re.Pattern[str]
    unwanted: re.Pattern[str]
    interface: str = ""

    def collects(self, path: str) -> bool:
        """Whether the runner takes a file for a test file."""
        absolute = f"/{path}"
        return self.wanted.match(absolute) is not None and self.unwanted.match(absolute) is None


def globbed(
    framework: str, folder: str, include: Iterable[str], *, exclude: Iterable[str] = (), interface: str = ""
) -> Runner:
    """A runner that collects by glob patterns relative to its folder; a leading slash means the repository's root."""
    return Runner(framework, folder, union(folder, include), union(folder, exclude), interface)


def union(folder: str, patterns: Iterable[str]) -> re.Pattern[str]:
    """One expression for all patterns."""
    return either([expression(folder, pattern) for pattern in patterns])


def either(expressions: Sequence[str]) -> re.Pattern[str]:
    """One expression that matches where any of them does; one that cannot be compiled is left out."""
    good = []
    for text in expressions:
        try:
            re.compile(text)
        except re.error:
            continue
        good.append(f"(?:{text})")
    return re.compile("|".join(good), re.DOTALL) if good else _NOTHING


def expression(folder: str, pattern: str) -> str:
    """The expression of one glob pattern."""
    if pattern.startswith("/"):
        folder, pattern = "", pattern.lstrip("/")
    while pattern.startswith("../"):
        folder, pattern = posixpath.dirname(folder), pattern[3:]
    pattern = pattern.removeprefix("./")
    return below(folder) + translate(pattern) + r"\Z"


def below(folder: str) -> str:
    """The expression of everything below a folder."""
    return f"/{re.escape(folder)}/" if folder else "/"


def searched(regex: str, folder: str) -> str:
    """A JavaScript expression that is searched in absolute paths; `<rootDir>` is the folder."""
    regex = regex.replace("<rootDir>", f"/{folder}" if folder else "").replace("\\/", "/").replace("(?<", "(?P<")
    return ".*?(?:" + regex.replace("(?P<=", "(?<=").replace("(?P<!", "(?<!") + ")"


def place(folder: str, path: str) -> str:
    """A path as settings write it, relative to the repository's root; empty for the root itself."""
    path = path.replace("<rootDir>", "/" + folder).replace("//", "/")
    joined = path.lstrip("/") if path.startswith("/") else posixpath.join(folder, path)
    normal = posixpath.normpath(joined) if joined else ""
    return "" if normal in {".", ""} or normal.startswith("..") else normal
