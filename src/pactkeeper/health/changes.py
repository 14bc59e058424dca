"""What changed between two commits, and the files a failure may come from besides those it names.

A removed name is the likeliest cause of errors that mention it; without one, whatever the failing files import may be.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from pactkeeper.health.causes import CALLEE, causes, misses_foreign, missing_fixture, own_names
from pactkeeper.intent.health import Diagnostic
from pactkeeper.intent.structure import RepoStructure
from pactkeeper.ledger.canonical import by_key
from pactkeeper.repo.test_side import is_test_side

_WORD: Final = re.compile(r"[A-Za-z_]\w*|\b\d{2,5}\b")  # names, and numbers that may be ports
# The marker must be followed by a space: `#include` and `*pointer` are code.
_COMMENT: Final = re.compile(r"(?:\A|\s)(?:#|//)(?:[\s!/].*|\Z)|\A\s*(?:/\*.*|\*(?:[\s/].*|\Z))")
_PROSE: Final = frozenset({".md", ".rst", ".txt", ".adoc"})  # never executed
_DOCUMENTED: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_HUNK: Final = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})")
_PATH: Final = re.compile(r"(?:---|\+\+\+) [ab]/(.*?)\t?\Z")
_LONGEST: Final = 1_000  # characters of a line; longer lines are generated
MOST_FILES: Final = 400  # whose words are read
_LARGEST: Final = 1 << 20  # bytes of a file that is searched for statements
# A port in an address, such as `"db:5432"` or `//db:5432/`, or a number assigned to something named a port.
_ADDRESSED: Final = re.compile(
    r"['\"`/@](?:[A-Za-z_][\w.-]{0,80}|[\d.]{7,15}|\[[\w:]{2,40}\])?:(\d{2,5})(?=['\"`/?])|"
    r"(?:(?<![A-Za-z])[Pp]orts?|(?<![A-Za-z])PORTS?|(?<=[a-z])Ports?)(?![A-Za-z])"
    r"(?:['\"\]) ]{0,4}(?:=>|\|\||\?\?|or|[=:,( ])['\" ]{0,3})(\d{2,5})\b"
)
_PASSED: Final = re.compile(r"(?:^|[(,])\s{0,99}(\d{4,5})\s{0,9}(?:\)|,?$|,\s{0,9}(?!\s|\d))", re.MULTILINE)
_CODE: Final = frozenset(
    {
        *(".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".go", ".rs", ".java", ".kt", ".scala"),
        *(".groovy", ".cs", ".rb", ".php", ".swift", ".c", ".cc", ".cpp", ".h"),
    }
)
_STRING: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")
_BRACKET: Final = re.compile(r"[()\[\]{}]")
_MOST_LINES: Final = 4_000  # changed in one file; anything larger is generated


@dataclass(frozen=True, slots=True)
class Changed:
    """The words a change removed from and added to one file's code, and the lines of every statement it touches.

    `told` are words added in string literals and settings, and numbers: anything that may name a host to reach. `ports`
    are numbers added as part of an address or under a name like `port`; `passed` are numbers added as an argument,
    which may be a port or anything else.
    """

    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    lines: frozenset[int] = frozenset()
    told: frozenset[str] = frozenset()
    ports: frozenset[str] = frozenset()
    passed: frozenset[str] = frozenset()

    @property
    def gone(self) -> frozenset[str]:
        """The words removed from changed lines and added on none."""
        return self.before - self.after

    @property
    def new(self) -> frozenset[str]:
        """The words added on changed lines and removed from none."""
        return self.after - self.before


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text, split as in `Changed`."""
    return frozenset(_WORD.findall(text))


def run_of(changes: Mapping[str, Changed]) -> Mapping[str, Changed]:
    """Return the changes to files that may be executed, leaving out prose."""
    return {path: one for path, one in changes.items() if PurePosixPath(path).suffix not in _PROSE}


