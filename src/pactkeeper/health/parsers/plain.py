"""Output that no parser knows: its last lines."""

from __future__ import annotations

import re
from typing import Final

from pactkeeper.health.parsers.seen import Found, Raw, ReadableOutput
from pactkeeper.intent.health import UNREAD

FIRST: Final = 5  # lines above the last ones
LAST: Final = 20  # lines with something in them
MOST_FILES: Final = 5
_LOOK: Final = 500  # characters of a line
_WRONG: Final = re.compile(r"\b(?:error|ERR!|fatal|failed|missing|cannot|invalid)\b", re.IGNORECASE)
# What a linker or its driver says, by the name of the program: `/usr/bin/ld: …`, `collect2: …`, `rust-lld: …`.
_LINKER: Final = re.compile(r"(?:\S*[/\\-])?(?:ld(?:\.\w{1,8})?|lld|collect2|LINK)(?:\.exe)? ?: ")
_PATH: Final = re.compile(r"[\w@+./\\-]++")


def read(_: ReadableOutput) -> Found:
    """Nothing: only the exit code says whether it failed."""
    return Found()


def last_lines(view: ReadableOutput) -> Raw:
    """What failed without a word that a parser understands: the last `LAST` lines, below earlier ones that say error.

    Package managers end with advice and usage, and the cause stands above. Files of the project that the lines name are
    related.
    """
    full = [line.rstrip() for line in view.lines if line.strip()]
    first = [line for line in full[:-LAST] if _WRONG.search(line[:_LOOK])][:FIRST]
    lines = [*first, *full[-LAST:]]
    named = (view.places.listed(word) for line in lines for word in _PATH.findall(line[:_LOOK]))
    related = tuple(dict.fromkeys(filter(None, named)))[:MOST_FILES]
    linked = any(_LINKER.match(line[:_LOOK]) for line in lines)
    return Raw("\n".join(lines) or "it printed nothing", rule=UNREAD, related=related, compiled=linked)
