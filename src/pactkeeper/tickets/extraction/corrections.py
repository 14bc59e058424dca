"""Corrections: what somebody takes back or puts right."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pactkeeper.intent.amounts import amount
from pactkeeper.intent.ticket import LISTS, SINGLE, Field, Said, sides_of, values_of
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
    REPLACE,
    SHOULD_BE,
)
from pactkeeper.tickets.extraction.disputes import edited, frame, stated
from pactkeeper.tickets.extraction.meant import Target, by_words, constraint_of_value, means, target, with_unit
from pactkeeper.tickets.extraction.noise import lead_of
from pactkeeper.tickets.extraction.pieces import AMOUNT, instead, offered
from pactkeeper.tickets.extraction.placing import Placing
from pactkeeper.tickets.extraction.spans import Span, clean

_TITLE = re.compile(r"\b(?:title|titel|titre|título|titulo)\b", re.IGNORECASE)
_DENIAL = re.compile(r",\s*(?:and )?(?:not|nicht|pas|no)\s", re.IGNORECASE)
_PLEASE = re.compile(r",?\s+(?:please|pls|bitte|svp|s'il te plaît|por favor)$", re.IGNORECASE)


def corrections(at: Placing, whole: Span) -> tuple[DraftPatch, ...]:
    """The changes that a sentence makes to what was said before; empty where it corrects nothing that is known."""
    text = clean(whole.text).rstrip(" .!")
    text = text[lead_of(text) :]
    for rule in (_changes, _calls, _replaces, _amounts, _drops):
        found = tuple(rule(at, whole, text))
        if found:
            return found
    return ()


def denies_amount(at: Placing, whole: Span) -> bool:
    """Whether a sentence denies an amount that the draft has, so that it is no saying of its own: `2 days, not 14`."""
    text = clean(whole.text).rstrip(" .!")
    text = text[lead_of(text) :]
    denied = [clean(hit["old"]) for pattern in NOT_BUT if (hit := pattern.fullmatch(text))]
    amounts = [old for old in denied if amount(old) is not None]
    return any(_gives(said.value, old) for old in amounts for _, said, _ in _sayings(at))


def _gives(value: str, old: str) -> bool:
    return means(value, old) or any(means(hit[0], old) for hit in AMOUNT.finditer(value))


def _changes(at: Placing, whole: Span, text: str) -> Iterator[DraftPatch]:
    """`Change the title to …`, `the retention should be …`: the thing is named."""
    for pattern in (HEISSEN, CHANGE, SHOULD_BE, IS_NOW):
        hit = pattern.fullmatch(text)
        meant = target(at.draft, hit["what"]) if hit else None
        if hit is None or meant is None or (pattern is SHOULD_BE and not _is_meant_so(at, hit, meant)):
            continue
        new = clean(re.sub(r"\s+(?:please|instead|bitte)$", "", hit["new"]))
        if pattern is CHANGE:
            yield DraftPatch("correct", meant.field, at.said(whole, new), key=meant.key, old=meant.old)
        elif not _DENIAL.search(new):
            yield from _stated(at, meant, at.said(whole, new))
        return


def _stated(at: Placing, meant: Target, said: Said) -> tuple[DraftPatch, ...]:
    """A statement about what is named: it replaces what its speaker said, and is held beside what others said."""
    held = _held(at, meant)
    own = [one for one in held if one.author == said.author]
    if len(own) == len(held):
        return (DraftPatch("correct", meant.field, said, key=meant.key, old=meant.old),)
    if len(own) == 1:
        return edited(at.draft, meant.field, own[0], said, key=meant.key)
    return () if own else stated(at.draft, meant.field, held[-1], said, key=meant.key)


def _held(at: Placing, meant: Target) -> list[Said]:
    """The values that a target has in the draft."""
    if meant.key:
        return [side for one in at.draft.constraints if same_key(one.key, meant.key) for side in sides_of(one.value)]
    return [one for one in values_of(at.draft, meant.field) if not meant.old or one.value == meant.old]


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
    held = _held(at, meant)
    return any(side.author == at.message.author for side in held)


def _calls(at: Placing, whole: Span, text: str) -> Iterator[DraftPatch]:
    hit = CALL_IT.fullmatch(text)
    if hit:
        yield DraftPatch("correct", "title", at.said(whole, clean(hit["new"])))


def _replaces(at: Placing, whole: Span, text: str) -> tuple[DraftPatch, ...]:
    """`Replace 14 days by 30 days`: the old value is named."""
    hit = REPLACE.fullmatch(_PLEASE.sub("", text))
    return _swapped(at, whole, clean(hit["old"]), clean(hit["new"]), edit=True) if hit else ()


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


def _swapped(at: Placing, whole: Span, old: str, new: str, *, edit: bool = False) -> tuple[DraftPatch, ...]:
    """The one value that says `old` with `new` in that place: an edit is carried out, a statement only held beside."""
    new = re.sub(r"^(?:actually|eigentlich|en fait|it's|its|it is)[,:]?\s+", "", new, flags=re.IGNORECASE)
    put = edited if edit else stated
    constraint = constraint_of_value(at.draft, old, new)
    if constraint is not None:
        held = next(side for side in sides_of(constraint.value) if means(side.value, old))
        value = with_unit(words, held.value) if (words := offered(old, new)) else ""
        return put(at.draft, "constraints", held, at.said(whole, value), key=constraint.key) if value else ()
    found = [(*one, value) for one in _sayings(at) if (value := instead(one[1].value, old, new))]
    if len(found) != 1:
        return ()
    field, said, key, value = found[0]
    return put(at.draft, field, said, at.said(whole, value), key=key)


def _sayings(at: Placing) -> Iterator[tuple[Field, Said, str]]:
    """Every value of a draft with its field and, where it is a constraint's, the key."""
    for field in (*SINGLE, *LISTS):
        yield from ((field, said, "") for said in values_of(at.draft, field))
    for one in at.draft.constraints:
        yield from (("constraints", said, one.key) for said in sides_of(one.value))


