"""Where a sentence belongs by what it says itself: the changes that it makes to a draft."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from pactkeeper.intent.ticket import SINGLE, Field, sides_of
from pactkeeper.intent.ticket_patch import DraftPatch, same_key
from pactkeeper.tickets.apart import bound_denied, bounds_in_words, contradicts
from pactkeeper.tickets.extraction.bounds import Bounded, bounded
from pactkeeper.tickets.extraction.disputes import disputed
from pactkeeper.tickets.extraction.guessing import GUESSES, in_jest
from pactkeeper.tickets.extraction.labels import field_named
from pactkeeper.tickets.extraction.noise import is_jest, lead_of
from pactkeeper.tickets.extraction.phrases import ASKS, AUTHORS, DUTY, EPIC, MAY_BREAK, STRONG, Hit, found, opinion
from pactkeeper.tickets.extraction.placing import EPIC_ID, SHORT, URL, Placing, constraint, listed_values, single
from pactkeeper.tickets.extraction.plain import without_reason
from pactkeeper.tickets.extraction.scenarios import is_scenario
from pactkeeper.tickets.extraction.spans import Span, clean, span
from pactkeeper.tickets.extraction.wishes import capitalised, request_of

_Rule = Callable[[Placing, Span, Field | None], Iterator[DraftPatch]]
_TO_DISCUSS: Final = re.compile(r"\bbe (?:discussed|decided|clarified|agreed|debated|talked about)\b", re.IGNORECASE)


def placed(at: Placing, whole: Span, *, wanted: Field | None = None) -> tuple[DraftPatch, ...]:
    """The changes of a sentence by what it says itself; empty where no rule places it.

    `wanted` is the field that was asked about: then a sentence counts as something else only where it says so.
    """
    lead = lead_of(whole.text)
    whole = span(at.message.text, whole.start + lead, whole.end)
    links = tuple(DraftPatch("add", "evidence_links", at.said(whole, hit["url"])) for hit in URL.finditer(whole.text))
    bare = URL.sub("", whole.text).strip(" :()-–—.,")
    if links and len(bare.split()) <= SHORT:
        return links
    return (*links, *_place(at, whole, wanted))


def _place(at: Placing, whole: Span, wanted: Field | None) -> tuple[DraftPatch, ...]:
    rules: tuple[_Rule, ...] = (_epic, _strong, _question, _duty, _denied)
    if is_jest(whole.text):
        rules = (_epic, _question, in_jest)
    elif wanted is None:
        rules = (*rules, *GUESSES)
    for rule in rules:
        found_patches = tuple(rule(at, whole, wanted))
        if found_patches:
            return found_patches
    return ()


def _epic(at: Placing, whole: Span, wanted: Field | None) -> Iterator[DraftPatch]:
    hit = EPIC.search(whole.text) or (EPIC_ID.fullmatch(whole.text.strip(" .")) if wanted == "epic_id" else None)
    if hit:
        value = hit.groupdict().get("value") or hit[0]
        yield DraftPatch("set", "epic_id", at.said(whole, value))


def _strong(at: Placing, whole: Span, wanted: Field | None) -> Iterator[DraftPatch]:
    text = whole.text.rstrip(" .!")
    if text.endswith("?"):
        return
    skip = opinion(text)
    for field, pattern in STRONG.items():
        hit = found(pattern, text[skip:])
        if hit is None:
            continue
        value = at.part(whole, Hit(hit.start + skip, hit.end + skip))
        if field in SINGLE:
            yield single(at, field, at.said(whole, capitalised(clean(value.text))))
        else:
            for one in listed_values(field, clean(value.text)):
                yield DraftPatch("add", field, at.said(whole, capitalised(one) if field != "dependencies" else one))
        return
    if MAY_BREAK.search(text) and wanted in {None, "risks"} and not DUTY.search(text):
        yield DraftPatch("add", "risks", at.said(whole, capitalised(clean(text[skip:]))))


def _duty(at: Placing, whole: Span, wanted: Field | None) -> Iterator[DraftPatch]:
    """A sentence that obliges: a bound where it gives one, a criterion otherwise; duties of people are neither."""
    text = whole.text
    if text.rstrip().endswith("?") or wanted == "proposed_solution":
        return
    skip = opinion(text)
    rest = text[skip:]
    found_bound = bounded(rest)
    if found_bound is not None and (wanted != "acceptance_criteria" or _is_plain_bound(at, rest, found_bound.key)):
        yield from constraint(at, whole, Bounded(clean(found_bound.key), clean(found_bound.value)))
        return
    obliges = DUTY.search(rest) and not AUTHORS.match(rest) and not _TO_DISCUSS.search(rest)
    if is_scenario(rest) or (obliges and wanted != "title"):
        yield DraftPatch("add", "acceptance_criteria", at.said(whole, capitalised(clean(without_reason(rest)))))


def _is_plain_bound(at: Placing, text: str, key: str) -> bool:
    """Whether a bound is no criterion even where one was asked for: without a duty, or of a thing known already."""
    return DUTY.search(text) is None or any(same_key(one.key, key) for one in at.draft.constraints)


def _question(at: Placing, whole: Span, wanted: Field | None) -> Iterator[DraftPatch]:
    text = whole.text.rstrip()
    if field_named(text.rstrip("? ")) is not None:
        return
    asks = text.endswith("?") or found(ASKS, text.rstrip(" .!"), whole=False) is not None
    if asks and (wanted is not None or request_of(text) is None):
        yield DraftPatch("add", "open_questions", at.said(whole))


def _denied(at: Placing, whole: Span, _: Field | None) -> Iterator[DraftPatch]:
    """A sentence in whatever words that denies a bound or a criterion of the draft: it is held against it."""
    for one in at.draft.constraints:
        for side in sides_of(one.value):
            if denied := bound_denied(one.key, side.value, whole.text):
                yield DraftPatch("add", "constraints", at.said(whole, denied), key=one.key)
                return
    held = [said.value for said in at.draft.acceptance_criteria] + [words for _, _, words in bounds_in_words(at.draft)]
    if any(contradicts(whole.text, one) for one in held):
        yield DraftPatch("add", "acceptance_criteria", at.said(whole, clean(without_reason(whole.text))))
    else:
        yield from disputed(at.draft, at.said(whole))
