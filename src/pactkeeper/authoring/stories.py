"""User stories as statements: `As a driver, I want to see the next stop so that …` becomes `A driver can see …`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pactkeeper.intent.reading.tokens import stopped

_STORY = re.compile(
    r"""\s*as\s+(?P<who>(?:an?|the)\s+[^,]+?)\s*,?\s+
    I\s+(?P<wish>want|would\s+like|need|wish|can|should\s+be\s+able|must\s+be\s+able|am\s+able|may)\s+(?P<to>to\s+)?
    (?P<what>.+?)
    (?:\s*,?\s+(?:so\s+that|in\s+order\s+to|so\s+I|because)\s+(?P<why>.+?))?
    [\s.!]*""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_MY = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Story:
    """A user story: `intent` says what the role can do, `why` is its reason, which no behaviour has to fulfil."""

    intent: str
    why: str


def story(text: str) -> Story | None:
    """Read a user story; None where the text is none, or names no act: `I want better reports`."""
    found = _STORY.fullmatch(" ".join(text.split()))
    if found is None:
        return None
    acts = found["to"] is not None or found["wish"].lower() in {"can", "may"}
    if not acts:
        return None
    what = _MY.sub("their", found["what"])
    return Story(stopped(f"{found['who']} can {what}"), found["why"] or "")
