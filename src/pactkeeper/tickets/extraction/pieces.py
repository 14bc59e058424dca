"""The one piece of a value that a correction contradicts, and the value with other words in its place."""

from __future__ import annotations

import re
from typing import Final

from pactkeeper.intent.amounts import amount
from pactkeeper.tickets.extraction.meant import means
from pactkeeper.tickets.sayings.words import stems_of

AMOUNT: Final = re.compile(r"[€$£]\d+(?:[.,]\d+)*(?!\w)|\d[\d.,]*\s?(?:%|€|\$|£|[^\W\d_]+)")
_BOUNDED: Final = re.compile(
    r"(?:\b(?:at most|at least|up to|no more than|not more than|more than|less than|within|under|over|max\.?|min\.?"
    rf"|höchstens|mindestens|bis zu|au plus|au moins|como máximo|al menos)\s+)?(?:{AMOUNT.pattern})",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)*")
_LEAD: Final = re.compile(
    r".*\b(?:(?:should|must|shall|needs to|ought to|has to|can|will)(?: be)?|is|are|be|it's|that's|soll|sollte|ist"
    r"|sind|devrait être|est|debería ser|es)\s+",
    re.IGNORECASE,
)
_MOST: Final = 4  # words that stand in the place of others; more of them are a sentence of their own


def instead(value: str, old: str, new: str) -> str:
    """A value with the one contiguous piece that `old` names replaced by what `new` says.

    Empty where it is not clear which piece is meant, or what stands in its place.
    """
    words = offered(old, new)
    places = _places(value, old, words) if words else []
    if len(places) != 1:
        return ""
    start, end = places[0]
    words = _between(value[:start], words, value[end:])
    if _says_again(words, old, value) or (words not in new[: len(words)] and _is_longer(words, old)):
        return ""
    return value[:start] + words + value[end:] if words else ""


def offered(old: str, new: str) -> str:
    """What is said instead of `old`: an amount for an amount, a few words for words; empty for anything else."""
    if amount(new) is not None:
        return new
    ours = amount(old)
    if ours is None:
        words = _LEAD.sub("", new)
        return words if len(words.split()) <= _MOST else ""
    hits = [hit[0] for hit in _BOUNDED.finditer(new) if _is_of_kind(hit[0], ours.dimension)]
    found = hits if hits or _BOUNDED.search(new) else _NUMBER.findall(new)
    return found[0] if len(found) == 1 else ""


def _is_of_kind(text: str, dimension: str) -> bool:
    read = amount(text)
    return read is not None and (not dimension or read.dimension == dimension)


def _places(value: str, old: str, new: str) -> list[tuple[int, int]]:
    """Where a value says `old`: as an amount in whatever unit, or else word for word."""
    ours, theirs = amount(old), amount(new)
    if ours is not None and theirs is not None:
        if theirs.dimension == "":
            found = _numbers(value, old)
            if theirs.bound == "=":
                return found
            return [_from_bound(value, one) for one in found if value[one[0] - 1 : one[0]] not in {"€", "$", "£"}]
        hits = [hit for hit in AMOUNT.finditer(value) if means(hit[0], old)]
        hits = [hit for hit in hits if ours.dimension or _is_of_kind(hit[0], theirs.dimension)]
        if hits:
            return [_from_bound(value, hit.span()) if theirs.bound != "=" else hit.span() for hit in hits]
        if not ours.dimension:
            return []
    pattern = rf"(?<!\w)(?<!\d[.,]){re.escape(old)}(?!\w|[.,]\d)"
    return [hit.span() for hit in re.finditer(pattern, value, re.IGNORECASE)]


def _numbers(value: str, old: str) -> list[tuple[int, int]]:
    """The numbers of the amounts that `old` means, without units behind them; a number alone may have none."""
    wanted = _DIGITS.search(old)
    if wanted is None:
        return []
    found = [hit for hit in _DIGITS.finditer(value) if hit[0] == wanted[0]]
    said = amount(old)
    if said is not None and said.dimension:
        hits = [hit.span() for hit in AMOUNT.finditer(value) if means(hit[0], old)]
        found = [one for one in found if any(start <= one.start() < end for start, end in hits)]
    return [hit.span() for hit in found]


def _from_bound(value: str, place: tuple[int, int]) -> tuple[int, int]:
    """The place of an amount, or of the number of one, from the words before it that bound it."""
    start, end = place
    return next(((one.start(), end) for one in _BOUNDED.finditer(value) if one.start() <= start < one.end()), place)


def _between(before: str, new: str, after: str) -> str:
    """New words without those that stand around them already."""
    words, left, right = new.split(), _folded(before), _folded(after)
    for count in range(len(words) - 1, 0, -1):
        if left[-count:] == _folded(" ".join(words[:count])):
            words = words[count:]
            break
    for count in range(len(words) - 1, 0, -1):
        if right[:count] == _folded(" ".join(words[-count:])):
            words = words[:-count]
            break
    return " ".join(words)


def _says_again(new: str, old: str, value: str) -> bool:
    """Whether new words repeat others of the value than those they replace: they are a sentence of their own then."""
    return amount(new) is None and bool(stems_of(new) & (stems_of(value) - stems_of(old)))


def _is_longer(new: str, old: str) -> bool:
    """Whether words from the end of a sentence are more than those they replace, and so may belong to its verb."""
    return amount(new) is None and len(new.split()) > len(old.split())


def _folded(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
