"""What people say that is so, by the sentence: only what has a value or is denied, so that another place can differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from pactkeeper.intent.conversation import Artifact, ConversationEntry, Signals, excerpt, identity_of
from pactkeeper.speech.meant import begins, is_denied, is_meant, refuses
from pactkeeper.speech.words import statement
from pactkeeper.transcripts.extraction.products import TODO
from pactkeeper.transcripts.extraction.sentences import LONGEST_TYPED, sentences, unquoted
from pactkeeper.transcripts.extraction.window import Window

REFUSES: Final = "refuses"  # the fact of a statement that names the plan by its fingerprint
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


def refusals(window: Window, found: Iterable[Artifact]) -> Iterator[Artifact]:
    """What a person says against a plan of the agent's in the next message; a yes with a remark refuses nothing."""
    entries = {entry.uuid: entry for entry in window.entries}
    for plan in found:
        asked = entries[plan.excerpts[-1].entry]
        if plan.type != "plan" or asked.by_person or plan.facts.get("form") == TODO or plan.facts.get("accepted"):
            continue
        entry = window.answer(asked)
        said = None if entry is None else next(_denials(entry), None)
        if entry is not None and said is not None:
            refusal = _statement(entry, *said)
            identity = identity_of(f"{plan.fingerprint}\n{refusal.identity}")
            yield replace(refusal, identity=identity, facts={REFUSES: plan.fingerprint})


def _denials(entry: ConversationEntry) -> Iterator[tuple[int, int, int]]:
    """The sentences of a message that deny something: block, first and last character."""
    for position, block in enumerate(entry.blocks):
        is_typed = block.kind == "text" and len(block.text) <= LONGEST_TYPED
        if is_typed and not begins("agrees", block.text):
            for first, last in sentences(block.text):
                if refuses(unquoted(block.text[first:last])):
                    yield position, first, last


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
