"""What is worth knowing for good: decisions with their reasons, and what was released; nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pactkeeper.intent.actions import Conflict, Suppressed
from pactkeeper.intent.artifact import Artifact, content
from pactkeeper.intent.knowledge import Item, Provenance
from pactkeeper.intent.redaction import redacted
from pactkeeper.transcripts.reconciling.contradicting import denied, planned
from pactkeeper.transcripts.reconciling.proposing import Found, judged, suppressed
from pactkeeper.transcripts.reconciling.world import Seen, World

RULES: Final = "rules"
_RELEASED: Final = ("url", "package", "crate")


def decision(seen: Seen, world: World) -> Iterator[Found | Item]:
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


def statement(seen: Seen, world: World) -> Iterator[Found]:
    """Judge what somebody said that is so: only what denies it is told."""
    held = list(denied(seen, seen.artifact.excerpts[0].text, world))
    against = _conflicts(held)
    if against:
        yield judged(seen, seen.artifact.title, "conflict", against[0].why, by=against[0].stands.place)
    yield from held


def _conflicts(found: Iterable[Conflict | Suppressed]) -> list[Conflict]:
    return [one for one in found if isinstance(one, Conflict)]


def released(seen: Seen) -> Iterator[Item]:
    """Learn of a release what it released and where."""
    facts = seen.artifact.facts
    named = next((str(facts[key]) for key in _RELEASED if facts.get(key)), "")
    if facts.get("kind") == "release" and facts.get("outcome") == "succeeded" and named and seen.artifact.domain:
        text = redacted(f"{seen.artifact.domain} released {named}")
        subject = seen.artifact.domain
        yield Item("relation", subject, text, _came(seen), RULES, "released", redacted(named), subject)


def _decided(seen: Seen) -> Item:
    artifact = seen.artifact
    text = redacted(artifact.excerpts[0].text)
    return Item("decision", redacted(artifact.title), text, _came(seen), RULES, domain=artifact.domain)


def _came(seen: Seen) -> Provenance:
    artifact: Artifact = seen.artifact
    span = artifact.excerpts[0] if artifact.type == "decision_with_context" else artifact.excerpts[-1]
    place = (span.entry, span.block, span.first, span.last)
    return Provenance(redacted(span.text), span.at, seen.conversation, artifact.id, *place)
