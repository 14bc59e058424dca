"""Whether the criteria of a draft can be tested, by the rules that judge the words of atoms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.atomicity import atomicity
from pactkeeper.intent.quality import AtomWords, QualityVocabulary, assess
from pactkeeper.intent.reading.language import foreign_language
from pactkeeper.intent.reading.opposite import stated
from pactkeeper.intent.ticket import Draft, Field
from pactkeeper.tickets.validation.report import Suggestion

_STEPS: Final = re.compile(
    r"(?:given (?P<given>.{1,300}?),? )?when (?P<when>.{1,300}?),? then (?P<then>.+)", re.IGNORECASE
)


def as_fact(criterion: str) -> str:
    """A criterion as the sentence of an atom: a scenario as its condition with what follows, a duty as a fact."""
    steps = _STEPS.fullmatch(criterion)
    return f"When {steps['when']}, {steps['then']}" if steps else stated(criterion)


def cannot_be_tested(criterion: str, vocabulary: QualityVocabulary) -> str:
    """Why nobody could tell that a criterion does not hold; empty where one could, or where rules cannot read it."""
    if foreign_language(criterion):
        return ""
    quality = assess(AtomWords(as_fact(criterion)), vocabulary)
    if quality.verdict != "reject":
        return ""
    vague = [one for one in quality.deductions if one.words and one.words.strip(".") != as_fact(criterion).strip(".")]
    return f"{vague[0].words!r} {vague[0].why}" if vague else ""


def criteria(draft: Draft, vocabulary: QualityVocabulary) -> Iterator[Suggestion]:
    """What would make criteria testable: values for vague words, one behaviour each, a sentence for a fragment."""
    for said in draft.acceptance_criteria:
        yield from _criterion(said.value, vocabulary)


def _criterion(text: str, vocabulary: QualityVocabulary) -> Iterator[Suggestion]:
    field: Field = "acceptance_criteria"
    language = foreign_language(text)
    if language:
        yield Suggestion(field, "info", text, f"not judged: the rules read English, and this looks like {language}")
        return
    vague = cannot_be_tested(text, vocabulary)
    if vague:
        yield Suggestion(field, "warning", text, f"cannot be tested: {vague}")
        return
    joined = atomicity(as_fact(text), ())
    if not joined.atomic and not _STEPS.fullmatch(text):
        parts = " / ".join(joined.parts)
        yield Suggestion(field, "info", text, f"says several behaviours: {joined.reasons[0]}", parts)
