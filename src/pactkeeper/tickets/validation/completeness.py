"""What a draft still lacks before anybody is shown a preview of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pactkeeper.intent.quality import QualityVocabulary
from pactkeeper.intent.ticket import REQUIRED, Draft, Field, values_of
from pactkeeper.tickets.validation.criteria import cannot_be_tested
from pactkeeper.tickets.validation.report import Missing

WHAT: Final[Mapping[Field, str]] = {
    "title": "the ticket has no title",
    "problem": "nobody has said which problem it solves",
    "acceptance_criteria": "nothing says how one would see that it is done",
}


def missing(draft: Draft, vocabulary: QualityVocabulary) -> Iterator[Missing]:
    """The required fields without a value, and criteria of which none can be tested."""
    unknown = {one.field for one in draft.unknown}
    for field in REQUIRED:
        found = values_of(draft, field)
        if not found:
            yield Missing(field, "error", WHAT[field], field in unknown)
        elif field == "acceptance_criteria":
            why = [cannot_be_tested(said.value, vocabulary) for said in found]
            if all(why):
                yield Missing(field, "error", f"no criterion can be tested: {why[0]}")
