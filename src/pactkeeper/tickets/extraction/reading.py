"""A message as changes of a draft: labels and corrections first, then replies, then what sentences say themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.intent.ticket import LISTS, Ask, Draft, Field, ThreadMessage
from pactkeeper.intent.ticket_patch import DraftPatch, apply
from pactkeeper.tickets.extraction.behind import parted
from pactkeeper.tickets.extraction.blocks import Block, blocks
from pactkeeper.tickets.extraction.corrections import corrections, denies_amount
from pactkeeper.tickets.extraction.extracted import Extracted
from pactkeeper.tickets.extraction.labels import is_of_a_form
from pactkeeper.tickets.extraction.noise import is_noise
from pactkeeper.tickets.extraction.numbered import numbered_apart
from pactkeeper.tickets.extraction.phrases import DUTY
from pactkeeper.tickets.extraction.placing import Placing, labelled
from pactkeeper.tickets.extraction.replies import answered, beside_unknown, chosen, unknown
from pactkeeper.tickets.extraction.sentences import placed
from pactkeeper.tickets.extraction.settling import speaks_of_choice
from pactkeeper.tickets.extraction.spans import Span, span
from pactkeeper.tickets.extraction.titles import title_apart
from pactkeeper.tickets.extraction.wishes import capitalised

_TITLE_WORDS: Final = 10
_FEWEST: Final = 4
_GAP: Final = re.compile(r"\s{20}")  # between columns of a table, and in no sentence
_MOST: Final = 200  # blocks of a message; one with more is pasted from elsewhere, and its rest is left over
_LONGEST: Final = 600  # characters of a sentence; a longer one is none that the phrases of rules fit


def extract(message: ThreadMessage, draft: Draft, asks: Sequence[Ask] = ()) -> Extracted:
    """Read one message against the draft as it is and the questions that wait; a bot's own words change nothing."""
    if message.bot:
        return Extracted(noise=True)
    reading = _Reading(message, draft, list(asks))
    for number, block in enumerate(blocks(message)):
        if number == _MOST:
            reading.unplaced.append(span(message.text, block.whole.start, len(message.text)))
            break
        for one in reading.apart(block):
            reading.take(one)
    return reading.done()


