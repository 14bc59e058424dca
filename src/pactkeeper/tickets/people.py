"""The messages that people wrote in a thread's events; a click on a choice counts as the text of its button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pactkeeper.intent.thread_event import ThreadEvent
from pactkeeper.intent.ticket import Choice, ThreadMessage

# The button texts of a conflict; for `amend` a person writes their own words.
BUTTONS: Final[Mapping[Choice, str]] = {"keep_a": "keep the first", "keep_b": "keep the second", "both": "both"}


def messages_of(events: Sequence[ThreadEvent], *, after: int) -> tuple[ThreadMessage, ...]:
    """The messages among events, numbered from `after` + 1; approvals and placings aren't messages."""
    return tuple(_message(one, number) for number, one in enumerate((one for one in events if text_of(one)), after + 1))


def _message(event: ThreadEvent, number: int) -> ThreadMessage:
    addressed = event.kind == "answer" or bool(event.ask)
    return ThreadMessage(
        event.id,
        event.thread,
        event.author,
        event.at,
        text_of(event),
        event.permalink,
        sequence=number,
        bot=event.bot or event.author.endswith("[bot]"),
        addressed=addressed,
    )


def text_of(event: ThreadEvent) -> str:
    """What somebody said with an event; empty for an approval or a placing."""
    if event.kind in {"approve", "place"}:
        return ""
    text = event.text.strip()
    return next((words for choice, words in BUTTONS.items() if event.ask and text == choice), text)
