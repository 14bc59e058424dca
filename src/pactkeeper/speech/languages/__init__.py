"""The human languages that are read, one table each; a new language is one module and one line here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from pactkeeper.speech.languages import de, en, es, fr
from pactkeeper.speech.languages.table import Language

LANGUAGES: Final[tuple[Language, ...]] = (en.TABLE, de.TABLE, fr.TABLE, es.TABLE)


@cache
def words_of(row: str) -> frozenset[str]:
    """Return the single words of a row in all tables; rows of phrases are split into words."""
    return frozenset(word for language in LANGUAGES for word in str(getattr(language, row)).replace(",", " ").split())


@cache
def phrases_of(row: str) -> tuple[str, ...]:
    """Return the phrases of a row in all tables, split at commas, the longest first."""
    found = {one for language in LANGUAGES for one in phrases(getattr(language, row))}
    return tuple(sorted(found, key=lambda one: (-len(one), one)))


def phrases(row: str) -> tuple[str, ...]:
    """Return the phrases of a row, with single spaces and in lower case."""
    parts = (" ".join(part.split()).casefold() for part in row.split(","))
    return tuple(part for part in parts if part)


def either(found: Iterable[str]) -> str:
    """Build a pattern for any of the phrases, longest first, allowing up to nine white spaces and either apostrophe."""
    longest_first = sorted(found, key=len, reverse=True)
    return "|".join(re.escape(one).replace(r"\ ", r"\s{1,9}").replace("'", "['’]") for one in longest_first)


@cache
def numbered(row: str) -> Mapping[str, int]:
    """Map the names in rows that count from 1, such as months, to their number, across all tables."""
    found: dict[str, int] = {}
    for language in LANGUAGES:
        for number, names in enumerate(getattr(language, row), start=1):
            found |= dict.fromkeys(names.casefold().split(), number)
    return MappingProxyType(found)


@cache
def language_of(text: str) -> Language:
    """Return the language whose function words a text uses most; English if it uses none."""
    words = [word.strip(".,;:!?()\"'") for word in text.casefold().split()]
    return max(LANGUAGES, key=lambda table: sum(word in table.small for word in words))
