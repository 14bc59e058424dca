"""Propose a document for an analysis or the like, which says why, and tasks, which say what, linked to each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pactkeeper.boards.sections import own_section, own_text
from pactkeeper.errors import StaleError
from pactkeeper.intent.actions import Action
from pactkeeper.intent.board import Document
from pactkeeper.intent.redaction import redacted
from pactkeeper.intent.routing import RoutedSection, section_of
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.question import Question
from pactkeeper.speech.languages import words_of
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
    verdict,
    whole,
)
from pactkeeper.transcripts.reconciling.saying import ListItem, matches, said
from pactkeeper.transcripts.reconciling.tasks import Reasons, work
from pactkeeper.transcripts.reconciling.world import SeenArtifact, TranscriptWorld


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
