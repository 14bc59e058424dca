"""Output that no parser knows: its last lines."""

from __future__ import annotations

from itertools import islice
from typing import Final

from pactkeeper.health.parsers.seen import Found, Raw, View
from pactkeeper.intent.health import UNREAD

LAST: Final = 20  # lines with something in them


def read(_: View) -> Found:
    """Nothing: only the exit code says whether it failed."""
    return Found()


def last_lines(view: View) -> Raw:
    """What failed without a word that a parser understands: the last `LAST` lines."""
    full = (line.rstrip() for line in reversed(view.lines) if line.strip())
    lines = list(islice(full, LAST))[::-1]
    return Raw("\n".join(lines) or "it printed nothing", rule=UNREAD)
