"""Misspelled words of a question, corrected by the repository's own spelling."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Final

from pactkeeper.chat.here import LONGEST, Here
from pactkeeper.chat.searching import Looked
from pactkeeper.chat.words import Form, form_of, is_light, small_words, spelled_right

LONG: Final = 4  # letters; shorter words resemble too many others
KIN: Final = 0.6  # share of a word's letters that two languages must have in common at its beginning
_WORD: Final = re.compile(rb"[a-z]{4,24}")


def spelled(here: Here, terms: Sequence[str], search: Callable[[Sequence[str]], Looked]) -> Looked:
    """Search for words, misspelled ones as the repository spells them."""
    found = search(terms)
    repaired = respelled(here, found.absent)
    return search(repairs(terms, repaired)) if repaired else found


def repairs(terms: Sequence[str], repaired: Mapping[str, str]) -> list[str]:
    """Replace misspelled words; those that turn out to carry no meaning are left out."""
    meant = (repaired.get(one, one) for one in terms)
    return [one for one in meant if one not in small_words()]


def respelled(here: Here, absent: Sequence[str], *, foreign: bool = False) -> Mapping[str, str]:
    """Map words that no file has to the repository's word that differs by a single slip.

    In a question that is `foreign` (not English), it may be a word with the same beginning: `Signaturen`, `signature`.
    """
    unknown = [one for one in absent if (one, foreign) not in here.spellings and not _small(one.lower())]
    wanted = [one for one in unknown if len(one) >= LONG and not _known(one)]
    here.spellings |= {(one, foreign): _small(one.lower()) for one in absent if (one, foreign) not in here.spellings}
    if wanted:
        here.spellings |= {(one, foreign): word for one, word in _similar(here, wanted, kin=foreign).items()}
    return {one: word for one in absent if (word := here.spellings[one, foreign])}


def _similar(here: Here, wanted: Sequence[str], *, kin: bool) -> dict[str, str]:
    """Map words to the most similar word of the repository; to an empty text if there is none."""
    searched = [path for path in here.paths if here.kinds[path] != "other"]
    patterns = _begun_by(wanted)
    words = {word for _, data in here.texts(searched) for one in patterns for word in one.findall(data)}
    short = sorted(one.decode() for one in words if len(one) <= LONGEST)
    written = {word.lower(): word for word in short}
    known = sorted(written)
    return {one: written.get(_alike(one.lower(), known, kin=kin), "") for one in wanted}


def _begun_by(words: Sequence[str]) -> tuple[re.Pattern[bytes], ...]:
    """Match names, and runs of lower-case letters, that begin like one of the words."""
    letters = "".join(sorted({one[0].lower() for one in words if one[0].isascii() and one[0].isalpha()})).encode()
    if not letters:
        return ()
    name = rb"(?<![A-Za-z])(?<![A-Za-z]_)[%b%b][A-Za-z]*+(?:_[A-Za-z]++)*+" % (letters, letters.upper())
    return re.compile(name), re.compile(rb"(?<![a-z])[%b][a-z]{3,23}" % letters)


def _small(word: str) -> str:
    """Return the word without meaning of which two letters are swapped: `teh`, `waht`."""
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    return min((swapped - {word}) & small_words(), default="")


def _known(word: str) -> bool:
    return spelled_right(word) or is_light(word)


def _alike(one: str, known: Sequence[str], *, kin: bool) -> str:
    """Return the known word one slip away, or with `kin` the one with the longest common beginning; else empty."""
    near = [word for word in known if word[0] == one[0] and (_slip(one, word) or (kin and _kin(one, word)))]
    return max(near, key=lambda word: _same_letters(one, word), default="")


def _slip(one: str, two: str) -> bool:
    """Whether a single insertion, deletion, substitution or transposition turns one word into the other."""
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - only if a word was not found

    return OSA.distance(one, two, score_cutoff=1) <= 1 and not one.startswith(two) and not two.startswith(one)


def _kin(one: str, two: str) -> bool:
    same = _same_letters(one, two)
    return same >= LONG and same >= KIN * max(len(one), len(two))


def _same_letters(one: str, two: str) -> int:
    """Count the letters of the common beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))


def nearest(forms: Sequence[Form], texts: Sequence[str]) -> list[Form]:
    """Replace words that no text has by the most similar word in the texts, if there is one."""
    whole = "\n".join(texts)
    known = sorted({word.decode() for word in _WORD.findall(whole.lower().encode())})
    found = {}
    for one in forms:
        lost = len(one.word) >= LONG and not one.count(whole) and not spelled_right(one.word)
        hit = _alike(one.word, known, kin=True) if lost else ""
        meant = form_of(hit) if hit else one
        found[meant.word] = meant
    return list(found.values())
