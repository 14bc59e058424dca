"""The table of verbs: what agents and REST clients can call.

A row names a function in `operators`; people's doors import and call such functions themselves. No verb commits atoms:
that is a person's act and has its own door.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pactkeeper.verbs import atoms, files, groups, health, questions, repository, review, runs, threads
from pactkeeper.verbs.verb import Category, Verb

VERBS: Final[tuple[Verb, ...]] = (
    *files.ROWS,
    *repository.ROWS,
    *groups.PACT_ROWS,
    *review.ROWS,
    *runs.ROWS,
    *questions.ROWS,
    *atoms.ROWS,
    *groups.ROWS,
    *health.ROWS,
    *runs.JOB_ROWS,
    *threads.ROWS,
)


def row_of(function: Callable[..., object]) -> Verb:
    """Return the row of a verb."""
    return next(one for one in VERBS if one.function is function)


def tools_by_category(*categories: Category) -> tuple[Verb, ...]:
    """Return the tools in any of these categories, each once, in table order."""
    return tuple(one for one in VERBS if one.title and not set(one.categories).isdisjoint(categories))
