"""Files a failure may come from besides those it names: what changed since the last green commit, else its imports."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from pactkeeper.health.causes import CALLEE, causes, misses_foreign, missing_fixture, own_names
from pactkeeper.health.changes import Changed, run_of, words_of
from pactkeeper.intent.health import Diagnostic
from pactkeeper.intent.structure import RepoStructure
from pactkeeper.repo.test_side import is_test_side

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
    imports: dict[str, list[str]] = {}
    for edge in structure.edges:
        imports.setdefault(edge.importer, []).append(edge.imported)
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
