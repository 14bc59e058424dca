"""What was said or answered around something and may mean it; whether that takes it back is for a person to judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain, zip_longest
from textwrap import shorten
from typing import Final

from pactkeeper.intent.conversation import content
from pactkeeper.intent.redaction import redacted
from pactkeeper.speech.clash import is_denied
from pactkeeper.transcripts.extraction.extract import AGENT, BY
from pactkeeper.transcripts.reconciling import SeenArtifact, TranscriptWorld, comes_after, in_time, is_later, place_of
from pactkeeper.transcripts.reconciling.handles import Handles, concerns
from pactkeeper.transcripts.reconciling.observed import answered_after
from pactkeeper.transcripts.reconciling.saying import TITLE

_SOON: Final = timedelta(hours=12)  # so long after it, words in the same repository may refer back without a name
MOST_SHOWN: Final = 5  # messages, or sentences of a long one


@dataclass(frozen=True, slots=True)
class Around:
    """What was said around something: before it, by people afterwards, here and elsewhere, and by agents and tools.

    All but `here`, which is in the order of the conversation, begin with what is nearest.
    """

    before: Sequence[SeenArtifact] = ()
    here: Sequence[SeenArtifact] = ()
    elsewhere: Sequence[SeenArtifact] = ()
    told: Sequence[SeenArtifact] = ()

    def doubts(self) -> list[str]:
        """Why a person decides: each kind of words that there are, with those nearest to it."""
        kinds = {
            "more was said before it": self.before,
            "a person said more afterwards": [*self.here, *self.elsewhere],
            "more was said or answered afterwards": self.told,
        }
        return [f"{words}: {shortly(said)}" for words, said in kinds.items() if said]

    def shown(self, meant: Handles) -> list[SeenArtifact]:
        """What people said next, last and about it in the conversation, and the nearest of all other words."""
        about = [one for one in self.here if concerns(one, meant)]
        pairs = zip_longest((*self.before, *self.elsewhere), self.told)
        others = [one for pair in pairs for one in pair if one is not None]
        found = [*self.here[:1], *about[:MOST_SHOWN], *self.here[-1:], *others[:MOST_SHOWN]]
        return list({id(one): one for one in found}.values())


def shortly(said: Sequence[SeenArtifact]) -> str:
    """Quote the first of some words, in the order in which they were said, without the ends of long ones."""
    texts = (redacted(content(one.artifact)) for one in in_time(said[:MOST_SHOWN]))
    return ", ".join(repr(shorten(text, TITLE, placeholder=" …")) for text in texts)


def around_change(seen: SeenArtifact, meant: Handles, world: TranscriptWorld, *, machine: bool) -> Around:
    """What people said after something that a change comes from, and if a tool's answer shows it, agents and tools.

    Before it counts only a person's message that denies something of it.
    """
    last = [one for one in world.remarks.get(seen.conversation, ()) if comes_after(seen, one)][-1:] if machine else []
    before = [one for one in last if concerns(one, meant) and is_denied(content(one.artifact))]
    told = _told(seen, meant, world) if machine else []
    return Around(before, _said_here(seen, world), _said_elsewhere(seen, meant, world), told)


def around_remark(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> Around:
    """What was said in a conversation after something that is only noted, as far as it may mean the same task."""
    here = [one for one in _said_here(seen, world) if concerns(one, meant)]
    return Around(here=here, told=_told(seen, meant, world))


def around_event(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> Around:
    """Everything said around an event that settles something: in its conversation since a person's last message.

    Also whatever may mean it, in any conversation of its repository and later anywhere.
    """
    words = [*chain.from_iterable(world.remarks.values()), *_agents(world)]
    order = next((one for one in reversed(world.remarks.get(seen.conversation, ())) if comes_after(seen, one)), None)
    before = [
        one
        for one in words
        if comes_after(seen, one)
        and (_is_since(one, order, seen) or (one.folder in meant.folders and concerns(one, meant)))
    ]
    agents = [one for one in _agents(world) if is_later(one, seen)]
    told = [one for one in agents if one.conversation == seen.conversation or concerns(one, meant)]
    return Around(
        _nearest(seen, meant, before),
        _said_here(seen, world),
        _said_elsewhere(seen, meant, world),
        _nearest(seen, meant, [*told, *answered_after(seen, meant, world)]),
    )


def _is_since(one: SeenArtifact, order: SeenArtifact | None, seen: SeenArtifact) -> bool:
    return one.conversation == seen.conversation and not (order and comes_after(order, one))


def _said_here(seen: SeenArtifact, world: TranscriptWorld) -> list[SeenArtifact]:
    """What people said after it in the same conversation, but for a plain yes to the very text that has it."""
    after = (one for one in world.remarks.get(seen.conversation, ()) if is_later(one, seen))
    return [one for one in after if not _only_agrees(one, seen)]


def _only_agrees(one: SeenArtifact, seen: SeenArtifact) -> bool:
    question, *answer = one.artifact.excerpts
    return bool(answer) and question.entry == seen.artifact.excerpts[-1].entry


def _said_elsewhere(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> list[SeenArtifact]:
    """What people wrote in other conversations that may mean it, unless it was certainly written before.

    Also whatever they wrote soon after it in its repository, which may refer back in any words.
    """
    others = (one for name, remarks in world.remarks.items() if name != seen.conversation for one in remarks)
    later = (one for one in others if not comes_after(seen, one))
    return _nearest(seen, meant, [one for one in later if concerns(one, meant) or _is_soon(one, seen, meant)])


def _is_soon(one: SeenArtifact, seen: SeenArtifact, meant: Handles) -> bool:
    if one.folder not in meant.folders or one.moment is None or seen.moment is None:
        return False
    return one.moment - seen.moment <= _SOON


def _told(seen: SeenArtifact, meant: Handles, world: TranscriptWorld) -> list[SeenArtifact]:
    """What the agent said later in the same conversation and may mean it, and what tools answered of it."""
    here = (one for one in _agents(world) if one.conversation == seen.conversation and is_later(one, seen))
    said = (one for one in here if concerns(one, meant))
    return _nearest(seen, meant, [*said, *answered_after(seen, meant, world)])


def _agents(world: TranscriptWorld) -> Iterator[SeenArtifact]:
    return (one for one in world.heard if one.artifact.facts[BY] == AGENT)


def _nearest(seen: SeenArtifact, meant: Handles, given: Iterable[SeenArtifact]) -> list[SeenArtifact]:
    """What may mean something, then the rest, both sorted by how long before or after it they were said."""
    return sorted(given, key=lambda one: (not concerns(one, meant), *_distance(one, seen)))


def _distance(one: SeenArtifact, seen: SeenArtifact) -> tuple[timedelta, int]:
    (file, start), (other, at) = place_of(one), place_of(seen)
    apart = abs(one.moment - seen.moment) if one.moment and seen.moment else timedelta.max
    return apart, abs(start - at) if file == other else 0
