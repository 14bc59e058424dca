"""Decisions with their reasons: said by a person, or by the agent and then confirmed; a suggestion is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.artifact import Artifact, Excerpt, Signals, excerpt, identity_of
from pactkeeper.intent.conversation import ConversationEntry
from pactkeeper.speech.meant import begins, has_phrase, is_denied, is_meant, phrase_in
from pactkeeper.transcripts.extraction.sentences import sentences, unquoted
from pactkeeper.transcripts.extraction.window import Window

# A person's own words, and the agent's with a person's yes.
OWN, CONFIRMED = 90, 75
_SHORT: Final = 120  # characters of an answer that only says yes
_LONGEST: Final = 20_000  # characters of a text in which somebody says what was decided


@dataclass(frozen=True, slots=True)
class _Said:
    first: int
    last: int
    reason: str


def decisions(window: Window) -> Iterator[Artifact]:
    """Every decision that gives a reason in its own sentence or the next one."""
    for entry, position, block in window.texts(by_person=True):
        for said in _decided(block.text):
            yield _decision((excerpt(entry, position, said.first, said.last),), said.reason, OWN)
    for entry, position, block in window.texts(by_person=False):
        if entry.sidechain or not has_phrase("decided", block.text):
            continue
        answer = _answer(window, entry)
        if answer is not None:
            for said in _decided(block.text):
                copied = excerpt(entry, position, said.first, said.last)
                yield _decision((copied, answer), said.reason, CONFIRMED)


def _decided(text: str) -> Iterator[_Said]:
    if len(text) > _LONGEST or not has_phrase("decided", text):
        return
    spans = list(sentences(text))
    for index, (first, last) in enumerate(spans):
        sentence = unquoted(text[first:last])
        found = phrase_in("decided", sentence)
        if found is None or not is_meant(sentence) or is_denied(sentence[: found.end() + _NEAR]):
            continue
        following = text[slice(*spans[index + 1])] if index + 1 < len(spans) else ""
        if reason := phrase_in("reasons", sentence):
            yield _Said(first, last, text[first + reason.start() : last])
        elif begins("reasons", following):
            yield _Said(first, spans[index + 1][1], following)


_NEAR: Final = 5  # characters behind the words that say it is decided, in which `not` takes them back


def _answer(window: Window, asked: ConversationEntry) -> Excerpt | None:
    """The yes that a person gives next; anything longer may speak of something else."""
    after = window.entries[window.entries.index(asked) + 1 :]
    for entry in after:
        if entry.by_person:
            text = "".join(block.text for block in entry.blocks[:1] if block.kind == "text")
            agreed = len(text) <= _SHORT and begins("agrees", text) and is_meant(text) and not is_denied(text)
            return excerpt(entry, 0, 0, len(text)) if agreed else None
    return None


def _decision(parts: tuple[Excerpt, ...], reason: str, strength: int) -> Artifact:
    said = parts[0].text
    return Artifact(
        "decision_with_context",
        said.partition("\n")[0][:120],
        parts,
        Signals(strength, strength),
        "very_high",
        identity_of(said),
        facts={"reason": reason[:500], "confirmed": strength == CONFIRMED},
    )
