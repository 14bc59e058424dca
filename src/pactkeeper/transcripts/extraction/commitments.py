"""What people say of their tasks: done, moved to another date, or new. An agent's own claims do not count."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.artifact import Artifact, Change, CommitmentUpdate, Signals, excerpt, identity_of
from pactkeeper.intent.conversation import ConversationEntry
from pactkeeper.speech.meant import begins, has_word, is_denied, is_meant
from pactkeeper.speech.words import statement
from pactkeeper.transcripts.extraction.sentences import LONGEST_TYPED, sentences, unquoted
from pactkeeper.transcripts.extraction.window import Window

_CLAUSE: Final = re.compile(r"[,;]\s++|(?<!\s)\s++(?:but|and|aber|und|mais|et|pero|y)\s++")
_COLON: Final = re.compile(r"(?<!\s)\s*+:\s*+(?=\S)")
_STRENGTH: Final[dict[Change, int]] = {"completion": 80, "reschedule": 85, "new": 85}
_SPOKEN: Final = 70  # a person said so in words; no tool did it
_DAY: Final = 10  # characters of a time; said again another day, it is said anew


def commitment_updates(window: Window) -> Iterator[Artifact]:
    """Every clause in which a person says where a task stands; questions, conditions, denials and quotations do not."""
    for entry, position, block in window.texts(by_person=True):
        if len(block.text) <= LONGEST_TYPED:
            for first, last in sentences(block.text):
                for start, end in _clauses(block.text, first, last):
                    change = _change(block.text[start:end])
                    if change is not None:
                        yield _artifact(entry, position, (start, end), change)


def _clauses(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """A sentence, or the parts of one that denies something: what is denied of one task says nothing of another."""
    at = first
    for cut in _CLAUSE.finditer(text, first, last) if is_denied(text[first:last]) else ():
        yield at, cut.start()
        at = cut.end()
    yield at, last


def _change(clause: str) -> Change | None:
    if unquoted(clause) != clause:
        return None
    label = begins("entries", clause)
    if label is not None and _COLON.match(clause, label.end()):
        return "new"
    if not is_meant(clause) or is_denied(clause) or has_word("scopes", clause):
        return None
    if has_word("moved", clause) and statement(clause).dates:
        return "reschedule"
    return "completion" if has_word("done", clause) and len(statement(clause).stems) > 1 else None


def _target(clause: str, change: Change) -> str:
    return _COLON.split(clause, maxsplit=1)[1].strip() if change == "new" else clause


def _artifact(entry: ConversationEntry, position: int, span: tuple[int, int], change: Change) -> Artifact:
    said = excerpt(entry, position, *span)
    return Artifact(
        "commitment_update",
        f"{change}: {said.text}"[:200],
        (said,),
        Signals(_STRENGTH[change], _SPOKEN),
        "medium",
        identity_of(f"{entry.at[:_DAY]}\n{said.text}"),
        update=CommitmentUpdate(_target(said.text, change), change),
    )
