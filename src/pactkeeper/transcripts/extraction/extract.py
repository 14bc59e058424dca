"""All rules over one window, and what every artifact gets besides: where it belongs, what it names, a summary."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Final

from pactkeeper.intent.artifact import Artifact, content
from pactkeeper.intent.conversation import Entry
from pactkeeper.transcripts.extraction.calls import board_calls
from pactkeeper.transcripts.extraction.commitments import commitment_updates
from pactkeeper.transcripts.extraction.decisions import decisions
from pactkeeper.transcripts.extraction.events import events
from pactkeeper.transcripts.extraction.mistakes import error_patterns
from pactkeeper.transcripts.extraction.persisted import with_persistence
from pactkeeper.transcripts.extraction.products import products
from pactkeeper.transcripts.extraction.window import Window

Rule = Callable[[Window], Iterator[Artifact]]
RULES: Final[tuple[Rule, ...]] = (products, decisions, commitment_updates, error_patterns, events, board_calls)
_NAMES: Final = re.compile(
    r"`([^`\n]{2,60})`|\*\*([^*\n]{2,60}?):?\*\*|(?<!\w)([A-Z][A-Z0-9]+-\d+|#\d+)\b|(https?://[^\s)>\]]+)"
)
MOST_NAMES: Final = 20
SUMMARY: Final = 200


def extract(context: tuple[Entry, ...], entries: tuple[Entry, ...], *, fresh: Collection[str]) -> tuple[Artifact, ...]:
    """Everything that ends in one of the fresh entries, in the conversation's order, each once.

    `context` are earlier entries that the new ones may refer to. Text of a transcript is looked at and never obeyed.
    """
    window = Window.of((*context, *entries))
    order = {entry.uuid: position for position, entry in enumerate(window.entries)}
    found = [one for rule in RULES for one in rule(window)]
    judged = with_persistence(window, (one for one in found if one.excerpts[-1].entry in fresh))
    unique = {one.fingerprint: one for one in reversed(judged)}
    inner = sorted(unique.values(), key=lambda one: (order[one.excerpts[-1].entry], one.excerpts[-1].first, one.type))
    by_uuid: Mapping[str, Entry] = {entry.uuid: entry for entry in window.entries}
    return tuple(_described(one, by_uuid[one.excerpts[-1].entry]) for one in inner)


def _described(one: Artifact, entry: Entry) -> Artifact:
    text = content(one)
    return replace(one, domain=PurePath(entry.cwd).name, entities=_named(text), summary=_summary(one, text))


def _named(text: str) -> tuple[str, ...]:
    """What a text names in code, in bold, by number or by address."""
    found = (next(name for name in one.groups() if name).strip() for one in _NAMES.finditer(text))
    return tuple(dict.fromkeys(found))[:MOST_NAMES]


def _summary(one: Artifact, text: str) -> str:
    """The first line of prose besides the title, as it stands."""
    lines = (line.strip() for line in text.splitlines())
    return next((line[:SUMMARY] for line in lines if line and line.strip("#* :") != one.title.strip("#* :")), "")
