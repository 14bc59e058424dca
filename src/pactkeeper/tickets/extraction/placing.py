"""Where the words of a block belong: the changes that they make to a draft."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.ticket import FIELDS, SINGLE, Draft, Field, Said, ThreadMessage, sides_of, values_of
from pactkeeper.intent.ticket_patch import DraftPatch, same_key
from pactkeeper.tickets.apart import bound_denied, bounds_in_words, contradicts
from pactkeeper.tickets.extraction.blocks import Block
from pactkeeper.tickets.extraction.bounds import Bounded, bounded, listed
from pactkeeper.tickets.extraction.disputes import disputed
from pactkeeper.tickets.extraction.hints import COULD, PAINS, REQUEST, SUGGESTS
from pactkeeper.tickets.extraction.labels import field_named
from pactkeeper.tickets.extraction.noise import is_jest, is_unknown, lead_of
from pactkeeper.tickets.extraction.phrases import (
    ASKS,
    AUTHORS,
    DUTY,
    EPIC,
    MAY_BREAK,
    SO_THAT,
    STRONG,
    WHY,
    Hit,
    found,
    opinion,
)
from pactkeeper.tickets.extraction.plain import (
    is_of_a_kind,
    is_statement,
    opens_with_trouble,
    states_a_rule,
    without_reason,
)
from pactkeeper.tickets.extraction.scenarios import is_scenario
from pactkeeper.tickets.extraction.spans import Span, clean, said, sentences, span

_URL: Final = re.compile(r"<?(?P<url>https?://[^\s>|)\]]+[^\s>|)\].,;:!?])(?:\|[^>]*>|>)?")
_EPIC_ID: Final = re.compile(r"[A-Z][A-Z0-9]+-\d+|#\d+")
_NOTHING: Final = re.compile(
    r"(?:none|no|nothing|n/?a|-|—|keine?|nichts|aucune?|rien|ningun[oa]|nada)[.!]?", re.IGNORECASE
)
_Rule = Callable[["Placing", Span, Field | None], Iterator[DraftPatch]]
# "And a warning would be good" adds to what was wished for before, and names nothing.
_MORE: Final = re.compile(r"\b(?:and|also|plus)\W*\Z", re.IGNORECASE)
_TO_DISCUSS: Final = re.compile(r"\bbe (?:discussed|decided|clarified|agreed|debated|talked about)\b", re.IGNORECASE)
_WELCOME: Final = re.compile(r"\bwould (?:\w+ ){0,2}be \w+\W*$", re.IGNORECASE)
_LONGEST_TITLE: Final = 100
_SHORT: Final = 4


@dataclass(frozen=True, slots=True)
class Placing:
    """A message that is being read, with the draft as it was before it."""

    message: ThreadMessage
    draft: Draft

    def said(self, whole: Span, value: str = "") -> Said:
        """What a span of the message says."""
        return said(self.message, whole, value)

    def part(self, whole: Span, hit: Hit) -> Span:
        """A part of a span as a span."""
        return span(self.message.text, whole.start + hit.start, whole.start + hit.end)


def labelled(at: Placing, block: Block) -> Iterator[DraftPatch]:
    """The changes of a value under a label."""
    field = block.field
    assert field is not None  # noqa: S101 - blocks of this kind have one
    if not block.value or (_NOTHING.fullmatch(block.value) and field not in SINGLE):
        return
    if _NOTHING.fullmatch(block.value) or is_unknown(block.value):
        yield DraftPatch("unknown", field, at.said(block.whole))
    elif field == "constraints":
        for part in _parts(block.value, ";"):
            yield _constraint(at, block.whole, listed(part))
    elif field in SINGLE:
        yield _single(at, field, at.said(block.whole, block.value))
    else:
        for value in _listed_values(field, block.value):
            yield DraftPatch("add", field, at.said(block.whole, value))


def _single(at: Placing, field: Field, value: Said) -> DraftPatch:
    """A single value under a label; it takes the place of what its own author only seemed to say before."""
    if field == "epic_id":
        hit = _EPIC_ID.search(value.value)
        value = Said(hit[0] if hit else value.value, value.author, value.message, value.permalink, value.quote)
    sides = sides_of(getattr(at.draft, field))
    guessed = len(sides) == 1 and sides[0].author == value.author and _is_guess(field, sides[0])
    return DraftPatch("correct" if guessed else "set", field, value)


def _is_guess(field: Field, value: Said) -> bool:
    """Whether a value was taken from a sentence that does not name the field."""
    if field == "title":
        return request_of(value.quote) is not None
    if field != "problem":
        return False
    if request_of(value.quote) is not None or is_statement(value.quote):
        return True
    return found(PAINS, value.quote, whole=False) is not None


def _listed_values(field: Field, text: str) -> list[str]:
    if field == "evidence_links":
        return [hit["url"] for hit in _URL.finditer(text)] or [text]
    if field == "dependencies":
        parts = _parts(text, r",|;|\band\b|\bund\b|\bet\b|\by\b")
        return parts if all(len(part.split()) <= _SHORT for part in parts) else [text]
    if field == "acceptance_criteria" and not is_scenario(text):
        whole = Span(0, len(text), text)
        return [one.text for one in sentences(text, whole)]
    return _parts(text, ";")


def _parts(text: str, mark: str) -> list[str]:
    return [
        part.strip(" .") if len(text) > len(part) else part.strip() for part in re.split(mark, text) if part.strip()
    ]


def _constraint(at: Placing, whole: Span, found_bound: Bounded) -> DraftPatch:
    return DraftPatch("add", "constraints", at.said(whole, found_bound.value), key=found_bound.key)


def placed(at: Placing, whole: Span, *, wanted: Field | None = None) -> tuple[DraftPatch, ...]:
    """The changes of a sentence by what it says itself; empty where no rule places it.

    `wanted` is the field that was asked about: then a sentence counts as something else only where it says so.
    """
    lead = lead_of(whole.text)
    whole = span(at.message.text, whole.start + lead, whole.end)
    links = tuple(DraftPatch("add", "evidence_links", at.said(whole, hit["url"])) for hit in _URL.finditer(whole.text))
    bare = _URL.sub("", whole.text).strip(" :()-–—.,")
    if links and len(bare.split()) <= _SHORT:
        return links
    return (*links, *_place(at, whole, wanted))


def _place(at: Placing, whole: Span, wanted: Field | None) -> tuple[DraftPatch, ...]:
    rules: tuple[_Rule, ...] = (_epic, _strong, _question, _duty, _denied)
    if is_jest(whole.text):
        rules = (_epic, _question)
    elif wanted is None:
        rules = (*rules, _suggestion, _wish, _complaint, _rule, _could)
    for rule in rules:
        found_patches = tuple(rule(at, whole, wanted))
        if found_patches:
            return found_patches
    return ()


def _epic(at: Placing, whole: Span, wanted: Field | None) -> Iterator[DraftPatch]:
    hit = EPIC.search(whole.text) or (_EPIC_ID.fullmatch(whole.text.strip(" .")) if wanted == "epic_id" else None)
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
            yield _single(at, field, at.said(whole, capitalised(clean(value.text))))
        else:
            for one in _listed_values(field, clean(value.text)):
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
        yield _constraint(at, whole, Bounded(clean(found_bound.key), clean(found_bound.value)))
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
    if at.draft.problem is not None or request_of(text) is not None:
        return
    if _opens(at.draft, text) or (found(PAINS, text, whole=False) is not None and not is_of_a_kind(text)):
        yield DraftPatch("set", "problem", at.said(whole, capitalised(clean(text))))


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


def request_of(text: str) -> str | None:
    """The title that a wish gives: what is wished for, without the reason; None where nothing is wished for."""
    bare = clean(text).rstrip(" .!?")
    bare = bare[lead_of(bare) :]
    bare = bare[opinion(bare) :]
    hit = found(REQUEST, bare)
    if hit is None:
        return None
    wish = SO_THAT.sub("", WHY.split(bare[hit.start : hit.end])[0]).strip(" ,.")
    return capitalised(wish) if 0 < len(wish) <= _LONGEST_TITLE else None


def capitalised(text: str) -> str:
    """A text with a capital at its start, unless its first word has letters of both cases."""
    first = text.split(" ", 1)[0]
    return text if first != first.lower() else text[:1].upper() + text[1:]
