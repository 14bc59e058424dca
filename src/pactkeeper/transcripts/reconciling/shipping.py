"""What tools did, and which tasks that settles: an answer of a tool counts, a command that failed ships nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.artifact import Artifact, content
from pactkeeper.transcripts.reconciling.bound import Bound, by_ids
from pactkeeper.transcripts.reconciling.comparing import compare
from pactkeeper.transcripts.reconciling.contradicting import undone
from pactkeeper.transcripts.reconciling.documents import with_status
from pactkeeper.transcripts.reconciling.proposing import Found, judged, propose, suppressed
from pactkeeper.transcripts.reconciling.updates import completing, noting
from pactkeeper.transcripts.reconciling.world import SeenArtifact, World

_ITSELF: Final = frozenset({"board_call", "document_call"})
_SHIPS: Final = frozenset({"merge", "deploy", "release"})
_CLOSES: Final = re.compile(
    r"(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|completes?|completed|finish(?:es|ed)?|done)\b"
    r"[:\s]+(?:[\w./-]*#\d+|[A-Z][A-Z0-9]+-\d+|T-[0-9a-f]{6,}|https?://\S+)"
)
_BRACKETED: Final = re.compile(r"\(([^()]{6,200})\)")


def event(seen: SeenArtifact, world: World, later: SeenArtifact | None = None) -> Iterator[Found]:
    """Judge one event; one that names no task says nothing about any.

    `later` is the event of its kind that succeeded last in the same folder.
    """
    artifact = seen.artifact
    kind, outcome = str(artifact.facts.get("kind")), str(artifact.facts.get("outcome"))
    if kind in _ITSELF:
        if outcome == "succeeded":
            yield judged(seen, artifact.title, "exists", "the session itself wrote it there")
        return
    if kind == "test_run":
        return
    if outcome == "succeeded" and kind in _SHIPS:
        yield from _documents(seen, kind, world)
    for bound in _named(artifact, world):
        if outcome != "succeeded":
            reason = f"the {kind} {outcome.replace('_', ' ')}, so it settles nothing"
            yield suppressed(seen, bound.task.title, reason, "completeTask")
            if outcome == "failed" and kind in _SHIPS:
                yield from undone(seen, bound, kind, later)
        elif bound.task.status == "done":
            yield judged(seen, bound.task.title, "exists", "the task is done already", by=bound.task.id)
        else:
            yield from _settles(seen, bound, kind, world)


def _documents(seen: SeenArtifact, kind: str, world: World) -> Iterator[Found]:
    """What a document that an event names by its title says of its status."""
    subject = str(seen.artifact.facts.get("subject") or "")
    for document in world.documents if subject else ():
        if compare(subject, document.title).sameness == "same":
            why = f"a {kind} that succeeded names it"
            yield from with_status(seen, document, "shipped", why=why, world=world)


def _settles(seen: SeenArtifact, bound: Bound, kind: str, world: World) -> Iterator[Found]:
    task = bound.task
    yield judged(seen, task.title, "stale", f"a {kind} names it, and it is {task.status}", by=task.id)
    closes = _CLOSES.search(content(seen.artifact)) is not None
    if kind in _SHIPS or (kind == "push" and closes):
        plain = kind != "merge" or closes or bound.by == "title"
        alone = len(_named(seen.artifact, world)) == 1
        why = f"a {kind} that succeeded names it" + ("" if plain else "; that does not say that all of it is done")
        asked = not (plain and alone) or task.id.isdigit()
        yield from propose(seen, completing(bound, why, machine=True, asked=asked), world)
    else:
        wanted = noting(seen, bound, f"{kind}:", f"a {kind} that succeeded names it", machine=True)
        yield from propose(seen, wanted, world)


def _named(artifact: Artifact, world: World) -> tuple[Bound, ...]:
    """The tasks that an event names by id or address, else by their exact title."""
    text = content(artifact)
    named = by_ids(text, world, numbers=_CLOSES.search(text) is not None)
    if named:
        return named
    titles = [str(artifact.facts.get("subject", "")), *_BRACKETED.findall(text)]
    found = (
        Bound(view, task, "title")
        for view, task in world.tasks()
        if any(title and compare(title, task.title).sameness == "same" for title in titles)
    )
    exact = tuple(found)
    return exact if len(exact) == 1 else ()
