"""Text of a repository within Markdown of a forge: quoted as code, where nothing mentions, links or renders."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 160
_RUNS: Final = re.compile(r"`+")
_PLAIN: Final = re.compile(r"[A-Za-z0-9 ,.;'’()-]*")


def words(text: str) -> str:
    """The text as it is where it is nothing but plain words, else as code."""
    harmless = _PLAIN.fullmatch(text) is not None and "www." not in text.casefold()
    return text if harmless and len(text) <= LONGEST and text.strip() else code(text)


def code(text: str) -> str:
    """A span of code that its content cannot leave, on one line, cut where it is long."""
    shown = _fitted(visible(text))
    fence = "`" * (_longest_run(shown) + 1)
    padding = " " if shown[:1] in {"`", " "} or shown[-1:] in {"`", " "} else ""
    return f"{fence}{padding}{shown}{padding}{fence}" if shown.strip() else "` `"


def block(lines: tuple[str, ...]) -> str:
    """A block of code with these lines, which they cannot end."""
    shown = [visible(line) for line in lines]
    fence = "`" * max(3, _longest_run("\n".join(shown)) + 1)
    return "\n".join((fence, *shown, fence))


def visible(text: str) -> str:
    """The text with every character that hides, moves or breaks a line written as an escape."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _fitted(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUNS.findall(text)), default=0)
