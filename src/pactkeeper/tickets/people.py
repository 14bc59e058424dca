"""Events of a thread as the messages that people wrote; a click on a choice says what its button says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pactkeeper.intent.thread_event import ThreadEvent
from pactkeeper.intent.ticket import Choice, ThreadMessage

# What the buttons of a conflict say; `amend` is said in a person's own words.
BUTTONS: Final[Mapping[Choice, str]] = {"keep_a": "keep the first", "keep_b": "keep the second", "both": "both"}


def messages_of(events: Sequence[ThreadEvent], *, after: int) -> tuple[ThreadMessage, ...]:
    """The messages among events, numbered on from `after`; an approval says nothing."""
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
    """What somebody said with an event; nothing where it was an approval, or placed what others said."""
    if event.kind in {"approve", "place"}:
        return ""
    text = event.text.strip()
    return next((words for choice, words in BUTTONS.items() if event.ask and text == choice), text)
