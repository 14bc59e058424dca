"""The one judgement of a draft: rules alone decide whether it may be previewed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pactkeeper.intent.quality import DEFAULT, QualityVocabulary
from pactkeeper.intent.ticket import LONGEST_TITLE, REQUIRED, Draft, Field, sides_of, values_of
from pactkeeper.tickets.bounds import in_words
from pactkeeper.tickets.validation.duplicates import duplicates
from pactkeeper.tickets.validation.report import Missing, Report, Suggestion, cannot_be_tested, criteria
from pactkeeper.tickets.validation.surroundings import NOTHING, Surroundings, contradictions

WHAT: Final[Mapping[Field, str]] = {
    "title": "the ticket has no title",
    "problem": "nobody has said which problem it solves",
    "acceptance_criteria": "nothing says how one would see that it is done",
}


def missing(draft: Draft, vocabulary: QualityVocabulary) -> Iterator[Missing]:
    """The required fields without a value, a title that is too long, and criteria of which none can be tested."""
    unknown = {one.field for one in draft.unknown}
    for field in REQUIRED:
        found = values_of(draft, field)
        if not found:
            yield Missing(field, "error", WHAT[field], field in unknown)
        elif field == "title" and (longest := max(len(said.value) for said in found)) > LONGEST_TITLE:
            yield Missing(field, "error", f"the title has {longest:,} characters and may have {LONGEST_TITLE}")
        elif field == "acceptance_criteria":
            why = [cannot_be_tested(said.value, vocabulary) for said in found]
            if all(why):
                yield Missing(field, "error", f"no criterion can be tested: {why[0]}")


def validate(draft: Draft, around: Surroundings = NOTHING) -> Report:
    """Hold a draft against the rules and its surroundings; the same draft and surroundings give the same report."""
    pact = around.pact
    vocabulary = DEFAULT if pact is None else QualityVocabulary.of(pact.settings)
    return Report(
        tuple(missing(draft, vocabulary)),
        tuple({one.fingerprint: one for one in contradictions(draft, around)}.values()),
        tuple(dict.fromkeys((*criteria(draft, vocabulary), *_left_open(draft)))),
        tuple(duplicates(draft, around)),
    )


def _left_open(draft: Draft) -> Iterator[Suggestion]:
    """What people may want to settle before the work begins."""
    for said in draft.open_questions:
        yield Suggestion("open_questions", "info", said.value, "is still open")
    for one in draft.constraints:
        if one.status == "proposed":
            values = " / ".join(side.value for side in sides_of(one.value))
            yield Suggestion(
                "constraints", "info", in_words(one.key, values).rstrip("."), "becomes accepted with the ticket"
            )
