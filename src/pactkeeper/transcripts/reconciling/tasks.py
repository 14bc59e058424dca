"""Propose tasks, which say what, and documents for an analysis or the like, which say why, linked to each other.

A task is proposed only if the piece of work certainly isn't on a board yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from pactkeeper.boards.sections import own_section, own_text
from pactkeeper.errors import StaleError
from pactkeeper.intent.actions import Action, Outcome
from pactkeeper.intent.board import Document, Task
from pactkeeper.intent.conversation import content
from pactkeeper.intent.redaction import redacted
from pactkeeper.intent.routing import RoutedSection, section_of
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.question import Question
from pactkeeper.speech.languages import words_of
from pactkeeper.speech.spans import lines
from pactkeeper.transcripts.reconciling import BoardView, Commit, SeenArtifact, TranscriptWorld, instant
from pactkeeper.transcripts.reconciling.contradicting import planned
from pactkeeper.transcripts.reconciling.handles import Handles
from pactkeeper.transcripts.reconciling.proposing import (
    Found,
    WantedChange,
    choice,
    document_body,
    is_accepted,
    judged,
    parts,
    propose,
    same_work,
    suppressed,
    task_body,
    verdict,
    whole,
)
from pactkeeper.transcripts.reconciling.saying import ListItem, is_one_list, matches, said, steps

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
    is_plain = is_accepted(seen) and is_one_list(content(seen.artifact))
    doubt = "; the accepted plan isn't one list of open steps" if is_accepted(seen) and not is_plain else ""
    why = f"nothing on the board is {title!r}{doubt}"
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
        machine=is_plain,
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
    own = _planned_for(seen, world)
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
    others = tuple((placed, why) for placed, why in _likely(item.title, found.perhaps, world) if placed not in own)
    yield from _perhaps(seen, item, target, world, found=others)


def _likely(title: str, found: Iterable[tuple[Placed, str]], world: TranscriptWorld) -> list[tuple[Placed, str]]:
    """The tasks found for a step and the open ones of which a line is like it; those that share most words first."""
    tasks = [placed for placed in world.tasks() if placed[1].status != "done"]
    alike = matches(title, [(placed, line.text) for placed in tasks for line in lines(placed[1].body)], itemgetter(1))
    told = [
        (placed, f"its text says {redacted(text)!r}")
        for placed, text in (*alike.same, *(one for one, _ in alike.perhaps))
    ]
    likely = {placed[1].id: (placed, why) for placed, why in (*found, *told)}
    texts = {name: said(f"{placed[1].title}\n{placed[1].body}") for name, (placed, _) in likely.items()}
    has = {name: text.words.union(*text.details.values()) for name, text in texts.items()}
    mine = said(title).words.union(*said(title).details.values())
    return [likely[name] for name in sorted(likely, key=lambda name: -len(has[name] & mine))]


def _planned_for(seen: SeenArtifact, world: TranscriptWorld) -> list[Placed]:
    """The tasks that a plan of several steps is for, by its title: a step is a part of one, not the same work."""
    artifact = seen.artifact
    if artifact.type != "plan" or len(steps(content(artifact))) == 1:
        return []
    tasks = ((placed, Handles((placed[1].title,), frozenset({placed[1].id.casefold()}))) for placed in world.tasks())
    return [placed for placed, task in tasks if task.are_in(artifact.title, "")]


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
        mine, theirs = said(item.title).topics, said(_subject(commit)).topics
        if mine <= theirs or (len(theirs) >= LEAST_WORDS and theirs <= mine and _is_since(commit, seen)):
            question = same_work(target, item.title, commit.subject, item=f"commit {commit.hash[:12]}", why=why)
            answer = verdict(question, world)
            if answer == "yes":
                by = str(question.context["item"])
                yield judged(seen, item.title, "stale", "somebody said it is done", by=by)
            elif not answer:
                yield question
            return


def _is_since(commit: Commit, seen: SeenArtifact) -> bool:
    """Whether a commit was made after something was said."""
    made, then = instant(commit.at), instant(seen.artifact.at)
    return made is not None and then is not None and made >= then


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


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the text goes: an existing document, or a section for a new one; `target` identifies it permanently."""

    title: str
    target: str
    document: Document | None = None
    section: str = ""


def reasoned(seen: SeenArtifact, items: tuple[ListItem, ...], world: TranscriptWorld) -> Iterator[Found]:
    """Judge an artifact that explains something, and its recommendations."""
    first = [found for item in items for found in work(seen, item, world)]
    tasks = [found for found in first if isinstance(found, Action)]
    place, said_before = _place(seen, world)
    yield from said_before
    mine = list(_written(seen, place, tasks, world)) if place is not None else []
    yield from mine
    written = next((one for one in mine if isinstance(one, Action)), None)
    known = place is not None and place.document is not None
    if place is None or (written is None and not known):
        yield from first
        return
    after = (written.id,) if written else ()
    for item in items:
        yield from work(seen, item, world, Reasons(place.title, place.target, after))


