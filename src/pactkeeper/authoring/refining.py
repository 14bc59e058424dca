"""What rules see in a sentence: what it lacks, what joins a second behaviour, and what to ask somebody."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.authoring.asking import questions
from pactkeeper.intent.quality import DEFAULT, AtomWords, Quality, QualityVocabulary, assess
from pactkeeper.intent.quality.examined import examine


@dataclass(frozen=True, slots=True)
class Refinement:
    """A judgement of words, the words that `joints` cite as joining a second behaviour, and open questions.

    Better words are nobody's to guess: a person gives them, or a model whose words a person takes.
    """

    words: AtomWords
    quality: Quality
    joints: tuple[str, ...]
    questions: tuple[str, ...]


def refine(words: AtomWords, vocabulary: QualityVocabulary = DEFAULT) -> Refinement:
    """Judge words and say what only people know; nothing is made up."""
    quality = assess(words, vocabulary)
    if not quality.judged:
        asked = f"This looks like {quality.language}, which the rules do not read: what does it say in English?"
        return Refinement(words, quality, (), (asked,))
    seen = examine(words, vocabulary)
    return Refinement(words, quality, seen.joints, questions(seen))
