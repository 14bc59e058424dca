"""What Python's regular expression engine does to decide a match, counted in steps: the same backtracking, slowly.

A step is one look at a character. The engine's own shortcuts only save steps, so a count that grows no faster than the
text means that the engine takes no longer either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

Then = Callable[[int], bool]
Node = tuple[Any, Any]

_CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}
_FEW = 3  # how many more than the least a bounded repeat may take here: its bound is a constant, however large


class TooMany(Exception):
    """The budget of steps is used up."""


@dataclass(frozen=True)
class Parsed:
    """A pattern as a tree, with the flags that hold in it."""

    tree: tuple[Node, ...]
    flags: int

    @classmethod
    def of(cls, pattern: re.Pattern[Any]) -> Parsed:
        """Parse a compiled pattern again."""
        text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
        flags = pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
        if isinstance(pattern.pattern, bytes):
            flags |= re.ASCII
        return cls(tuple(_parser.parse(text, flags & ~re.DEBUG)), flags)


def fits(node: Node, character: str, flags: int) -> bool:
    """Whether a node that stands for one character takes this one."""
    return _fits(*_frozen(node), character, flags & (re.IGNORECASE | re.DOTALL | re.ASCII))


def _frozen(node: Node) -> tuple[Any, Any]:
    kind, value = node
    return kind, tuple(value) if isinstance(value, list) else value


@cache
def _fits(kind: Any, value: Any, character: str, flags: int) -> bool:
    if kind is op.ANY:
        return bool(flags & re.DOTALL) or character != "\n"
    cases = (
        {one for one in (character, character.lower(), character.upper()) if len(one) == 1}
        if flags & re.IGNORECASE
        else {character}
    )
    if kind is op.LITERAL:
        return any(chr(value) == one for one in cases)
    if kind is op.NOT_LITERAL:
        return all(chr(value) != one for one in cases)
    negated = bool(value) and value[0][0] is op.NEGATE
    return any(_among(part, one, flags) for part in value for one in cases) is not negated


def _among(part: Node, character: str, flags: int) -> bool:
    kind, value = part
    if kind is op.LITERAL:
        return chr(value) == character
    if kind is op.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    if kind is op.CATEGORY:
        return re.match(_CATEGORIES[value], character, flags & re.ASCII) is not None
    return False


SINGLE = frozenset({op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN})
REPEATS = frozenset({op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT})


@dataclass
class Engine:
    """Matches one text and counts; `most` steps are the end."""

    parsed: Parsed
    text: str
    most: int
    steps: int = 0
    groups: dict[int, tuple[int, int]] = field(default_factory=dict)

    def search(self, *, anchored: bool, whole: bool) -> int:
        """Look for a match as `match`, `fullmatch` or `search` would, and give the steps taken."""
        end = len(self.text)

        def done(at: int) -> bool:
            return not whole or at == end

        for start in range(1 if anchored else end + 1):
            self.groups = {}
            self.steps += 1
            if self.sequence(self.parsed.tree, 0, start, self.parsed.flags, done):
                break
        return self.steps

    def sequence(self, nodes: Sequence[Node], number: int, at: int, flags: int, then: Then) -> bool:
        if number == len(nodes):
            return then(at)
        node = nodes[number]
        if number + 1 == len(nodes):
            return self.one(node, at, flags, then)
        return self.one(node, at, flags, lambda end: self.sequence(nodes, number + 1, end, flags, then))

    def one(self, node: Node, at: int, flags: int, then: Then) -> bool:  # noqa: PLR0911 - one for each kind of node
        kind, value = node
        if kind in SINGLE:
            return self.takes(node, at, flags) and then(at + 1)
        if kind is op.BRANCH:
            return any(self.sequence(tuple(one), 0, at, flags, then) for one in value[1])
        if kind is op.SUBPATTERN:
            return self.group(value, at, flags, then)
        if kind in REPEATS:
            return self.repeat(kind, value, at, flags, then)
        if kind is op.ATOMIC_GROUP:
            end = self.alone(tuple(value), at, flags)
            return end is not None and then(end)
        if kind in {op.ASSERT, op.ASSERT_NOT}:
            return self.holds(value, at, flags) is (kind is op.ASSERT) and then(at)
        if kind is op.AT:
            self.count()
            return self.stands(value, at, flags) and then(at)
        if kind is op.GROUPREF:
            return self.repeats_group(value, at, then)
        if kind is op.GROUPREF_EXISTS:
            group, yes, no = value
            chosen = yes if group in self.groups else no
            return self.sequence(tuple(chosen or ()), 0, at, flags, then)
        raise NotImplementedError(kind)

    def count(self) -> None:
        self.steps += 1
        if self.steps > self.most:
            raise TooMany

    def takes(self, node: Node, at: int, flags: int) -> bool:
        self.count()
        return at < len(self.text) and fits(node, self.text[at], flags)

    def group(self, value: Any, at: int, flags: int, then: Then) -> bool:
        number, more, fewer, inner = value
        before = self.groups.get(number)

        def closed(end: int) -> bool:
            if number is not None:
                self.groups[number] = (at, end)
            return then(end)

        found = self.sequence(tuple(inner), 0, at, (flags | more) & ~fewer, closed)
        if not found and number is not None:
            self.groups.pop(number, None)
            if before is not None:
                self.groups[number] = before
        return found

    def alone(self, nodes: Sequence[Node], at: int, flags: int) -> int | None:
        """Where a part ends that is matched by itself, never to be tried again."""
        ends: list[int] = []

        def done(end: int) -> bool:
            ends.append(end)
            return True

        return ends[0] if self.sequence(nodes, 0, at, flags, done) else None

    def repeat(self, kind: Any, value: Any, at: int, flags: int, then: Then) -> bool:
        least, most, inner = value
        most = len(self.text) + 1 if most is op.MAXREPEAT else min(most, least + _FEW)
        nodes = tuple(inner)
        if kind is op.POSSESSIVE_REPEAT:
            return self.possessive(nodes, (least, most), at, flags, then)
        if len(nodes) == 1 and nodes[0][0] in SINGLE:
            return self.singles(kind, nodes[0], (least, most), at, flags, then)
        lazy = kind is op.MIN_REPEAT

        def again(count: int, start: int) -> bool:
            def more() -> bool:
                if count >= most:
                    return False

                def after(end: int) -> bool:
                    return (end > start or count < least) and again(count + 1, end)

                return self.sequence(nodes, 0, start, flags, after)

            if count < least:
                return more()
            return (then(start) or more()) if lazy else (more() or then(start))

        return again(0, at)

    def singles(self, kind: Any, node: Node, bounds: tuple[int, int], at: int, flags: int, then: Then) -> bool:
        least, most = bounds
        end = at
        if kind is op.MIN_REPEAT:
            while True:
                if end - at >= least and then(end):
                    return True
                if end - at >= most or not self.takes(node, end, flags):
                    return False
                end += 1
        while end - at < most and self.takes(node, end, flags):
            end += 1
        while end - at >= least:
            self.count()
            if then(end):
                return True
            end -= 1
        return False

    def possessive(self, nodes: Sequence[Node], bounds: tuple[int, int], at: int, flags: int, then: Then) -> bool:
        least, most = bounds
        count, end = 0, at
        while count < most:
            found = self.alone(nodes, end, flags)
            if found is None or (found == end and count >= least):
                break
            count, end = count + 1, found
        return count >= least and then(end)

    def holds(self, value: Any, at: int, flags: int) -> bool:
        direction, inner = value
        if direction > 0:
            return self.alone(tuple(inner), at, flags) is not None
        width = inner.getwidth()[0]
        if at < width:
            return False
        return self.alone(tuple(inner), at - width, flags) is not None

    def stands(self, where: Any, at: int, flags: int) -> bool:
        text, end = self.text, len(self.text)
        if where is op.AT_BEGINNING:
            return at == 0 or (bool(flags & re.MULTILINE) and text[at - 1] == "\n")
        if where is op.AT_BEGINNING_STRING:
            return at == 0
        if where is op.AT_END:
            return (
                at == end or (at == end - 1 and text[at] == "\n") or (bool(flags & re.MULTILINE) and text[at] == "\n")
            )
        if where is op.AT_END_STRING:
            return at == end
        before, after = (0 <= one < end and _is_word(text[one], flags & re.ASCII) for one in (at - 1, at))
        return (before is not after) is (where is op.AT_BOUNDARY)

    def repeats_group(self, number: int, at: int, then: Then) -> bool:
        self.count()
        if number not in self.groups:
            return False
        start, end = self.groups[number]
        said = self.text[start:end]
        self.steps += len(said)
        return self.text.startswith(said, at) and then(at + len(said))


@cache
def _is_word(character: str, flags: int) -> bool:
    return re.match(r"\w", character, flags) is not None


def walk(nodes: Iterable[Node]) -> Iterable[Node]:
    """Every node of a tree, the outer ones first."""
    for node in nodes:
        yield node
        for inner in parts(node):
            yield from walk(inner)


def parts(node: Node) -> list[Any]:
    """The sequences of nodes directly within a node."""
    kind, value = node
    if kind is op.BRANCH:
        return list(value[1])
    if kind is op.SUBPATTERN:
        return [value[3]]
    if kind in REPEATS:
        return [value[2]]
    if kind is op.ATOMIC_GROUP:
        return [value]
    if kind in {op.ASSERT, op.ASSERT_NOT}:
        return [value[1]]
    if kind is op.GROUPREF_EXISTS:
        return [one for one in value[1:] if one is not None]
    return []
