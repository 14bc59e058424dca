"""Read a message as changes to a draft: marked parts are placed, and replies to questions answer them.

Also marked changes of mind: a correction, a removal, or new words instead of old ones.

`Reading` is the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from pactkeeper.intent.ticket import (
    LISTS,
    REQUIRED,
    SINGLE,
    Ask,
    Draft,
    Field,
    Loose,
    PlacedValue,
    ThreadMessage,
    is_same_person,
    sides_of,
    values_of,
)
from pactkeeper.intent.ticket_patch import DraftPatch, apply, numbered, removal, replacement, same_key
from pactkeeper.speech.amounts import amount, relation, same_text
from pactkeeper.speech.blocks import Block, before_arrow, blocks, is_nothing
from pactkeeper.speech.labels import LEAD
from pactkeeper.speech.languages import words_of
from pactkeeper.speech.replying import is_not_known, is_small_talk
from pactkeeper.speech.spans import clean
from pactkeeper.tickets.answers import ReplyEffect, answers_of, restated, said, whole_answer

# A checkable or nameable value is never a question; a problem or a risk may be put as one.
_NO_QUESTION: Final = frozenset({"epic_id", "title", "acceptance_criteria", "constraints", "dependencies"})
_WORDS: Final = frozenset({"title", "problem", "proposed_solution", "acceptance_criteria", "open_questions", "risks"})


def extract(message: ThreadMessage, draft: Draft, asks: Sequence[Ask] = ()) -> MessageReading:
    """Read one message, given the current draft and the waiting questions; a bot's own words change nothing."""
    if message.bot:
        return MessageReading()
    found = blocks(message.text)
    reading = _MessageReading(message, draft, draft, tuple(asks))
    answers: Mapping[int, ReplyEffect] = {}
    if not any(one.is_marked for one in found):
        whole = whole_answer(message, draft, reading.asks, found)
        if whole is not None:
            reading.answer(whole)
            return reading.done()
        answers = answers_of(message, draft, reading.asks, found) if found else {}
    for at, block in enumerate(found):
        reading.take(block, answers.get(at))
    kept = restated(message, reading.draft, reading.asks, found[0]) if len(found) == 1 else None
    if kept is not None:
        reading.answer(kept)
    return reading.done()


def kept(message: ThreadMessage) -> tuple[Loose, ...]:
    """Everything a message says, block by block, left unplaced."""
    found = () if message.bot else blocks(message.text)
    return tuple(Loose(0, said(message, one.whole)) for one in found if one.whole.text)


