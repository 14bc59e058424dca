"""Whether two readers would test the same: no vague words, no list left open, no `it` that could be anything."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.quality.examined import Examined, Sentence, Vague
from pactkeeper.intent.quality.rewriting import without
from pactkeeper.intent.quality.vague import MISSING
from pactkeeper.intent.quality.values import Criterion, Deduction, share

NAME: Criterion = "unambiguous"
_SLIGHT, _CLEAR, _GRAVE, _ALL = (share(NAME, fifths) for fifths in (1, 2, 3, 5))


def unambiguous(seen: Examined) -> Iterator[Deduction]:
    """What two readers could understand differently."""
    cited: set[str] = set()
    for number, vague in enumerate(seen.intent.vague):
        if vague.phrase in cited:
            continue
        cited.add(vague.phrase)
        less = bool(seen.concrete_outcomes or number)
        points = _ALL if vague.kind == "placeholder" else _SLIGHT if less else _CLEAR
        yield _of_vague(seen.intent, vague, points)
    if seen.intent.empty and not seen.intent.vague and not seen.concrete_outcomes:
        empty = seen.intent.empty
        why = "everybody has a different result in mind"
        yield Deduction(_CLEAR, empty.words, why, empty.advice, rewording=empty.rewording)
    yield from _pointing(seen)
    if not seen.atomicity.atomic:
        yield _several(seen)
    for outcome in seen.outcomes:
        for vague in outcome.vague[:1]:
            if vague.phrase in cited:
                continue
            cited.add(vague.phrase)
            yield _of_vague(outcome, vague, _SLIGHT)


def _of_vague(sentence: Sentence, vague: Vague, points: int) -> Deduction:
    missing = MISSING[vague.kind]
    made = without(sentence, vague)
    advice = missing.suggestion if made is None else f"{missing.suggestion}; for example: {made}"
    words = sentence.text[vague.start : vague.end]
    return Deduction(points, words, missing.why, advice, sentence.place, sentence.at, made)


def _pointing(seen: Examined) -> Iterator[Deduction]:
    word = seen.intent.unnamed
    if word:
        yield Deduction(_GRAVE, word, "stands for something that is not named", "name it")


def _several(seen: Examined) -> Deduction:
    parts = seen.atomicity.parts
    made = parts[0] if len(parts) > 1 else None
    advice = "make an atom of each" if made is None else f"make an atom of each: {' · '.join(parts)}"
    return Deduction(
        _ALL, seen.intent.text, f"says several things: {seen.atomicity.reasons[0]}", advice, rewording=made
    )
