"""What a line of text says, field by field: its words, and the details that tell one piece of work from another.

Whether two lines name the same work: fields decide, likeness only says that somebody should be asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, Literal, TypeVar

from pactkeeper.intent.wording.tables import table
from pactkeeper.speech.languages import LANGUAGES

_URL: Final = re.compile(r"https?://[^\s)>\]\"']+")
_ID: Final = re.compile(r"(?<![\w-])(?:[A-Z][A-Z0-9]+-\d+|T-[0-9a-f]{6,})(?!\w)|(?<!\w)#\d+\b")
_AMOUNT: Final = re.compile(
    r"(?:[$€£¥]\s?\d[\d.,]{0,30}\d|[$€£¥]\s?\d|\d[\d.,]{0,30}\s?(?:[$€£¥]|(?:USD|EUR|GBP|CHF)\b))"
)
_DATE: Final = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ELIDED: Final = re.compile(r"\b(?:[dlnsjcmt]|qu)['’](?=\w)", re.IGNORECASE)
_DAEMON: Final = re.compile(r"\[daemon\]|[`*_~]+", re.IGNORECASE)
# A name stands after a word that leads to a party, and is written with a capital.
_PARTY: Final = re.compile(
    r"\b(?:to|for|with|from|by|an|für|mit|von|bei|à|pour|avec|chez|para|con)\s+"
    r"((?:[A-ZÀ-Þ][\w'’-]+)(?:\s[A-ZÀ-Þ][\w'’-]+)*)"
)
# Short names of days and months are words as well.
_TIMES: Final[Mapping[str, str]] = {
    row.split()[0]: f"{kind} {number}"
    for language in LANGUAGES
    for kind, rows in (("month", language.months), ("day", language.weekdays))
    for number, row in enumerate(rows, start=1)
}
MONTH_NAMES: Final = frozenset(word for word, time in _TIMES.items() if time.startswith("month "))
# Words that say nothing by themselves; `not` and its like are none of them.
_LINKS: Final = table(
    "the a an of to for in on at with by and or from as is are be our my your its this that it we i"
    " der die das ein eine einen den dem des und oder für mit von zu im am auf wir ich"
    " le la les un une du de et ou pour avec à au aux l d nous je"
    " el los las una y o para con del al en por"
)
# What is done to almost anything, and so makes no two pieces of work alike.
_COMMON: Final = table(
    "add create make do implement build write update fix send get set check review test run use improve change prepare"
    " finish start plan define extend expand support handle move new step task work item hinzufügen erstellen"
    " schreiben prüfen erweitern verbessern umsetzen implementieren"
    " machen senden ajouter créer écrire vérifier envoyer faire añadir crear escribir revisar enviar hacer"
)
_STEM: Final = 5


@dataclass(frozen=True, slots=True)
class LineFields:
    """One line by fields; `words` are without links and details, `stems` the beginnings of those that mean something.

    `topics` are the stems with those of parties.

    `details` holds by field what must agree where both sides have it: ids, amounts, dates, numbers, parties.
    """

    text: str
    words: frozenset[str]
    stems: frozenset[str]
    topics: frozenset[str]
    details: Mapping[str, frozenset[str]]

    @property
    def key(self) -> tuple[frozenset[str], frozenset[tuple[str, frozenset[str]]]]:
        """What two lines that say the same have in common: all of their words and details."""
        return self.words, frozenset(self.details.items())

    @property
    def plain(self) -> str:
        """Its words in one order."""
        return " ".join(sorted(self.words))


@lru_cache(maxsize=8192)
def said(text: str) -> LineFields:
    """Take a line apart."""
    rest = _ELIDED.sub(" ", unicodedata.normalize("NFKC", _DAEMON.sub(" ", text)))
    found: dict[str, frozenset[str]] = {"parties": frozenset(one.casefold() for one in _PARTY.findall(rest))}
    for field, pattern in (("ids", _URL), ("ids", _ID), ("amounts", _AMOUNT), ("dates", _DATE), ("numbers", _NUMBER)):
        hits = frozenset(_bare(one) for one in pattern.findall(rest))
        found[field] = found.get(field, frozenset()) | hits
        rest = pattern.sub(" ", rest)
    words = [word.casefold() for word in _WORD.findall(rest)]
    times = frozenset(_TIMES[word] for word in words if word in _TIMES)
    found["dates"] |= times
    found["parties"] = frozenset(one for one in found["parties"] if one not in _TIMES)
    named = frozenset(word for one in found["parties"] for word in _WORD.findall(one))
    meant = frozenset(word for word in words if word not in _LINKS and word not in _TIMES)
    return LineFields(
        text,
        meant - named,
        stems(meant - named),
        stems(meant),
        {name: values for name, values in sorted(found.items()) if values},
    )


def _bare(text: str) -> str:
    return text.rstrip(".,;:/").replace(" ", "").casefold()


def stems(words: frozenset[str]) -> frozenset[str]:
    """The beginnings of the words that mean something."""
    return frozenset(word[:_STEM] for word in words if word not in _COMMON and len(word) > 1)


def ids_in(text: str) -> frozenset[str]:
    """Every id and address that a text names, without case."""
    return said(text).details.get("ids", frozenset())


Sameness = Literal["same", "different", "perhaps", "unrelated"]
LIKE: Final = 85  # of 100 points of likeness
MANY: Final = 2  # words that say something
Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing two lines gave, and why."""

    sameness: Sameness
    why: str


