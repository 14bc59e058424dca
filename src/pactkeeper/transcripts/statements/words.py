"""The words of a clause that say what it is about, in one form for all their endings."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from pactkeeper.intent.reading.verbs import forms_of
from pactkeeper.intent.wording.tables import table

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ELIDED: Final = re.compile(r"\b(?:[dlnsjcmt]|qu)['’](?=\w)", re.IGNORECASE)
_MARKS: Final = re.compile(r"[`*_~]+|\[daemon\]")
# Words that say nothing by themselves, and those that only deny.
_LINKS: Final = table(
    "the a an of to for in on at with by and or from as is are was were be been being am has have had our my your its"
    " their his her this that these those it we i you they he she who which there here up out off over than then so"
    " will shall must may can do does did let's let us i'll we'll we're i'm it's that's we've i've please not no never"
    " n't don't doesn't isn't aren't won't can't longer more any anymore every each per about through via into within"
    " until till since also both all but if after before"
    " der die das ein eine einen einem einer eines den dem des und oder für mit von vom zu zum zur im am auf aus bei"
    " wir ich er es man ist sind war wird werden wurde hat haben nicht kein keine keinen mehr nie sich ab bis dass so"
    " le la les un une du de et ou pour avec à au aux nous je il elle on est sont sera était ne pas plus jamais en dans"
    " se par sur ce cette"
    " el los las una y o para con del al lo es está están son será fue no ya nunca por su nuestro nuestra"
)
# When something holds, and how it came to be so: that says nothing about what it is.
_WHEN: Final = table(
    "now today tomorrow currently finally just already still always again soon later new old current currently next"
    " this year month week quarter right anyway instead rather"
    " jetzt nun heute morgen aktuell endlich schon noch immer wieder bald neu neue neuer neues jahr monat woche"
    " maintenant désormais aujourd'hui demain enfin déjà encore toujours nouveau nouvelle année mois semaine"
    " ahora hoy mañana por fin todavía siempre nuevo nueva año mes semana"
)
_CHANGES: Final = table(
    "move moves moved moving push pushed postpone postponed reschedule rescheduled delay delayed defer deferred shift"
    " shifted raise raised lower lowered increase increased decrease decreased cut reduce reduced set change changed"
    " bump bumped extend extended shorten shortened keep stay stays remain remains slip slips slipped become becomes"
    " got gotten went goes rises rose rise fell falls due passe passent pasa pasan"
    " plan planned schedule scheduled expect expected agree agreed decide decided take takes last"
    " lasts include includes get gets make makes"
    " verschoben verschiebt verschieben beträgt dauert bleibt liegt geplant findet statt fällig"
    " reportée reporté reportés reportées repoussé repoussée décalé décalée prévue prévu dure fixé fixée"
    " aplaza aplazado aplazada pospone previsto prevista dura fijado fijada sigue"
)
# What a value is called by anybody: it tells subjects apart only where nothing else is said.
_GENERIC: Final = table(
    "date day limit size amount maximum max minimum min value length duration time total number price cost costs"
    " deadline period owner name status what datum tag betrag wert größe dauer preis frist date prix durée délai"
    " montant"
    " fecha precio duración plazo cantidad valor"
)
_SAME: Final = {"begin": "start", "delete": "remove", "erase": "remove", "permit": "allow"}
_ENDINGS: Final = ("ings", "ing", "ment", "ies", "ed", "es", "en", "er", "s", "e", "y", "n")
_LEAST: Final = 4
_LONGEST: Final = 7


def base_of(word: str) -> str:
    """A verb without its ending; any other word, and one that says the same, as it is kept."""
    base = next(iter(forms_of(word).values()), word)
    return _SAME.get(base, base)


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """The beginning of a word in lower case that its forms have in common."""
    for ending in _ENDINGS:
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= _LEAST - (ending in {"s", "ing"}):
            word = bare
            break
    if len(word) >= _LEAST and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word[:_LONGEST]


def words_of(text: str) -> tuple[str, ...]:
    """Every word in lower case without marks of layout, in order."""
    plain = _ELIDED.sub(" ", unicodedata.normalize("NFKC", _MARKS.sub("", text))).replace("’", "'")
    return tuple(word.casefold() for word in _WORD.findall(plain))


@lru_cache(maxsize=4096)
def topics(text: str) -> frozenset[str]:
    """The stems of all words that say what a text is about; words that say the same have one."""
    said = (word.removesuffix("'s") for word in words_of(text))
    return frozenset(stem(base_of(word)) for word in said if len(word) > 1 and word not in _EMPTY)


def is_general(found: frozenset[str]) -> bool:
    """Whether it says only which kind of value is meant: a length, a price, a date."""
    return found <= _GENERIC_STEMS


def says_little(found: frozenset[str]) -> bool:
    """Whether a subject is only what any value is called."""
    return found <= _NOTHING


def telling(found: frozenset[str]) -> frozenset[str]:
    """Those that tell one subject from another; all of them where none does."""
    return found - _GENERIC_STEMS or found


_EMPTY: Final = _LINKS | _WHEN | _CHANGES
_NOTHING: Final = frozenset(
    stem(base_of(word))
    for word in table(
        "date day size amount value total number name status title version length time datum wert fecha line"
    )
)
_GENERIC_STEMS: Final = frozenset(stem(base_of(word)) for word in _GENERIC)
