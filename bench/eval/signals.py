"""Deterministic signals for which functions a test is about: pure rankings of a project's functions for one test."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bench.eval.cases import stems
from pactkeeper.intent.context import TestContext

_SAY_NOTHING: Final = frozenset({"test", "init", "get", "set", "is"})
NAMED_ALIKE: Final = 0.5
Ranking = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Look:
    """What signals see of one test: its words, its context, the files its own file imports, and all `functions`.

    `functions` are ids `path::Dotted.name` with their words; `short` finds them by the last part of their name.
    """

    words: frozenset[str]
    context: TestContext
    imports: frozenset[str]
    functions: Mapping[str, frozenset[str]]


def names(look: Look) -> Ranking:
    """How many of the words of a function's own name stand in the test's name; a class counts half."""
    found = {}
    for function, said in look.functions.items():
        wanted = said - _SAY_NOTHING
        points = len(wanted & look.words) / len(wanted) if wanted else 0.0
        if points >= NAMED_ALIKE:
            found[function] = points
    return found


def calls(look: Look) -> Ranking:
    """What the test names itself, the first above the others."""
    return _reached(look, most_steps=0)


def reached(look: Look) -> Ranking:
    """What the test names, or its fixtures and helpers do; nearer first."""
    return _reached(look, most_steps=None)


def imports(look: Look) -> Ranking:
    """Every function of a file that the test's file imports."""
    return {function: 1.0 for function in look.functions if function.partition("::")[0] in look.imports}


def combined(look: Look) -> Ranking:
    """What is reached, by nearness, names and imports deciding among what is equally near."""
    near, alike, imported = reached(look), names(look), imports(look)
    return {one: 4 * points + 2 * alike.get(one, 0) + imported.get(one, 0) for one, points in near.items()}


def everything(look: Look) -> Ranking:
    """All signals added up, for a ranking without a limit."""
    near, alike, imported = reached(look), names(look), imports(look)
    keys = {*near, *alike, *imported}
    return {one: 4 * near.get(one, 0) + 2 * alike.get(one, 0) + imported.get(one, 0) for one in keys}


SIGNALS: Final[Mapping[str, Callable[[Look], Ranking]]] = {
    "names": names,
    "imports": imports,
    "calls": calls,
    "reached": reached,
    "reached, ordered by all": combined,
    "all added up": everything,
}


def _reached(look: Look, *, most_steps: int | None) -> Ranking:
    code = [one for one in look.context.code if not one.support and (most_steps is None or one.steps <= most_steps)]
    found: dict[str, float] = {}
    for place, one in enumerate(code):
        nearness = 1 / (1 + one.steps) - place / 10_000
        for name in _ids(one.path, one.name, one.kind, look.functions):
            found.setdefault(name, nearness)
    return found


def _ids(path: str, name: str, kind: str, functions: Collection[str]) -> Sequence[str]:
    """The function that is named; a class stands for making one."""
    own = f"{path}::{name}"
    if own in functions:
        return (own,)
    made = f"{own}.__init__"
    return (made,) if kind == "class" and made in functions else ()


def words_of(name: str) -> frozenset[str]:
    """The stems of a name's words."""
    return stems(name)


@dataclass(slots=True)
class Score:
    """Precision and recall over all pairs, and the mean of the average precision of each test."""

    right: int = 0
    said: int = 0
    there: int = 0
    precisions: float = 0.0
    tests: int = 0

    def add(self, ranking: Ranking, gold: Collection[str]) -> None:
        """Count one test."""
        order = sorted(ranking, key=lambda one: (-ranking[one], one))
        hits, total = 0, 0.0
        for place, one in enumerate(order, start=1):
            if one in gold:
                hits += 1
                total += hits / place
        self.right += hits
        self.said += len(order)
        self.there += len(gold)
        self.precisions += total / len(gold)
        self.tests += 1

    @property
    def figures(self) -> tuple[float, float, float, float]:
        """Precision, recall, F1 and MAP."""
        precision = self.right / self.said if self.said else 0.0
        recall = self.right / self.there if self.there else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return precision, recall, f1, self.precisions / self.tests if self.tests else 0.0
