"""Corrections: what somebody takes back or puts right."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pactkeeper.intent.amounts import amount
from pactkeeper.intent.ticket import LISTS, SINGLE, Draft, Said, sides_of, values_of
from pactkeeper.intent.ticket_patch import DraftPatch, same_key
from pactkeeper.tickets.extraction.corrective import (
    ACTUALLY,
    CALL_IT,
    CHANGE,
    DROP,
    HEISSEN,
    IS_NOW,
    NO_LONGER,
    NOT_BUT,
    SHOULD_BE,
)
from pactkeeper.tickets.extraction.meant import Target, by_words, constraint_of_value, holds, means, target, with_unit
from pactkeeper.tickets.extraction.noise import lead_of
from pactkeeper.tickets.extraction.placing import Placing
from pactkeeper.tickets.extraction.spans import Span, clean
from pactkeeper.tickets.sayings.words import KNOWN

_AMOUNT = re.compile(r"[€$£]\d+(?:[.,]\d+)*(?!\w)|\d[\d.,]*\s?(?:%|€|\$|£|[^\W\d_]+)")
_DIGITS = re.compile(r"\d[\d.,]*\d|\d")
_TITLE = re.compile(r"\b(?:title|titel|titre|título|titulo)\b", re.IGNORECASE)
_PLEASE = re.compile(r",?\s+(?:please|pls|bitte|svp|s'il te plaît|por favor)$", re.IGNORECASE)


def corrections(at: Placing, whole: Span) -> tuple[DraftPatch, ...]:
    """The changes that a sentence makes to what was said before; empty where it corrects nothing that is known."""
    text = clean(whole.text).rstrip(" .!")
    text = text[lead_of(text) :]
    for rule in (_changes, _calls, _amounts, _drops):
        found = tuple(rule(at, whole, text))
        if found:
            return found
    return ()


def _changes(at: Placing, whole: Span, text: str) -> Iterator[DraftPatch]:
    """`Change the title to …`, `the retention should be …`: the thing is named."""
    for pattern in (HEISSEN, CHANGE, SHOULD_BE, IS_NOW):
        hit = pattern.fullmatch(text)
        meant = target(at.draft, hit["what"]) if hit else None
        if hit is None or meant is None or (pattern is SHOULD_BE and not _is_meant_so(at, hit, meant)):
            continue
        new = clean(re.sub(r"\s+(?:please|instead|bitte)$", "", hit["new"]))
        yield DraftPatch("correct", meant.field, at.said(whole, new), key=meant.key, old=meant.old)
        return


def _is_meant_so(at: Placing, hit: re.Match[str], meant: Target) -> bool:
    """Whether a duty puts right what is there: it says so, or it is about its speaker's own words.

    What others said is held beside it. Apart from the title, fields share their names with things of the product:
    "the summary should be sent on Mondays" is no correction.
    """
    if hit["firm"]:
        return True
    if meant.field == "title":
        return _TITLE.search(hit["what"]) is not None
    if meant.field != "constraints":
        return False
    held = [side for one in at.draft.constraints if same_key(one.key, meant.key) for side in sides_of(one.value)]
    return bool(held) and all(side.author == at.message.author for side in held)


def _calls(at: Placing, whole: Span, text: str) -> Iterator[DraftPatch]:
    hit = CALL_IT.fullmatch(text)
    if hit:
        yield DraftPatch("correct", "title", at.said(whole, clean(hit["new"])))


def _amounts(at: Placing, whole: Span, text: str) -> Iterator[DraftPatch]:
    """`Actually 30 days, not 14`: the old value, or else the kind of value, tells what is meant."""
    for pattern in NOT_BUT:
        hit = pattern.fullmatch(text)
        if hit and (found := tuple(_swapped(at, whole, clean(hit["old"]), clean(hit["new"])))):
            yield from found
            return
    hit = ACTUALLY.fullmatch(text)
    if hit:
        yield from _same_dimension(at, whole, clean(hit["new"]))


def _swapped(at: Placing, whole: Span, old: str, new: str) -> Iterator[DraftPatch]:
    new = re.sub(r"^(?:actually|eigentlich|en fait|it's|its|it is)[,:]?\s+", "", new, flags=re.IGNORECASE)
    old, new = _bare(old), with_unit(_bare(new), _bare(old))
    constraint = constraint_of_value(at.draft, old, new)
    if constraint is not None:
        held = next(side.value for side in sides_of(constraint.value) if means(side.value, old))
        yield DraftPatch("correct", "constraints", at.said(whole, with_unit(new, held)), key=constraint.key, old=held)
        return
    found = list(_holders(at.draft, old, new)) or [one for one in _holders(at.draft, _number(old), new) if one[2]]
    if any(spans for _, _, spans in found):
        found = [one for one in found if one[2]]
    for holder, said, spans in found:
        value = at.said(whole, _put(said.value, spans, old, new))
        yield DraftPatch("correct", holder.field, value, key=holder.key, old=said.value)


def _holders(draft: Draft, old: str, new: str) -> Iterator[tuple[Target, Said, list[re.Match[str]]]]:
    """Each value of a draft that has the old words, with the places where they are an amount like the new one."""
    for field in (*SINGLE, *LISTS):
        for said in values_of(draft, field) if old else ():
            if holds(said, old):
                yield Target(field), said, _of_the_kind(said.value, old, new)
    for one in draft.constraints if old else ():
        for said in sides_of(one.value):
            if holds(said, old):
                yield Target("constraints", key=one.key), said, _of_the_kind(said.value, old, new)


def _bare(text: str) -> str:
    """The amount at the beginning of words that go on with what it is an amount of: `14 Tage` of `14 Tage vorher`."""
    hit = _AMOUNT.match(text)
    held = amount(hit[0]) if hit and amount(text) is None else None
    return hit[0] if hit and held is not None and held.dimension in KNOWN else text


def _number(text: str) -> str:
    """The number of an amount with a unit that may be written in another form; nothing where it is none."""
    hit, held = _DIGITS.match(text), amount(text)
    return hit[0] if hit and held is not None and held.dimension else ""


def _of_the_kind(text: str, old: str, new: str) -> list[re.Match[str]]:
    """Where a text has the old number with the unit of the new amount: `1000 rows` for `2000 rows, not 1000`."""
    bare, wanted = amount(old), amount(new)
    if bare is None or wanted is None or bare.dimension or not wanted.dimension:
        return []
    found = [(hit, amount(hit[0])) for hit in _AMOUNT.finditer(text) if re.match(rf"\D?{re.escape(old)}(?!\d)", hit[0])]
    return [hit for hit, held in found if held is not None and held.dimension == wanted.dimension]


def _put(text: str, spans: list[re.Match[str]], old: str, new: str) -> str:
    for hit in reversed(spans):
        text = text[: hit.start()] + new + text[hit.end() :]
    return text if spans else re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, text, flags=re.IGNORECASE)


def _same_dimension(at: Placing, whole: Span, new: str) -> Iterator[DraftPatch]:
    """The one constraint whose value is of the same kind as the new one; what could mean several means none."""
    wanted = amount(new)
    if wanted is None:
        return
    hits = [
        (one, side)
        for one in at.draft.constraints
        for side in sides_of(one.value)
        if (held := amount(side.value)) is not None and (held.dimension == wanted.dimension or not wanted.dimension)
    ]
    if len({one.key for one, _ in hits}) == 1:
        one, side = hits[-1]
        yield DraftPatch("correct", "constraints", at.said(whole, with_unit(new, side.value)), key=one.key)
    elif not hits and wanted.dimension:
        yield from _in_criteria(at, whole, new)


def _in_criteria(at: Placing, whole: Span, new: str) -> Iterator[DraftPatch]:
    """The one criterion that gives an amount of the same kind, and gives it once."""
    dimension = getattr(amount(new), "dimension", "")
    found = [
        (said, hit)
        for said in at.draft.acceptance_criteria
        for hit in _AMOUNT.finditer(said.value)
        if (held := amount(hit[0])) is not None and held.dimension == dimension
    ]
    if len(found) == 1:
        said, hit = found[0]
        value = said.value[: hit.start()] + new + said.value[hit.end() :]
        yield DraftPatch("correct", "acceptance_criteria", at.said(whole, value), old=said.value)


def _drops(at: Placing, whole: Span, text: str) -> Iterator[DraftPatch]:
    hit = DROP.fullmatch(_PLEASE.sub("", text)) or NO_LONGER.fullmatch(text)
    meant = (target(at.draft, hit["what"]) or by_words(at.draft, hit["what"])) if hit else None
    if meant is not None and (meant.old or meant.key or meant.field in SINGLE):
        yield DraftPatch("retract", meant.field, at.said(whole), key=meant.key, old=meant.old)
