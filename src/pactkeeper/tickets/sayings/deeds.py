"""Who may do what: "only admins can delete a project", "members can delete one, too", "outside counsel can never"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pactkeeper.tickets.sayings.topic import Topic, named
from pactkeeper.tickets.sayings.words import negates

_ONLY: Final = re.compile(r"(?:only|just|nobody but|no one but|nur|seule?s?|solo|sólo)\s+", re.IGNORECASE)
_MAY: Final = re.compile(
    r"\b(?:can|may|could|must|should|shall|will|are|is|be|able|allowed|permitted|to|get|gets|able|also|too"
    r"|as well)\b",
    re.IGNORECASE,
)
_WHOLLY: Final = re.compile(r"\b(?:never|always|any|all|every|at all|ever)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Deed:
    """Who does what; `alone` where nobody else may, `denied` where they may not, `wholly` where without exception."""

    who: frozenset[str]
    what: frozenset[str]
    alone: bool
    denied: bool
    wholly: bool
    acts: bool


def deed_of(topic: Topic) -> Deed | None:
    """The deed of a saying; None where rules cannot tell who does what."""
    if topic.verb >= len(topic.text):
        return None
    subject, rest = topic.text[: topic.verb], topic.text[topic.verb : topic.closing]
    only = _ONLY.match(subject)
    who = named(subject[only.end() :] if only else subject)
    what = named(_MAY.sub(" ", rest))
    if not who or not what:
        return None
    wholly = _WHOLLY.search(rest) is not None
    return Deed(who, what, only is not None, negates(rest), wholly, topic.acts)


def deeds_apart(one: Deed, other: Deed) -> bool:
    """Whether one keeps a deed for some and the other lets others do it, or one denies what the other lets the same do.

    A denial with an exception is none: the wider of the two has to be the denial, or to hold without exception.
    """
    if one.alone != other.alone:
        allowed = other if one.alone else one
        return one.what == other.what and one.acts and other.acts and not (allowed.denied or one.who & other.who)
    if one.denied == other.denied or one.who != other.who or one.alone:
        return False
    denial, leave = (one, other) if one.denied else (other, one)
    if denial.what == leave.what:
        return True
    return denial.what < leave.what or (leave.wholly and leave.what < denial.what)
