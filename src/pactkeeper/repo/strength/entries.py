"""Snapshot files of test runners: what they store for each test, as facts beside its own assertions.

Jest and Vitest keep `__snapshots__/FILE.snap`, syrupy `__snapshots__/STEM.ambr`, each entry under the name of its test.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from pactkeeper.intent.claims import Claim, Value
from pactkeeper.intent.strength.facts import STORED, Fact, Strength
from pactkeeper.intent.tests import Test
from pactkeeper.ledger.canonical import digest

_ENTRY: Final = re.compile(r"exports\[`([^`\n]{1,2000})`\] = |# name: (.{1,2000})")
# After a test's name come a hint and a number, or parameters and a number.
_BEHIND: Final = re.compile(r"(?:: .*)? \d+|(?:\[.*\])?(?:\.\d+)?", re.DOTALL)
_LONGEST: Final = 200  # characters of an entry; the digest of a longer one follows
_SNAPSHOT: Final = re.compile(r"snapshot", re.IGNORECASE)
_INLINE: Final = re.compile(r"InlineSnapshot\((?:[^`()]{0,200},)?\s*+`([^`\\]*+)`")


def entries(text: str) -> Mapping[str, list[tuple[int, str]]]:
    """Return the lines of each entry of a snapshot file by its name, each with its number; other texts have none.

    Blank lines are left out.
    """
    found: dict[str, list[tuple[int, str]]] = {}
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        named = _ENTRY.match(line)
        if named is not None:
            lines = found.setdefault(named[1] or named[2], [])
        said = line[named.end() :] if named is not None else line
        lines += [(number, said)] if said else []
    return found


def with_stored(one: Strength, test: Test, read: Callable[[str], bytes | None]) -> Strength:
    """Add what is stored for a test's snapshots to its facts; `read` gives the bytes of a file, None if there is none.

    A test whose title is made while it runs gets none.
    """
    taking = [fact for fact in one.facts if fact.claim.relation == "snapshot" or _SNAPSHOT.search(fact.quote)]
    if not taking or test.dynamic:
        return one
    source = read(_beside(test.file))
    stored = _entries_in(source) if source is not None else {}
    titles = _titles(test)
    mine = (lines for name, lines in stored.items() if any(_is_of(name, title) for title in titles))
    written = (read(test.file) or b"").decode("utf-8", "replace").splitlines()[test.line - 1 : test.end_line]
    inline = (_text(map(str.strip, each.splitlines())) for each in _INLINE.findall("\n".join(written)))
    return replace(one, facts=(*one.facts, *(_fact(lines, taking[0]) for lines in mine)), inline=tuple(inline))


@lru_cache(maxsize=16)
def _entries_in(source: bytes) -> Mapping[str, list[str]]:
    found = entries(source.decode("utf-8", "replace"))
    return {name: [line for _, line in lines] for name, lines in found.items()}


def _beside(file: str) -> str:
    folder, name = posixpath.split(file)
    stored = f"{name.removesuffix('.py')}.ambr" if name.endswith(".py") else f"{name}.snap"
    return posixpath.join(folder, "__snapshots__", stored)


def _titles(test: Test) -> Collection[str]:
    """Return the names under which runners store a test's snapshots."""
    joints = (".",) if test.file.endswith(".py") else (" ", " > ")
    return {joint.join((*test.suite, test.name)) for joint in joints}


def _is_of(name: str, title: str) -> bool:
    return name.startswith(title) and _BEHIND.fullmatch(name, len(title)) is not None


def _fact(lines: list[str], taking: Fact) -> Fact:
    return replace(taking, claim=Claim("contains", STORED, Value("string", _text(lines))), conditions=())


def _text(lines: Iterable[str]) -> str:
    text = "\n".join(filter(None, lines)).removeprefix("`").removesuffix("`;").strip("\n")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({digest(text)})"
