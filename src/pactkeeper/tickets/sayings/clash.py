"""Whether two sayings cannot both hold by what they claim, in whatever words they claim it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pactkeeper.tickets.sayings.claims import Claim, deny
from pactkeeper.tickets.sayings.dates import dates
from pactkeeper.tickets.sayings.deeds import deed_of, deeds_apart
from pactkeeper.tickets.sayings.keys import keyed
from pactkeeper.tickets.sayings.numbers import numbers
from pactkeeper.tickets.sayings.places import days_apart, places, weekdays
from pactkeeper.tickets.sayings.poles import poles
from pactkeeper.tickets.sayings.topic import Topic, topic_of
from pactkeeper.tickets.sayings.words import words_of

_KINDS = (numbers, keyed, dates, poles, places, weekdays)


def lookups(saying: str) -> Iterator[frozenset[str]]:
    """Sets of stems, one of which is in every saying that may clash with this one."""
    topic = topic_of(saying)
    deed = deed_of(topic)
    if deed is not None:
        yield deed.who
        if deed.acts:  # two deeds of others than the same are apart only where both are done
            yield deed.what
    for claim in claims_of(topic):
        yield claim.about or claim.whole
        yield claim.whole


def clash(one: str, other: str) -> bool:
    """Whether two sayings claim of one thing what it cannot both be, or deny somebody a deed that the other allows."""
    ours, theirs = topic_of(one), topic_of(other)
    if not (ours.condition <= theirs.condition or theirs.condition <= ours.condition):
        return False
    if words_of(one).amounts == words_of(other).amounts:
        mine, another = deed_of(ours), deed_of(theirs)
        if mine is not None and another is not None and deeds_apart(mine, another):
            return True
    return any(_apart(a, b) for a in claims_of(ours) for b in claims_of(theirs) if a.aspect == b.aspect)


@lru_cache(maxsize=4096)
def claims_of(topic: Topic) -> tuple[Claim, ...]:
    """All claims of a saying."""
    return tuple(_claims(topic))


def _claims(topic: Topic) -> Iterator[Claim]:
    for kind in _KINDS:
        yield from kind(topic)


def _apart(one: Claim, other: Claim) -> bool:
    return _of_one_thing(one, other) and (
        days_apart(str(one.says), str(other.says)) if one.aspect == "weekday" else deny(one, other)
    )


def _of_one_thing(one: Claim, other: Claim) -> bool:
    """Whether two claims are about one thing: it is the same, in circumstances of which one goes beyond the other.

    With other things before the verb, all words besides the claims have to be the same.
    """
    if one.about == other.about and one.about:
        return one.whole <= other.whole or other.whole <= one.whole
    return bool(one.whole) and one.whole == other.whole
