"""The sentences of an atom, read once for all criteria: what each states and which of its words are vague."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pactkeeper.intent.atomicity import Atomicity, atomicity
from pactkeeper.intent.quality.empty import Empty, empty_predicate
from pactkeeper.intent.quality.opaque import is_opaque_result
from pactkeeper.intent.quality.phrases import Hit, Phrases, phrases
from pactkeeper.intent.quality.vague import ROWS, VagueKind
from pactkeeper.intent.quality.values import AtomWords, Place, QualityVocabulary
from pactkeeper.intent.reading.clauses import Reading, read
from pactkeeper.intent.reading.words import Word
from pactkeeper.intent.wording.outcomes import is_code
from pactkeeper.intent.wording.stating import form_of
from pactkeeper.intent.wording.tables import table


@dataclass(frozen=True, slots=True)
class Vague:
    """A vague phrase: `[start, end)` are offsets in the text, `first` and `reading` say which words it is."""

    kind: VagueKind
    phrase: str
    start: int
    end: int
    reading: Reading
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """One text of an atom at its place, with its readings and the vague phrases that nothing in it measures.

    It `states` something where it has a predicate and neither asks nor commands. `unnamed` is the pronoun that it
    begins with and that stands for nothing named in it. It is `concrete` where two readers would look for the same.
    """

    text: str
    place: Place
    at: int
    readings: tuple[Reading, ...]
    vague: tuple[Vague, ...]
    empty: Empty | None
    unnamed: str
    states: bool
    concrete: bool


_POINTING = table("it they them this these those he she")


@dataclass(frozen=True, slots=True)
class Examined:
    """An atom's words as all criteria see them; `concrete_outcomes` are those that say what to look for."""

    words: AtomWords
    vocabulary: QualityVocabulary
    intent: Sentence
    outcomes: tuple[Sentence, ...]
    falsifiers: tuple[Sentence, ...]
    atomicity: Atomicity
    concrete_outcomes: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class _Dictionary:
    """The vague phrases that count in a project, and the words it says are clear."""

    lexicon: Phrases[VagueKind]
    clear: frozenset[str]


def examine(words: AtomWords, vocabulary: QualityVocabulary) -> Examined:
    """Read all sentences of an atom."""
    own = tuple(sorted(word.replace("|", " ").replace("/", " ").lower() for word in vocabulary.vague_words))
    clear = frozenset(word.lower() for word in (*vocabulary.clear_words, *vocabulary.domain_terms)) - set(own)
    known = _Dictionary(_lexicon(own), clear)
    outcomes = tuple(_sentence(text, "outcomes", at, known) for at, text in enumerate(words.outcomes))
    return Examined(
        words,
        vocabulary,
        _sentence(words.intent, "intent", 0, known),
        outcomes,
        tuple(_sentence(text, "falsified_by", at, known) for at, text in enumerate(words.falsified_by)),
        atomicity(words.intent, words.outcomes),
        tuple(one for one in outcomes if one.concrete),
    )


def _sentence(text: str, place: Place, at: int, known: _Dictionary) -> Sentence:
    if place == "outcomes" and is_code(text):
        return Sentence(text, place, at, (), (), None, "", states=True, concrete=True)
    readings = read(text)
    found = _vague(readings, known)
    vague = tuple(one for one in found if place == "intent" or not _named(one))
    empty, unnamed = empty_predicate(text, readings), _unnamed(readings)
    states = any(one.predicate is not None and not one.asks and not one.commands for one in readings)
    states = states or form_of(text, prose=True) is not None
    concrete = states and not (vague or empty or unnamed or is_opaque_result(text))
    return Sentence(text, place, at, readings, vague, empty, unnamed, states, concrete)


def _unnamed(readings: tuple[Reading, ...]) -> str:
    for reading in readings[:1]:
        subject = reading.words[reading.lead : reading.predicate.start] if reading.predicate is not None else ()
        named = any(word.tag in {"noun", "lit"} for word in reading.words[: reading.lead])
        if len(subject) == 1 and subject[0].lower in _POINTING and not named:
            return subject[0].token.text
    return ""


@lru_cache(maxsize=8)
def _lexicon(more: tuple[str, ...]) -> Phrases[VagueKind]:
    return phrases((*ROWS, *(("project", word) for word in more)))


MEASURED: frozenset[VagueKind] = frozenset({"time", "often", "amount", "size", "compared", "gain", "ease", "quality"})
"""Kinds that a number or a literal value in the same sentence makes clear."""
_DESCRIBING: frozenset[VagueKind] = frozenset({"time", "ease", "quality", "size", "compared"})
_COUNTING: frozenset[VagueKind] = frozenset({"amount"})
_COUNTS = table("once twice thrice zero one two three four five six seven eight nine ten eleven twelve none")


def _vague(readings: tuple[Reading, ...], known: _Dictionary) -> Iterator[Vague]:
    for reading in readings:
        words = reading.words
        for hit in known.lexicon.hits(words):
            if hit.kind == "clear" or hit.phrase in known.clear or _said_lower(words, hit) in known.clear:
                continue
            if _harmless(reading, hit) or (hit.kind in MEASURED and _measured(reading, hit)):
                continue
            first, last = words[hit.start].token, words[hit.end - 1].token
            yield Vague(hit.kind, hit.phrase, first.start, last.end, reading, hit.start, hit.end)


def _said_lower(words: tuple[Word, ...], hit: Hit[VagueKind]) -> str:
    return " ".join(word.lower for word in words[hit.start : hit.end])


def _harmless(reading: Reading, hit: Hit[VagueKind]) -> bool:
    """Whether the words are used in another sense: as a verb, in a condition, with a comparison spelled out."""
    words = reading.words
    only = words[hit.start] if hit.end - hit.start == 1 else None
    if only is not None and only.tag == "verb" and hit.kind in _DESCRIBING:
        return True
    following = words[hit.end] if hit.end < len(words) else None
    if hit.kind in _COUNTING and _exists(reading, hit):
        return True
    if hit.start >= reading.tail and words[reading.tail].lower == "so":
        return True  # a purpose is no part of what must hold
    if only is not None and only.lower == "most" and following is not None and following.tag not in {"noun", "adj"}:
        return True
    return hit.kind in {"compared", "time", "size"} and any(
        word.lower == "than" for word in words[hit.end : hit.end + 3]
    )


def _named(vague: Vague) -> bool:
    """Whether the word only tells which thing is meant: `the good result is true`."""
    words = vague.reading.words
    main = vague.reading.predicate
    before = words[vague.first - 1] if vague.first else None
    named = before is not None and before.lower in {"the", "every", "each"} and vague.last - vague.first == 1
    return named and (main is None or vague.first < main.start) and vague.kind in _DESCRIBING


def _exists(reading: Reading, hit: Hit[VagueKind]) -> bool:
    """Whether the words only say that there are two or more: `when several files change`, `several runners share`."""
    if hit.start < reading.lead or hit.start >= reading.tail:
        return True
    main = reading.predicate
    return main is not None and hit.start < main.start and hit.phrase in {"several", "multiple", "some"}


def _measured(reading: Reading, hit: Hit[VagueKind]) -> bool:
    """Whether the sentence gives the number or the value that the word alone leaves out."""
    others = (*reading.words[: hit.start], *reading.words[hit.end :])
    if any(word.tag == "num" for word in others):
        return True
    if hit.kind in {"quality", "ease"}:
        return any(word.token.kind == "quoted" for word in others)
    return any(word.lower in _COUNTS for word in others)