@dataclass(slots=True)
class _MessageReading:
    """What has been read of a message so far; `before` is the draft without it."""

    message: ThreadMessage
    before: Draft
    draft: Draft
    asks: tuple[Ask, ...]
    found: list[DraftPatch] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    unplaced: list[Block] = field(default_factory=list)
    changes: list[Block] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    def take(self, block: Block, answer: ReplyEffect | None) -> None:
        """Read one block; a label is ignored if the words after it can't belong to its field."""
        if answer is not None:
            self.answer(answer)
        elif not block.is_marked or (_is_unfit(block) and block.intent == "say"):
            self.unplaced.append(block)
        else:
            self.add(None if _is_unfit(block) else self._marked(block), block)

    def answer(self, found: ReplyEffect) -> None:
        """Apply the effects of an answer."""
        self.doubts += [found.doubt] if found.doubt else []
        self.unplaced += found.unplaced
        self.answered += [found.ask] if found.ask and not found.doubt else []
        self._apply(found.patches)

    def add(self, patches: tuple[DraftPatch, ...] | None, block: Block) -> None:
        """Apply the patches of a marked block; without any it stays unplaced."""
        if patches is None:
            self.unplaced.append(block)
            self.changes.append(block)
        else:
            self._apply(patches)

    def _apply(self, patches: Iterable[DraftPatch]) -> None:
        for patch in patches:
            self.found.append(patch)
            self.draft = apply(self.draft, [patch])
            still = [ask for ask in self.asks if ask.id not in self.answered]
            filled = (ask.id for ask in still if ask.topic != "conflict" and ask.field == patch.field)
            self.answered += filled if patch.fills else ()

    def _marked(self, block: Block) -> tuple[DraftPatch, ...] | None:
        """The patches of a marked block; None if it changes something but not clearly what."""
        if block.kind == "swap":
            return swapped(self.message, self.draft, block)
        if block.kind == "anew" or self._may_swap(block):
            return None
        name = cast("Field", block.field)
        if block.intent == "remove" and name:
            return removed(self.message, self.before, block)
        if is_nothing(block.value) or not block.field:
            # An empty form changes nothing; `AC 2: none` may be meant to take an entry away.
            is_label = block.kind == "labelled" and block.field
            return None if is_label and values_of(self.before, name) else ()
        if is_not_known(block.value):
            return (DraftPatch("unknown", name, said(self.message, block.whole)),) if name in REQUIRED else ()
        if block.intent == "correct" or self._is_own_number(block):
            return corrected(self.message, self.before, block)
        words = said(self.message, block.whole, block.value)
        if name in SINGLE or name == "constraints":
            return (DraftPatch("correct" if self._is_own(name, block.key) else "set", name, words, key=block.key),)
        return (self._added(block, name, words),)

    def _may_swap(self, block: Block) -> bool:
        """Whether a label without a number is followed by an arrow, with words of its field before it.

        `AC: GET /orders -> 200` may be an entry of its own, or change the one about `GET /orders`.
        """
        old = "" if clean(block.whole.text) == block.value else before_arrow(block.value)
        held = values_of(self.before, cast("Field", block.field)) if old else ()
        is_new = not any(same_text(one.value, block.value) for one in held)
        return is_new and any(_words(old).search(one.value) for one in held)

    def _added(self, block: Block, name: Field, words: PlacedValue) -> DraftPatch:
        """Add an entry; one under the number of somebody else's stands beside it until a person chooses."""
        held = numbered(self.before, name)
        if not self._is_numbered(block, held) or same_text(held[block.number - 1].value, words.value):
            return DraftPatch("add", name, words)
        return replacement(self.before, name, held[block.number - 1], words=words)

    def _is_own(self, name: Field, key: str) -> bool:
        """Whether everything in a field is from this author's earlier messages, so that the new words replace it."""
        if name != "constraints":
            held = values_of(self.before, name)
        else:
            named = (one for one in self.before.constraints if key and same_key(one.key, key))
            held = tuple(side for one in named for side in sides_of(one.value))
        return bool(held) and all(is_same_person(one.author, self.message.author) for one in held)

    def _is_own_number(self, block: Block) -> bool:
        """Whether a label's number refers to an existing entry by the same author: `AC 2: …`."""
        held = numbered(self.before, cast("Field", block.field)) if block.number else ()
        is_numbered = self._is_numbered(block, held)
        return is_numbered and is_same_person(held[block.number - 1].author, self.message.author)

    @staticmethod
    def _is_numbered(block: Block, held: Sequence[PlacedValue]) -> bool:
        """Whether a label gives the number of an existing entry; an item of a list only counts its own lines."""
        is_label = (
            block.kind == "labelled" and block.whole.text[:1].isalpha() and str(block.number) in block.whole.text[:40]
        )
        return is_label and len(held) >= block.number > 0

    def done(self) -> MessageReading:
        """Return everything that was read."""
        loose = tuple(self._loose(one) for one in self.unplaced if one.whole.text)
        return MessageReading(tuple(self.found), tuple(dict.fromkeys(self.answered)), loose, tuple(self.doubts))

    def _loose(self, block: Block) -> Loose:
        """Words left unplaced, with the field they may belong to."""
        changes = block in self.changes
        may_be = "" if changes else block.field
        return Loose(0, said(self.message, block.whole), changes=changes, suggested=may_be)


def _is_unfit(block: Block) -> bool:
    """Whether the text after a label is only small talk, or a question where a statement is expected."""
    if block.kind == "swap" or block.intent == "remove" or is_nothing(block.value) or before_arrow(block.value):
        return False
    if block.field == "epic_id" and not any(one.isupper() or one.isdigit() or one == "/" for one in block.value):
        return True  # an epic has an id, an address or a name
    is_question = block.field in _NO_QUESTION and block.value.rstrip().endswith("?")
    return is_question or (block.field in _WORDS and len(block.value) > 1 and is_small_talk(block.value))


Patches = tuple[DraftPatch, ...]


