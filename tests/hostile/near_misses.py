"""Texts that almost match a pattern: something that its repeats take, over and over, and then what none of them takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from re import _constants as op  # type: ignore[attr-defined]

from tests.hostile.backtracking import REPEATS, SINGLE, Node, Parsed, fits, parts, walk

_PLAIN = tuple(" \t\na1A_-.,;:/'\"`*#<>()[]{}|\\=@!?+&%$~^é–🎉²\x00")
_MANY = 40  # a repeat that may go on for longer is one that a text can feed
_SAMPLES = 2
_MOST_PUMPS = 8
_MOST_STARTS = 4


@dataclass(frozen=True)
class Shape:
    """A near miss of any length: `start`, then `pump` again and again, then `stop`."""

    start: str
    pump: str
    stop: str

    def text(self, times: int) -> str:
        return self.start + self.pump * times + self.stop


def shapes(parsed: Parsed) -> Iterator[Shape]:
    """Near misses of a pattern; none where nothing in it repeats."""
    random = Random(1)  # noqa: S311 - the same texts every time
    alphabet = _alphabet(parsed)
    loops = [node for node in walk(parsed.tree) if _repeats(node)]
    if not loops:
        return
    pumps: dict[str, None] = {}
    for node in loops:
        body = tuple(node[1][2])
        pumps |= dict.fromkeys(_sample(body, parsed.flags, alphabet, random) for _ in range(_SAMPLES))
        first = next((one for one in walk(body) if one[0] in SINGLE), None)
        if first is not None:
            pumps |= dict.fromkeys([one for one in alphabet if fits(first, one, parsed.flags)][:3])
    starts = dict.fromkeys(("", *_ways_in(parsed.tree, parsed.flags, alphabet, random)))
    # What leads to a repeat, over and over: every one of them is a place where a match begins, and none ends.
    pumps = dict.fromkeys((*list(pumps)[:_MOST_PUMPS], *list(starts)[:_MOST_STARTS]))
    pumps.pop("", None)
    for start, pump in product(list(starts)[:_MOST_STARTS], list(pumps)):
        yield Shape(start, pump, "\x00")


def _repeats(node: Node) -> bool:
    return node[0] in REPEATS and (node[1][1] is op.MAXREPEAT or node[1][1] > _MANY)


def _alphabet(parsed: Parsed) -> tuple[str, ...]:
    """Characters that tell the pattern's parts apart, its own literals first."""
    own = [chr(node[1]) for node in walk(parsed.tree) if node[0] in {op.LITERAL, op.NOT_LITERAL}]
    for node in walk(parsed.tree):
        if node[0] is op.IN:
            own += [chr(one[1]) for one in node[1] if one[0] is op.LITERAL]
            own += [chr(one[1][0]) for one in node[1] if one[0] is op.RANGE]
    return tuple(dict.fromkeys((*_PLAIN, *own)))


def _ways_in(nodes: Sequence[Node], flags: int, alphabet: Sequence[str], random: Random) -> Iterator[str]:
    """Texts that lead to each repeat: what the nodes before it take."""
    before = ""
    for node in nodes:
        if _repeats(node):
            yield before
        for inner in parts(node):
            for way in _ways_in(tuple(inner), flags, alphabet, random):
                yield before + way
        before += _sample((node,), flags, alphabet, random)


def _sample(nodes: Sequence[Node], flags: int, alphabet: Sequence[str], random: Random) -> str:
    """A text that the nodes take, as far as looking neither ahead nor back can tell."""
    return "".join(_sample_of(node, flags, alphabet, random) for node in nodes)


def _sample_of(node: Node, flags: int, alphabet: Sequence[str], random: Random) -> str:
    kind, value = node
    if kind is op.LITERAL:
        return chr(value)
    if kind in SINGLE:
        return random.choice([one for one in alphabet if fits(node, one, flags)] or [""])
    if kind is op.BRANCH:
        return _sample(tuple(random.choice(value[1])), flags, alphabet, random)
    if kind is op.SUBPATTERN:
        return _sample(tuple(value[3]), flags, alphabet, random)
    if kind in REPEATS:
        least, most, inner = value
        times = max(least, random.choice((0, 1, 1)) if most else 0)
        return "".join(_sample(tuple(inner), flags, alphabet, random) for _ in range(min(times, 5)))
    if kind is op.ATOMIC_GROUP:
        return _sample(tuple(value), flags, alphabet, random)
    return ""
