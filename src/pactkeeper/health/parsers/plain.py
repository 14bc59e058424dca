"""Output that no parser knows: its last lines."""

from __future__ import annotations

from itertools import islice
from typing import Final

from pactkeeper.health.parsers.seen import Found, Raw, View

LAST: Final = 20  # lines with something in them


def read(view: View) -> Found:
    """One diagnostic with the last `LAST` lines."""
    full = (line.rstrip() for line in reversed(view.lines) if line.strip())
    lines = list(islice(full, LAST))[::-1]
    return Found([Raw("\n".join(lines) or "it printed nothing")])
