"""Directed graphs of names: what leads to itself, and how much each name leads to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field


def strongly_connected(leads_to: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """The strongly connected components, each sorted, each behind every component that it leads to.

    Every name has a key; a name without one leads nowhere. It is Tarjan's algorithm with a stack of its own, because
    chains of imports grow longer than Python's.
    """
    search = _Search(leads_to)
    for name in leads_to:
        if name not in search.numbers:
            search.visit(name)
    return search.found


def reach_counts(leads_to: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """How many other names each name leads to, directly or not."""
    components = strongly_connected(leads_to)
    place = {name: index for index, members in enumerate(components) for name in members}
    following = [_following(members, leads_to, place) for members in components]
    waiting = [0] * len(components)
    for targets in following:
        for target in targets:
            waiting[target] += 1
    return dict(_counted(components, following, waiting))


def _following(members: Sequence[str], leads_to: Mapping[str, Sequence[str]], place: Mapping[str, int]) -> set[int]:
    found = {place[target] for name in members for target in leads_to.get(name, ())}
    return found - {place[members[0]]}


def _counted(
    components: Sequence[tuple[str, ...]], following: Sequence[set[int]], waiting: list[int]
) -> Iterator[tuple[str, int]]:
    """One bit a name: a component's bits are its own and those of what it leads to, dropped after their last use."""
    reached: dict[int, int] = {}
    first = 0
    for index, members in enumerate(components):
        bits = ((1 << len(members)) - 1) << first
        first += len(members)
        for target in following[index]:
            bits |= reached[target]
            waiting[target] -= 1
            if not waiting[target]:
                del reached[target]
        if waiting[index]:
            reached[index] = bits
        yield from ((name, bits.bit_count() - 1) for name in members)


@dataclass(slots=True)
class _Search:
    """One run of Tarjan's algorithm; `lowest` is the smallest number on the path that a name can get back to."""

    leads_to: Mapping[str, Sequence[str]]
    numbers: dict[str, int] = field(default_factory=dict)
    lowest: dict[str, int] = field(default_factory=dict)
    path: list[str] = field(default_factory=list)
    on_path: set[str] = field(default_factory=set)
    found: list[tuple[str, ...]] = field(default_factory=list)

    def visit(self, root: str) -> None:
        pending = [self._enter(root)]
        while pending:
            name, targets = pending[-1]
            target = next(targets, None)
            if target is None:
                pending.pop()
                self._leave(name, pending[-1][0] if pending else None)
            elif target not in self.numbers:
                pending.append(self._enter(target))
            elif target in self.on_path:
                self.lowest[name] = min(self.lowest[name], self.numbers[target])

    def _enter(self, name: str) -> tuple[str, Iterator[str]]:
        self.numbers[name] = self.lowest[name] = len(self.numbers)
        self.path.append(name)
        self.on_path.add(name)
        return name, iter(self.leads_to.get(name, ()))

    def _leave(self, name: str, above: str | None) -> None:
        if self.lowest[name] == self.numbers[name]:
            members = [self.path.pop()]
            while members[-1] != name:
                members.append(self.path.pop())
            self.on_path.difference_update(members)
            self.found.append(tuple(sorted(members)))
        if above is not None:
            self.lowest[above] = min(self.lowest[above], self.lowest[name])