@dataclass(slots=True)
class _Reading:
    """What was read of a message so far; each block is read against the draft that the ones before it leave."""

    message: ThreadMessage
    draft: Draft
    asks: list[Ask]
    patches: list[DraftPatch] = field(default_factory=list)
    replied: list[str] = field(default_factory=list)
    unplaced: list[Span] = field(default_factory=list)
    continued: Field | None = None
    spoke: bool = False

    def apart(self, block: Block) -> tuple[Block, ...]:
        """A block as what it says one after the other: what is labelled may end before its line does."""
        if block.kind in {"item", "sentence"} and len(self.asks) > 1:
            return numbered_apart(self.message.text, block, len(self.asks))
        if block.kind != "labelled":
            return (block,)
        at = Placing(self.message, self.draft)
        return title_apart(at, block) if block.field == "title" else parted(at, block)

    def take(self, block: Block) -> None:
        """Read one block."""
        if block.kind == "sentence" and is_noise(block.whole.text) and not self._is_choice(block):
            return
        self.spoke = True
        found = self._read(block)
        if found:
            self._add(found)
        else:
            self.unplaced.append(block.whole)

    def _read(self, block: Block) -> tuple[DraftPatch, ...]:
        at = Placing(self.message, self.draft)
        if block.kind == "labelled":
            return tuple(labelled(at, block))
        if block.kind == "heading" and is_of_a_form(block.value):
            return ()
        if block.kind == "heading" and self.draft.title is None and not self.patches:
            return (DraftPatch("set", "title", at.said(block.whole, block.value)),)
        if block.kind in {"scenario", "box"}:
            return (DraftPatch("add", "acceptance_criteria", at.said(block.whole, block.value)),)
        if len(block.whole.text) > _LONGEST or _GAP.search(block.whole.text):
            return ()
        corrected = corrections(at, block.whole)
        if corrected or denies_amount(at, block.whole):
            return corrected
        return self._reply(at, block) or self._free(at, block)

    def _free(self, at: Placing, block: Block) -> tuple[DraftPatch, ...]:
        if self._chooses_nothing(block):
            return ()
        if block.intro and not DUTY.search(block.value):
            value = capitalised(f"{block.intro} {block.value[:1].lower()}{block.value[1:]}")
            return (DraftPatch("add", "acceptance_criteria", at.said(block.whole, value)),)
        return placed(at, block.whole)

    def _reply(self, at: Placing, block: Block) -> tuple[DraftPatch, ...]:
        """What a block says to the questions that wait: to the one whose number it bears, or to the only one."""
        open_asks = self._open()
        for ask in self._disputed(block):
            if settled := chosen(at, block.whole, ask):
                self.replied.append(ask.id)
                return settled
        asked = self._meant(block, [one for one in open_asks if one.topic != "conflict"])
        if not asked or self._chooses_nothing(block):
            return ()
        if nobody := unknown(at, block.whole, asked):
            self.replied += [one.id for one in asked]
            beside = beside_unknown(at, block.whole)
            self.unplaced += [beside] if beside.text and not is_noise(beside.text) else []
            return nobody
        if len(asked) > 1:
            return self._fitting(at, block, asked)
        elsewhere = placed(at, block.whole, wanted=asked[0].field)
        if elsewhere and not _is_numbered_sentence(block, elsewhere):
            return elsewhere
        reply = tuple(answered(at, block.whole, asked[0]))
        if reply:
            self.replied.append(asked[0].id)
            self.continued = asked[0].field if asked[0].field in LISTS else None
        return reply

    def _disputed(self, block: Block) -> list[Ask]:
        """The conflicts that a block can be a word on; a number names one of all that were put."""
        open_asks = [one for one in self._open() if one.topic == "conflict"]
        if block.number and len(self.asks) > 1:
            return [one for one in self.asks[block.number - 1 : block.number] if one in open_asks]
        return open_asks

    def _fitting(self, at: Placing, block: Block, asked: Sequence[Ask]) -> tuple[DraftPatch, ...]:
        """A reply to several questions that no rule places otherwise: people answer in the order of the questions.

        A title is short, and what is too short for anything else is none of it.
        """
        words = len(block.value.split())
        fitting = [ask for ask in asked if (words <= _TITLE_WORDS if ask.field == "title" else words >= _FEWEST)]
        if not fitting or block.value.endswith(("?", "!")) or placed(at, block.whole):
            return ()
        self.replied.append(fitting[0].id)
        return tuple(answered(at, block.whole, fitting[0]))

    def _meant(self, block: Block, asks: Sequence[Ask]) -> list[Ask]:
        """The questions that a block can be a reply to; a number names one of all that were put."""
        missing = [one for one in self.asks if one.topic != "conflict"]
        if block.number and len(missing) > 1:
            return [missing[block.number - 1]] if block.number <= len(missing) else []
        if self.continued is not None:
            return [one for one in self.asks if one.field == self.continued]
        return list(asks)

    def _open(self) -> list[Ask]:
        return [one for one in self.asks if one.id not in self.replied]

    def _is_choice(self, block: Block) -> bool:
        """Whether a short word that is noise elsewhere answers a question: `both`, `the first`."""
        at = Placing(self.message, self.draft)
        return any(chosen(at, block.whole, ask) for ask in self._open() if ask.topic == "conflict")

    def _chooses_nothing(self, block: Block) -> bool:
        """Whether a block means to choose between the sides of a conflict, and does not say which."""
        return speaks_of_choice(block.whole.text) and any(one.topic == "conflict" for one in self._open())

    def _add(self, found: Iterable[DraftPatch]) -> None:
        for patch in found:
            self.patches.append(patch)
            self.draft = apply(self.draft, [patch])
            self.replied += [
                ask.id
                for ask in self._open()
                if ask.topic != "conflict" and ask.field == patch.field and patch.verb != "retract"
            ]

    def done(self) -> Extracted:
        """All that was read."""
        replied = tuple(dict.fromkeys(self.replied))
        return Extracted(tuple(self.patches), replied, tuple(self.unplaced), noise=not self.spoke)


def _is_numbered_sentence(block: Block, found: Sequence[DraftPatch]) -> bool:
    """Whether a sentence with a bound bears the number of a question, and so answers it rather than bounds the work."""
    return block.number > 0 and ":" not in block.value and all(one.field == "constraints" for one in found)
