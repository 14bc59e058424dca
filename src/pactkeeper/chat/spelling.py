"""Misspelled words, as the repository spells what is most like them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from pactkeeper.chat.here import Here

LIKE: Final = 80  # how like a word of the repository a misspelled one has to be, of 100
NEAR: Final = 76  # the same among the few words of a pact, which two languages may spell in two ways
LONG: Final = 5  # letters; shorter words are like many
_WORD: Final = re.compile(rb"[a-z]{4,24}")


def respelled(here: Here, absent: Sequence[str]) -> Mapping[str, str]:
    """For each word that no file has, the word of the repository that is most like it; none where nothing is."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - only where a word was not found

    wanted = [one for one in absent if len(one) >= LONG]
    if not wanted:
        return {}
    searched = [path for path in here.paths if here.kinds[path] != "other"]
    words = {word for _, data in here.texts(searched) for word in _WORD.findall(data.lower())}
    known = sorted(word.decode() for word in words)
    found: dict[str, str] = {}
    for one in wanted:
        alike = [word for word in known if word[0] == one[0] and not _continued(one, word)]
        hit = process.extractOne(one, alike, scorer=fuzz.ratio, score_cutoff=LIKE)
        if hit is not None:
            found[one] = str(hit[0])
    return found


def _continued(one: str, two: str) -> bool:
    """Whether one of two words goes on by more than an ending where the other stops: that is another word, no slip."""
    return abs(len(one) - len(two)) > 1 and (one.startswith(two) or two.startswith(one))


def nearest(roots: Sequence[str], texts: Sequence[str]) -> list[str]:
    """The roots, those that no text has by the word in the texts that is most like them; else as they are."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - as above

    whole = "\n".join(texts).casefold()
    known = sorted({word.decode() for word in _WORD.findall(whole.encode())})
    found = []
    for root in roots:
        hit = None
        if root not in whole and len(root) >= LONG:
            hit = process.extractOne(root, known, scorer=fuzz.ratio, score_cutoff=NEAR)
        found.append(root if hit is None else str(hit[0]))
    return list(dict.fromkeys(found))