def corrected(message: ThreadMessage, draft: Draft, block: Block) -> Patches | None:
    """Replace the value that a label names by its number or key, or the only one there is.

    Between several values of one field, new words are a choice, as they are in an answer.
    """
    name, words = cast("Field", block.field), said(message, block.whole, block.value)
    if name == "constraints" and not block.key:
        return None
    named = [one for one in draft.constraints if block.key and same_key(one.key, block.key)]
    if name == "constraints":
        held = tuple(side for one in named for side in sides_of(one.value))
    else:
        held = numbered(draft, name) if block.number else values_of(draft, name)
    if name not in LISTS and len(held) != 1:
        return (DraftPatch("correct", name, words, key=block.key),)
    old = _entry(held, block.number)
    if old is None:
        return (DraftPatch("add", name, words),) if not held else None
    return (replacement(draft, name, old, words=words, key=block.key),)


def removed(message: ThreadMessage, draft: Draft, block: Block) -> Patches | None:
    """Remove the entry with a label's number, or the one with its words; None if there is none."""
    name, words = cast("Field", block.field), said(message, block.whole)
    if name == "constraints":
        named = [one for one in draft.constraints if one.key and same_key(one.key, block.value)]
        if named:
            return tuple(removal(name, side, words, one.key) for one in named for side in sides_of(one.value))
    held = values_of(draft, name)
    if block.number and not block.value:
        old = _entry(numbered(draft, name), block.number)
    else:
        old = next((one for one in held if same_text(one.value, block.value)), None)
    return None if old is None else (removal(name, old, words),)


def swapped(message: ThreadMessage, draft: Draft, block: Block) -> Patches | None:
    """Replace old words by new ones in the only value that contains them; None if there are none or several."""
    old = block.old
    found = _with_old(draft, block, old)
    if not found and (lead := LEAD.match(old)):
        old = old[lead.end() :]
        found = _with_old(draft, block, old)
    if len(found) != 1:
        return None
    name, key, held = found[0]
    new = _replacing(old, block.value)
    if new is None:
        return None
    if not new:
        return (removal(name, held, said(message, block.whole), key),)
    is_all = same_text(held.value, old) or (key and relation(held.value, old) == "same")
    value = new if is_all else _words(old).sub(lambda _: new, held.value, count=1)
    return (replacement(draft, name, held, words=said(message, block.whole, value), key=key),)


def _replacing(old: str, new: str) -> str | None:
    """The words that take the place of old ones; None if words behind them may be no part of that.

    Many more words count only as the old ones reworded, and a polite word is left out only behind an amount.
    """
    was, words = old.split(), new.split()
    shared = len({*was} & {one.rstrip(",;") for one in words})
    is_reworded = len(was) < 2 * shared < 2 * len(was)
    if len(words) > len(was) + max(1, len(was) // 2) and not is_reworded:
        return None
    before, _, last = new.rpartition(" ")
    if not before or not is_small_talk(last) or last.casefold() in words_of("empty") - words_of("hedges"):
        return new
    value = before.rstrip(" ,;")
    return value if amount(old) and amount(value) else None


def _with_old(draft: Draft, block: Block, old: str) -> Sequence[tuple[Field, str, PlacedValue]]:
    """The values that contain old words, among those that the label of a swap names."""
    if block.number and block.field:
        name = cast("Field", block.field)
        entry = _entry(numbered(draft, name), block.number)
        return [(name, "", entry)] if entry and _words(old).search(entry.value) else []
    return list(dict.fromkeys(_anywhere(draft, old)))


def _anywhere(draft: Draft, old: str) -> Iterator[tuple[Field, str, PlacedValue]]:
    for name in (*SINGLE, *LISTS):
        yield from ((name, "", one) for one in values_of(draft, name) if _words(old).search(one.value))
    for constraint in draft.constraints:
        for side in sides_of(constraint.value):
            if _words(old).search(side.value) or relation(side.value, old) == "same":
                yield "constraints", constraint.key, side


def _words(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", re.IGNORECASE)


def _entry(held: tuple[PlacedValue, ...], number: int) -> PlacedValue | None:
    """The entry with a number, or the only one if no number is given."""
    if number:
        return held[number - 1] if number <= len(held) else None
    return held[0] if len(held) == 1 else None


@dataclass(frozen=True, slots=True)
class MessageReading:
    """A message's changes to a draft, the ids of the questions it answers, and its unmarked words.

    The latter aren't numbered yet. `doubts` say which reply couldn't be used, and why.
    """

    patches: tuple[DraftPatch, ...] = ()
    answered: tuple[str, ...] = ()
    unplaced: tuple[Loose, ...] = ()
    doubts: tuple[str, ...] = ()
