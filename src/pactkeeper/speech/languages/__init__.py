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
    """The single words of one row of every table; rows of phrases give the words of all of them."""
    return frozenset(word for language in LANGUAGES for word in str(getattr(language, row)).replace(",", " ").split())


@cache
def phrases_of(row: str) -> tuple[str, ...]:
    """The phrases of one row of every table, which stand between commas, the longest first."""
    found = {one for language in LANGUAGES for one in phrases(getattr(language, row))}
    return tuple(sorted(found, key=lambda one: (-len(one), one)))


def phrases(row: str) -> tuple[str, ...]:
    """The phrases of a row, each with single spaces and in small letters."""
    parts = (" ".join(part.split()).casefold() for part in row.split(","))
    return tuple(part for part in parts if part)


def either(found: Iterable[str]) -> str:
    """A pattern for any of some phrases, the longest first, with any white space and either apostrophe in them."""
    longest_first = sorted(found, key=len, reverse=True)
    return "|".join(re.escape(one).replace(r"\ ", r"\s+").replace("'", "['’]") for one in longest_first)


@cache
def numbered(row: str) -> Mapping[str, int]:
    """The names in rows that count from 1, such as months, over all tables."""
    found = {
        word: number
        for language in LANGUAGES
        for number, names in enumerate(getattr(language, row), start=1)
        for word in names.casefold().split()
    }
    return MappingProxyType(found)


@cache
def language_of(text: str) -> Language:
    """The language whose small words a text uses most; English where none of them stands in it."""
    words = text.casefold().split()
    counts = [sum(word.strip(".,;:!?()\"'") in table.small for word in words) for table in LANGUAGES]
    return LANGUAGES[counts.index(max(counts))]
