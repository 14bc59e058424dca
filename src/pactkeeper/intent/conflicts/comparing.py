"""Whether two sentences say the same, or what cannot both hold; anything in between is neither."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.conflicts.opposites import are_opposite
from pactkeeper.intent.conflicts.sentences import PARTS, Part, Said, Sentence
from pactkeeper.intent.reading.clauses import Group, Reading
from pactkeeper.intent.wording.tables import table

Relation = Literal["same", "nearly the same", "contradiction"]
ALIKE: Final = 85  # of 100, of two words that may be one word in two spellings
_SHORTEST_ALIKE: Final = 5
_FEW: Final = 3

# Verbs after which a thing has one value: what is "ready" is not "sent" as well.
_SINGLE: Final = table("be equal return respond yield become remain stay cost result")
_UNITS: Final = table("millisecond second minute hour day week month year ms s min h")
_BEFORE_DURATION: Final = table("after within in for every")
_CODES: Final = table("status code error")
_ORDERS: Final = table("ascending descending")


@dataclass(frozen=True, slots=True)
class Compared:
    """How two sentences stand to each other, and the words in which they differ; `by_value` where those are values."""

    relation: Relation
    ours: str = ""
    theirs: str = ""
    by_value: bool = False


def compare(ours: Sentence, theirs: Sentence) -> Compared | None:
    """Compare two sentences that share all meaning words but at most one; None where they just say different things."""
    if ours.title != theirs.title:
        return None
    if ours.bag == theirs.bag:
        return _same_words(ours, theirs)
    mine, other = Counter(ours.stems) - Counter(theirs.stems), Counter(theirs.stems) - Counter(ours.stems)
    if mine.total() != 1 or other.total() != 1:
        return None
    return _one_word_apart(ours, theirs, ours.stems.index(next(iter(mine))), theirs.stems.index(next(iter(other))))


def _same_words(ours: Sentence, theirs: Sentence) -> Compared | None:
    if not _same_order(ours, theirs, ours.stems, theirs.stems):
        return None
    mine = {one.stem for one in ours.said if one.negated}
    other = {one.stem for one in theirs.said if one.negated}
    apart = mine ^ other
    if not apart:
        return Compared("same")
    if len(apart) != 1 or ours.is_template:
        return None
    (word,) = apart
    negated, plain = (ours, theirs) if word in mine else (theirs, ours)
    if not _says(negated, word) or not _says(plain, word):
        return None
    return Compared("contradiction", _shown(ours, word), _shown(theirs, word))


def _same_order(ours: Sentence, theirs: Sentence, mine: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the words stand in one order, or each part says the same: a condition may stand first or last.

    In a part of few words the order is a matter of wording: "expired token", "token that expired".
    """
    if tuple(mine) == tuple(other):
        return True
    if not ours.parts or not theirs.parts:
        return False
    return all(_alike(_part_of(ours, mine, part), _part_of(theirs, other, part)) for part in PARTS)


def _part_of(sentence: Sentence, stems: Sequence[str], part: Part) -> list[str]:
    return [stem for stem, of in zip(stems, sentence.parts, strict=True) if of == part]


def _alike(mine: list[str], other: list[str]) -> bool:
    return mine == other or (len(mine) <= _FEW and sorted(mine) == sorted(other))


def _says(sentence: Sentence, word: str) -> bool:
    """Whether the word belongs to what is said of the subject, or is the subject that `no` stands before."""
    places = [at for at, one in enumerate(sentence.said) if one.stem == word]
    if len(places) != 1 or not sentence.parts:
        return False
    part = sentence.parts[places[0]]
    return part in {"verb", "rest"} or (part == "subject" and places[0] == 0)


def _shown(sentence: Sentence, word: str) -> str:
    one = next(said for said in sentence.said if said.stem == word)
    return f"not {one.token.text}" if one.negated else one.token.text


