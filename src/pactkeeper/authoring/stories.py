"""User stories as statements: `As a driver, I want to see the next stop so that …` becomes `A driver can see …`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pactkeeper.intent.reading.clauses import read
from pactkeeper.intent.reading.opposite import stated
from pactkeeper.intent.reading.tokens import stopped

_STORY = re.compile(
    r"""as\s(?P<who>(?:an?|the)\s[^,]+?),?\s
    I\s(?P<wish>want|would\slike|need|wish|can|should\sbe\sable|must\sbe\sable|am\sable|may)\s
    (?:(?P<whom>(?:the|a|an|my|our)\s(?:[\w-]+\s){1,3}?)?(?P<to>to\s))?
    (?P<what>.+?)
    (?:,?\s(?:so\sthat|in\sorder\sto|so\sI|because)\s(?P<why>.+))?""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_MY = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)


_ENSURE = re.compile(
    r"\s*(?:please\s+)?(?:ensure|verify|check|assert|test|make\s+sure)\s+(?:that\s+)?(?=\S)", re.IGNORECASE
)


def without_ensure(text: str) -> str:
    """`Ensure that the list is empty` as `the list is empty`; other text, and what would state nothing, as it is."""
    found = _ENSURE.match(text)
    rest = text[found.end() :] if found is not None else ""
    states = any(one.predicate is not None and not one.commands for one in read(rest)) if rest else False
    return rest if states else text


@dataclass(frozen=True, slots=True)
class Story:
    """A user story: `intent` says what the role can do, `why` is its reason, which no behaviour has to fulfil."""

    intent: str
    why: str


def story(text: str) -> Story | None:
    """Read a user story; None where the text is none, or names no act: `I want better reports`."""
    found = _STORY.fullmatch(" ".join(text.split()).rstrip(" .!"))
    if found is None:
        return None
    acts = found["to"] is not None or found["wish"].lower() in {"can", "may"}
    if not acts:
        return None
    what = _MY.sub("their", found["what"])
    if found["whom"] is not None:
        whom = _MY.sub("the", found["whom"]).strip()
        return Story(stated(f"{whom} must {what}"), found["why"] or "")
    return Story(stopped(f"{found['who']} can {what}"), found["why"] or "")
