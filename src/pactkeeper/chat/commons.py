"""Questions that can be asked of any repository: which is asked, and the lines of well-known files that answer it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Final

from pactkeeper.chat.answers import Finding, lines_at
from pactkeeper.chat.here import Here
from pactkeeper.chat.terms import is_light
from pactkeeper.chat.words import Question, small_words

MOST: Final = 4  # places
FEW: Final = 6  # lines of one
MOST_FILES: Final = 2  # of one pattern


@dataclass(frozen=True, slots=True)
class Common:
    """A row of `commons.toml`."""

    asks: tuple[frozenset[str], ...]
    may: frozenset[str]
    lines: tuple[tuple[str, re.Pattern[str]], ...]

    def fits(self, words: frozenset[str]) -> bool:
        """Whether these words ask it and nothing else."""
        rest = words.difference(self.may, *self.asks)
        return not any(words.isdisjoint(one) for one in self.asks) and all(_says_little(one) for one in rest)


@cache
def _commons() -> Mapping[str, Common]:
    found = tomllib.loads((files("pactkeeper.chat") / "commons.toml").read_text(encoding="utf-8"))
    return {name: _row(**row) for name, row in found.items()}


def _row(asks: list[str], may: str, lines: list[tuple[str, str]]) -> Common:
    patterns = tuple((paths, re.compile(pattern)) for paths, pattern in lines)
    return Common(tuple(frozenset(one.split()) for one in asks), frozenset(may.split()), patterns)


def _says_little(word: str) -> bool:
    return is_light(word) or word in small_words()


def common(question: Question) -> str:
    """Return the name of the question that is asked; empty if it is none of the table."""
    words = frozenset(part for one in question.words for part in one.casefold().split("-")) - question.called
    asked = words | ({"project"} if question.called.intersection(one.casefold() for one in question.words) else set())
    return next((name for name, row in _commons().items() if row.fits(asked)), "")


def answering(here: Here, question: Question) -> list[Finding]:
    """Return the lines that answer a common question, from as many files as there are, the best first."""
    row = _commons().get(common(question))
    found = (_first(here, paths, pattern) for paths, pattern in row.lines) if row else ()
    return [one for some in found for one in some][:MOST]


def _first(here: Here, paths: str, pattern: re.Pattern[str]) -> Iterator[Finding]:
    for path in [path for path in here.paths if _named(path, paths)][:MOST_FILES]:
        text = (here.snapshot.read(path) or b"").decode("utf-8", "replace")
        at = next((at for at, line in enumerate(text.splitlines(), 1) if pattern.search(line)), 0)
        if at:
            yield lines_at(path, text, at, at + FEW - 1)


def _named(path: str, patterns: str) -> bool:
    """Whether one of the patterns names the file; a star stays within its folder."""
    deep = path.count("/")
    return any(one.count("/") == deep and fnmatchcase(path, one) for one in patterns.split("|"))
