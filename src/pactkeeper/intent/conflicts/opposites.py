"""Words that exclude each other, and words that say the same; few on purpose, so that a hit means something."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from pactkeeper.intent.reading.verbs import forms_of

# One word of a line stands for all of it.
_SYNONYMS: Final = (
    "refuse reject deny decline",
    "remove delete erase",
    "show display",
    "raise throw",
    "start begin",
    "forbid prohibit",
    "permit allow",
)
_OPPOSITES: Final = (
    "accept refuse",
    "allow refuse",
    "allow forbid",
    "allow block",
    "succeed fail",
    "succeed refuse",
    "pass fail",
    "enable disable",
    "show hide",
    "open close",
    "include exclude",
    "include omit",
    "keep remove",
    "keep drop",
    "keep lose",
    "keep discard",
    "preserve remove",
    "start stop",
    "lock unlock",
    "connect disconnect",
    "increase decrease",
    "ascending descending",
    "true false",
    "on off",
    "empty full",
    "visible hidden",
    "present absent",
    "present missing",
    "equal differ",
    "active inactive",
    "required optional",
    "public private",
    "online offline",
    "always never",
    "everything nothing",
    "everybody nobody",
    "more less",
    "above below",
    "least most",
)
_NEGATIVE: Final = ("un", "in", "im", "no", "non", "non-", "dis", "ir", "il", "de")
_NO_PLURALS: Final = frozenset({"https"})
_SHORTEST: Final = 4  # of what a negative prefix stands before: `indeed` is not the opposite of `deed`

_CANONICAL: Final = {word: line.split()[0] for line in _SYNONYMS for word in line.split()}
_PAIRS: Final = frozenset(frozenset(line.split()) for line in _OPPOSITES)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The word that stands for all forms of a word in lower case, and for what says the same."""
    bare = word.removesuffix("'s").removesuffix("’s").strip("'’-")
    base = _base(bare)
    return _CANONICAL.get(base, base)


def _base(word: str) -> str:
    forms = forms_of(word)
    for form in ("base", "third", "participle", "past", "gerund"):
        if form in forms:
            return forms[form]
    if word.endswith("ies") and len(word) > _SHORTEST:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if word in _NO_PLURALS:
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) >= _SHORTEST:
        return word[:-1]
    return word


def are_opposite(one: str, other: str) -> bool:
    """Whether two stems exclude each other: by the table, or one is the other with a negative prefix."""
    if frozenset((_canonical(one), _canonical(other))) in _CANONICAL_PAIRS:
        return True
    head, dash, end = one.rpartition("-")
    if dash and other.startswith(f"{head}-"):  # case-sensitive, case-insensitive
        return are_opposite(end, other.removeprefix(f"{head}-"))
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST and any(long == f"{prefix}{short}" for prefix in _NEGATIVE)


def _canonical(word: str) -> str:
    return _CANONICAL.get(word, word)


_CANONICAL_PAIRS: Final = frozenset(frozenset(_canonical(word) for word in pair) for pair in _PAIRS)
