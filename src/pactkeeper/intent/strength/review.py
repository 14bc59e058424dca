"""What a test proves now against what it proved when a person reviewed its link."""

from __future__ import annotations

from pactkeeper.intent.claims import Claim, Name
from pactkeeper.intent.strength.change import Change, Paired
from pactkeeper.intent.strength.codec import read, written
from pactkeeper.intent.strength.compare import changes
from pactkeeper.intent.strength.facts import Fact, Skipped, Strength

_SKIPPED = "!skipped"
_RUNS = Fact(Claim("completes", Name("test")))  # all that is left of a test that only calls


def reviewed(strength: Strength) -> tuple[str, ...]:
    """What a review remembers of a test, as lines."""
    lines = written(_facts(strength))
    return lines if strength.runs else (_SKIPPED, *lines)


def _facts(strength: Strength) -> tuple[Fact, ...]:
    return strength.facts or ((_RUNS,) if strength.acts else ())


def since_review(lines: tuple[str, ...], now: Strength, *, test: str) -> tuple[Change, ...]:
    """What got weaker, or became something else, since these lines were written; empty where nothing did."""
    present = reviewed(now)
    if present == lines:
        return ()
    old, new = _remembered(lines), _remembered(present)
    if old is None or new is None:
        message = "its assertions are not those that were reviewed, and there are too many to compare"
        return (Change("changed", test, message, severity="warning"),)
    found = changes([Paired(test, test, old, _with_skips(new, now))])
    return tuple(one for one in found if one.severity != "note")


def _remembered(lines: tuple[str, ...]) -> Strength | None:
    skipped = lines[:1] == (_SKIPPED,)
    facts = read(lines[1:] if skipped else lines)
    if facts is None:
        return None
    return Strength(facts=facts, skips=(Skipped("skip", always=True),) if skipped else ())


def _with_skips(new: Strength, now: Strength) -> Strength:
    return Strength(facts=new.facts, skips=now.skips, dead=now.dead, mocks=now.mocks)