def read_counts(printed: str) -> Mapping[str, int]:
    """Parse `git diff --numstat -z` without renames into changed lines per path; 0 for a binary file."""
    found = {}
    for entry in printed.split("\0"):
        added, _, rest = entry.partition("\t")
        removed, _, path = rest.partition("\t")
        if path:
            found[path] = sum(int(count) for count in (added, removed) if count.isdigit())
    return found


def worth_reading(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the files a person may have edited, smallest change first, at most `MOST_FILES`."""
    some = [path for path, count in counts.items() if 0 < count <= _MOST_LINES]
    return tuple(sorted(some, key=lambda path: (counts[path], path))[:MOST_FILES])


def read_diff(diff: str, read: Callable[[str], bytes | None] = lambda _: None) -> Mapping[str, Changed]:
    """Parse a context-free git diff with a/ and b/ prefixes, leaving out paths that git has to quote.

    Binary files and mode-only changes are left out as well. Comments are ignored, and so are added docstrings, for
    which `read` returns the current content of a file.
    """
    before: dict[str, set[str]] = {}
    after: dict[str, dict[int, str]] = {}
    for path, sign, number, line in _lines(diff):
        code = line if PurePosixPath(path).suffix in _PROSE else _COMMENT.sub("", line[:_LONGEST]).strip()
        gone, came = before.setdefault(path, set()), after.setdefault(path, {})
        if sign == "-":
            gone.add(code)
        elif code:
            came[number] = code
    return {path: _changed(path, before[path], after[path], _source(path, read)) for path in sorted(before)}


def _changed(path: str, gone: set[str], came: Mapping[int, str], source: _Source) -> Changed:
    lines = {number: code for number, code in came.items() if number not in source.silent}
    left, put = "\n".join(gone), "\n".join(lines.values())
    begun = {source.begins.get(number, number) for number, code in lines.items() if code not in gone}
    new = begun.union(number for number, first in source.begins.items() if first in begun)
    return Changed(
        words_of(left),
        words_of(put),
        frozenset(new),
        _told(path, put) - _told(path, left),
        _numbers(_ADDRESSED, put) - _numbers(_ADDRESSED, left),
        _numbers(_PASSED, put) - _numbers(_PASSED, left),
    )


def _told(path: str, text: str) -> frozenset[str]:
    """Return the words in a file's string literals, and all numbers; for non-code files, all words."""
    if PurePosixPath(path).suffix not in _CODE:
        return words_of(text)
    return words_of(" ".join(_STRING.findall(text))) | frozenset(filter(str.isdigit, words_of(text)))


def _numbers(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(part for hit in pattern.finditer(text) for part in hit.groups() if part)


@dataclass(frozen=True, slots=True)
class _Source:
    """The current state of a file: docstring lines, and for each line the one on which its statement begins."""

    silent: frozenset[int] = frozenset()
    begins: Mapping[int, int] = field(default_factory=dict)


def _source(path: str, read: Callable[[str], bytes | None]) -> _Source:
    """Parse Python by its syntax tree and other languages by brackets; a file that doesn't parse yields nothing."""
    data = read(path) or b""
    if not data or len(data) > _LARGEST or PurePosixPath(path).suffix in _PROSE:
        return _Source()
    if not path.endswith(".py"):
        return _Source(begins=_bracketed(data.decode("utf-8", "replace")))
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _Source()
    nodes = list(ast.walk(tree))  # a statement comes after its enclosing ones
    owners = (one for one in nodes if isinstance(one, _DOCUMENTED) and ast.get_docstring(one, clean=False))
    silent = frozenset(at for one in owners for at in _extent(one.body[0]))
    return _Source(silent, {at: one.lineno for one in nodes if isinstance(one, ast.stmt) for at in _extent(one)})


def _extent(one: ast.stmt) -> range:
    """Return the lines of a statement; of a compound one, those above its body."""
    inner: Sequence[ast.stmt] = getattr(one, "body", ())
    return range(one.lineno, inner[0].lineno if inner else (one.end_lineno or one.lineno) + 1)


def _bracketed(text: str) -> dict[int, int]:
    """Map each line inside brackets to the line on which its statement begins.

    A brace opens a block of separate statements, unless it begins an argument or value.
    """
    found: dict[int, int] = {}
    opened: list[int] = []  # per bracket, the line on which its statement began; 0 for a block
    for number, line in enumerate(text.split("\n"), 1):
        code = _COMMENT.sub("", _STRING.sub("''", line[:_LONGEST])).strip()
        around = opened[:-1] if code.startswith("}") and opened[-1:] == [0] else opened
        first = (around[-1] if around else 0) or number
        found[number] = first
        for hit in _BRACKET.finditer(code):
            if hit[0] in "([{":
                block = hit[0] == "{" and code[: hit.start()].rstrip()[-1:] not in {*"(,:[="}
                opened.append(0 if block else first)
            elif opened:
                opened.pop()
    return found


def _lines(diff: str) -> Iterator[tuple[str, str, int, str]]:
    """Yield the changed lines as (path, sign, line number, text); the number is meaningful for added lines only."""
    path, heading, number = "", True, 0
    for line in diff.split("\n"):
        if line.startswith("diff --git "):
            path, heading = "", True
        elif line.startswith("@@ "):
            hunk = _HUNK.match(line)
            heading, number = False, int(hunk[1]) if hunk else 0
        elif heading:
            found = _PATH.match(line)
            path = found[1] if found else path
        elif path and line[:1] in {"-", "+"}:
            yield path, line[0], number, line[1:]
            number += line[0] == "+"


MOST: Final = 3
_STEPS: Final = 4  # imports from the test to the file
_QUOTED: Final = re.compile(r"['\"`]([A-Za-z_][\w.:]*)(?:\([^'\"`]*\))?['\"`]")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_ANYWHERE: Final = frozenset(  # words of types and messages that say nothing about their origin
    {
        *("int", "str", "bool", "float", "string", "number", "boolean", "object", "any", "None", "null", "undefined"),
        *("void", "self", "this", "type", "value", "list", "dict"),
    }
)


def suspects(
    diagnostics: Iterable[Diagnostic], structure: RepoStructure, changes: Mapping[str, Changed]
) -> dict[str, tuple[str, ...]]:
    """Return up to three suspects per failure, by fingerprint; `changes` by path are those since the last green commit.

    If a name in the message was removed, added or changed in one file, that file is it. Otherwise, a failing test has
    the changed files it reaches, and its own file if that changed, or its imports if nothing did. Any other failure has
    the changed files that its own file imports; if it names no file, those sharing its words, or all if they are few. A
    failure over a missing third-party module or fixture names its own cause, so no file reached by its test is
    suspected.
    """
    imports = by_key((edge.importer, edge.imported) for edge in structure.edges)
    product = {path: one for path, one in changes.items() if not is_test_side(path)}
    own = own_names([*changes, *imports, *(path for paths in imports.values() for path in paths)])
    found = {}
    for one in diagnostics:
        named = _named(one, product)
        told = misses_foreign(one, own) or missing_fixture(one)
        led = () if told else tuple(_led_to(one, imports, changes))
        nowhere = not (one.test or one.file)
        files = (named,) if named else tuple(_likeliest(one, changes)) if nowhere else led
        if named or nowhere or one.test or one.file in imports:
            found[one.fingerprint] = files
    return found


def _named(one: Diagnostic, product: Mapping[str, Changed]) -> str:
    """Return the one changed file that the message refers to; empty for none, or if it is ambiguous."""
    kind = causes(one)[0].kind
    if kind in {"conflict", "frame", "check"} or (kind == "file" and (one.test or one.file in product)):
        return ""
    words = _words(one)
    scores = {path: _score(words, changed, related=path in one.related) for path, changed in product.items()}
    best = max(scores.values(), default=0)
    found = [path for path, score in scores.items() if score == best and score]
    return found[0] if len(found) == 1 else ""


def _score(words: Collection[str], changed: Changed, *, related: bool) -> int:
    """Score a file: removed names count most, then added ones, then being named in the message, then kept names."""
    signs = (
        (8, not changed.gone.isdisjoint(words)),
        (4, not changed.new.isdisjoint(words)),
        (2, related),
        (1, not changed.before.isdisjoint(words)),
    )
    return sum(weight for weight, told in signs if told)


def _words(one: Diagnostic) -> frozenset[str]:
    """Return the names that a message quotes, is about or calls."""
    callee = CALLEE.search(one.message)
    told = [*_QUOTED.findall(one.message), *(part or "" for part in (callee.groups() if callee else ()))]
    names = frozenset(name for text in told for name in _NAME.findall(text))
    return names - _ANYWHERE | frozenset(_NAME.findall(one.symbol))


def _likeliest(one: Diagnostic, changes: Mapping[str, Changed]) -> list[str]:
    """Return the changed files that are named or share the most changed words with the message, else all if few."""
    told = [path for path in one.related if path in changes]
    if told:
        return told[:MOST]
    words, run = words_of(one.message), run_of(changes)
    counts = {path: len(words & (changed.new | changed.gone)) for path, changed in changes.items()}
    ranked = sorted(counts, key=lambda path: (-counts[path], is_test_side(path), path))
    code, prose = [path for path in ranked if path in run], [path for path in ranked if path not in run]
    telling = [path for path in code if counts[path]] or [path for path in prose if counts[path]]
    return telling[:MOST] if telling else code if len(code) <= MOST else []


def _led_to(one: Diagnostic, imports: Mapping[str, Sequence[str]], changes: Collection[str]) -> list[str]:
    if not one.test:
        return sorted({path for path in imports.get(one.file, ()) if path in changes})[:MOST]
    tests = [path for path in (one.file, *one.related) if is_test_side(path)]
    read = next((path for path in tests if path in imports or _fixtures(path, imports)), "")
    found = _reached(read, imports, changes) if read else _beside(next(iter(tests), ""), one.test, changes)
    own = [path for path in tests[:1] if path in changes]
    return [*found[: MOST - len(own)], *own]


def _reached(test: str, imports: Mapping[str, Sequence[str]], changes: Collection[str]) -> list[str]:
    """Return reachable product files: those that changed, at any distance, else the test's direct imports."""
    distances = _distances(test, imports)
    product = [path for path in distances if not is_test_side(path)]
    near = [path for path in product if path in changes]
    if not near and test not in changes:
        near = [path for path in product if distances[path] == 1]
    return sorted(near, key=lambda path: (distances[path], path))


def _distances(start: str, imports: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the files reachable within a few imports, with their distance; a test's fixtures count as imports."""
    found, edge = {start: 0}, [start]
    for steps in range(1, _STEPS + 1):
        led = {path for importer in edge for path in (*imports.get(importer, ()), *_fixtures(importer, imports))}
        edge = sorted(led - {*found})
        found.update(dict.fromkeys(edge, steps))
    return found


def _fixtures(test: str, imports: Collection[str]) -> list[str]:
    """Return the conftest files that pytest loads for a test and that import from the repository."""
    near = [str(folder / "conftest.py") for folder in PurePosixPath(test).parents] if is_test_side(test) else []
    return [path for path in near if path in imports and test.endswith(".py")]


def _beside(test: str, name: str, changes: Collection[str]) -> list[str]:
    """Return changed product files in the test's language, for languages whose imports are not read.

    Files in the test's folder come first, then those the test is named after.
    """
    if not test:
        return []
    place, words = PurePosixPath(test), set(re.findall(r"[a-z0-9]+", name.lower()))
    alike = [one for path in changes if (one := PurePosixPath(path)).suffix == place.suffix and not is_test_side(path)]
    ranked = sorted(alike, key=lambda one: (one.parent != place.parent, one.stem.lower() not in words, str(one)))
    return [str(one) for one in ranked]
