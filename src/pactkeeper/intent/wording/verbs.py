"""The verbs of a sentence, recognised by a closed set and the ending -s: English without a list of verbs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.tokens import Token, sentences

_FINITE = table("""
    is are was were isn't aren't wasn't weren't has hasn't have haven't does doesn't do don't did didn't can cannot
    can't could couldn't must mustn't may might should shouldn't will won't would wouldn't shall
""")
DETERMINERS = table(
    "a an the its their each every all any some many most few no one both my our your his her this that these those"
)
JOINING = table("and or but ; otherwise else")
_LINKS = DETERMINERS | table("""
    of in on at by to for with without from into via as than per over under between and or
""")
_SHORTEST = 4


def ends_in_s(word: str) -> bool:
    """Whether a word's ending makes it a plural or a third-person verb: `users`, `stores`, but not `status`."""
    return len(word) >= _SHORTEST and word.endswith("s") and not word.endswith(("ss", "us", "is", "'s"))


def is_finite(words: Sequence[str], at: int) -> bool:
    """Whether a word after the first is certainly a verb: `is`, or `stores` before its object."""
    word, before = words[at], words[at - 1] if at else ""
    if word in _FINITE:
        return True
    if not before or not ends_in_s(word):
        return False
    after = words[at + 1] if at + 1 < len(words) else ""
    return after in DETERMINERS if before in JOINING else before not in _LINKS and after in _LINKS


def says(words: Sequence[str]) -> bool:
    """Whether the words can be a sentence: a verb, or what may be one, follows the first word."""
    return any(_may_be_verb(words, at) for at in range(1, len(words)))


def _may_be_verb(words: Sequence[str], at: int) -> bool:
    word, before = words[at], words[at - 1]
    if word in _FINITE:
        return True
    if before in _LINKS or word in _LINKS:
        return False
    opens = at == 1 or (words[0] in DETERMINERS and at == 2)  # noqa: PLR2004 - `the orders expire`
    plural_does = opens and ends_in_s(before) and at + 1 < len(words)
    return plural_does or ends_in_s(word) or (word.endswith("ed") and len(word) > _SHORTEST)


def commands(words: Sequence[str]) -> bool:
    """Whether the words start with an order and have no certain verb after it: `Add tests`, `Sketch a button`."""
    if len(words) < 2 or is_finite(words, 1):  # noqa: PLR2004 - an order has an object
        return False
    return words[0] in _ORDERS or (_bare(words[0]) and words[1] in DETERMINERS)


_ORDERS = table("add build change create document fix implement make move refactor remove rename see update use write")


def _bare(word: str) -> bool:
    return word.isalpha() and word not in _BEFORE_ARTICLES and not word.endswith(("s", "ed", "ing", "ly"))


_BEFORE_ARTICLES = (
    _LINKS
    | _FINITE
    | table("""
    if when while once after before until unless during only not even also then so such because where how what which
    about against through within like both half
""")
)


_HARMLESS = table("nothing no never not")


def joints(text: str) -> tuple[str, ...]:
    """Return the words that join a further statement, verbatim; empty if there are none. Quotations join nothing."""
    found = sentences(text)
    more = (f"{len(found)} sentences",) if len(found) > 1 else ()
    return (*more, *(said for one in found for said in _joints(text, one)))


def _joints(text: str, words: Sequence[Token]) -> list[str]:
    """Return the text from each joining word to the verb after it, if another verb comes before."""
    lower = [one.lower for one in words]
    finite = [at for at, word in enumerate(words) if word.kind == "word" and is_finite(lower, at)]
    joining = [at for at, word in enumerate(lower) if word in JOINING]
    said = []
    for at, stop in pairwise((*joining, len(words))):
        behind = next((verb for verb in finite if at < verb < stop), None)
        if behind is not None and any(verb < at for verb in finite) and lower[at + 1] not in _HARMLESS:
            said.append(text[words[at].start : words[behind].end])
    return said
