"""Which names a project's settings treat as tests: pytest's prefixes and globs."""

from __future__ import annotations

import ast
import json
import posixpath
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from typing import Final

from pactkeeper.intent.tests import Gap

ALWAYS: Final = ("test", "runTest")  # what unittest runs, whatever pytest's settings are


@dataclass(frozen=True, slots=True)
class Names:
    """Names that start with one of the words, or match it if it is a glob."""

    words: tuple[str, ...]

    def matches(self, name: str) -> bool:
        """Whether pytest would accept this name."""
        return _pattern(self.words).match(name) is not None


DEFAULT_FUNCTIONS: Final = Names(("test",))
DEFAULT_CLASSES: Final = Names(("Test",))
_SIGNS: Final = frozenset("*?[")  # of a glob


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    parts = [re.escape(word) for word in words]
    parts += [translate(word) for word in words if not _SIGNS.isdisjoint(word)]
    return re.compile("|".join(parts) if parts else r"(?!)")


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything in a project's settings that affects what is recorded for a file."""

    functions: Names = Names(ALWAYS)
    prefix: str = "IA"


def parse_key(words: Iterable[str], prefix: str = "IA") -> str:
    """Return the key of a reading: the words that make functions tests, and the atom id prefix; "" for the defaults."""
    extra = sorted(set(words) - set(ALWAYS))
    return json.dumps([prefix, *extra], separators=(",", ":")) if extra or prefix != "IA" else ""


def reading(key: str) -> Reading:
    """Return the reading for a key."""
    prefix, *extra = json.loads(key) if key else ["IA"]
    return Reading(Names((*ALWAYS, *extra)), prefix)


_NAMES = ("collect_ignore", "collect_ignore_glob")
MENTION = b"collect_ignore"


@dataclass(frozen=True, slots=True)
class Ignored:
    """What one `conftest.py` excludes, relative to the repository root; patterns are `fnmatch` patterns."""

    paths: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()


def read_ignores(path: str, source: bytes) -> Ignored:
    """Read a `conftest.py` that contains these names."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Ignored(gaps=(Gap(path, "what this conftest.py ignores cannot be read: it does not parse"),))
    folder = posixpath.dirname(path)
    found: dict[str, list[str]] = {name: [] for name in _NAMES}
    gaps: list[Gap] = []
    for statement in tree.body:
        for name, value in _values(statement):
            members, whole = _strings(value)
            found[name].extend(posixpath.normpath(posixpath.join(folder, member)) for member in members)
            if not whole:
                gaps.append(Gap(path, f"a part of {name} is computed; those files may not be collected", value.lineno))
        gaps.extend(
            Gap(path, f"{name} depends on a condition; what it would ignore is counted", line)
            for name, line in _conditional(statement)
        )
    return Ignored(tuple(found["collect_ignore"]), tuple(found["collect_ignore_glob"]), tuple(dict.fromkeys(gaps)))


def _values(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the expressions whose members a statement adds to one of the names."""
    if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            if isinstance(target, ast.Name) and target.id in _NAMES and statement.value is not None:
                yield target.id, statement.value
    elif isinstance(statement, ast.Expr):
        found = _method(statement.value)
        if found is not None:
            yield found


def _method(node: ast.expr) -> tuple[str, ast.expr] | None:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
        return None
    owner = node.func.value
    if not (isinstance(owner, ast.Name) and owner.id in _NAMES):
        return None
    if node.func.attr == "append":
        return owner.id, ast.copy_location(ast.List([node.args[0]], ast.Load()), node)
    return (owner.id, node.args[0]) if node.func.attr == "extend" else None


def _strings(node: ast.expr) -> tuple[list[str], bool]:
    """Return the string members of a display, and whether those are all."""
    if not isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [], False
    members = [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return members, len(members) == len(node.elts)


def _conditional(statement: ast.stmt) -> Iterator[tuple[str, int]]:
    """Yield changes to the names inside compound statements."""
    if not isinstance(statement, (ast.If, ast.Try, ast.For, ast.While, ast.With)):
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.stmt):
            yield from ((name, node.lineno) for name, _ in _values(node))
