"""Check whether a piece of work is already on a board, and propose a task only if it certainly isn't."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.actions import Outcome
from pactkeeper.intent.board import Task
from pactkeeper.intent.redaction import redacted
from pactkeeper.ledger.canonical import digest
from pactkeeper.transcripts.reconciling.contradicting import planned
from pactkeeper.transcripts.reconciling.proposing import (
    Found,
    WantedChange,
    is_accepted,
    judged,
    propose,
    same_work,
    suppressed,
    task_body,
    verdict,
)
from pactkeeper.transcripts.reconciling.saying import ListItem, matches, said
from pactkeeper.transcripts.reconciling.world import BoardView, Commit, SeenArtifact, TranscriptWorld

_KIND: Final = re.compile(r"^\w++(?:\([^)]*+\))?!?:\s++|(?<!\s)\s*+\(#\d++\)$")
LEAST_WORDS: Final = 2
Placed = tuple[BoardView, Task]


def task_target(board: str, title: str) -> str:
    """The target of a task that doesn't exist yet, the same for equivalent wordings of its title."""
    line = said(title)
    fields = {name: sorted(values) for name, values in line.details.items()}
    return f"{board}/task/" + digest([sorted(line.words), fields])[3:15]


@dataclass(frozen=True, slots=True)
class Reasons:
    """The document that explains a task, by title and target, and the action that creates it; any may be empty."""

    title: str = ""
    target: str = ""
    after: tuple[str, ...] = ()


NO_REASONS: Final = Reasons()


def work(seen: SeenArtifact, item: ListItem, world: TranscriptWorld, reasons: Reasons = NO_REASONS) -> Iterator[Found]:
    """Judge one step or recommendation."""
    view = world.task_board(seen.artifact.domain)
    target = task_target(view.name, item.title)
    there = list(_there(seen, item, target, world))
    if there:
        yield from there
        return
    title = redacted(item.title)
    payload = {"board": view.name, "title": title, "body": task_body(seen, item.text, reasons.title)}
    why = f"nothing on the board is {title!r}"
    if not world.unseen(seen.folder):
        yield judged(seen, title, "gap", why)
    linked = {"document": reasons.target} if reasons.target else {}
    wanted = WantedChange(
        "createTask",
        target,
        None,
        {**payload, **linked},
        title,
        why,
        machine=is_accepted(seen),
        quote=item.text,
        depends_on=reasons.after,
    )
    yield from propose(seen, wanted, world)


def _there(seen: SeenArtifact, item: ListItem, target: str, world: TranscriptWorld) -> Iterator[Found]:
    """What prevents a new task: it is done, known, contradicted, or perhaps known."""
    if item.done:
        yield judged(seen, item.title, "stale", "it is ticked off in the conversation")
        return
    if _says_little(item.title):
        yield suppressed(seen, item.title, "it says too little to be a task of its own", "createTask")
        return
    found = matches(item.title, world.tasks(), _name)
    if found.same:
        view, task = found.same[0]
        outcome: Outcome = "stale" if task.status == "done" else "exists"
        yield judged(seen, item.title, outcome, f"{view.name} lists it as {task.status}", by=task.id)
        return
    if done := _implemented(item.title, world.commits.get(seen.folder, ())):
        reason = f"already implemented in commit {done.hash[:12]}: {done.subject}"
        yield judged(seen, item.title, "stale", reason, by=done.hash)
        return
    against = list(planned(seen, item.title, item.text, world))
    if against:
        yield judged(seen, item.title, "conflict", against[0].why, by=against[0].stands.place)
        yield from against
        return
    yield from _perhaps(seen, item, target, world, found=found.perhaps)


def _perhaps(
    seen: SeenArtifact, item: ListItem, target: str, world: TranscriptWorld, *, found: tuple[tuple[Placed, str], ...]
) -> Iterator[Found]:
    for (view, task), why in found:
        question = same_work(target, item.title, task.title, item=f"{view.name}/{task.id}", why=why)
        answer = verdict(question, world)
        if answer == "yes":
            yield judged(seen, item.title, "exists", "somebody said it is the same work", by=task.id)
            return
        if not answer:
            yield question
            return
    commits = matches(item.title, world.commits.get(seen.folder, ()), _subject)
    for commit, why in commits.perhaps:
        if said(item.title).topics <= said(_subject(commit)).topics:
            question = same_work(target, item.title, commit.subject, item=f"commit {commit.hash[:12]}", why=why)
            answer = verdict(question, world)
            if answer == "yes":
                by = str(question.context["item"])
                yield judged(seen, item.title, "stale", "somebody said it is done", by=by)
            elif not answer:
                yield question
            return


def _says_little(title: str) -> bool:
    line = said(title)
    return not line.topics or len(line.words) + len(line.details) < LEAST_WORDS


def _implemented(title: str, commits: tuple[Commit, ...]) -> Commit | None:
    found = matches(title, commits, _subject)
    return found.same[0] if found.same else None


def _name(placed: Placed) -> str:
    return placed[1].title


def _subject(commit: Commit) -> str:
    """A commit's subject without its type prefix and pull request number."""
    return _KIND.sub("", commit.subject)
