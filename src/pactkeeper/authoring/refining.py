"""From a sentence to better ones: is it one behaviour, what is left open, how it could be split and worded."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pactkeeper.authoring.asking import questions
from pactkeeper.authoring.stories import story
from pactkeeper.intent.atomicity import Atomicity, atomicity
from pactkeeper.intent.quality import DEFAULT, AtomWords, Deduction, Quality, QualityVocabulary, assess, reworded
from pactkeeper.intent.quality.vague import MISSING
from pactkeeper.intent.reading.tokens import stopped

MOST_STEPS = 12
_EXAMPLES = tuple(one.example for one in MISSING.values() if one.example)


@dataclass(frozen=True, slots=True)
class Rewording:
    """Better words for one behaviour, and what they are worth.

    `changes` says step by step what was done; `examples` are values that nobody gave and somebody has to decide.
    """

    words: AtomWords
    quality: Quality
    changes: tuple[str, ...]
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refinement:
    """What rules have to say about a sentence; `rewordings` has one entry for each behaviour in it."""

    words: AtomWords
    quality: Quality
    atomicity: Atomicity
    questions: tuple[str, ...]
    rewordings: tuple[Rewording, ...]


def refine(words: AtomWords, vocabulary: QualityVocabulary = DEFAULT) -> Refinement:
    """Analyse words and propose better ones; nothing is made up but what is marked as an example."""
    quality = assess(words, vocabulary)
    told = story(words.intent)
    plain = words if told is None else replace(words, intent=told.intent)
    joined = atomicity(plain.intent, plain.outcomes)
    asked = questions(plain, assess(plain, vocabulary), joined, vocabulary)
    if not quality.judged:
        return Refinement(words, quality, joined, asked, ())
    changes = () if told is None else ("said as what the role can do",)
    several = len(joined.parts) > 1
    parts = joined.parts if several else (plain.intent,)
    made = tuple(
        _reworded(_part(plain, part, several=several), vocabulary, (*changes, *(("split off",) if several else ())))
        for part in parts
    )
    return Refinement(words, quality, joined, asked, tuple(one for one in made if several or one.changes))


def _part(words: AtomWords, part: str, *, several: bool) -> AtomWords:
    """One behaviour of several; outcomes and falsifiers of the whole belong to nobody knows which part."""
    intent = stopped(part)
    return AtomWords(intent, category=words.category) if several else replace(words, intent=intent)


def _reworded(words: AtomWords, vocabulary: QualityVocabulary, changes: tuple[str, ...]) -> Rewording:
    """Apply every rewording that the judgement offers, one after the other, as long as the score grows."""
    done = list(changes)
    quality = assess(words, vocabulary)
    for _ in range(MOST_STEPS):
        step = _next_step(words, quality)
        if step is None:
            break
        better = reworded(words, step)
        after = assess(better, vocabulary)
        if after.score <= quality.score:
            break
        words, quality = better, after
        done.append(_change(step))
    examples = tuple(one for one in _EXAMPLES if one in words.intent)
    return Rewording(words, quality, tuple(dict.fromkeys(done)), examples)


def _next_step(words: AtomWords, quality: Quality) -> Deduction | None:
    """The intent first, then outcomes, then falsifiers, so that what is derived is derived from the final words."""
    order = ("intent", "outcomes", "falsified_by")
    offered = [one for one in quality.deductions if one.rewording is not None and reworded(words, one) != words]
    return min(offered, key=lambda one: order.index(one.place), default=None)


def _change(step: Deduction) -> str:
    if step.place == "falsified_by" and not step.words:
        return "a falsifier added: the opposite of what is stated"
    return f"{step.words!r}: {step.why}"
