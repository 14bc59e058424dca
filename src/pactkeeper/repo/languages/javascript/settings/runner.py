"""One configured test runner of the repository: which files it collects.

Glob patterns of the JavaScript tools (`**`, braces, `@(…)`, `?(…)`, `!(…)`) are translated to regular expressions.

Regular expressions from settings are untrusted and matched so that none can hang a run.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, cast

import re2

_MOST_REPEATS: Final = 3  # of an expression that only Python's engine accepts: at most cubic in the path's length
_REPEAT: Final = re.compile(r"[*+]|\{\d*+,")
_SET: Final = re.compile(r"\\.|(\[\^?+)(\]?+(?:[^\]\\]|\\.)*+\]?+)", re.DOTALL)
_IN_SET: Final = re.compile(r"\\.|\[|(?<=.-)-|(?<=&)&|(?<=~)~|(?<=\|)\|", re.DOTALL)  # `re` may read these differently
_REPEATED_GROUP: Final = re.compile(r"\)(?:[*+]|\{\d)")


@dataclass(frozen=True, slots=True)
class Expressions:
    """Expressions of which one must match at the start of a path that starts with one of `roots`."""

    of: tuple[re.Pattern[str], ...]
    roots: tuple[str, ...] = ("/",)

    def match(self, path: str) -> bool:
        """Whether any expression matches the path."""
        return path.startswith(self.roots) and any(one.match(sound(path)) is not None for one in self.of)


@cache
def linear(source: str) -> re.Pattern[str] | None:
    """Compile an expression; None if it is invalid or may backtrack excessively.

    RE2 runs in linear time but has no look-around or back references. An expression that needs them is left to
    Python's engine if it has few repeats and repeats no group.
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
    """Escape a set so that every character but a range's hyphen is literal, as in JavaScript."""
    inside = _IN_SET.sub(lambda one: one[0] if len(one[0]) > 1 else "\\" + one[0], found[2] or "")
    return found[1] + inside if found[1] else found[0]


def either(sources: Iterable[str], roots: tuple[str, ...] = ("/",)) -> Expressions:
    """Combine expressions so that any may match; those that `linear` rejects match nothing."""
    compiled = (linear(source) for source in sources)
    return Expressions(tuple(one for one in compiled if one is not None), roots)


def python_form(source: str) -> str:
    """Translate a JavaScript expression to the syntax of Python and RE2."""
    plain = source.replace("\\/", "/").replace("(?<", "(?P<")
    return plain.replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")


def sound(text: str) -> str:
    """Make a text acceptable to RE2: lone surrogates become question marks."""
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
    """A runner and the folder of its settings.

    `wanted` and `unwanted` match paths as if the repository's root were `/`, because settings use absolute paths.
    `interface` is Mocha's: `bdd`, `tdd`, `qunit` or `exports`.
    """

    framework: str
    folder: str
    wanted: Expressions
    unwanted: Expressions
    interface: str = ""

    def collects(self, path: str) -> bool:
        """Whether the runner treats a file as a test file."""
        absolute = f"/{path}"
        return self.wanted.match(absolute) and not self.unwanted.match(absolute)


def collected(path: str, runners: Iterable[Runner]) -> bool:
    """Whether one of the runners treats a file as a test file."""
    return any(runner.collects(path) for runner in runners)


def globbed(
    framework: str, folder: str, include: Iterable[str], *, exclude: Iterable[str] = (), interface: str = ""
) -> Runner:
    """Return a runner with glob patterns relative to its folder; a leading slash is the repository's root."""
    return Runner(framework, folder, union(folder, include), union(folder, exclude), interface)


def union(folder: str, patterns: Iterable[str]) -> Expressions:
    """Combine glob patterns so that any may match."""
    return either(expression(folder, pattern) for pattern in patterns)


def expression(folder: str, pattern: str) -> str:
    """Translate one glob pattern to an expression."""
    if pattern.startswith("/"):
        folder, pattern = "", pattern.lstrip("/")
    while pattern.startswith("../"):
        folder, pattern = posixpath.dirname(folder), pattern[3:]
    pattern = pattern.removeprefix("./")
    return re.escape(root_of(folder)) + translate(pattern) + "$"


def root_of(folder: str) -> str:
    """Return the prefix of all paths below a folder."""
    return f"/{folder}/" if folder else "/"


def searched(regex: str, folder: str) -> str:
    """Convert a JavaScript expression searched for in absolute paths; `<rootDir>` is the folder."""
    return ".*?(?:" + python_form(regex.replace("<rootDir>", f"/{folder}" if folder else "")) + ")"


def place(folder: str, path: str) -> str:
    """Resolve a path in settings to one relative to the repository's root; "" for the root itself."""
    path = path.replace("<rootDir>", "/" + folder).replace("//", "/")
    joined = path.lstrip("/") if path.startswith("/") else posixpath.join(folder, path)
    normal = posixpath.normpath(joined) if joined else ""
    return "" if normal in {".", ""} or normal.startswith("..") else normal


_EXTENDED: Final = {"?": "?", "*": "*", "+": "+", "@": ""}
_UNTIL: Final = {"(": "|", "{": ","}


def is_pattern(text: str) -> bool:
    """Whether a path contains wildcards."""
    return bool(re.search(r"[*?{\[]|[@+!]\(", text))


@lru_cache(maxsize=1_000)
def translate(pattern: str) -> str:
    """Translate a pattern; alternatives nest, so a stack tracks what closes each."""
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
    """Translate the construct at a position and return its length."""
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
