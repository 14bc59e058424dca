"""All rules over one window, and what every artifact gets besides: where it belongs, what it names, a summary."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Final

from pactkeeper.intent.artifact import PERSISTENCES, Artifact, Excerpt, content
from pactkeeper.intent.conversation import ConversationEntry
from pactkeeper.transcripts.extraction.calls import board_calls
from pactkeeper.transcripts.extraction.commitments import commitment_updates
from pactkeeper.transcripts.extraction.decisions import decisions
from pactkeeper.transcripts.extraction.events import events
from pactkeeper.transcripts.extraction.mistakes import error_patterns
from pactkeeper.transcripts.extraction.persisted import Writing, with_persistence, writings
from pactkeeper.transcripts.extraction.products import products
from pactkeeper.transcripts.extraction.statements import statements
from pactkeeper.transcripts.extraction.window import Window

Rule = Callable[[Window], Iterator[Artifact]]
RULES: Final[tuple[Rule, ...]] = (
    products,
    decisions,
    commitment_updates,
    error_patterns,
    events,
    board_calls,
    statements,
)
_NAMES: Final = re.compile(
    r"`([^`\n]{2,60})`|\*\*([^*\n]{2,60}?):?\*\*|(?<!\w)([A-Z][A-Z0-9]+-\d+|#\d+)\b|(https?://[^\s)>\]]+)"
)
MOST_NAMES: Final = 20
SUMMARY: Final = 200


def extract(
    context: tuple[ConversationEntry, ...],
    entries: tuple[ConversationEntry, ...],
    *,
    fresh: Collection[str],
    earlier: Callable[[], Iterable[Artifact]] = tuple,
) -> tuple[Artifact, ...]:
    """Everything that ends in one of the fresh entries, in the conversation's order, each once.

    `context` are entries that the new ones may refer to. Of the `earlier` artifacts, which are asked for only where the
    fresh entries write something, those come again that were now written down. Text of a transcript is looked at and
    never obeyed.
    """
    window = Window.of((*context, *entries))
    written = writings(window)
    by_uuid: Mapping[str, ConversationEntry] = {entry.uuid: entry for entry in window.entries}
    found = _once([one for rule in RULES for one in rule(window)], fresh)
    again = _written_now(written, earlier, fresh)
    complete = (described(one, by_uuid[one.excerpts[-1].entry]) for one in _in_order(found, window))
    return (*again, *(with_persistence(one, written) for one in complete))


def _once(found: list[Artifact], fresh: Collection[str]) -> list[Artifact]:
    """Those that end in a fresh entry, without statements that another artifact holds."""
    taken = [
        (part.entry, part.block, part.first, part.last)
        for one in found
        if one.type != "statement"
        for part in one.excerpts
    ]
    return [
        one
        for one in found
        if one.excerpts[-1].entry in fresh and not (one.type == "statement" and _within(one.excerpts[0], taken))
    ]


def _within(part: Excerpt, taken: Iterable[tuple[str, int, int, int]]) -> bool:
    return any(
        (part.entry, part.block) == (entry, block) and first <= part.first and part.last <= last
        for entry, block, first, last in taken
    )


def _in_order(found: Iterable[Artifact], window: Window) -> list[Artifact]:
    order = {entry.uuid: position for position, entry in enumerate(window.entries)}
    unique = {one.fingerprint: one for one in reversed(list(found))}
    return sorted(unique.values(), key=lambda one: (order[one.excerpts[-1].entry], one.excerpts[-1].first, one.type))


def _written_now(
    written: tuple[Writing, ...], earlier: Callable[[], Iterable[Artifact]], fresh: Collection[str]
) -> Iterator[Artifact]:
    new = [one for one in written if one.call.result_entry is not None and one.call.result_entry.uuid in fresh]
    for one in earlier() if new else ():
        judged = with_persistence(one, new)
        if PERSISTENCES.index(judged.persistence) > PERSISTENCES.index(one.persistence):
            yield judged


def described(one: Artifact, entry: ConversationEntry) -> Artifact:
    """The artifact with its domain, what it names and a summary, by the entry in which it ends."""
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
