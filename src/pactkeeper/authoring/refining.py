"""What rules find in a sentence: what is missing, what joins a second behaviour, and what to ask its author."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pactkeeper.intent.quality import DEFAULT, AtomWords, Quality, QualityVocabulary, assess
from pactkeeper.intent.quality.examined import MISSING, Examined, directives, examine


def questions(seen: Examined) -> tuple[str, ...]:
    """The questions that a sentence raises, most important first, without duplicates."""
    return tuple(dict.fromkeys((*_of_statement(seen), *_of_joints(seen), *_of_words(seen), *_of_results(seen))))


def _of_statement(seen: Examined) -> Iterator[str]:
    if not seen.intent.states:
        yield "Who or what does what, and what is seen when it is done?"
    elif seen.intent.unnamed:
        yield f"{seen.intent.unnamed!r}: who or what is it?"
    elif seen.intent.opaque:
        yield f"{seen.intent.opaque!r}: what is seen, shown or changed when it happens?"


def _of_joints(seen: Examined) -> Iterator[str]:
    for joint in seen.joints[:1]:
        yield f"{joint!r}: can one part hold while the other does not? Then they are two atoms."


def _of_words(seen: Examined) -> Iterator[str]:
    for vague in seen.intent.vague:
        yield f"{seen.intent.text[vague.start : vague.end]!r}: {MISSING[vague.kind].question}"
    for one in directives(seen.intent.text, seen.vocabulary):
        if one.bound:
            yield f"{one.text!r}: what would be seen differently if it were built otherwise?"


def _of_results(seen: Examined) -> Iterator[str]:
    if not seen.outcomes:
        yield "What would somebody read, see or measure when it holds: a value, a message, a status?"
    elif not seen.concrete_outcomes:
        yield f"{seen.outcomes[0].text!r}: which value, message or state is it?"


@dataclass(frozen=True, slots=True)
class Refinement:
    """A verdict on words, the phrases that join a second behaviour (`joints`), and open questions.

    Better words are never guessed: they come from a person, or from a model whose suggestion a person accepts.
    """

    words: AtomWords
    quality: Quality
    joints: tuple[str, ...]
    questions: tuple[str, ...]


def refine(words: AtomWords, vocabulary: QualityVocabulary = DEFAULT) -> Refinement:
    """Judge words and list what only people can answer; nothing is made up."""
    quality = assess(words, vocabulary)
    if not quality.judged:
        asked = f"This looks like {quality.language}, which the rules do not read: what does it say in English?"
        return Refinement(words, quality, (), (asked,))
    seen = examine(words, vocabulary)
    return Refinement(words, quality, seen.joints, questions(seen))
