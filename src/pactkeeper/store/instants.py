"""Times that are compared inside the database."""

from __future__ import annotations

from datetime import UTC, datetime

from pactkeeper.errors import InputError


def instant(text: str) -> str:
    """An ISO 8601 time with offset, in UTC and with microseconds: these texts sort as the times do.

    Raises InputError for any other text.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{text!r} is no ISO 8601 time ({error})") from error
    if found.tzinfo is None:
        raise InputError(f"the time {text!r} has no offset; write it like 2026-01-31T12:00:00+00:00")
    return found.astimezone(UTC).isoformat(timespec="microseconds")
