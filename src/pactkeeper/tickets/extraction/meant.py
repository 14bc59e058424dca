"""What of a draft people mean when they put it right: a field, one value of it, or the constraint of a key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.amounts import amount, relation
from pactkeeper.intent.ticket import LISTS, SINGLE, Constraint, Draft, Field, Said, sides_of, values_of
from pactkeeper.intent.ticket_patch import same_key
from pactkeeper.tickets.extraction.labels import field_named
from pactkeeper.tickets.extraction.spans import clean

_ORDINALS: Final = {
    word: number
    for number, words in enumerate(
        (
            "first 1st erste ersten premier première primer primero primera",
            "second 2nd zweite zweiten deuxième segundo segunda",
            "third 3rd dritte dritten troisième tercer tercero tercera",
            "fourth 4th vierte",
            "fifth 5th fünfte",
        ),
        start=1,
    )
    for word in words.split()
} | {"last": -1, "letzte": -1, "dernier": -1, "dernière": -1, "último": -1, "última": -1}
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_GRAMMAR: Final = frozenset({"the", "for", "and", "die", "das", "der"})
_SHORTEST: Final = 3
_ITEM: Final = re.compile(
    r"(?:(?:the|das|die|den|le|la|el)\s+)?"
    rf"(?:(?P<ordinal>{'|'.join(_ORDINALS)})\s+)?(?P<noun>[^\W\d_][\w' ]*?)"
    r"(?:\s*(?:#|no\.?|nr\.?|number)?\s*(?P<number>\d{1,2}))?"
    r"(?:\s+(?:about|on|for|with|regarding|that says|saying|über|zu|mit|sur|sobre|de)\s+(?P<about>.+))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Target:
    """What of a draft a correction is about: a field, one value of it, or the constraint of a key."""

    field: Field
    old: str = ""
    key: str = ""


def target(draft: Draft, words: str) -> Target | None:
    """What words name: a field, an item by its number or its words, a constraint by its key; None for anything else."""
    bare = clean(words).strip(" .,'\"")
    field = field_named(bare)
    if field in SINGLE:
        return Target(field)
    key = _key_named(draft, bare)
    if key:
        return Target("constraints", key=key)
    item = _ITEM.fullmatch(bare)
    if item is None:
        return None
    field = field_named(item["noun"]) or field_named(f"{item['ordinal']} {item['noun']}")
    return None if field is None else _item(draft, field, item)


def _item(draft: Draft, field: Field, item: re.Match[str]) -> Target | None:
    if field in SINGLE:
        return Target(field)
    if item["about"] and field == "constraints":
        key = _key_named(draft, item["about"])
        return Target(field, key=key) if key else None
    found = values_of(draft, field)
    place = int(item["number"] or 0) or _ORDINALS.get((item["ordinal"] or "").casefold(), 0)
    if item["about"]:
        about = [one for one in found if all(holds(one, word) for word in _words(item["about"]))]
        return Target(field, old=about[0].value) if len(about) == 1 else None
    if place and -1 <= place <= len(found) and found:
        return Target(field, old=found[place - 1 if place > 0 else -1].value)
    return Target(field, old=found[0].value) if len(found) == 1 else None


def by_words(draft: Draft, words: str) -> Target | None:
    """The one value of a list that has all the words."""
    wanted = _words(words)
    hits = [
        (field, said)
        for field in LISTS
        for said in values_of(draft, field)
        if wanted and all(holds(said, word) for word in wanted)
    ]
    return Target(hits[0][0], old=hits[0][1].value) if len(hits) == 1 else None


def _words(text: str) -> list[str]:
    found = re.findall(r"\w+", text)
    return [word for word in found if len(word) >= _SHORTEST and word.casefold() not in _GRAMMAR]


def _key_named(draft: Draft, words: str) -> str:
    bare = re.sub(r"^(?:the|our|der|die|das|le|la|el)\s+", "", words.strip(), flags=re.IGNORECASE)
    bare = re.sub(r"\s+(?:constraint|limit|value|wert)$", "", bare, flags=re.IGNORECASE) or bare
    for one in draft.constraints:
        if same_key(one.key, bare) or same_key(one.key, words):
            return one.key
    hits = {one.key for one in draft.constraints if _words(bare) and set(_lower(bare)) <= set(_lower(one.key))}
    return hits.pop() if len(hits) == 1 else ""


def _lower(text: str) -> list[str]:
    return [word.casefold() for word in _words(text)]


def constraint_of_value(draft: Draft, old: str, new: str) -> Constraint | None:
    """The one constraint that has an old value, or of several the one that the new words name; None for any other."""
    hits = [one for one in draft.constraints if any(means(side.value, old) for side in sides_of(one.value))]
    named = [one for one in hits if same_key(one.key, new.partition(" ")[0])]
    meant = named or hits
    return meant[0] if len(meant) == 1 else None


def means(value: str, words: str) -> bool:
    """Whether words name a value: the same, or its number without the unit."""
    if relation(value, words) == "same":
        return True
    ours, theirs = amount(value), amount(words)
    if ours is None or theirs is None:
        return False
    if theirs.dimension == "":
        return _NUMBER.findall(value) == _NUMBER.findall(words)
    return (ours.number, ours.dimension) == (theirs.number, theirs.dimension)


def with_unit(new: str, old: str) -> str:
    """A bare number with the unit, and a value with the bound, of the one it replaces."""
    ours, theirs = amount(new), amount(old)
    if ours is None or theirs is None:
        return new
    number = _NUMBER.search(old)
    if number is None or ours.bound != "=" or (ours.dimension == "" and theirs.dimension == ""):
        return new
    if ours.dimension == "":
        return old[: number.start()] + new + old[number.end() :]
    return f"{old[: number.start()]}{new}" if theirs.bound != "=" else new


def holds(said: Said, words: str) -> bool:
    """Whether a value has words in it, as whole words."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", said.value, re.IGNORECASE) is not None