def _one_word_apart(ours: Sentence, theirs: Sentence, here: int, there: int) -> Compared | None:
    mine, other = ours.said[here], theirs.said[there]
    rest = (_without(ours, here), _without(theirs, there))
    if mine.kind != other.kind or mine.negated != other.negated or _negated(ours, here) != _negated(theirs, there):
        return None
    if not _same_order(ours, theirs, *rest):
        return None
    apart = (mine.token.text, other.token.text)
    if mine.kind != "word" or are_opposite(mine.stem, other.stem):
        said = _value_of_subject(ours, here) and _value_of_subject(theirs, there) and not ours.is_template
        return Compared("contradiction", *apart, by_value=mine.kind != "word") if said else None
    return Compared("nearly the same", *apart) if _spelt_alike(mine.stem, other.stem) else None


def _without(sentence: Sentence, at: int) -> tuple[str, ...]:
    """The stems with a hole where the sentences differ, so that everything else can be compared in place."""
    return (*sentence.stems[:at], "", *sentence.stems[at + 1 :])


def _negated(sentence: Sentence, at: int) -> list[str]:
    """The negated words besides the one in which the sentences differ."""
    return sorted(one.stem for place, one in enumerate(sentence.said) if one.negated and place != at)


def _spelt_alike(one: str, other: str) -> bool:
    from rapidfuzz import fuzz  # noqa: PLC0415 - only two sentences that differ in one word come here

    return min(len(one), len(other)) >= _SHORTEST_ALIKE and fuzz.ratio(one, other, score_cutoff=ALIKE) > 0


def _value_of_subject(sentence: Sentence, at: int) -> bool:
    """Whether the word is what is said of the subject, and no circumstance: "costs 5", not "for 5 users"."""
    if not sentence.parts:
        return False
    part, said = sentence.parts[at], sentence.said[at]
    if part == "verb":
        return True
    if said.kind == "number" and _is_duration(sentence, said):
        return True
    if part != "rest" or (said.kind == "quoted" and sentence.verb not in _SINGLE):
        return False
    return said.stem in _ORDERS or not (_describes(sentence, said) or _is_circumstance(sentence, said))


def _place(sentence: Sentence, said: Said) -> tuple[Reading, Group, int] | None:
    reading = sentence.reading
    if reading is None or reading.predicate is None:
        return None
    starts = [word.token.start for word in reading.words]
    return reading, reading.predicate, starts.index(said.token.start)


def _is_duration(sentence: Sentence, said: Said) -> bool:
    """Whether the number says after how long: right behind the verb, `after 5 minutes`, `for 5 minutes`."""
    found = _place(sentence, said)
    if found is None:
        return False
    reading, predicate, at = found
    unit = reading.words[at + 1].lower.removesuffix("s") if at + 1 < len(reading.words) else ""
    between = [word.lower for word in reading.words[predicate.end : at]]
    return unit in _UNITS and len(between) == 1 and between[0] in _BEFORE_DURATION


def _describes(sentence: Sentence, said: Said) -> bool:
    """Whether a word tells which of several things is meant: "shows hidden files", and perhaps visible ones as well."""
    found = _place(sentence, said)
    if found is None or said.kind != "word":
        return False
    reading, _, at = found
    return at + 1 < len(reading.words) and reading.words[at + 1].tag == "noun"


def _is_circumstance(sentence: Sentence, said: Said) -> bool:
    """Whether a preposition stands between verb and word, other than one that brings the value itself."""
    found = _place(sentence, said)
    if found is None:
        return True
    reading, predicate, at = found
    between = [word for word in reading.words[predicate.end : at] if word.tag in {"prep", "sub", "rel", "coord"}]
    if not between:
        return False
    if said.kind != "number" or len(between) > 1:
        return True
    before = reading.words[at - 1].lower
    of_code = between[0].lower == "with" and (before in _CODES or before == "with")
    return not (of_code or between[0].lower == "to")
