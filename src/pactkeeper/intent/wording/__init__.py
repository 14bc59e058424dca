"""Sentences about observable behaviour from claims and test names: explicit tables of English, no model.

A table is written as plain text, one word after the other. Identifiers become English words by tables for plurals and
exceptions. Category and tags come from a test's markers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from pactkeeper.intent.atoms import CATEGORIES, Category
from pactkeeper.intent.claims import TestEvidence
from pactkeeper.speech.words import stem


def table(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def ordered(text: str) -> tuple[str, ...]:
    """Return the words of a text in order."""
    return tuple(text.split())


def pairs(text: str) -> dict[str, str]:
    """Map each word of a text to what follows its colon."""
    return dict(entry.split(":") for entry in text.split())


_NO_TAGS = frozenset(
    {"xfail", "fails", "failing", "fail", "fixme", "todo", "only", "skip", "skipif", "runif"}
    | {"asyncio", "anyio", "usefixtures", "filterwarnings", "django_db", "trio"}
)


def category_of(tags: Iterable[str]) -> Category:
    """Return the category that a tag names, functional by default."""
    named = {tag.lower() for tag in tags}
    return next((category for category in CATEGORIES if category in named), "functional")


def tags_of(evidence: TestEvidence) -> tuple[str, ...]:
    """The markers that group tests by meaning; those that steer the runner are left out."""
    return tuple(name for name in dict.fromkeys(evidence.markers) if name.lower() not in _NO_TAGS)


_PIECES = re.compile(
    r"IPv[46]|OAuth2?(?![a-z])|[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])\d*|[A-Z]?[^\W\d_A-Z]+\d*|\d+[a-z]*|[^\W_]+"
)

_SINGULAR_S = table("alias atlas aws bias canvas dns gas https kwargs lens news os series tls utils windows")
_PLURALS: Mapping[str, str] = pairs("""
    children:child men:man people:person women:woman criteria:criterion indices:index matrices:matrix vertices:vertex
    aliases:alias statuses:status caches:cache cookies:cookie movies:movie axes:axis data:data media:media
""")


def split_identifier(name: str) -> list[str]:
    """Split an identifier in snake, kebab or camel case into words, keeping their case."""
    return list(_split(name))


@lru_cache(maxsize=4096)
def _split(name: str) -> tuple[str, ...]:
    found: list[str] = []
    for part in re.split(r"[_\W]+", name):
        if not part:
            continue
        if part.islower() or (part.isupper() and len(part) > 1) or part.isdigit():
            found.append(part)
        else:
            found.extend(_PIECES.findall(part))
    return tuple(found)


_NAME = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"[^\W\d_]+|\d+")


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of all words of a text, with names split."""
    parts = (part for name in _NAME.findall(text) for part in split_identifier(name))
    return frozenset(stem(word.lower()) for part in parts for word in _WORD.findall(part))


_TWO_LETTERS, _TIES = 2, 4  # "is" and "us"; "ties" and "pies" stand in the table


def is_plural(word: str) -> bool:
    """Whether a noun is plural, by its ending and a table of exceptions."""
    lower = word.lower()
    if lower in {"data", "media"}:
        return False
    if lower in _PLURALS:
        return True
    if lower in _SINGULAR_S or len(lower) <= _TWO_LETTERS or not lower.endswith("s"):
        return False
    return not lower.endswith(("ss", "us", "is"))


def singular(word: str) -> str:
    """Return the singular of a plural noun; other words are returned unchanged."""
    lower = word.lower()
    if lower in _PLURALS:
        return _PLURALS[lower]
    if not is_plural(word):
        return word
    if lower.endswith("ies") and len(lower) > _TIES:
        return word[:-3] + "y"
    if lower.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def capitalised(text: str) -> str:
    """Capitalise the first letter, unless the text starts with an identifier or a quotation."""
    first = text.split(" ", 1)[0].rstrip(":,.")
    if not (first.isalpha() and first.islower()) and (
        not first
        or not first[0].islower()
        or is_identifier(first)
        or any(letter.isupper() or letter in "()[]<>$=" for letter in first)
    ):
        return text
    return text[0].upper() + text[1:]


_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")


def is_identifier(word: str) -> bool:
    """Whether a word is a name from the code and keeps its letters: it has an underscore, a dot or inner capitals."""
    return "_" in word or "." in word.strip(".") or (not word.islower() and _INNER_CAPITAL.search(word) is not None)
