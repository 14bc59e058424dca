"""Replies to our questions: by number, below a quotation, as a direct answer, or choosing a side in a word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pactkeeper.intent.ticket import (
    LISTS,
    LONGEST_TITLE,
    SINGLE,
    Ask,
    Choice,
    Draft,
    PlacedValue,
    ThreadMessage,
    disputed_values,
    sides_of,
    values_of,
)
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.speech.amounts import same_text
from pactkeeper.speech.blocks import Block
from pactkeeper.speech.replying import choice_of, is_not_known, is_small_talk
from pactkeeper.speech.spans import Span, clean, span
from pactkeeper.tickets.wording import bounds_in_words, in_words

_KEPT: tuple[Choice, ...] = ("keep_a", "keep_b")


def settled(draft: Draft, ask: Ask, side: int, words: PlacedValue) -> tuple[DraftPatch, ...]:
    """The patches for keeping the side with a number, or both for 0."""
    if side == 0:
        return (_word(ask, "both", words),)
    gone = (one for number, one in enumerate(ask.sides, 1) if number != side)
    return (*(patch for one in gone for patch in _without(draft, ask, one, words)), _word(ask, _KEPT[side - 1], words))


def amended(draft: Draft, ask: Ask, words: PlacedValue) -> tuple[DraftPatch, ...]:
    """The patches for words that replace both sides."""
    word = _word(ask, "amend", words)
    if ask.field in SINGLE or (ask.field == "constraints" and ask.key):
        return (DraftPatch("correct", ask.field, words, key=ask.key), word)
    gone = (patch for side in ask.sides for patch in _without(draft, ask, side, words))
    return (*gone, DraftPatch("add", ask.field, words), word)


def _word(ask: Ask, choice: Choice, words: PlacedValue) -> DraftPatch:
    said = PlacedValue(choice, words.author, words.message, words.permalink, words.quote)
    return DraftPatch("settle", ask.field, said, key=ask.subject, old=ask.sides[1])


def _without(draft: Draft, ask: Ask, side: str, words: PlacedValue) -> Iterator[DraftPatch]:
    """Remove a side from the draft, wherever it is; nothing if the side isn't in this draft.

    A side that asks to remove the other one is in the draft as a mark of that value.
    """
    for name, key, held, asking in disputed_values(draft):
        if asking.value == side and in_words(key, held.value) in ask.sides:
            yield DraftPatch("restore", name, words, key=key, old=held.value)
            return
    for key, bound, text in bounds_in_words(draft):
        if text == side or (ask.field == "constraints" and ask.key == key and bound.value == side):
            yield DraftPatch("retract", "constraints", words, key=key, old=bound.value)
            return
    for constraint in draft.constraints:
        if ask.key and constraint.key == ask.key and any(one.value == side for one in sides_of(constraint.value)):
            yield DraftPatch("retract", "constraints", words, key=constraint.key, old=side)
            return
    for name in (*SINGLE, *LISTS):
        if any(one.value == side for one in values_of(draft, name)):
            yield DraftPatch("retract", name, words, old=side)
            return


@dataclass(frozen=True, slots=True)
class ReplyEffect:
    """What a reply changes, the id of the question it answers, its leftover words, or why it is doubtful."""

    ask: str = ""
    patches: tuple[DraftPatch, ...] = ()
    unplaced: tuple[Block, ...] = ()
    doubt: str = ""


def whole_answer(
    message: ThreadMessage, draft: Draft, asks: Sequence[Ask], blocks: Sequence[Block]
) -> ReplyEffect | None:
    """Read a message as one answer: addressed to the only question, or below a quotation of one."""
    meant = _quoted(blocks, asks) or (asks[0] if message.addressed and len(asks) == 1 else None)
    if meant is None or not blocks:
        return None
    whole = span(message.text, blocks[0].whole.start, blocks[-1].whole.end)
    return _addressed(message, draft, meant, whole, tuple(blocks))


def answers_of(
    message: ThreadMessage, draft: Draft, asks: Sequence[Ask], blocks: Sequence[Block]
) -> Mapping[int, ReplyEffect]:
    """The answers by block position: either all blocks have question numbers, or the only one chooses a side."""
    waiting = {one.number: one for one in asks}
    numbers = [one.number for one in blocks]
    if len(set(numbers)) == len(numbers) and waiting.keys() >= set(numbers) and (len(asks) > 1 or min(numbers) > 1):
        found = (_addressed(message, draft, waiting[one.number], one.whole, (one,)) for one in blocks)
        return {at: one for at, one in enumerate(found) if one}
    conflicts = [one for one in asks if one.topic == "conflict"]
    if len(conflicts) != 1 or len(blocks) != 1:
        return {}
    chosen = _choice(message, draft, conflicts[0], blocks[0].whole)
    return {0: chosen} if chosen else {}


def restated(message: ThreadMessage, draft: Draft, asks: Sequence[Ask], block: Block) -> ReplyEffect | None:
    """A constraint that repeats one side of the only open conflict: `retention = 30 days` keeps that side."""
    conflicts = [one for one in asks if one.topic == "conflict"]
    if len(conflicts) != 1 or block.field != "constraints" or not block.key or block.intent == "remove":
        return None
    words = in_words(block.key, block.value)
    kept = [number for number, side in enumerate(conflicts[0].sides, 1) if same_text(side, words)]
    if len(kept) != 1:
        return None
    return ReplyEffect(conflicts[0].id, settled(draft, conflicts[0], kept[0], said(message, block.whole)))


def _quoted(blocks: Sequence[Block], asks: Sequence[Ask]) -> Ask | None:
    """The question quoted at the start of a message."""
    quoted = clean(blocks[0].quoted).casefold() if blocks else ""
    found = [one for one in asks if quoted and one.text.casefold() in quoted]
    return found[0] if len(found) == 1 else None


def _addressed(  # noqa: PLR0917 - a reply needs all of its context
    message: ThreadMessage, draft: Draft, ask: Ask, whole: Span, blocks: tuple[Block, ...]
) -> ReplyEffect | None:
    """What a reply says to the question it certainly answers."""
    if is_small_talk(whole.text) and ask.topic != "conflict":
        return None
    if is_not_known(whole.text):
        if ask.topic == "conflict":
            return ReplyEffect(unplaced=blocks)
        return ReplyEffect(ask.id, (DraftPatch("unknown", ask.field, said(message, whole)),))
    if ask.topic == "conflict":
        return _choice(message, draft, ask, whole) or _anew(message, draft, ask, whole)
    if whole.text.rstrip().endswith("?") and ask.field != "open_questions":
        return None
    patches = tuple(_values(message, ask, whole, blocks))
    if ask.field == "title" and values_of(draft, "title"):  # the existing title is too long
        patches = tuple(replace(one, verb="correct") for one in patches)
    return ReplyEffect(ask.id, patches) if patches else None


def _values(message: ThreadMessage, ask: Ask, whole: Span, blocks: tuple[Block, ...]) -> Iterator[DraftPatch]:
    """The value for a single field, or the entries for a list, one per sentence, item or line."""
    if ask.field in LISTS or ask.field == "constraints":
        yield from (DraftPatch("add", ask.field, said(message, one.whole), key=ask.key) for one in blocks)
        return
    if ask.field == "title" and ("\n" in whole.text or len(clean(whole.text)) > LONGEST_TITLE):
        return
    yield DraftPatch("set", ask.field, said(message, whole))


def _choice(message: ThreadMessage, draft: Draft, ask: Ask, whole: Span) -> ReplyEffect | None:
    found = choice_of(whole.text, ask.sides, addressed=message.addressed)
    if found is None or (found.side == 0 and "both" not in ask.choices):
        return None
    if found.doubt:
        block = Block("sentence", whole, clean(whole.text))
        return ReplyEffect(ask.id, (), (block,), f"{clean(whole.text)!r} decides nothing: {found.doubt}")
    return ReplyEffect(ask.id, settled(draft, ask, found.side, said(message, whole)))


def _anew(message: ThreadMessage, draft: Draft, ask: Ask, whole: Span) -> ReplyEffect | None:
    if "amend" not in ask.choices or whole.text.rstrip().endswith("?") or is_small_talk(whole.text):
        return None
    if clean(whole.text).casefold() in ask.choices:
        return None  # the name of the choice, and not yet the words
    return ReplyEffect(ask.id, amended(draft, ask, said(message, whole)))


def said(message: ThreadMessage, whole: Span, value: str = "") -> PlacedValue:
    """A span as a value: `value`, or its own words without markup; the quote is always the span itself."""
    return PlacedValue(value or clean(whole.text), message.author, message.id, message.permalink, whole.text)
