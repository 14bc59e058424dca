"""A span of a message as what somebody said."""

from __future__ import annotations

from pactkeeper.intent.ticket import Said, ThreadMessage
from pactkeeper.speech.spans import Span, clean


def said(message: ThreadMessage, whole: Span, value: str = "") -> Said:
    """What a span says: `value`, or its own words without markup; the quote is always the span itself."""
    return Said(value or clean(whole.text), message.author, message.id, message.permalink, whole.text)
