"""What is worth knowing for good: decisions with their reasons, and what a machine's answer shows; nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pactkeeper.intent.actions import Conflict, Suppressed
from pactkeeper.intent.conversation import Artifact, content
from pactkeeper.intent.knowledge import KnowledgeItem, Provenance
from pactkeeper.intent.redaction import redacted
from pactkeeper.transcripts.reconciling.contradicting import denied, planned
from pactkeeper.transcripts.reconciling.proposing import Found, judged, suppressed
from pactkeeper.transcripts.reconciling.world import SeenArtifact, World

RULES: Final = "rules"
# What a fact of a tool's answer says of the project, by the fact's name.
_PREDICATES: Final = {
    "commit": "has commit",
    "to": "pushed to",
    "request": "merged",
    "url": "opened",
    "package": "released",
    "crate": "released",
    "path": "wrote",
}


def decision(seen: SeenArtifact, world: World) -> Iterator[Found | KnowledgeItem]:
    """Judge a decision, and learn it where nothing that holds stands against it."""
    artifact = seen.artifact
    item = _decided(seen)
    if any(known.item.id == item.id for known in world.known):
        yield judged(seen, artifact.title, "exists", "this decision is known", by=item.id)
        return
    if unseen := world.unseen():
        yield suppressed(seen, artifact.title, f"what stands against it cannot be looked for: {unseen}")
        return
    held = list(denied(seen, artifact.excerpts[0].text, world))
    against = [*planned(seen, artifact.title, content(artifact), world), *_conflicts(held)]
    yield from (one for one in held if isinstance(one, Suppressed))
    if against:
        yield judged(seen, artifact.title, "conflict", against[0].why, by=against[0].stands.place)
        yield from against
        return
    yield judged(seen, artifact.title, "gap", "no such decision is known; it is kept as knowledge", by=item.id)
    yield item


def statement(seen: SeenArtifact, world: World) -> Iterator[Found]:
    """Judge what somebody said that is so: only what denies it is told."""
    held = list(denied(seen, seen.artifact.excerpts[0].text, world))
    against = _conflicts(held)
    if against:
        yield judged(seen, seen.artifact.title, "conflict", against[0].why, by=against[0].stands.place)
    yield from held


def _conflicts(found: Iterable[Conflict | Suppressed]) -> list[Conflict]:
    return [one for one in found if isinstance(one, Conflict)]


def learnt_of(seen: SeenArtifact, world: World) -> Iterator[KnowledgeItem]:
    """What a machine's own answer shows of a project: each named thing as an entity, and how it belongs to it."""
    facts, subject = seen.artifact.facts, seen.artifact.domain
    if not subject or (seen.artifact.type == "event" and facts.get("outcome") != "succeeded"):
        return
    for key, usual in _PREDICATES.items():
        predicate = "released" if key == "url" and facts.get("kind") == "release" else usual
        yield from _related(seen, subject, predicate, str(facts.get(key) or ""))
    if facts.get("target") or facts.get("title"):
        yield from _related(seen, subject, f"{facts.get('verb')}s", str(facts.get("title") or facts["target"]))
    made = str(facts.get("commit") or "")
    for one in world.commits.get(seen.folder, ()) if made else ():
        if one.hash.startswith(made) and one.author:
            yield from _related(seen, one.author, "committed to", subject)


def _related(seen: SeenArtifact, subject: str, predicate: str, other: str) -> Iterator[KnowledgeItem]:
    """A relation between two names, and the one that is not the project as an entity."""
    if not other:
        return
    subject, other = redacted(subject), redacted(other)
    named = other if subject == seen.artifact.domain else subject
    yield KnowledgeItem(
        "entity", named, f"{subject} {predicate} {other}", _came(seen), RULES, domain=seen.artifact.domain
    )
    text = f"{subject} {predicate} {other}"
    yield KnowledgeItem("relation", subject, text, _came(seen), RULES, predicate, other, seen.artifact.domain)


def _decided(seen: SeenArtifact) -> KnowledgeItem:
    artifact = seen.artifact
    text = redacted(artifact.excerpts[0].text)
    return KnowledgeItem("decision", redacted(artifact.title), text, _came(seen), RULES, domain=artifact.domain)


def _came(seen: SeenArtifact) -> Provenance:
    artifact: Artifact = seen.artifact
    span = artifact.excerpts[0] if artifact.type == "decision_with_context" else artifact.excerpts[-1]
    place = (span.entry, span.block, span.first, span.last)
    return Provenance(redacted(span.text), span.at, seen.conversation, artifact.id, *place)
