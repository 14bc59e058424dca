"""Whether the criteria of a draft can be tested, by the rules that judge the words of atoms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.atomicity import joints
from pactkeeper.intent.quality import AtomWords, QualityVocabulary, assess
from pactkeeper.intent.quality.values import share
from pactkeeper.intent.reading.language import foreign_language
from pactkeeper.intent.reading.tokens import stopped
from pactkeeper.intent.ticket import Draft, Field
from pactkeeper.tickets.validation.report import Suggestion

_STEPS: Final = re.compile(
    r"(?:given (?P<given>.{1,300}?),? )?when (?P<when>.{1,300}?),? then (?P<then>.+)", re.IGNORECASE
)


def as_fact(criterion: str) -> str:
    """A criterion as the sentence of an atom: a scenario as its condition with what follows."""
    steps = _STEPS.fullmatch(criterion)
    return f"When {steps['when']}, {steps['then']}" if steps else stopped(criterion)


def cannot_be_tested(criterion: str, vocabulary: QualityVocabulary) -> str:
    """Why nobody could tell that a criterion does not hold; empty where one could, or where rules cannot read it."""
    if foreign_language(criterion):
        return ""
    (said,) = (one for one in assess(AtomWords(as_fact(criterion)), vocabulary).dimensions if one.name == "falsifiable")
    worst = max(said.deductions, key=lambda one: one.points, default=None)
    if worst is None or worst.points < share(said.name, 2) or worst.words in {"", as_fact(criterion)}:
        return ""
    return f"{worst.words!r} {worst.why}"


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
    joined = joints(text)
    if joined and not _STEPS.fullmatch(text):
        yield Suggestion(field, "info", text, f"may say several behaviours: {joined[0]!r}")
