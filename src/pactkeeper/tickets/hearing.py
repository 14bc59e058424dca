"""What a run hears, message by message: the draft so far, what led to it, and the words that nothing marks.

What the earlier words of an edited message put into the draft, and its new ones do not say, goes out again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pactkeeper.intent.thread_event import ThreadEvent
from pactkeeper.intent.ticket import FIELDS, SINGLE, Ask, Draft, Loose, PlacedValue, ThreadMessage, sides_of, values_of
from pactkeeper.intent.ticket_patch import DraftPatch, apply
from pactkeeper.speech.spans import clean
from pactkeeper.tickets.extraction.reading import Reading
from pactkeeper.tickets.ground import ThreadGround
from pactkeeper.tickets.loose import heard, placed, read_text, to_place, without
from pactkeeper.tickets.suggesting import consulted, taken


@dataclass(slots=True)
class Hearing:
    """What a run reads, message by message: the draft so far, what led to it, and the words that nothing marks."""

    draft: Draft
    loose: tuple[Loose, ...]
    patches: list[DraftPatch] = field(default_factory=list)
    answered: dict[str, str] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)

    def hear(
        self, ground: ThreadGround, message: ThreadMessage | None, asks: tuple[Ask, ...], event: ThreadEvent
    ) -> None:
        """Read one message; an edit withdraws what its earlier form said, and so does one that was deleted."""
        withdrawn = withdrawals(self.draft, event.edits)
        found = Reading() if message is None else ground.rules.read(apply(self.draft, withdrawn), message, asks)
        beaten = tuple(_beaten(self.draft, found.patches))
        self._take(amended(withdrawn, found.patches))
        self.answered |= dict.fromkeys(found.answered, event.id)
        self.doubts += found.doubts
        self.loose = heard(self.loose, (*found.unplaced, *beaten), edits=event.edits)

    def place(self, event: ThreadEvent, asks: tuple[Ask, ...]) -> None:
        """Put words where a person says that they belong, which answers what was asked about that field."""
        patches, self.loose = placed(self.draft, self.loose, read_text(event.text), by=event.author)
        self._take(patches)
        self.answered |= dict.fromkeys(filled(asks, patches), event.id)

    def suggest(self, event: ThreadEvent, asks: tuple[Ask, ...], own: Sequence[ThreadMessage]) -> None:
        """Put words where an agent says that they belong, as a model's answer; what cannot be taken is told."""
        loose = to_place(self.loose)
        waiting = [one for one in own if one.id in {words.said.message for words in loose}]
        found = taken(consulted(json.loads(event.text), waiting), self.draft, loose, by=event.author)
        self._take(found.patches)
        self.loose = without(self.loose, found.patches)
        self.answered |= dict.fromkeys(filled(asks, found.patches), event.id)
        self.doubts += found.refused

    def _take(self, patches: Sequence[DraftPatch]) -> None:
        self.patches += patches
        self.draft = apply(self.draft, patches)


def _beaten(draft: Draft, patches: Sequence[DraftPatch]) -> Iterator[Loose]:
    """The sentences that were not chosen for a single field: they may belong elsewhere, so they are kept unplaced."""
    if not any(one.verb == "settle" for one in patches):
        return
    gone = ((one.field, one.old) for one in patches if one.verb == "retract" and one.field in SINGLE)
    for name, value in gone:
        sides = (one for one in values_of(draft, name) if one.value == value)
        yield from (Loose(0, replace(one, value=clean(one.quote))) for one in sides)


def filled(asks: Sequence[Ask], patches: Sequence[DraftPatch]) -> tuple[str, ...]:
    """The questions, by their ids, about what patches fill."""
    fields = {one.field for one in patches if one.verb != "retract"}
    return tuple(one.id for one in asks if one.topic != "conflict" and one.field in fields)


def withdrawals(draft: Draft, message: str) -> tuple[DraftPatch, ...]:
    """What takes out all that a message says in a draft, in whichever of its forms; nothing where it names none.

    What somebody else corrected since is theirs and stays.
    """
    return tuple(_withdrawals(draft, message)) if message else ()


def amended(withdrawn: Sequence[DraftPatch], patches: Sequence[DraftPatch]) -> tuple[DraftPatch, ...]:
    """The patches of a message's later form, after those withdrawals that it does not take back word for word."""
    said = {(one.field, one.key, one.said.value) for one in patches}
    return (*(one for one in withdrawn if (one.field, one.key, one.old) not in said), *patches)


def _withdrawals(draft: Draft, message: str) -> Iterator[DraftPatch]:
    for name in FIELDS:
        if name != "constraints":
            found = (one for one in values_of(draft, name) if _is_of(one, message))
            yield from (DraftPatch("retract", name, one, old=one.value) for one in found)
    for constraint in draft.constraints:
        sides = (one for one in sides_of(constraint.value) if _is_of(one, message))
        yield from (DraftPatch("retract", "constraints", one, constraint.key, one.value) for one in sides)


def _is_of(said: PlacedValue, message: str) -> bool:
    return said.message == message or said.message.startswith(f"{message}:")
