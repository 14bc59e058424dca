"""Output files named by the caller: checked before work begins, and written in one place."""

from __future__ import annotations

import os
from pathlib import Path

from pactkeeper.errors import UsageError, WriteFailed


def ensure_writable(place: Path, option: str) -> None:
    """Raise UsageError, naming the option, if no file could be written there."""
    reason = _reason(place)
    if reason:
        raise UsageError(f"{option} {str(place)!r} cannot be written: {reason}")


def write_out(place: Path, text: str) -> None:
    """Write a text in UTF-8; raises WriteFailed."""
    try:
        place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WriteFailed(f"{str(place)!r} cannot be written: {error.strerror}; name another file") from error


def _reason(place: Path) -> str:
    folder = place.parent
    if place.is_dir():
        return "it is a folder; name a file in it"
    if not folder.is_dir():
        return f"there is no folder {str(folder)!r}; make it, or name another file"
    allowed = os.access(place, os.W_OK) if place.exists() else os.access(folder, os.W_OK | os.X_OK)
    return "" if allowed else "the system does not allow it; name another file"
