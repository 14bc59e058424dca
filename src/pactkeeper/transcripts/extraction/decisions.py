"""Decisions with their reasons: said by a person, or by the agent and then confirmed; a suggestion is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.artifact import Artifact, Excerpt, Signals, excerpt, identity_of
from pactkeeper.intent.conversation import Entry
from pactkeeper.transcripts.extraction.sentences import sentences, unquoted
from pactkeeper.transcripts.extraction.vocabulary import DECIDED, NO_DECISION, REASON, YES
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
        if entry.sidechain or not DECIDED.search(block.text):
            continue
        answer = _answer(window, entry)
        if answer is not None:
            for said in _decided(block.text):
                copied = excerpt(entry, position, said.first, said.last)
                yield _decision((copied, answer), said.reason, CONFIRMED)


def _decided(text: str) -> Iterator[_Said]:
    if len(text) > _LONGEST or not DECIDED.search(text):
        return
    spans = list(sentences(text))
    for index, (first, last) in enumerate(spans):
        sentence = unquoted(text[first:last])
        found = DECIDED.search(sentence)
        if found is None or sentence.endswith("?") or _is_open(sentence, found):
            continue
        if reason := _reason(sentence, found.end()):
            yield _Said(first, last, text[first + reason.start() : last])
        elif index + 1 < len(spans) and (reason := REASON.match(text, *spans[index + 1])):
            yield _Said(first, spans[index + 1][1], text[slice(*spans[index + 1])])


# What follows a colon and speaks of the same thing.
_COLON: Final = re.compile(
    r": (?=(?:it|they|that|this|nobody|es|das|niemand|ce|c'est|cela|eso|nadie)\b)", re.IGNORECASE
)


def _reason(sentence: str, after: int) -> re.Match[str] | None:
    return REASON.search(sentence) or _COLON.search(sentence, after)


def _is_open(sentence: str, found: re.Match[str]) -> bool:
    """Whether the words before the decision, or right after it, take it back."""
    before, after = sentence[: found.start()], sentence[found.end() :].lstrip()
    return bool(NO_DECISION.search(before) or NO_DECISION.match(after)) or found.start() > _NEAR


_NEAR: Final = 160  # characters before the words that say it is decided


def _answer(window: Window, asked: Entry) -> Excerpt | None:
    """The yes that a person gives next; anything longer may speak of something else."""
    after = window.entries[window.entries.index(asked) + 1 :]
    for entry in after:
        if entry.by_person:
            text = "".join(block.text for block in entry.blocks[:1] if block.kind == "text")
            agreed = text.strip() and len(text) <= _SHORT and YES.match(text) and not NO_DECISION.search(text)
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
