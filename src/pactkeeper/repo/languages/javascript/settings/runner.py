"""One configured test runner of the repository: which files it collects.

Glob patterns as the JavaScript tools read them (`**`, braces, `@(…)`, `?(…)`, `!(…)`), as regular expressions.

Regular expressions of settings, matched so that no expression that others wrote can keep a run busy.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, cast

import re2

_MOST_REPEATS: Final = 3  # of an expression that only Python's engine takes: at most the cube of a path
_REPEAT: Final = re.compile(r"[*+]|\{\d*+,")
_SET: Final = re.compile(r"\\.|(\[\^?+)(\]?+(?:[^\]\\]|\\.)*+\]?+)", re.DOTALL)
_IN_SET: Final = re.compile(r"\\.|\[|(?<=.-)-|(?<=&)&|(?<=~)~|(?<=\|)\|", re.DOTALL)  # `re` may come to read it as more
_REPEATED_GROUP: Final = re.compile(r"\)(?:[*+]|\{\d)")


@dataclass(frozen=True, slots=True)
class Expressions:
    """Expressions of which one has to match at the start of a path that begins with one of `roots`."""

    of: tuple[re.Pattern[str], ...]
    roots: tuple[str, ...] = ("/",)

    def match(self, path: str) -> bool:
        """Whether the path is meant."""
        return path.startswith(self.roots) and any(one.match(sound(path)) is not None for one in self.of)


@cache
def linear(source: str) -> re.Pattern[str] | None:
    """Compile an expression; None for one that is broken, or that may run away.

    RE2 takes time linear in the text and knows no look-around or back references. An expression that needs them is
    left to Python's engine where it repeats little and repeats no group.
    """
    options = re2.Options()
    options.log_errors, options.dot_nl = False, True
    try:
        return cast("re.Pattern[str]", re2.compile(source, options))
    except re2.error:
        pass
    if len(_REPEAT.findall(source)) > _MOST_REPEATS or _REPEATED_GROUP.search(source):
        return None
    try:
        return re.compile(_SET.sub(_plain, source), re.DOTALL)
    except (re.error, OverflowError, RecursionError):
        return None


def _plain(found: re.Match[str]) -> str:
    """A set in which every character but a range's hyphen stands for itself, as in JavaScript."""
    inside = _IN_SET.sub(lambda one: one[0] if len(one[0]) > 1 else "\\" + one[0], found[2] or "")
    return found[1] + inside if found[1] else found[0]


def either(sources: Iterable[str], roots: tuple[str, ...] = ("/",)) -> Expressions:
    """What matches where any of the expressions does; those that `linear` refuses match nothing."""
    compiled = (linear(source) for source in sources)
    return Expressions(tuple(one for one in compiled if one is not None), roots)


def python_form(source: str) -> str:
    """An expression of JavaScript in the words of Python and RE2."""
    plain = source.replace("\\/", "/").replace("(?<", "(?P<")
    return plain.replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")


def sound(text: str) -> str:
    """A text that RE2 takes: what is no character becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


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


_EXTENDED: Final = {"?": "?", "*": "*", "+": "+", "@": ""}
_UNTIL: Final = {"(": "|", "{": ","}


def is_pattern(text: str) -> bool:
    """Whether a path has wildcards at all."""
    return bool(re.search(r"[*?{\[]|[@+!]\(", text))


@lru_cache(maxsize=1_000)
def translate(pattern: str) -> str:
    """Translate a pattern; alternatives nest, so a stack remembers what closes what."""
    out: list[str] = []
    closing: list[tuple[str, str]] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        rest = pattern[position:]
        if rest.startswith("**/"):
            out.append("(?:.*/)?")
            position += 3
            continue
        if rest.startswith("/**") and len(rest) == 3:  # noqa: PLR2004 - `/**` at the end of the pattern
            out.append("(?:/.*)?")
            break
        if rest.startswith("**"):
            out.append(".*")
            position += 2
            continue
        if character in "?*+@!" and pattern[position + 1 : position + 2] == "(":
            closing.append(("(", ")[^/]*" if character == "!" else ")" + _EXTENDED[character]))
            out.append("(?!(?:" if character == "!" else "(?:")
            if character == "!":
                closing[-1] = ("(", "))[^/]*")
            position += 2
            continue
        position += _simple(pattern, position, out, closing)
    return "".join(out)


def _simple(pattern: str, position: int, out: list[str], closing: list[tuple[str, str]]) -> int:
    """Translate what stands at a position; gives its length."""
    character = pattern[position]
    if character == "[":
        end = pattern.find("]", position + 2)
        if end > 0:
            inside = pattern[position + 1 : end].replace("\\", r"\\")
            out.append(f"[^{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]")
            return end + 1 - position
    if character == "{" and "}" in pattern[position:]:
        closing.append(("{", ")"))
        out.append("(?:")
    elif character == "(":
        closing.append(("(", ")"))
        out.append("(?:")
    elif closing and character == (")" if closing[-1][0] == "(" else "}"):
        out.append(closing.pop()[1])
    elif closing and character == _UNTIL[closing[-1][0]]:
        out.append("|")
    elif character == "\\" and position + 1 < len(pattern):
        out.append(re.escape(pattern[position + 1]))
        return 2
    else:
        out.append({"*": "[^/]*", "?": "[^/]"}.get(character) or re.escape(character))
    return 1
