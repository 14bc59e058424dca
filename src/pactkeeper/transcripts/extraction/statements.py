"""What people say that is so, by the sentence: only what another place could deny, and nothing that they took back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.artifact import Artifact, Signals, excerpt, identity_of
from pactkeeper.intent.conversation import Entry
from pactkeeper.transcripts.extraction.sentences import sentences, unquoted
from pactkeeper.transcripts.extraction.window import Window
from pactkeeper.transcripts.statements.clauses import is_meant, is_order, takes_back
from pactkeeper.transcripts.statements.reading import read_once

_LONGEST: Final = 2000  # characters of what somebody types; longer texts are pasted
_STRENGTH: Final = 60
_SPOKEN: Final = 70
_DAY: Final = 10  # characters of a time; said again another day, it is said anew


def statements(window: Window) -> Iterator[Artifact]:
    """Every sentence of a person that gives a date, an amount, an owner, a name, a choice, or denies something."""
    kept: list[Artifact] = []
    before: list[Artifact] = []
    for entry, position, block in window.texts(by_person=True):
        if len(block.text) > _LONGEST:
            continue
        now: list[Artifact] = []
        for number, (first, last) in enumerate(sentences(block.text)):
            if takes_back(block.text[first:last]):
                (now if number else before).clear()
            elif _says(block.text[first:last]):
                now.append(_artifact(entry, position, first, last))
        kept += before
        before = now
    yield from (*kept, *before)


def _says(sentence: str) -> bool:
    meant = not is_order(sentence) and unquoted(sentence) == sentence and is_meant(sentence)
    return meant and any(one.says for one in read_once(sentence))


def _artifact(entry: Entry, position: int, first: int, last: int) -> Artifact:
    said = excerpt(entry, position, first, last)
    return Artifact(
        "statement",
        said.text[:120],
        (said,),
        Signals(_STRENGTH, _SPOKEN),
        "low",
        identity_of(f"{entry.at[:_DAY]}\n{said.text}"),
    )
