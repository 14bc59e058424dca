"""What stands under a heading: criteria, what is expected, or what says nothing about what shall hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

SectionKind = Literal["criteria", "ignored", "other"]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what its text is; `why` says why an ignored one is ignored.

    `inherited` means that only a heading above says so: then items count, and paragraphs are introductions.
    """

    kind: SectionKind = "other"
    title: str = ""
    level: int = 0
    why: str = ""
    inherited: bool = False


_CRITERIA = re.compile(
    r"\b(?:acceptance\s+(?:criteri(?:a|on)|tests?)|criteria|requirements?|(?:desired|expected|target)\s+(?:behaviou?rs?|results?|outcomes?)"
    r"|business\s+rules?|rules|conditions\s+of\s+satisfaction|scenarios?|must\s+haves?|functional\s+requirements)\b",
    re.IGNORECASE,
)
_IGNORED: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"\b(?:steps\s+to\s+reproduce|how\s+to\s+reproduce|reproduction|to\s+reproduce)\b", re.IGNORECASE),
        "says how to see a fault",
    ),
    (
        re.compile(
            r"\b(?:actual|current|observed)\s+(?:behaviou?r|results?|state|situation)\b|\bas[- ]is\b", re.IGNORECASE
        ),
        "says what happens today, not what shall hold",
    ),
    (
        re.compile(r"\b(?:out\s+of\s+scope|non-?goals?|not\s+in\s+scope|won'?t\s+do|later|future)\b", re.IGNORECASE),
        "is out of scope",
    ),
    (
        re.compile(
            r"\b(?:environment|versions?|system\s+info|logs?|stack\s*trace|screenshots?|links?|references?|related)\b",
            re.IGNORECASE,
        ),
        "is background",
    ),
    (
        re.compile(
            r"\b(?:tasks?|to-?dos?|checklist|implementation|technical\s+notes?|definition\s+of\s+done|open\s+questions?)\b",
            re.IGNORECASE,
        ),
        "is about the work, not about what holds",
    ),
)


def section(title: str, level: int) -> Section:
    """Tell what stands under a heading."""
    if _CRITERIA.search(title):
        return Section("criteria", title, level)
    for pattern, why in _IGNORED:
        if pattern.search(title):
            return Section("ignored", title, level, f"stands under {title!r}: {why}")
    return Section("other", title, level)


def is_criteria(title: str) -> bool:
    """Whether a line such as `Acceptance criteria:` announces criteria."""
    return len(title.split()) <= _TITLE and title.rstrip().endswith(":") and _CRITERIA.search(title) is not None


_TITLE = 5
