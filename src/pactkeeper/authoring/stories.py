"""User stories and wishes: which sentences are one, and what introduces a statement."""

from __future__ import annotations

import re

_STORY = re.compile(
    r"""as\s(?P<who>(?:an?|the)\s[^,]+?),?\s
    I\s(?P<wish>want|would\slike|need|wish|can|should\sbe\sable|must\sbe\sable|am\sable|may)\s
    (?:(?P<whom>(?:the|a|an|my|our)\s(?:[\w-]+\s){1,3}?)?(?P<to>to\s))?
    (?P<what>.+?)
    (?:,?\s(?:so\sthat|in\sorder\sto|so\sI|because)\s(?P<why>.+))?""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_ENSURE = re.compile(r"\s*(?:please\s+)?(?:ensure|verify|check|assert|test|make\s+sure)\s+that\s+(?=\S)", re.IGNORECASE)


def without_ensure(text: str) -> str:
    """`Ensure that the list is empty` as `the list is empty`; other text as it is."""
    found = _ENSURE.match(text)
    return text[found.end() :] if found is not None else text


def is_story(text: str) -> bool:
    """Whether a text is a user story that names an act, and no mere wish: `I want better reports`."""
    found = _STORY.fullmatch(" ".join(text.split()).rstrip(" .!"))
    return found is not None and (found["to"] is not None or found["wish"].lower() in {"can", "may"})
