"""Sentences that only seem to fill a field: each fills what is empty, or adds a rule, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.ticket import FIELDS, Draft, Field, values_of
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.tickets.extraction.hints import COULD, PAINS, SUGGESTS
from pactkeeper.tickets.extraction.phrases import WHY, found, opinion
from pactkeeper.tickets.extraction.placing import Placing
from pactkeeper.tickets.extraction.plain import (
    is_of_a_kind,
    is_statement,
    opens_with_trouble,
    states_a_rule,
    without_reason,
)
from pactkeeper.tickets.extraction.spans import Span, clean
from pactkeeper.tickets.extraction.wishes import capitalised, is_wish, request_of

# "And a warning would be good" adds to what was wished for before, and names nothing.
_MORE: Final = re.compile(r"\b(?:and|also|plus)\W*\Z", re.IGNORECASE)
_WELCOME: Final = re.compile(r"\bwould (?:\w+ ){0,2}be \w+\W*$", re.IGNORECASE)
_FEWEST_OF_PROBLEM: Final = 3  # words; fewer name a thing and tell no trouble


def _suggestion(at: Placing, whole: Span, _: Field | None) -> Iterator[DraftPatch]:
    yield from _proposed(at, whole, SUGGESTS)


def _could(at: Placing, whole: Span, _: Field | None) -> Iterator[DraftPatch]:
    yield from _proposed(at, whole, COULD)


def _proposed(at: Placing, whole: Span, pattern: re.Pattern[str]) -> Iterator[DraftPatch]:
    """What hints at a way to do it; it fills an empty solution and nothing else."""
    text = whole.text[opinion(whole.text) :]
    hit = found(pattern, text.rstrip(" .!?"))
    if hit is not None and at.draft.proposed_solution is None:
        yield DraftPatch("set", "proposed_solution", at.said(whole, capitalised(clean(text[hit.start : hit.end]))))


def _wish(at: Placing, whole: Span, _: Field | None) -> Iterator[DraftPatch]:
    title = request_of(whole.text)
    more = _MORE.search(at.message.text, max(0, whole.start - 8), whole.start) is not None
    if title is not None and not (more and _WELCOME.search(whole.text)):
        yield from _requested(at, whole, title)


def _complaint(at: Placing, whole: Span, _: Field | None) -> Iterator[DraftPatch]:
    """A sentence that tells of trouble, where nobody has named the problem yet; a wish is none."""
    text = whole.text[opinion(whole.text) :]
    if at.draft.problem is not None or is_wish(text) or len(text.split()) < _FEWEST_OF_PROBLEM:
        return
    if _opens(at.draft, text) or (found(PAINS, text, whole=False) is not None and not is_of_a_kind(text)):
        yield DraftPatch("set", "problem", at.said(whole, capitalised(clean(text))))


def in_jest(at: Placing, whole: Span, wanted: Field | None) -> Iterator[DraftPatch]:
    """A complaint at which its speaker laughs: it counts where it names the trouble and how it comes about as well."""
    text = whole.text[opinion(whole.text) :]
    if wanted is None and found(PAINS, text, whole=False) is not None and opens_with_trouble(text):
        yield from _complaint(at, whole, wanted)


def _opens(draft: Draft, text: str) -> bool:
    """Whether a statement opens a thread: nothing was said yet, or nothing but a title, and this tells of trouble."""
    if not any(values_of(draft, name) for name in FIELDS if name != "evidence_links"):
        return is_statement(text)
    return not draft.acceptance_criteria and opens_with_trouble(text) and not is_of_a_kind(text)


def _rule(at: Placing, whole: Span, _: Field | None) -> Iterator[DraftPatch]:
    """A plain statement of how things shall be, once it is known what the thread is about."""
    text = whole.text[opinion(whole.text) :]
    if at.draft.problem is not None and request_of(text) is None and states_a_rule(text):
        yield DraftPatch("add", "acceptance_criteria", at.said(whole, capitalised(clean(without_reason(text)))))


def _requested(at: Placing, whole: Span, title: str) -> Iterator[DraftPatch]:
    if at.draft.title is None:
        yield DraftPatch("set", "title", at.said(whole, title))
    reason = WHY.search(whole.text)
    if reason and at.draft.problem is None:
        why = clean(whole.text[reason.end() :]).rstrip("?")
        yield DraftPatch("set", "problem", at.said(whole, capitalised(why)))


GUESSES: Final = (_suggestion, _wish, _complaint, _rule, _could)
"""The guesses in the order in which they are tried."""
