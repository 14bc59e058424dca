"""Whether it is clear when the intent is met: outcomes that say what to look for."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.ids import normalised_intent
from pactkeeper.intent.quality.examined import Examined, Sentence
from pactkeeper.intent.quality.opaque import is_opaque_result, opaque_words
from pactkeeper.intent.quality.values import Criterion, Deduction, share

NAME: Criterion = "clear success criteria"
_SLIGHT, _CLEAR, _GRAVE, _ALL = (share(NAME, fifths) for fifths in (1, 2, 3, 5))


def criteria(seen: Examined) -> Iterator[Deduction]:
    """What keeps somebody from telling that the intent is met."""
    if not seen.outcomes:
        yield _none(seen)
    elif not seen.concrete_outcomes:
        yield from (_unclear(one, _GRAVE if not at else 0) for at, one in enumerate(seen.outcomes))
    else:
        yield from (_unclear(one, _SLIGHT) for one in seen.outcomes if not one.concrete)
        yield from _restated(seen)
    if seen.outcomes and not seen.atomicity.atomic:
        why = "an outcome of one half says nothing about the other"
        made = seen.atomicity.parts[0] if len(seen.atomicity.parts) > 1 else None
        advice = "make an atom of each" if made is None else f"begin with: {made}"
        yield Deduction(_SLIGHT, seen.intent.text, why, advice, rewording=made)
    if seen.words.category == "performance" and not _numbers(seen):
        yield Deduction(_CLEAR, "", "a performance atom without a number", "say the value and where it is read")


def _none(seen: Examined) -> Deduction:
    why = "no outcome says what is seen when it holds"
    if not seen.intent.states:
        return Deduction(_ALL, "", why, "say what is seen when it holds", "outcomes")
    if not seen.intent.concrete:
        return Deduction(_GRAVE, "", why, "say what is seen when it holds", "outcomes")
    return Deduction(_SLIGHT, "", why, "add one: a value, a message, a status, a state", "outcomes")


def _unclear(outcome: Sentence, points: int) -> Deduction:
    text = outcome.text
    if is_opaque_result(text):
        why, words = "names no value that could be compared", opaque_words(text)
    elif outcome.vague:
        why, words = "is a matter of opinion", text[outcome.vague[0].start : outcome.vague[0].end]
    elif outcome.empty is not None:
        why, words = outcome.empty.why, outcome.empty.words
    elif outcome.unnamed:
        why, words = "stands for something that is not named", outcome.unnamed
    else:
        why, words = "is no statement", text
    return Deduction(points, words, why, "say the value, the message or the state", "outcomes", outcome.at)


def _restated(seen: Examined) -> Iterator[Deduction]:
    said = normalised_intent(seen.words.intent)
    if all(normalised_intent(one.text) == said for one in seen.outcomes):
        why = "the outcomes only repeat the intent"
        yield Deduction(_SLIGHT, seen.outcomes[0].text, why, "say the value, the message or the state", "outcomes")


def _numbers(seen: Examined) -> bool:
    every = (seen.intent, *seen.outcomes)
    return any(word.tag == "num" for one in every for reading in one.readings for word in reading.words)