def _place(seen: SeenArtifact, world: TranscriptWorld) -> tuple[_Place | None, tuple[Found, ...]]:
    """Where an artifact belongs, or the findings that have to be settled first."""
    title = _title(seen)
    board = world.document_board.name
    fresh = f"{board}/document/" + digest(["document", sorted(said(title).words)])[3:15]
    holding = next((one for one in world.documents if _holds(one, seen)), None)
    if holding is not None:
        return _existing(holding, title, board), ()
    found = matches(_bare(title, world), world.documents, lambda one: _bare(one.title, world))
    if found.same:
        return _existing(found.same[0], title, board), ()
    for document, why in found.perhaps:
        question = same_work(fresh, title, document.title, item=f"{board}/{document.id}", why=why)
        answer = verdict(question, world)
        if answer == "yes":
            return _existing(document, title, board), ()
        if not answer:
            return None, (question,)
    return _new(title, seen, fresh, world)


def _existing(document: Document, title: str, board: str) -> _Place:
    mark = "tr-" + digest(["section", sorted(said(title).words)])[3:15]
    return _Place(document.title, f"{board}/document/{document.id}#{mark}", document)


def _new(
    title: str, seen: SeenArtifact, target: str, world: TranscriptWorld
) -> tuple[_Place | None, tuple[Found, ...]]:
    routing, unseen = world.routing, world.unseen(seen.folder)
    if unseen:
        return None, (suppressed(seen, title, f"can't tell whether it is missing: {unseen}", "createDocument"),)
    section = section_of(routing, title, whole(seen.artifact))
    if section is None:
        names = tuple(one.name for one in routing.open_sections)
        context: dict[str, JsonValue] = {"document": title, "asked": "which section does it belong in?"}
        question = Question("choose", target, context, names)
        chosen = choice(question, world)
        if not chosen:
            return None, (question,)
        section = next(one for one in routing.open_sections if one.name == chosen)
    return _Place(_prefixed(title, section), target, section=section.name), ()


def _prefixed(title: str, section: RoutedSection) -> str:
    return title if title.casefold().startswith(section.prefix.casefold().strip()) else f"{section.prefix}{title}"


def _bare(title: str, world: TranscriptWorld) -> str:
    """A title without its section's prefix."""
    prefixes = (one.prefix for one in world.routing.sections if one.prefix)
    return next((title.removeprefix(one) for one in prefixes if title.startswith(one)), title)


def _holds(document: Document, seen: SeenArtifact) -> bool:
    """Whether a document already contains every part of an artifact verbatim."""
    texts = parts(seen.artifact)
    return bool(texts) and all(own_text(text) in document.body for text in texts)


def _title(seen: SeenArtifact) -> str:
    """The artifact's title; one without a subject is followed by its domain."""
    title = redacted(" ".join(seen.artifact.title.replace("`", "").replace("**", "").split()))
    bare = said(title).words <= words_of("analyses") | words_of("frameworks")
    return f"{title} ({seen.artifact.domain})" if bare and seen.artifact.domain else title


def _written(seen: SeenArtifact, place: _Place, tasks: list[Action], world: TranscriptWorld) -> Iterator[Found]:
    text = document_body(seen, [str(one.op.payload["title"]) for one in tasks])
    content: dict[str, JsonValue] = {"board": world.document_board.name, "tasks": [one.op.target for one in tasks]}
    if place.document is not None:
        yield from _enriched(seen, place, place.document, {**content, "text": text}, world=world)
        return
    yield judged(seen, place.title, "gap", f"no document is called {place.title!r}")
    content |= {"section": place.section, "title": place.title, "body": text}
    why = f"no document says this; it belongs to {place.section}"
    yield from propose(
        seen,
        WantedChange("createDocument", place.target, None, content, place.title, why, machine=is_accepted(seen)),
        world,
    )


def _enriched(
    seen: SeenArtifact, place: _Place, document: Document, content: dict[str, JsonValue], *, world: TranscriptWorld
) -> Iterator[Found]:
    if _holds(document, seen):
        yield judged(seen, place.title, "exists", "the document already contains all of it", by=document.id)
        return
    mark = place.target.rpartition("#")[2]
    try:
        own = own_section(document.body, mark)
    except StaleError as error:
        yield suppressed(seen, place.title, str(error), "enrichDocument")
        return
    if own and own.edited:
        yield suppressed(
            seen, place.title, "a person edited the generated section, so it is theirs now", "enrichDocument"
        )
        return
    why = f"the document {document.title!r} is about this but doesn't contain it"
    yield judged(seen, place.title, "stale", why, by=document.id)
    payload = {**content, "document": document.id, "mark": mark, "heading": _title(seen), "title": document.title}
    payload |= {"old": own.text} if own else {}
    before = digest(own.text) if own else None
    yield from propose(
        seen,
        WantedChange("enrichDocument", place.target, before, payload, place.title, why, machine=is_accepted(seen)),
        world,
    )
    if is_accepted(seen):
        yield from with_status(seen, document, "accepted", why="the plan in it was accepted", world=world)


def with_status(
    seen: SeenArtifact, document: Document, status: str, *, why: str, world: TranscriptWorld
) -> Iterator[Found]:
    """Propose another status for a document; nothing if it keeps none, or already has that one."""
    before = document.meta.get("status", "")
    if before.casefold() in {"", status}:
        return
    board = world.document_board.name
    payload: dict[str, JsonValue] = {"board": board, "document": document.id, "title": document.title}
    payload |= {"values": {"status": status}, "expected": {"status": before}}
    target = f"{board}/document/{document.id}#status"
    yield from propose(
        seen,
        WantedChange("updateDocumentMeta", target, digest(before), payload, document.title, why, machine=True),
        world,
    )