@dataclass(frozen=True, slots=True)
class Matches(Generic[Thing]):
    """Things that are the same, and those that may be, the likeliest first, each with the reason."""

    same: tuple[Thing, ...]
    perhaps: tuple[tuple[Thing, str], ...]


def compare(one: str, other: str) -> Comparison:
    """Compare two titles.

    A detail that both have and share nothing of makes them different. Equal words and details make them the same.
    Likeness makes a question of it.
    """
    a, b = said(one), said(other)
    for field, values in a.details.items():
        theirs = b.details.get(field)
        if theirs and values - theirs and theirs - values and field != "parties":
            return Comparison("different", f"{field}: {_listed(values)} is not {_listed(theirs)}")
    alike = _alike(a, b)
    if alike and _other_party(a, b):
        mine, theirs = a.details["parties"], b.details["parties"]
        return Comparison("different", f"it is about {_listed(mine)}, not {_listed(theirs)}")
    if a.words and a.key == b.key:
        return Comparison("same", "the same words and details")
    if shared := a.details.get("ids", frozenset()) & b.details.get("ids", frozenset()):
        return Comparison("perhaps", f"both name {_listed(shared)}")
    return Comparison("perhaps", alike) if alike else Comparison("unrelated", "they share no words that say much")


def matches(title: str, things: Iterable[Thing], name: Callable[[Thing], str]) -> Matches[Thing]:
    """Find what is, or may be, the same work among things with names."""
    known = tuple(things)
    names = tuple(map(name, known))
    same: list[Thing] = []
    perhaps: list[tuple[int, Thing, str]] = []
    for position in _candidates(said(title), names):
        found = compare(title, names[position])
        if found.sameness == "same":
            same.append(known[position])
        elif found.sameness == "perhaps":
            perhaps.append((_points(said(title), said(names[position])), known[position], found.why))
    perhaps.sort(key=lambda one: (-one[0], name(one[1])))
    return Matches(tuple(same), tuple((thing, why) for _, thing, why in perhaps))


def _candidates(wanted: LineFields, names: tuple[str, ...]) -> list[int]:
    """The positions of all names that are not certainly unrelated, in order."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - only who compares loads it

    index, plains = _index(names)
    ids = wanted.details.get("ids", frozenset())
    found = {position for word in (*wanted.stems, *wanted.words, *ids) for position in index.get(word, ())}
    hits = process.extract(wanted.plain, plains, scorer=fuzz.ratio, score_cutoff=LIKE, limit=None)
    return sorted(found | {position for _, _, position in hits})


@lru_cache(maxsize=64)
def _index(names: tuple[str, ...]) -> tuple[Mapping[str, list[int]], tuple[str, ...]]:
    """Positions by stem, word and id, and the plain form of every name."""
    found: dict[str, list[int]] = {}
    for position, name in enumerate(names):
        line = said(name)
        for word in {*line.stems, *(line.words if not line.stems else ()), *line.details.get("ids", ())}:
            found.setdefault(word, []).append(position)
    return found, tuple(said(name).plain for name in names)


def _alike(a: LineFields, b: LineFields) -> str:
    """Why two lines may say the same; empty where nothing speaks for it."""
    shared = a.stems & b.stems
    least = min(len(a.stems), len(b.stems))
    if shared and len(shared) * 3 >= least * 2 and (len(shared) >= MANY or len(shared) == least):
        return f"both are about {_listed(word for word in a.words if stems(frozenset((word,))) & shared)}"
    if a.stems and b.stems and _points(a, b) >= LIKE:
        return "they are spelt alike"
    return ""


def _other_party(a: LineFields, b: LineFields) -> bool:
    mine, theirs = a.details.get("parties", frozenset()), b.details.get("parties", frozenset())
    return bool(mine - theirs and theirs - mine)


def _points(a: LineFields, b: LineFields) -> int:
    from rapidfuzz import fuzz  # noqa: PLC0415 - only who compares loads it

    return int(fuzz.ratio(a.plain, b.plain))


def _listed(values: Iterable[str]) -> str:
    return ", ".join(sorted(values))
