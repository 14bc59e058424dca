"""What may be the same already: candidates by similarity, shown to people and never deciding anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.board import Task
from pactkeeper.intent.ids import nearest
from pactkeeper.intent.ticket import Draft, values_of
from pactkeeper.speech.clash import compare
from pactkeeper.tickets.validation.report import Duplicate, as_fact
from pactkeeper.tickets.validation.surroundings import Surroundings

ALIKE: Final = 80  # of 100, of two titles
MOST: Final = 5
_MOST_LINES: Final = 100  # of a ticket's body


def duplicates(draft: Draft, around: Surroundings) -> Iterator[Duplicate]:
    """Tickets and drafts with nearly the same title or an equal criterion, and atoms that nearly say a criterion."""
    found = [one for one in (*_titles(draft, around), *_atoms(draft, around)) if one.id not in around.own]
    yield from sorted(dict.fromkeys(found), key=lambda one: -one.points)[:MOST]


def _titles(draft: Draft, around: Surroundings) -> Iterator[Duplicate]:
    for task in around.tickets:
        if task.status != "done" and (same := _criteria_in(draft, task)):
            yield Duplicate("ticket", task.id, f"{task.title}, which also says {same!r}", ALIKE, task.url)
    for said in values_of(draft, "title"):
        for task in around.tickets:
            if task.status != "done" and (points := _alike(said.value, task.title)) >= ALIKE:
                yield Duplicate("ticket", task.id, task.title, points, task.url)
        for other in around.drafts:
            if (points := _alike(said.value, other.value)) >= ALIKE:
                yield Duplicate("draft", other.thread, other.value, points, other.permalink)


def _criteria_in(draft: Draft, task: Task) -> str:
    """The first criterion that a line of a ticket's body says as well; empty for none."""
    lines = [line.strip(" -*[]x") for line in task.body.splitlines()[:_MOST_LINES]]
    said = (one.value for one in draft.acceptance_criteria)
    return next((one for one in said for line in lines if line and compare(one, line).verdict == "agree"), "")


def _alike(one: str, other: str) -> int:
    from rapidfuzz import fuzz, utils  # noqa: PLC0415 - only a draft with a title comes here

    return int(fuzz.token_sort_ratio(one, other, processor=utils.default_process))


def _atoms(draft: Draft, around: Surroundings) -> Iterator[Duplicate]:
    if around.pact is None:
        return
    live = [
        one for one in around.pact.atoms.values() if around.pact.status_of(one.id) not in {"superseded", "abandoned"}
    ]
    for said in draft.acceptance_criteria:
        for near in nearest(as_fact(said.value), live):
            yield Duplicate("atom", near.atom.id, near.atom.intent, near.points)
