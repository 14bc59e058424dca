"""What a key of a constraint is about, in whatever order, number or language, and claims of the form `key: value`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from pactkeeper.intent.amounts import amount, relation
from pactkeeper.intent.wording.tables import table
from pactkeeper.tickets.sayings.claims import Claim
from pactkeeper.tickets.sayings.numbers import range_of
from pactkeeper.tickets.sayings.speakers import unspoken
from pactkeeper.tickets.sayings.topic import Topic
from pactkeeper.tickets.sayings.words import stem_of, stems_of

# One line a word of keys: how it is said in the languages that rules read, the first being the one for all of them.
_SAME: Final = """
    retention aufbewahrung conservation retención
    session sitzung sesión
    response antwort réponse respuesta
    answer response
    size größe taille tamaño
    length länge longueur longitud
    duration dauer durée duración
    file datei fichier archivo
    password passwort
    storage speicher
    load laden charge
    loading load
    retry wiederholung reintento
"""
_MEANS: Final[Mapping[str, str]] = {
    stem_of(word): stem_of(row[0]) for line in _SAME.strip().splitlines() for row in [line.split()] for word in row[1:]
}
_MOST: Final = table("max maximum maximal maximale maximaler maximales maximaal höchst máximo máxima")
_LEAST: Final = table("min minimum minimal minimale minimaler minimales minimaal mindest mínimo mínima")
# Words that every bound may have beside its thing, and grammar that sentences have in front of it.
_FILLERS: Final = table(
    "limit number period value amount count constraint setting allowed anzahl zahl frist zeitraum nombre número plazo "
    "limite límite grenze our my any each every only always und and y et pour para für von des del do la le"
)
_COMPOUND: Final = re.compile(
    r"(?P<thing>[^\W\d_]{4,}?)(?:s|en)?-?(?P<head>dauer|zeit|frist|größe|länge|grenze|anzahl|zahl|limit|timeout)"
)
_PREFIXED: Final = re.compile(r"(?P<side>höchst|mindest|maximal|minimal)(?P<rest>[^\W\d_]{4,})")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_KEYED: Final = re.compile(r"(?P<key>[^:：=]{2,60}?)\s*[:：=]\s+(?P<value>.+)")
_TIMES: Final = frozenset({"second", "month"})
_BARE: Final = frozenset({"required", "forbidden", "only", "no"})  # what a constraint without a value has for one
_LONGEST: Final = 4  # words of a value that is a choice and no sentence


@lru_cache(maxsize=4096)
def about_of(key: str) -> frozenset[str]:
    """The stems of what a key is about: without who wants it, which side it bounds, and words that all bounds have."""
    words = _words(key)
    named = [word for word in words if word not in _FILLERS and word not in _MOST and word not in _LEAST]
    return frozenset(_MEANS.get(stem, stem) for stem in stems_of(" ".join(named or words)))


def as_of_keys(stems: frozenset[str]) -> frozenset[str]:
    """The stems of a saying, and those that keys have in their place."""
    return stems | {_MEANS[stem] for stem in stems if stem in _MEANS}


def sided(key: str, value: str) -> str:
    """A value with the side that its key names: `max upload size: 10 MB` gives `max 10 MB`."""
    held = amount(value)
    words = set(_words(key))
    if held is None or held.bound != "=" or bool(words & _MOST) == bool(words & _LEAST):
        return value
    return f"max {value}" if words & _MOST else f"min {value}"


def keyed(topic: Topic) -> Iterator[Claim]:
    """The claim of a saying that is a key with an amount, in the dimension of the amount."""
    hit = _KEYED.fullmatch(topic.text.strip(" .!"))
    value = sided(hit["key"], hit["value"]) if hit else ""
    held = amount(value)
    if hit is None or held is None:
        return
    about = about_of(hit["key"])
    kind = "time" if held.dimension in _TIMES else held.dimension
    yield Claim(f"bound in {kind}", about, about, range_of(held))


def texts_apart(key: str, value: str, other_key: str, other: str) -> bool:
    """Whether two keys name one thing in other words and choose another value for it, neither being an amount."""
    if any(_is_sentence(one) for one in (value, other)) or about_of(key) != about_of(other_key):
        return False
    if amount(value) is not None and amount(other) is not None:
        return False
    return relation(value, other) == "contradict"


def _is_sentence(value: str) -> bool:
    return value.casefold() in _BARE or len(value.split()) > _LONGEST


def _words(key: str) -> list[str]:
    return [part for word in _WORD.findall(unspoken(key).casefold()) for part in _parts(word)]


def _parts(word: str) -> Iterator[str]:
    """A word as its parts, where it is composed of a side, a thing and what of the thing is bounded."""
    if side := _PREFIXED.fullmatch(word):
        yield from (side["side"], *_parts(side["rest"]))
    elif hit := _COMPOUND.fullmatch(word):
        yield from (hit["thing"], hit["head"])
    else:
        yield from word.split("-")