def _same_dimension(at: Placing, whole: Span, new: str) -> tuple[DraftPatch, ...]:
    """The one constraint whose value is of the same kind as the new one; what could mean several means none."""
    wanted = amount(new)
    if wanted is None:
        return ()
    hits = [
        (one, side)
        for one in at.draft.constraints
        for side in sides_of(one.value)
        if (held := amount(side.value)) is not None and (held.dimension == wanted.dimension or not wanted.dimension)
    ]
    if not hits:
        return _in_criteria(at, whole, new) if wanted.dimension else ()
    if any(one is not hits[0][0] for one, _ in hits):
        return ()
    one, side = hits[-1]
    return stated(at.draft, "constraints", side, at.said(whole, with_unit(new, side.value)), key=one.key)


def _in_criteria(at: Placing, whole: Span, new: str) -> tuple[DraftPatch, ...]:
    """The one criterion that gives an amount of the same kind, and gives it once; people may differ on that amount."""
    dimension = getattr(amount(new), "dimension", "")
    found = [
        (said, hit[0])
        for said in at.draft.acceptance_criteria
        for hit in AMOUNT.finditer(said.value)
        if (held := amount(hit[0])) is not None and held.dimension == dimension
    ]
    several = len({said.value for said, _ in found}) != len(found)
    if several or len({frame(said.value) for said, _ in found}) != 1:
        return ()
    said, old = next((one for one in found if one[0].author == at.message.author), found[0])
    value = instead(said.value, old, new)
    return stated(at.draft, "acceptance_criteria", said, at.said(whole, value)) if value else ()


def _drops(at: Placing, whole: Span, text: str) -> Iterator[DraftPatch]:
    hit = DROP.fullmatch(_PLEASE.sub("", text)) or NO_LONGER.fullmatch(text)
    meant = (target(at.draft, hit["what"]) or by_words(at.draft, hit["what"])) if hit else None
    if meant is not None and (meant.old or meant.key or meant.field in SINGLE):
        yield DraftPatch("retract", meant.field, at.said(whole), key=meant.key, old=meant.old)
