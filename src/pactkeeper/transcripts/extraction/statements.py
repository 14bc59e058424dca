"""What people say that is so, by the sentence: only what has a value or is denied, so that another place can differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.conversation import Artifact, ConversationEntry, Signals, excerpt, identity_of
from pactkeeper.speech.meant import is_denied, is_meant
from pactkeeper.speech.words import statement
from pactkeeper.transcripts.extraction.sentences import LONGEST_TYPED, sentences, unquoted
from pactkeeper.transcripts.extraction.window import Window

_STRENGTH: Final = 60
_SPOKEN: Final = 70
_DAY: Final = 10  # characters of a time; said again another day, it is said anew
_LONGEST: Final = 240  # characters of a sentence that says one thing


def statements(window: Window) -> Iterator[Artifact]:
    """Every sentence of a person that gives a date or an amount, or denies something."""
    for entry, position, block in window.texts(by_person=True):
        if len(block.text) <= LONGEST_TYPED:
            for first, last in sentences(block.text):
                if _says(block.text[first:last]):
                    yield _statement(entry, position, first, last)


def _says(sentence: str) -> bool:
    if len(sentence) > _LONGEST or unquoted(sentence) != sentence or not is_meant(sentence):
        return False
    said = statement(sentence)
    return bool(said.stems) and bool(said.amounts or said.dates or is_denied(sentence))


def _statement(entry: ConversationEntry, position: int, first: int, last: int) -> Artifact:
    said = excerpt(entry, position, first, last)
    return Artifact(
        "statement",
        said.text[:120],
        (said,),
        Signals(_STRENGTH, _SPOKEN),
        "low",
        identity_of(f"{entry.at[:_DAY]}\n{said.text}"),
    )
