"""Whether a line that somebody worded may be the title of a fix task: it says what to mend and asks for no more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MENDS: Final = ("Fix", "Mend", "Repair", "Restore", "Correct", "Resolve")
_QUOTED: Final = re.compile(r"'([^']+)'|`([^`]+)`|\"([^\"]+)\"")
_NAME: Final = re.compile(r"[_/\\.\d<>@]|[a-z][A-Z]|::|\(\)")
# What makes something else of mending: more than there was, or less asked of it. Words in -ed tell what happened.
_ELSE: Final = re.compile(
    r"\b(?:features?|new|optional|instead|"
    r"(?:add|allow|enabl|extend|implement|improv|introduc|optimi[sz]|redesign|refactor|rewrit|support|upgrad|creat|"
    r"migrat|replac|moderni[sz]|install|document|"
    r"skip|disabl|ignor|silenc|suppress|delet|remov|drop|loosen|relax|weaken|xfail|mut|bypass|expect|adapt|updat|adjust|"
    r"accept|downgrad|pin)(?:e|es|s|ing|ping|ping|ting|ning|tion|ment)?)\b",
    re.IGNORECASE,
)


def wrong_title(line: str, told: str, *, count: int = 1) -> Iterator[str]:
    """Every reason to refuse a title for `count` errors; `told` are these errors and files as tools wrote them."""
    if not line.isprintable():
        yield f"the title {line!r} is not one plain line"
        return
    if line.split(" ", 1)[0] not in MENDS:
        yield f"the title {line!r} must begin with one of {', '.join(MENDS)}"
    plain = _QUOTED.sub(lambda found: " " if found[found.lastindex or 0] in told else found[0], line)
    for word in dict.fromkeys(found[0] for found in _ELSE.finditer(plain)):
        yield f"the title says {word!r}: a fix mends what was there; put a name of code in quotation marks"
    for name in _names(plain):
        if name not in told and name != str(count):
            yield f"the title names {name!r}, which stands in none of its errors and files"


def _names(line: str) -> Iterator[str]:
    """The words of a line that only code, paths and addresses have, or figures."""
    for word in line.split():
        name = word.strip(",;:.!?'\"`()")
        if _NAME.search(name):
            yield name
