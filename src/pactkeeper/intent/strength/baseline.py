"""How strong a test was when it was recorded as debt: one short mark, enough to tell that it asserts less now."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from pactkeeper.intent.strength.change import Change
from pactkeeper.intent.strength.facts import Strength
from pactkeeper.intent.strength.order import rank

_ASLEEP, _HOLLOW, _CALLS, _UNREAD = "asleep", "hollow", "calls", "unread"
_MARK: Final = re.compile(r"asleep|hollow|calls|unread|[1-9]x\d{1,6}(?:\.[1-9]x\d{1,6}){0,8}")
_FIRM: Final = 5  # the least rank of an assertion that pins a value down


def baseline(strength: Strength) -> str:
    """`9x2.5x1`: two assertions of rank 9 and one of rank 5; or a word for a test that makes none."""
    if not strength.runs:
        return _ASLEEP
    if strength.unread:
        return _UNREAD
    ranks = Counter(max(rank(fact.claim), 1) for fact in strength.facts)
    if not ranks:
        return _CALLS if strength.acts else _HOLLOW
    return ".".join(f"{one}x{ranks[one]}" for one in sorted(ranks, reverse=True))


def since_baseline(mark: str, now: Strength, *, test: str) -> tuple[Change, ...]:
    """What got weaker since the mark was made; empty where nothing did, or where that cannot be told."""
    present = baseline(now)
    if mark == present or _UNREAD in {mark, present} or mark in {_ASLEEP, _HOLLOW} or _MARK.fullmatch(mark) is None:
        return ()
    if present == _ASLEEP:
        return (Change("skipped", test, "it does not run any more", _words(mark), "skipped"),)
    if present == _HOLLOW or (present == _CALLS and mark != _CALLS):
        return (Change("hollow", test, "no assertion is left in it", _words(mark), _words(present)),)
    if any(_at_least(present, firm) < _at_least(mark, firm) for firm in range(1, 10)):
        return (Change("loosened", test, "it asserts less", _words(mark), _words(present), severity="warning"),)
    return ()


def _ranks(mark: str) -> dict[int, int]:
    pairs = (part.split("x") for part in mark.split(".")) if "x" in mark else ()
    return {int(one): int(times) for one, times in pairs}


def _at_least(mark: str, firm: int) -> int:
    return sum(times for one, times in _ranks(mark).items() if one >= firm)


def _words(mark: str) -> str:
    if mark in {_CALLS, _HOLLOW}:
        return "calls without an assertion" if mark == _CALLS else "nothing"
    every, firm = _at_least(mark, 1), _at_least(mark, _FIRM)
    return f"{every} {'assertion' if every == 1 else 'assertions'}, {firm} of a value"
